# expect: out_of_memory
# limits: memory_mib=120 wall_s=10
import mmap
import time

from harmless import answer

answer()
held = mmap.mmap(-1, 300 << 20)
for start in range(0, 300 << 20, 1 << 20):
    held[start : start + (1 << 20)] = bytes(1 << 20)
    time.sleep(0.001)
time.sleep(5)
