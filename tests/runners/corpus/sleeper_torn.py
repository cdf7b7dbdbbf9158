# expect: timed_out
# answered: 1
# limits: wall_s=1
import time

from harmless import task_ids

first, second, _ = task_ids()
stream = open("submission.csv", "w")
stream.write(f'id,pred\n{first},"[""a"", ""b""]"\n{second},"[""a"", ""b')
stream.flush()
time.sleep(30)
