# expect: timed_out
# detail: CPU
# limits: cpu_s=0.5 wall_s=10
from harmless import answer

answer()
for _ in range(10**11):
    pass
