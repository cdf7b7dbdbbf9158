# expect: crashed
# exit: 1
# answered: 3
import sys

from harmless import answer

answer()
sys.exit(1)
