# expect: bad_output
# detail: symbolic link
import os

from harmless import TARGET

os.symlink(TARGET["key_path"], "submission.csv")
