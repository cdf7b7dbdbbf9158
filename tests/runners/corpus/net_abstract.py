# expect: ok
import socket

from harmless import TARGET, answer, blocked


def call():
    caller = socket.socket(socket.AF_UNIX)
    caller.connect("\0" + TARGET["abstract_name"])
    return caller.recv(100)


blocked("abstract socket of the host", call)
with open("/proc/net/unix") as stream:
    blocked("abstract sockets listed", lambda: TARGET["abstract_name"] in stream.read())
answer()
