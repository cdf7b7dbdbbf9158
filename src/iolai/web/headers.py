"""What every answer carries and no request may exceed: security headers, bodies of requests.

Who asks is known before a larger body is read, and what bodies take of the memory is bounded, for
all together and for each account: nobody can make the service hold more than that.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = [
    "ARCHIVE_BYTES",
    "FORM_BYTES",
    "PIECE_BYTES",
    "PREDICTIONS_BYTES",
    "VISITOR_BYTES",
    "Guard",
    "Room",
]

#: The largest body of whoever has no account, and of an ordinary form or request.
VISITOR_BYTES, FORM_BYTES = 64 << 10, 1 << 20
#: The largest body with predictions in it (16 MiB of them, and the form around), of one piece of
#: an upload, and of a form with an archive.
PREDICTIONS_BYTES, PIECE_BYTES, ARCHIVE_BYTES = 17 << 20, 16 << 20, 64 << 20
#: What all bodies in memory may take at once, and those of one account.
_HELD_BYTES, _SHARE_BYTES = 256 << 20, 96 << 20
#: A body of which nothing came for so many seconds is given up.
_SILENT_S = 60.0

#: No inline script or style, nothing from elsewhere, no frames, forms only to this site.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_ALWAYS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}


@dataclass(frozen=True, slots=True)
class Room:
    """Where a body may be larger than an ordinary one's: beginning and end of the path, bytes.

    ``is_form``: for forms with files alone, which go to a file on the way. ``is_streamed``: what
    takes it keeps it in a file on the way, so that it is not counted as held in memory.
    """

    begin: str
    end: str
    n_bytes: int
    is_form: bool = False
    is_streamed: bool = False

    def fits(self, path: str, headers: Headers) -> bool:
        """Say whether a request is one of these."""
        is_form = headers.get("content-type", "").startswith("multipart/form-data")
        is_here = path.startswith(self.begin) and path.endswith(self.end)
        return is_here and (is_form or not self.is_form)


_ORDINARY = Room("", "", FORM_BYTES)


class Guard:
    """An ASGI layer around the application.

    ``roomy`` lists where a body may be larger than ``FORM_BYTES``. ``who`` gives the account of
    whoever asks, ``""`` for a visitor, whose bodies have ``VISITOR_BYTES`` at most. ``secure`` says
    that the site is reached by https. ``on_crash`` makes the answer for an error that nobody
    foresaw; it goes no further, so that no log shows what an unforeseen message may quote.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        secure: bool,
        on_crash: Callable[[Request, Exception], Response],
        who: Callable[[Request], Awaitable[str]],
        roomy: Sequence[Room] = (),
    ) -> None:
        self.app = app
        self.on_crash = on_crash
        self.who = who
        self.roomy = roomy
        self.held: Counter[str] = Counter()
        self.headers = dict(_ALWAYS)
        if secure:
            self.headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body counted, and its answer with the headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _with_headers(send, self.headers)
        if scope["method"] == "HEAD":
            # Answered as GET is, by the same route with the same checks, without the body.
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        try:
            await self._pass_on(scope, receive, send)
        except Exception as error:
            answer = self.on_crash(Request(scope), error)
            await answer(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        fitting = (one for one in self.roomy if one.fits(scope["path"], headers))
        room = next(fitting, _ORDINARY)
        announced = _announced(headers)
        if announced > room.n_bytes:
            await _refusal(413, _too_large(room.n_bytes))(scope, receive, send)
            return
        account = ""
        if announced > VISITOR_BYTES or "transfer-encoding" in headers:
            account = await self.who(Request(scope))
        if not account and announced > VISITOR_BYTES:
            await _refusal(401, _UNKNOWN)(scope, receive, send)
            return
        n_bytes = room.n_bytes if account else VISITOR_BYTES
        body = _Body(receive, n_bytes, self.held, "" if room.is_streamed else account)
        try:
            await self.app(scope, body.receive, send)
        finally:
            body.let_go()


_UNKNOWN = "So much is taken of those alone who have logged in: send a session or a valid token."


class _Body:
    """A body on its way in, counted as held in memory for its account (``""``: not counted)."""

    def __init__(self, receive: Receive, room: int, held: Counter[str], account: str) -> None:
        self._next, self._room, self._held, self._account = receive, room, held, account
        self._n_bytes = 0
        self._is_whole = False

    async def receive(self) -> Message:
        """Return the next message; raises HTTPException where the body is too large or silent."""
        if self._is_whole:  # what comes now is that the other side has gone
            return await self._next()
        try:
            message = await asyncio.wait_for(self._next(), _SILENT_S)
        except TimeoutError:
            raise HTTPException(408, "The rest of what was sent did not come.") from None
        self._count(len(message.get("body", b"")))
        self._is_whole = not message.get("more_body", False)
        return message

    def _count(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        if self._account:
            self._held[self._account] += n_bytes
        if self._n_bytes > self._room:
            raise HTTPException(413, _too_large(self._room))
        if self._account and (
            self._held[self._account] > _SHARE_BYTES or self._held.total() > _HELD_BYTES
        ):
            raise HTTPException(503, "Too much is being sent at this moment.", {"retry-after": "5"})

    def let_go(self) -> None:
        """Count it no more."""
        if self._account:
            self._held[self._account] -= self._n_bytes
            if self._held[self._account] <= 0:
                del self._held[self._account]


def _announced(headers: Headers) -> int:
    value = headers.get("content-length", "")
    return int(value) if value.isascii() and value.isdigit() else 0


def _too_large(room: int) -> str:
    return f"What was sent is larger than the {room:,} bytes that may be sent here."


def _refusal(status: int, message: str) -> PlainTextResponse:
    # The body is not read, so the connection cannot be used again.
    return PlainTextResponse(message, status, headers={"connection": "close"})


def _without_body(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await send(message)

    return sending


def _with_headers(send: Send, always: Mapping[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in always.items():
                headers.setdefault(name, value)
            # Whatever says nothing else is for the one who asked, and for now.
            headers.setdefault("cache-control", "no-store")
            if headers.get("allow") and "GET" in headers["allow"].split(", "):
                headers["allow"] += ", HEAD"
        await send(message)

    return sending
