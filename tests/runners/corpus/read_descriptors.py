# expect: ok
import os

from harmless import answer, blocked

open_now = sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1]
blocked("descriptors besides the three", lambda: [fd for fd in open_now if fd > 2] or None)
blocked("standard input", lambda: os.read(0, 100) or None)
for fd in range(3, 64):
    blocked(f"descriptor {fd}", lambda: os.pread(fd, 100, 0))
for name in os.listdir("/proc/1/fd"):
    target = os.readlink(f"/proc/1/fd/{name}")
    blocked(f"{target} of process 1", lambda: target.startswith("/") and target != "/dev/null")
answer()
