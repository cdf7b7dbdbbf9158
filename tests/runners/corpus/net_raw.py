# expect: ok
import socket

from harmless import answer, blocked

AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK = 16, 17, 38, 40
for family, kind, protocol in (
    (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    (socket.AF_INET6, socket.SOCK_RAW, 58),
    (socket.AF_INET, 10, 0x300),
    (AF_PACKET, socket.SOCK_RAW, 0x300),
    (AF_PACKET, socket.SOCK_DGRAM, 0x300),
    (AF_NETLINK, socket.SOCK_RAW, 12),
    (AF_ALG, socket.SOCK_SEQPACKET, 0),
    (AF_VSOCK, socket.SOCK_STREAM, 0),
    (31, socket.SOCK_RAW, 1),
    (99, socket.SOCK_STREAM, 0),
):
    blocked(f"socket {family} {kind}", lambda: socket.socket(family, kind, protocol))
answer()
