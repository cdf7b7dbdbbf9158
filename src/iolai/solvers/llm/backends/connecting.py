"""Connections to a server, made within their time: the look-up of its name included.

``socket.getaddrinfo`` knows no time-out and hears no signal; a resolver that is silent holds it for
as long as the system's settings say. So it works in a thread of its own, which is left alone when
the time is over and ends by itself; the next try waits for the same look-up.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

from iolai.solvers.llm.backends.servers import Server

__all__ = ["Connection"]

_LOOK_S = 0.05  # between two looks at whether the time is over


class _Lookup:
    """The addresses of a host, being looked up by a thread that the program does not wait for."""

    _under_way: ClassVar[dict[tuple[str, int], _Lookup]] = {}
    _lock = threading.Lock()

    def __init__(self, host: str, port: int) -> None:
        self._place = host, port
        self._found: list[Any] = []
        self._error: OSError | UnicodeError | None = None
        self._is_done = threading.Event()
        threading.Thread(target=self._run, daemon=True, name="look-up").start()

    @classmethod
    def of(cls, host: str, port: int) -> _Lookup:
        """Begin a look-up, or return the one that is under way."""
        with cls._lock:
            if (host, port) not in cls._under_way:
                cls._under_way[host, port] = cls(host, port)
            return cls._under_way[host, port]

    def _run(self) -> None:
        try:
            self._found = socket.getaddrinfo(*self._place, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:  # raised again where it is waited for
            self._error = error
        finally:
            with self._lock:
                self._under_way.pop(self._place, None)
            self._is_done.set()

    def addresses(self, end: float, is_over: Callable[[], bool]) -> list[Any]:
        """Return what was found; raises TimeoutError at a reading of ``time.monotonic``."""
        while not self._is_done.wait(min(_LOOK_S, max(0.0, end - time.monotonic()))):
            if is_over() or time.monotonic() >= end:
                raise TimeoutError(f"the name {self._place[0]} was not found in time")
        if self._error is not None:
            raise self._error
        return self._found


class Connection(http.client.HTTPConnection):
    """A connection whose look-up and all of whose tries at addresses share one time-out.

    ``timeout`` is in seconds, for that and then for every byte.
    ``is_over`` is asked while a name is looked up: where it is true, that ends.
    """

    def __init__(self, server: Server, timeout: float) -> None:
        super().__init__(server.host, server.port, timeout=timeout)
        self.is_over: Callable[[], bool] = lambda: False
        self._is_secure = server.is_secure
        self._seconds = timeout
        # As HTTPSConnection has it: the port is left out of the header Host where it is usual.
        self.default_port = 443 if server.is_secure else 80

    def connect(self) -> None:
        """Connect to the first address that answers; raises OSError where none does."""
        end = time.monotonic() + self._seconds
        last: OSError = OSError(f"{self.host} has no address")
        for address in _Lookup.of(self.host, self.port).addresses(end, self.is_over):
            try:
                self.sock = _connected(address, end)
                break
            except OSError as error:
                last = error
            if self.is_over() or time.monotonic() >= end:
                break
        if self.sock is None:
            raise last
        self.sock.settimeout(self._seconds)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._is_secure:
            context = ssl.create_default_context()
            self.sock = context.wrap_socket(self.sock, server_hostname=self.host)


def _connected(address: Any, end: float) -> socket.socket:
    """Return a socket that is connected to what ``socket.getaddrinfo`` lists."""
    family, kind, protocol, _, place = address
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("no connection was made in time")
    with contextlib.ExitStack() as stack:
        made = stack.enter_context(socket.socket(family, kind, protocol))
        made.settimeout(left)
        made.connect(place)
        stack.pop_all()
    return made
