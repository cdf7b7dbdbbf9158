"""Errors as answers: a page for people, ``application/problem+json`` (RFC 9457) for the API."""

from __future__ import annotations

import math
import traceback
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from iolai.challenge.logs import get_log
from iolai.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    IolaiError,
    NoRoomError,
    NotFoundError,
    QuotaError,
    RateError,
)
from iolai.files import is_full
from iolai.web.asking import API, asker_of, local_path, login_address
from iolai.web.rendering import render

__all__ = ["crashed", "install", "status_of"]

_STATUS: tuple[tuple[type[IolaiError], int], ...] = (
    (NoRoomError, 507),
    (RateError, 429),
    (ForbiddenError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (InputError, 422),
)
_HINTS = {
    401: "Log in, or send a valid API token: Authorization: Bearer TOKEN.",
    403: "Go back, reload the page, and try again.",
    404: "Check the address; what it leads to may not be there for you.",
    405: "See the list of the API's operations at /api.",
    413: "Send less, or upload an archive in pieces: iolai submit does.",
    422: "See the list of the API's operations at /api.",
}
_PHRASES = {404: "there is no such page", 405: "this is not done to this address"}
_OUR_FAULT = "This is a fault of the service and has been written to its log. Try again later."


def status_of(error: IolaiError) -> int:
    """Return the HTTP status of an error; what is nobody's input is the service's own fault."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 503)


def install(app: FastAPI) -> None:
    """Make every error of the application one of these answers."""
    app.add_exception_handler(IolaiError, _own)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)


def _own(request: Request, error: Exception) -> Response:
    assert isinstance(error, IolaiError)  # noqa: S101 -- registered for this kind alone
    status = status_of(error)
    if status >= 500:
        get_log("web").error("request_failed", path=request.url.path, error=error.message)
    return _answer(request, status, error.message, error.hint, error)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    status = error.status_code
    message = str(error.detail)
    if message == HTTPStatus(status).phrase:
        message = f"{_PHRASES.get(status, message)}: {request.url.path}"
    answer = _answer(request, status, message, _HINTS.get(status, _HINTS[404]))
    for name, value in (error.headers or {}).items():
        answer.headers[name] = value
    return answer


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    found = [
        f"{'.'.join(str(part) for part in fault['loc'][1:]) or fault['loc'][0]}: {fault['msg']}"
        for fault in error.errors()
    ]
    return _answer(request, 422, "; ".join(found[:5]), _HINTS[422])


def crashed(request: Request, error: Exception) -> Response:
    """Answer for an error that nobody foresaw.

    The log gets its kind and where it was raised, not its message or any value: those may quote
    what only the scoring step may see.
    """
    if is_full(error):  # as where the body of a request finds no room on the way in
        return _own(request, NoRoomError("what was sent cannot be kept"))
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames]
    kind = type(error).__name__
    get_log("web").error("request_crashed", path=request.url.path, error=kind, at=where)
    return _answer(request, 500, "Something went wrong here.", _OUR_FAULT)


def _answer(
    request: Request, status: int, message: str, hint: str, error: IolaiError | None = None
) -> Response:
    headers = _headers(error)
    if request.url.path.startswith(f"{API}/"):
        body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
        body |= {"detail": message, "hint": hint, **_extra(error)}
        kind = "application/problem+json"
        return JSONResponse(body, status, headers=headers, media_type=kind)
    asker = asker_of(request)
    if status in (401, 403) and request.method == "GET" and not asker.actor.account:
        return RedirectResponse(login_address(request), 303)
    said = f"{message[:1].upper()}{message[1:]}"
    context = {"message": said, "hint": hint, "status": status, "back": _back(request)}
    answer = render(request, "error.html.j2", asker, context, status=status)
    answer.headers.update(headers)
    return answer


def _back(request: Request) -> str:
    """Return the page of ours that a form was sent from, ``""`` where none is known."""
    parts = urlsplit(request.headers.get("referer", ""))
    if request.method == "GET" or parts.netloc != request.url.netloc:
        return ""
    return local_path(parts.path)


def _headers(error: IolaiError | None) -> dict[str, str]:
    if isinstance(error, RateError):
        return {"retry-after": str(max(1, math.ceil(error.retry_after_s)))}
    return {}


def _extra(error: IolaiError | None) -> dict[str, Any]:
    return {"next_at": str(error.next_at)} if isinstance(error, QuotaError) else {}
