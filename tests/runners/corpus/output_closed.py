# expect: ok
import os

from harmless import answer

answer()
os.chmod("submission.csv", 0)
os.chmod(".", 0)
