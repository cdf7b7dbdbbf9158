# expect: crashed
# exit: 134
# detail: signal 6
import os

os.abort()
