# expect: out_of_memory
# answered: 3
# limits: memory_mib=150 wall_s=20
import os
import time

from harmless import answer

answer()
# Held by a descriptor alone: no process has it mapped.
handle = os.memfd_create("held")
for _ in range(40):
    os.write(handle, b"x" * (10 << 20))
time.sleep(10)
