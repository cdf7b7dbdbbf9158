# expect: ok
import os

from harmless import TARGET, answer, blocked

secret = TARGET["secret"][::-1].encode()
blocked("own environment", lambda: secret.decode() in str(os.environ) or None)
for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
    blocked(f"environment of {pid}", lambda: secret in open(f"/proc/{pid}/environ", "rb").read())
    blocked(f"command of {pid}", lambda: secret in open(f"/proc/{pid}/cmdline", "rb").read())
blocked("kernel command line of iolai", lambda: "IOLAI_TEST" in str(os.environ))
answer()
