# expect: ok
import os
import signal
import time

from harmless import answer

for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
    os.kill(1, number)
time.sleep(0.2)
answer()
