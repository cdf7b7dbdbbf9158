# expect: crashed
# exit: 1
# log: ZeroDivisionError
from harmless import answer

answer(1)
1 / 0
