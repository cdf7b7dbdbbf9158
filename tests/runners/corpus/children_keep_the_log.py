# expect: ok
import subprocess

from harmless import answer

# Holds the log's pipe open after script.py has ended.
subprocess.Popen(["sleep", "30"], start_new_session=True)
answer()
