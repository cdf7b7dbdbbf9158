# expect: crashed
# exit: 137
import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
