# expect: ok
import os

from harmless import TARGET, answer, blocked

for folder in ("/root", "/home", "/var", "/mnt", "/srv", "/run", "/boot", TARGET["home"]):
    blocked(folder, lambda: os.listdir(folder) or None)
blocked("home", lambda: os.path.expanduser("~") != "/tmp" or None)
blocked("shadow", lambda: open("/etc/shadow").read())
answer()
