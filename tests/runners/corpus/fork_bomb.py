# expect: ok
# limits: n_processes=40
import os
import signal
import time

from harmless import answer, blocked

children = []
for _ in range(200):
    try:
        pid = os.fork()
    except OSError as error:
        print("blocked: fork:", error)
        break
    if not pid:
        time.sleep(20)
        os._exit(0)
    children.append(pid)
blocked("more processes than the limit", lambda: len(children) >= 40)
for pid in children:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
answer()
