# expect: ok
# answered: 1
from harmless import task_ids

first, second, third = task_ids()
with open("submission.csv", "w") as stream:
    stream.write(f"id,pred\n{first},\n{second},x\n{third},   \n")
