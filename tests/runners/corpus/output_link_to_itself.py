# expect: bad_output
# detail: symbolic link
import os

os.symlink("submission.csv", "submission.csv")
