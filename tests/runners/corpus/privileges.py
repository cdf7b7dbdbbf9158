# expect: ok
import os

from harmless import answer, blocked

status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    blocked(name, lambda: int(status[name], 16) or None)
blocked("new privileges", lambda: int(status["NoNewPrivs"]) != 1 or None)
blocked("no filter", lambda: int(status["Seccomp"]) != 2 or None)
blocked("being root", lambda: 0 in (os.getuid(), os.geteuid(), os.getgid()) or None)
blocked("other groups", lambda: [g for g in os.getgroups() if g not in (1000, 65534)] or None)
blocked("becoming root", lambda: os.setuid(0) is None)
blocked("giving a file away", lambda: os.chown("target.json", 0, 0) is None)
mapped = open("/proc/self/uid_map").read().split()
blocked("a wide map of users", lambda: mapped[2] != "1" or None)
answer()
