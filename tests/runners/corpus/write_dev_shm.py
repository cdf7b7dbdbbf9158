# expect: ok
# limits: disk_mib=20
import os

from harmless import answer, blocked


def fill(path):
    with open(path, "wb", buffering=0) as stream:
        for _ in range(200):
            stream.write(bytes(1 << 20))
    return path


blocked("200 MiB in /dev/shm", lambda: fill("/dev/shm/filler"))
print("held", os.path.getsize("/dev/shm/filler") >> 20)
os.unlink("/dev/shm/filler")
blocked("a file in /dev", lambda: open("/dev/filler", "wb"))
answer()
