# expect: crashed
# answered: 2
# exit: 1
import os

from harmless import answer

answer(2)
os.chmod("submission.csv", 0)
os.chmod(".", 0)
raise SystemExit(1)
