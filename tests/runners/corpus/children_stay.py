# expect: ok
import os
import signal
import time

from harmless import answer

for _ in range(10):
    if os.fork():
        continue
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    if os.fork():
        os._exit(0)
    time.sleep(30)
    os._exit(0)
time.sleep(0.1)
answer()
