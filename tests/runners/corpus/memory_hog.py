# expect: out_of_memory
# answered: 1
# limits: memory_mib=160 wall_s=10
import time

from harmless import answer

answer(1)
held = []
for _ in range(40):
    held.append(b"x" * (10 << 20))
    time.sleep(0.01)
time.sleep(5)
