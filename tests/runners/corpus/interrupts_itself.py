# expect: crashed
# exit: 130
# log: KeyboardInterrupt
import os
import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
os.kill(os.getpid(), signal.SIGINT)
