# expect: ok
import os

from harmless import answer, blocked

path = "/tmp/data/test.csv"
blocked("writing", lambda: open(path, "r+"))
blocked("deleting", lambda: os.unlink(path) or True)
blocked("renaming", lambda: os.rename("/tmp/data", "/tmp/other") or True)
blocked("changing its mode", lambda: os.chmod(path, 0o666) or True)
blocked("linking", lambda: os.link(path, "/entry/linked.csv") or True)
answer()
