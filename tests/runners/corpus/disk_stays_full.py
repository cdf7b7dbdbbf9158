# expect: crashed
# answered: 0
# limits: disk_mib=20
from harmless import answer

with open("filler", "wb", buffering=0) as stream:
    try:
        for _ in range(100):
            stream.write(bytes(1 << 20))
    except OSError:
        pass
    try:
        for _ in range(5000):
            stream.write(b"x")
    except OSError:
        pass
answer()
