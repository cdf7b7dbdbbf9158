# expect: bad_output
# detail: line 3: a quote
# answered: 1
from harmless import task_ids

first, second, _ = task_ids()
with open("submission.csv", "w") as stream:
    stream.write(f'id,pred\n{first},x\n{second},"y\n')
