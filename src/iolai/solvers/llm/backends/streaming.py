"""One streamed request over HTTP, on the standard library: every way to fail is a named reason.

Nothing waits longer than it should: a stall ends by the socket's time-out, and at the deadline a
timer shuts the connection down, so that a server which sends one byte now and then cannot hold it.
Names are looked up and connections made within the same time (``connecting``).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from iolai.solvers.llm.backends.connecting import Connection
from iolai.solvers.llm.backends.replies import NonsenseError, Reply, document, take
from iolai.solvers.llm.backends.servers import Server
from iolai.solvers.llm.request import SettingError

__all__ = ["Failure", "Stop", "post"]

_MAY_PASS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_MAX_BYTES = 8 << 20
_MAX_REFUSAL = 64 << 10
#: A prompt has no more tokens than bytes, but for what the server puts around it.
_TOKENS_AROUND = 10_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a try brought no whole answer; ``may_pass`` says whether another may.

    ``error`` is what to raise where no other try is made; None for what any failure raises.
    """

    reason: str
    may_pass: bool = True
    retry_after_s: float = 0.0
    hint: str = ""
    error: SettingError | None = None


class Stop:
    """Ends all requests under way, and every wait between them, at once and for good."""

    def __init__(self) -> None:
        self._timers: set[_Timer] = set()
        self._is_over = threading.Event()

    def now(self) -> None:
        """Shut every connection down."""
        self._is_over.set()
        for timer in list(self._timers):
            timer.ring()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it is over; return whether it is."""
        return self._is_over.wait(seconds)

    @contextlib.contextmanager
    def ends(self, timer: _Timer) -> Iterator[None]:
        """Let a stop end what a timer watches while the block runs."""
        self._timers.add(timer)
        try:
            if self._is_over.is_set():
                timer.ring()
            yield
        finally:
            self._timers.discard(timer)


def post(
    server: Server, body: Mapping[str, Any], deadline: float, stall_s: float, stop: Stop
) -> tuple[Reply, Failure | None]:
    """Send a chat request and read its stream; return what came, and why it is not whole.

    ``deadline`` is a reading of ``time.monotonic``; ``stall_s`` the longest wait for a byte, in
    seconds; ``stop`` ends it sooner.
    """
    data = json.dumps(body)
    reply = Reply(body.get("max_tokens", 0), len(data) + _TOKENS_AROUND)
    connection = Connection(server, stall_s)
    timer = _Timer(deadline, connection)
    connection.is_over = lambda: timer.has_rung
    try:
        with timer, stop.ends(timer):
            connection.connect()
            timer.watch(connection.sock)
            connection.request("POST", server.path, data, _headers(server))
            with connection.getresponse() as response:
                if response.status != 200:
                    return reply, _refusal(response, server)
                for part in _parts(response):
                    take(reply, part)
    except TimeoutError as error:
        why = "" if connection.sock else f" ({error})"
        failure = Failure(server.quoted(f"nothing came for {stall_s:.3g} s{why}"))
    except NonsenseError as error:
        failure = Failure(server.quoted(str(error)))
    except (OSError, http.client.HTTPException, ValueError) as error:
        failure = Failure(server.quoted(f"{type(error).__name__}: {error}"))
    else:
        failure = _broken_off(reply, server)
    finally:
        connection.close()
    if reply.finish != "cut":
        return reply, None
    if timer.has_rung or time.monotonic() >= deadline:
        reply.finish = "deadline"
        return reply, Failure("the time was over", may_pass=False)
    return reply, failure


def _broken_off(reply: Reply, server: Server) -> Failure:
    """Return why a stream that came to its end brought no whole answer."""
    if not reply.ended_by:
        return Failure("the stream broke off")
    # A filter finds the same again; what else ended a text may pass.
    reason = server.quoted(f"the server ended the text by {reply.ended_by!r}")
    return Failure(reason, may_pass=reply.ended_by != "content_filter")


class _Timer:
    """Shuts a connection down at the deadline, whatever it is waiting for."""

    def __init__(self, deadline: float, connection: http.client.HTTPConnection) -> None:
        self.has_rung = False
        self._deadline = deadline
        self._connection = connection
        self._socket: socket.socket | None = None
        self._timer: threading.Timer | None = None

    def watch(self, connected: socket.socket) -> None:
        """Take the socket to shut down; http.client lets go of it before the answer is read."""
        self._socket = connected
        if self.has_rung:
            self.ring()

    def __enter__(self) -> None:
        if self._deadline != float("inf"):
            left = max(0.0, self._deadline - time.monotonic())
            self._timer = threading.Timer(left, self.ring)
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *exception: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def ring(self) -> None:
        """Shut the connection down."""
        self.has_rung = True
        connected = self._socket or self._connection.sock  # the latter while TLS begins
        if connected is not None:
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)


def _headers(server: Server) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if server.key:
        headers["Authorization"] = f"Bearer {server.key}"
    return headers


def _refusal(response: http.client.HTTPResponse, server: Server) -> Failure:
    said = response.read(_MAX_REFUSAL).decode("utf-8", "replace")
    reason, hint = f"status {response.status}: {said}", ""
    if response.status in (401, 403):
        hint = "Look at api_key_env in [options]."
    elif 300 <= response.status < 400:
        reason = f"status {response.status}, a redirect to {response.getheader('Location', '?')}"
        hint = "Redirects are not followed: the key would go with them. Set base_url to the end."
    return Failure(
        server.quoted(reason),
        may_pass=response.status in _MAY_PASS,
        retry_after_s=_retry_after(response.getheader("Retry-After", "")),
        hint=hint,
    )


def _retry_after(value: str) -> float:
    """Read the header: seconds, or a date (RFC 9110, 10.2.3); 0 where it is neither."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _parts(response: http.client.HTTPResponse) -> Iterator[Mapping[str, Any]]:
    """Yield the documents of an event stream, or the one of an answer that is not streamed."""
    kind = response.getheader("Content-Type", "")
    if "json" in kind:
        yield document(response.read(_MAX_BYTES).decode("utf-8-sig"))
        return
    if "html" in kind:
        raise NonsenseError(f"a page ({kind}), not a chat completion")
    for data in _events(_lines(response), kind):
        yield document(data)


def _lines(response: http.client.HTTPResponse) -> Iterator[str]:
    """Yield the lines of a stream, without a byte order mark; half a field at its end is left."""
    rest, n_bytes, is_first = b"", 0, True
    while piece := response.read1(65536):
        n_bytes += len(piece)
        if n_bytes > _MAX_BYTES:
            raise NonsenseError(f"more than {_MAX_BYTES} bytes")
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode("utf-8-sig" if is_first else "utf-8")
            is_first = False
    if rest.startswith(b"data:"):
        yield rest.decode("utf-8")


def _events(lines: Iterable[str], kind: str) -> Iterator[str]:
    """Yield the data of each event (HTML, 9.2.6), until ``[DONE]``.

    Data of one line that is a document comes at once, without the blank line that ends an event:
    some servers send none. The last event may lack it, too.
    """
    data: list[str] = []
    for line in lines:
        name, _, value = line.partition(":")
        if name == "data" and value.strip() == "[DONE]":
            break
        if name == "data":
            data.append(value)
            if len(data) > 1 or not _is_json(value):
                continue
        elif line.strip():
            if name.strip() not in ("", "event", "id", "retry"):
                raise NonsenseError(f"a line that is no event ({kind or 'no type'}): {line!r}")
            continue
        if text := "\n".join(data).strip():
            yield text
        data = []
    if _is_json("\n".join(data)):
        yield "\n".join(data)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    except RecursionError:  # more will not make it better
        return True
    return True
