# expect: ok
import os
import socket

from harmless import answer, blocked

others = [name for _, name in socket.if_nameindex() if name != "lo"]
blocked("interfaces", lambda: others or None)
blocked("routes", lambda: open("/proc/net/route").read().splitlines()[1:] or None)
blocked("host name", lambda: os.uname().nodename != "entry" or None)
# A server of the entry's own is its own business.
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
answer()
