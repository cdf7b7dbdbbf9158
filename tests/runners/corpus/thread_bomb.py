# expect: ok
# limits: n_processes=40
import threading

from harmless import answer, blocked

stop = threading.Event()
started = []
try:
    for _ in range(200):
        thread = threading.Thread(target=stop.wait, args=(20,))
        thread.start()
        started.append(thread)
except RuntimeError as error:
    print("blocked: thread:", error)
blocked("more threads than the limit", lambda: len(started) >= 40)
stop.set()
answer()
