# expect: crashed
# exit: 1
# log: SyntaxError
def broken(:
