# expect: crashed
# exit: 130
# log: KeyboardInterrupt
import os
import signal

os.kill(os.getpid(), signal.SIGINT)
