# expect: out_of_memory
# limits: memory_mib=160 wall_s=10
# A child is killed for memory and the parent goes on as if nothing were: still out of memory.
import os
import time

from harmless import answer

if not os.fork():
    held = []
    for _ in range(40):
        held.append(b"x" * (10 << 20))
        time.sleep(0.01)
    time.sleep(5)
    os._exit(0)
os.wait()
answer()
time.sleep(1)
