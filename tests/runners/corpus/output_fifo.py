# expect: bad_output
# detail: FIFO
import os

os.mkfifo("submission.csv")
