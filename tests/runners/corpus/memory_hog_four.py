# expect: out_of_memory
# answered: 2
# limits: memory_mib=200 wall_s=10
import os
import time

from harmless import answer

answer(2)
for _ in range(4):
    if not os.fork():
        held = []
        for _ in range(10):
            held.append(b"x" * (10 << 20))
            time.sleep(0.01)
        time.sleep(5)
        os._exit(0)
for _ in range(4):
    os.wait()
