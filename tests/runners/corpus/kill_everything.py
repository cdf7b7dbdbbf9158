# expect: ok
import os
import signal

from harmless import answer

answer()
for pid in (-1, 1):
    try:
        os.kill(pid, signal.SIGTERM)
    except OSError as error:
        print(pid, error)
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError as error:
        print(pid, error)
