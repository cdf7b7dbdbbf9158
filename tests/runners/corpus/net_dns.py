# expect: ok
import os
import socket

from harmless import TARGET, answer, blocked


def ask_directly():
    query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x05iolai\x04test\x00\x00\x01\x00\x01"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.settimeout(0.3)
        sender.sendto(query, ("127.0.0.1", TARGET["udp_port"]))
        return sender.recv(100)


blocked("DNS by the library", lambda: socket.getaddrinfo("iolai.test", 80))
blocked("DNS by hand", ask_directly)
blocked("resolv.conf", lambda: os.stat("/etc/resolv.conf"))
answer()
