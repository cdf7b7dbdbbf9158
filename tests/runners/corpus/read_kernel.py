# expect: ok
import os

from harmless import LIBC, answer, blocked

for path in ("/dev/mem", "/dev/kmsg", "/proc/kcore", "/proc/kmsg", "/proc/keys", "/dev/vda",
             "/dev/sda", "/sys/kernel/debug", "/sys/fs/cgroup", "/sys/class/net", "/proc/1/mem"):
    blocked(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1))
blocked("kernel log", lambda: LIBC.klogctl(3, bytes(100), 100) >= 0 or None)
answer()
