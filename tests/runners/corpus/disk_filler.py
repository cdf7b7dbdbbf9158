# expect: ok
# limits: disk_mib=20
import os

from harmless import answer, blocked


def fill():
    with open("filler", "wb", buffering=0) as stream:
        for _ in range(100):
            stream.write(bytes(1 << 20))
    return True


blocked("100 MiB", fill)
blocked("disk beyond the limit", lambda: os.path.getsize("filler") > 21 << 20)
os.unlink("filler")
answer()
