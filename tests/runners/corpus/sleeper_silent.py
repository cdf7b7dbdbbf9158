# expect: timed_out
# answered: 0
# limits: wall_s=1
import time

time.sleep(30)
