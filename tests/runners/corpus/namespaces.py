# expect: ok
import ctypes
import os
import subprocess

from harmless import LIBC, answer, blocked, syscall

NAMES = {"user": 0x10000000, "mount": 0x20000, "net": 0x40000000, "pid": 0x20000000,
         "ipc": 0x8000000, "uts": 0x4000000, "cgroup": 0x2000000}
for name, flag in NAMES.items():
    blocked(f"unshare {name}", lambda: syscall(272, flag) + 1)


def clone(flag):
    pid = syscall(56, flag | 17, 0, 0, 0, 0)
    if not pid:
        os._exit(0)
    return pid


for name, flag in NAMES.items():
    blocked(f"clone {name}", lambda: clone(flag))
blocked("clone3", lambda: syscall(435, ctypes.create_string_buffer(88), 88) + 1)
blocked("mount", lambda: LIBC.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0 or None)
blocked("new mount", lambda: syscall(430, b"tmpfs", 0) + 1)
blocked("chroot", lambda: os.chroot("/tmp") is None)
blocked("setns", lambda: syscall(308, os.open("/proc/1/ns/user", os.O_RDONLY), 0) + 1)
blocked("unshare command", lambda: subprocess.run(["unshare", "-Ur", "true"]).returncode == 0 or None)
blocked("bwrap in bwrap", lambda: subprocess.run(
    ["bwrap", "--ro-bind", "/", "/", "true"]).returncode == 0 or None)
answer()
