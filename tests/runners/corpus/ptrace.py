# expect: ok
import ctypes
import os
import time

from harmless import answer, blocked, syscall

child = os.fork()
if not child:
    time.sleep(5)
    os._exit(0)
blocked("ptrace a child", lambda: syscall(101, 16, child, 0, 0) + 1)
blocked("ptrace process 1", lambda: syscall(101, 0x4206, 1, 0, 0) + 1)
blocked("process_vm_readv", lambda: syscall(310, child, 0, 0, 0, 0, 0) + 1)
blocked("pidfd_getfd", lambda: syscall(438, os.pidfd_open(child), 0, 0) + 1)
blocked("kcmp", lambda: syscall(312, child, os.getpid(), 0, 0, 0) + 1)
os.kill(child, 9)
answer()
