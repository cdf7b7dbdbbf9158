# expect: no_output
from harmless import answer

answer(path="/tmp/submission.csv")
