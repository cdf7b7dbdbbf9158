# expect: ok
import os

from harmless import answer, blocked

for folder in ("/", "/etc", "/usr", "/usr/bin", "/bin", "/lib", "/dev", "/proc", "/tmp/data", "/sys"):
    blocked(f"a file in {folder}", lambda: open(f"{folder}/iolai-was-here", "x"))
    blocked(f"a folder in {folder}", lambda: os.mkdir(f"{folder}/iolai-was-here") or folder)
blocked("passwd", lambda: open("/etc/passwd", "a"))
blocked("a device", lambda: os.mknod("/tmp/null", 0o020666, os.makedev(1, 3)) or True)
answer()
