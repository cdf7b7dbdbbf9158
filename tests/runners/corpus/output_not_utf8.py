# expect: bad_output
# detail: line 3: the row is not UTF-8
# answered: 2
from harmless import task_ids

first, second, third = task_ids()
with open("submission.csv", "wb") as stream:
    stream.write(f"id,pred\n{first},x\n{second},".encode() + b"\xff\xfe\n" + f"{third},y\n".encode())
