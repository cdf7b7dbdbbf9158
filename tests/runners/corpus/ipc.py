# expect: ok
from harmless import answer, blocked

for name in ("shm", "msg", "sem"):
    blocked(name, lambda: open(f"/proc/sysvipc/{name}").read().splitlines()[1:] or None)
answer()
