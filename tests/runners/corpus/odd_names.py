# expect: ok
import os

from harmless import answer

for name in (b"\xff\xfe", b"new\nline", b"-rf", b"\x1b[31m", "\u202etxt".encode(), b"x" * 255):
    open(os.path.join(b"/entry", name), "w").close()
deep = "/entry"
for _ in range(200):
    deep += "/d"
    os.mkdir(deep)
answer()
