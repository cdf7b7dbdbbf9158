# expect: ok
import socket

from harmless import TARGET, answer, blocked


def call():
    caller = socket.socket(socket.AF_UNIX)
    caller.connect(TARGET["unix_path"])
    return caller.recv(100)


blocked("unix socket of the host", call)
answer()
