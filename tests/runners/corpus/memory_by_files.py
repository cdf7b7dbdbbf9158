# expect: out_of_memory
# limits: memory_mib=120 disk_mib=400 wall_s=10
import time

from harmless import answer

answer()
with open("/tmp/filler", "wb", buffering=0) as stream:
    for _ in range(300):
        stream.write(bytes(1 << 20))
        time.sleep(0.001)
time.sleep(5)
