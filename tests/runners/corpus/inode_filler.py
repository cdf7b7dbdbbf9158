# expect: ok
# limits: n_inodes=500
import os

from harmless import answer, blocked

os.mkdir("many")
made = 0
try:
    for made in range(3000):
        os.close(os.open(f"many/{made}", os.O_CREAT))
except OSError as error:
    print("blocked: files:", error)
blocked("more inodes than the limit", lambda: made > 500)
os.unlink("many/0")
answer()
