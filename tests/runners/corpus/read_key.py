# expect: ok
import os

from harmless import TARGET, answer, blocked

path = TARGET["key_path"]
blocked("the key by its path", lambda: open(path).read())
blocked("through /proc/1/root", lambda: open("/proc/1/root" + path).read())
blocked("through the working folder", lambda: open("../" * 12 + path).read())


def search():
    for folder, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if name not in ("usr", "proc", "sys")]
        if os.path.basename(path) in files:
            return folder
    return None


blocked("a search", search)
answer()
