# expect: timed_out
# answered: 2
# detail: 2 of 3
# limits: wall_s=1
import signal
import time

from harmless import answer

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
    signal.signal(number, signal.SIG_IGN)
answer(2)
time.sleep(30)
