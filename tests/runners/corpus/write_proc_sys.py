# expect: ok
import os

from harmless import answer, blocked


def write_back(path):
    with open(path, "r+") as stream:
        value = stream.read()
        stream.seek(0)
        stream.write(value)
    return path


for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory",
             "/proc/sys/kernel/hostname", "/proc/sys/user/max_user_namespaces",
             "/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/suid_dumpable"):
    blocked(path, lambda: write_back(path))
writable = not os.statvfs("/proc/sys").f_flag & os.ST_RDONLY
blocked("a mount that could be written", lambda: writable or None)
blocked("sysrq", lambda: open("/proc/sysrq-trigger", "w"))
blocked("own oom score", lambda: os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-1000"))
answer()
