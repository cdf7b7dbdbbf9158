# expect: bad_output
# detail: folder
import os

os.mkdir("submission.csv")
