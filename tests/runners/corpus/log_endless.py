# expect: timed_out
# answered: 3
# limits: wall_s=1 log_mib=1
import sys

from harmless import answer

answer()
for _ in range(10**9):
    sys.stdout.write("an endless log " * 1000 + "\n")
