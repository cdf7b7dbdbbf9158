# expect: ok
import fcntl
import os

from harmless import answer, blocked

blocked("the terminal", lambda: os.open("/dev/tty", os.O_RDWR))
for request in (0x5412, 0x541C, 0xFFFFFFFF00005412 - (1 << 64)):
    blocked(f"ioctl {request:x}", lambda: fcntl.ioctl(1, request & 0xFFFFFFFF, b"x") or True)
blocked("a session of its own", lambda: os.getsid(0) == 0 or None)
answer()
