# expect: timed_out
# answered: 3
# limits: wall_s=2
import time

from harmless import answer

answer()
with open("submission.csv", "a") as stream:
    stream.write("\n" * (15 << 20))
time.sleep(20)
