# expect: ok
import os

from harmless import TARGET, answer, blocked

pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
blocked("many processes", lambda: len(pids) > 4)
blocked("iolai's process", lambda: os.kill(TARGET["pid"], 0) is None)
blocked("iolai's command", lambda: b"pytest" in b"".join(
    open(f"/proc/{pid}/cmdline", "rb").read() for pid in pids
))
blocked("iolai's folder", lambda: os.listdir(f"/proc/{TARGET['pid']}/cwd"))
answer()
