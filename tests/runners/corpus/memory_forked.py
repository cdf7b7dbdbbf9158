# expect: ok
# limits: memory_mib=200 wall_s=10
# Six children share the parent's 60 MB: counted once, not seven times.
import os
import time

from harmless import answer

held = b"x" * (60 << 20)
children = []
for _ in range(6):
    pid = os.fork()
    if not pid:
        time.sleep(0.5)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
answer()
