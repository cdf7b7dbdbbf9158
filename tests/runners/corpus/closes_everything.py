# expect: ok
import os

from harmless import answer

os.closerange(0, 64)
answer()
