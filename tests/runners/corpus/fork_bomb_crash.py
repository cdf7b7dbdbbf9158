# expect: crashed
# detail: processes
# detail[watchdog]: exit code 1
# limits: n_processes=40
import subprocess

from harmless import answer

answer(1)
waiting = [subprocess.Popen(["sleep", "20"]) for _ in range(200)]
