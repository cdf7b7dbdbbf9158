# expect: ok
import socket

from harmless import TARGET, answer, blocked

for host in ("127.0.0.1", "::1", "localhost"):
    blocked(f"TCP to {host}", lambda: socket.create_connection((host, TARGET["tcp_port"]), 0.5))
answer()
