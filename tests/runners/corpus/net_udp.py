# expect: ok
import socket

from harmless import TARGET, answer, blocked


def ask():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(0.3)
        sender.sendto(b"from the sandbox", ("127.0.0.1", TARGET["udp_port"]))
        return sender.recv(100)


blocked("UDP", ask)
answer()
