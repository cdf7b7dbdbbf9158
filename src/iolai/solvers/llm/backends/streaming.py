"""One streamed request over HTTP, on the standard library: every way to fail is a named reason.

Nothing waits longer than it should: a stall ends by the socket's time-out, and at the deadline a
timer shuts the connection down, so that a server which sends one byte now and then cannot hold it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from iolai.errors import InputError
from iolai.solvers.llm.request import Finish

__all__ = ["Failure", "Reply", "Server", "post"]

_MAY_PASS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_MAX_BYTES = 8 << 20
_MAX_SAID = 200


@dataclass(frozen=True, slots=True)
class Server:
    """Where requests go: ``address`` is host and port, ``path`` stands before /chat/completions.

    The key is not part of what is shown.
    """

    address: str
    host: str
    port: int
    path: str
    is_secure: bool
    key: str = field(default="", repr=False)

    @classmethod
    def at(cls, base_url: str, key: str = "") -> Server:
        """Read an address such as ``http://127.0.0.1:8000/v1``; raises InputError for another."""
        try:
            parts = urlsplit(base_url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"base_url cannot be {base_url!r}",
                hint="It begins with http:// or https:// and often ends with /v1.",
            )
        is_secure = parts.scheme == "https"
        port = port or (443 if is_secure else 80)
        path = parts.path.rstrip("/") + "/chat/completions"
        return cls(f"{parts.hostname}:{port}", parts.hostname, port, path, is_secure, key)


@dataclass(slots=True)
class Reply:
    """What came of one try; ``finish`` is ``cut`` until the server says why it ended.

    ``top`` are the likeliest first tokens with their log-probabilities, ``verbose`` is what
    llama.cpp says of its settings.
    """

    text: str = ""
    finish: Finish = "cut"
    n_pieces: int = 0
    n_tokens: int = 0
    n_prompt_tokens: int = 0
    top: list[tuple[str, float]] = field(default_factory=list)
    verbose: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a try brought no whole answer; ``may_pass`` says whether another may."""

    reason: str
    may_pass: bool = True
    retry_after_s: float = 0.0
    hint: str = ""


def post(
    server: Server, body: Mapping[str, Any], deadline: float, stall_s: float
) -> tuple[Reply, Failure | None]:
    """Send a chat request and read its stream; return what came, and why it is not whole.

    ``deadline`` is a reading of ``time.monotonic``; ``stall_s`` the longest wait for a byte, in
    seconds.
    """
    reply = Reply()
    connection = _connection(server, stall_s)
    timer = _Timer(deadline)
    try:
        with timer:
            connection.connect()
            timer.watch(connection.sock)
            connection.request("POST", server.path, json.dumps(body), _headers(server))
            response = connection.getresponse()
            if response.status != 200:
                return reply, _refusal(response)
            for part in _parts(response):
                _take(reply, part)
    except TimeoutError:
        failure = Failure(f"nothing came for {stall_s:g} s")
    except (OSError, http.client.HTTPException, ValueError, _NonsenseError) as error:
        failure = Failure(f"{type(error).__name__}: {error}"[:_MAX_SAID])
    else:
        failure = Failure("the stream broke off")
    finally:
        connection.close()
    if reply.finish != "cut":
        return reply, None
    if timer.has_rung or time.monotonic() >= deadline:
        reply.finish = "deadline"
        return reply, Failure("the time was over", may_pass=False)
    return reply, failure


class _NonsenseError(Exception):
    """What the server sent is no stream of completions."""


class _Timer:
    """Shuts a connection down at the deadline, whatever it is waiting for."""

    def __init__(self, deadline: float) -> None:
        self.has_rung = False
        self._deadline = deadline
        self._socket: socket.socket | None = None
        self._timer: threading.Timer | None = None

    def watch(self, connected: socket.socket) -> None:
        """Take the socket to shut down; http.client lets go of it before the answer is read."""
        self._socket = connected
        if self.has_rung:
            self._ring()

    def __enter__(self) -> None:
        if self._deadline != float("inf"):
            left = max(0.0, self._deadline - time.monotonic())
            self._timer = threading.Timer(left, self._ring)
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *exception: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self) -> None:
        self.has_rung = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


def _connection(server: Server, stall_s: float) -> http.client.HTTPConnection:
    if server.is_secure:
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(
            server.host, server.port, timeout=stall_s, context=context
        )
    return http.client.HTTPConnection(server.host, server.port, timeout=stall_s)


def _headers(server: Server) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if server.key:
        headers["Authorization"] = f"Bearer {server.key}"
    return headers


def _refusal(response: http.client.HTTPResponse) -> Failure:
    said = response.read(_MAX_SAID).decode("utf-8", "replace").strip()
    hint = "Look at api_key_env in [options]." if response.status in (401, 403) else ""
    return Failure(
        f"status {response.status}: {said}",
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
    if "json" in response.getheader("Content-Type", ""):
        yield _document(response.read(_MAX_BYTES).decode("utf-8"))
        return
    rest, n_bytes = b"", 0
    while piece := response.read1(65536):
        n_bytes += len(piece)
        if n_bytes > _MAX_BYTES:
            raise _NonsenseError(f"more than {_MAX_BYTES} bytes")
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            name, _, value = line.decode("utf-8").partition(":")
            if name == "data" and value.strip() == "[DONE]":
                return
            if name == "data":
                yield _document(value)
            elif name.strip() not in ("", "event", "id", "retry"):
                raise _NonsenseError(f"a line that is no event: {line[:60]!r}")


def _document(text: str) -> Mapping[str, Any]:
    document = json.loads(text)
    if not isinstance(document, dict):
        raise _NonsenseError(f"no JSON object: {text[:60]!r}")
    if "error" in document:
        raise _NonsenseError(f"the server says: {document['error']}"[:_MAX_SAID])
    return document


def _take(reply: Reply, part: Mapping[str, Any]) -> None:
    """Add one document of the stream to what came before it."""
    try:
        for choice in part.get("choices") or ():
            _take_choice(reply, choice)
        usage = part.get("usage") or {}
        reply.n_tokens = int(usage.get("completion_tokens") or reply.n_tokens)
        reply.n_prompt_tokens = int(usage.get("prompt_tokens") or reply.n_prompt_tokens)
        reply.verbose = part.get("__verbose") or reply.verbose
    except (AttributeError, KeyError, TypeError) as error:
        raise _NonsenseError(f"not a chat completion: {error}") from error


def _take_choice(reply: Reply, choice: Mapping[str, Any]) -> None:
    text = (choice.get("delta") or choice.get("message") or {}).get("content") or ""
    if not isinstance(text, str):
        raise _NonsenseError("the text of an answer is no text")
    if text:
        reply.text += text
        reply.n_pieces += 1
    content = (choice.get("logprobs") or {}).get("content") or ()
    if content and not reply.top:
        listed = content[0]["top_logprobs"]
        reply.top = [(str(entry["token"]), float(entry["logprob"])) for entry in listed]
    if why := choice.get("finish_reason"):
        reply.finish = "length" if why == "length" else "stop"
