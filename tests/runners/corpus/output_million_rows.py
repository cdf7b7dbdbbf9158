# expect: bad_output
# detail: more than
from harmless import task_ids

with open("submission.csv", "w") as stream:
    stream.write("id,pred\n")
    for number in range(1_000_000):
        stream.write(f"{number},x\n")
