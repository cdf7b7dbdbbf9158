# expect: bad_output
# detail: larger than
import os

from harmless import answer

answer()
os.truncate("submission.csv", 10 << 30)
