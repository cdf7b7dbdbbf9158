# expect: ok
import os
import sys

from harmless import TARGET, answer, blocked

#: An interpreter that stands below /tmp is shown at its own place; nothing else there is.
prefixes = (sys.prefix, sys.base_prefix)
known = {"data"} | {prefix.split("/")[2] for prefix in prefixes if prefix.startswith("/tmp/")}

blocked("a file in the host's /tmp", lambda: open(TARGET["tmp_path"]).read())
blocked("others in /tmp", lambda: sorted(set(os.listdir("/tmp")) - known) or None)
answer()
