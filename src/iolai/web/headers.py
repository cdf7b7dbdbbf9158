"""What every answer carries and no request may exceed: security headers, sizes of bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["FORM_BYTES", "PIECE_BYTES", "PREDICTIONS_BYTES", "Guard"]

#: The largest body of an ordinary form or request, of a form or request with predictions in it,
#: and of one piece of an upload.
FORM_BYTES, PREDICTIONS_BYTES, PIECE_BYTES = 1 << 20, 64 << 20, 16 << 20

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


class Guard:
    """An ASGI layer around the application.

    ``roomy`` lists beginnings and ends of paths with the bytes that a body may have there;
    elsewhere it is ``FORM_BYTES``. ``secure`` says that the site is reached by https.
    ``on_crash`` makes the answer for an error that nobody foresaw; it goes no further, so that no
    log shows what an unforeseen message may quote.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        secure: bool,
        on_crash: Callable[[Request, Exception], Response],
        roomy: Sequence[tuple[str, str, int]] = (),
    ) -> None:
        self.app = app
        self.on_crash = on_crash
        self.roomy = roomy
        self.headers = dict(_ALWAYS)
        if secure:
            self.headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body counted, and its answer with the headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _with_headers(send, self.headers)
        room = self._room(scope["path"])
        if _announced(Headers(scope=scope)) > room:
            await _refusal(room)(scope, receive, send)
            return
        try:
            await self.app(scope, _counted(receive, room), send)
        except Exception as error:
            answer = self.on_crash(Request(scope), error)
            await answer(scope, receive, send)

    def _room(self, path: str) -> int:
        for begin, end, room in self.roomy:
            if path.startswith(begin) and path.endswith(end):
                return room
        return FORM_BYTES


def _announced(headers: Headers) -> int:
    value = headers.get("content-length", "")
    return int(value) if value.isascii() and value.isdigit() else 0


def _too_large(room: int) -> str:
    return f"What was sent is larger than the {room:,} bytes that may be sent here."


def _refusal(room: int) -> PlainTextResponse:
    # The body is not read, so the connection cannot be used again.
    return PlainTextResponse(_too_large(room), 413, headers={"connection": "close"})


def _counted(receive: Receive, room: int) -> Receive:
    n_bytes = 0

    async def counting() -> Message:
        nonlocal n_bytes
        message = await receive()
        n_bytes += len(message.get("body", b""))
        if n_bytes > room:
            raise HTTPException(413, _too_large(room))
        return message

    return counting


def _with_headers(send: Send, always: Mapping[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in always.items():
                headers.setdefault(name, value)
            # Whatever says nothing else is for the one who asked, and for now.
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending
