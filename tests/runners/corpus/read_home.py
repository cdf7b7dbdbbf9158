# expect: ok
import os
import sys

from harmless import TARGET, answer, blocked

PYTHON = [os.path.realpath(place) + "/" for place in (sys.prefix, sys.base_prefix, sys.executable)]


def others(folder):
    """List what is in a folder beside the way to the interpreter."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder)]
    return [p for p in paths if not any(place.startswith(p + "/") for place in PYTHON)] or None


def above(folder):
    while folder != "/":
        folder = os.path.dirname(folder)
        yield folder


for folder in ("/root", "/home", "/var", "/mnt", "/srv", "/run", "/boot", TARGET["home"]):
    blocked(folder, lambda: others(folder))
for folder in {folder for place in (sys.prefix, sys.base_prefix) for folder in above(place)}:
    if folder not in ("/", "/usr", "/tmp"):
        blocked("beside the interpreter, " + folder, lambda: others(folder))
for name in (".bashrc", ".profile", ".ssh", ".netrc", ".npmrc", ".config", ".cache"):
    blocked(name, lambda: os.stat(os.path.join(TARGET["home"], name)))
blocked("home", lambda: os.path.expanduser("~") != "/tmp" or None)
blocked("shadow", lambda: open("/etc/shadow").read())
answer()
