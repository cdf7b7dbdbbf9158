# expect: timed_out
# limits: wall_s=1
import os
import signal

os.kill(os.getpid(), signal.SIGSTOP)
