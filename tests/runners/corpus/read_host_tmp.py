# expect: ok
import os

from harmless import TARGET, answer, blocked

blocked("a file in the host's /tmp", lambda: open(TARGET["tmp_path"]).read())
blocked("others in /tmp", lambda: sorted(os.listdir("/tmp")) != ["data"] or None)
answer()
