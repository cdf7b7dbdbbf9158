"""Who asks: a session's cookie on pages, a token in the API; and that a form is one of ours.

The API takes tokens alone and pages cookies alone, so that no page elsewhere can make a browser
use the API in somebody's name.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException

from iolai.challenge import accounts
from iolai.challenge.service import Actor, Service

__all__ = [
    "API",
    "ApiActor",
    "Asker",
    "PageAsker",
    "Svc",
    "account_of",
    "address_of",
    "api_actor",
    "asker_of",
    "check_form",
    "drop_session",
    "keep_form_text",
    "keep_session",
    "local_path",
    "login_address",
    "page_asker",
    "service_of",
    "session_token",
]

API = "/api/v1"
_SESSION, _FORM = "iolai_session", "iolai_form"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for a page, and the text that a form of theirs must send along.

    ``fresh`` says that the text was made just now, for a visitor without an account, and has to go
    into a cookie with the answer.
    """

    actor: Actor
    csrf: str
    fresh: bool = False


async def service_of(request: Request) -> Service:
    """Return the service that this application serves."""
    service: Service = request.app.state.service
    return service


async def page_asker(request: Request) -> Asker:
    """Return who asks for a page: the session's owner, or a visitor."""
    # Who has no session is told apart without leaving this thread: most visitors are such.
    is_known = bool(session_token(request)) or hasattr(request.state, "asker")
    return await run_in_threadpool(_asker, request) if is_known else _asker(request)


def _asker(request: Request) -> Asker:
    found: Asker | None = getattr(request.state, "asker", None)
    if found is None:
        found = _of_session(request) or _visitor(request)
        request.state.asker = found
    return found


def asker_of(request: Request) -> Asker:
    """Return who asks, for the page that reports an error: it must not fail itself."""
    try:
        return _asker(request)
    except Exception:
        return _visitor(request)


async def account_of(request: Request) -> str:
    """Return the account of whoever asks, ``""`` for a visitor: before a body is read."""
    return await run_in_threadpool(_account, request)


def _account(request: Request) -> str:
    if not request.url.path.startswith(f"{API}/"):
        return _asker(request).actor.account
    try:
        return api_actor(request).account
    except HTTPException:
        return ""


def _of_session(request: Request) -> Asker | None:
    token = session_token(request)
    if not token:
        return None
    session = accounts.actor_of_session(request.app.state.service, token, address_of(request))
    return Asker(session.actor, session.csrf) if session is not None else None


def session_token(request: Request) -> str:
    """Return the token of the request's session, ``""`` where it has none."""
    return request.cookies.get(_name(request, _SESSION), "")


def _visitor(request: Request) -> Asker:
    held = request.cookies.get(_name(request, _FORM), "")
    return Asker(Actor.anonymous(address_of(request)), held or secrets.token_urlsafe(24), not held)


def api_actor(request: Request) -> Actor:
    """Return whose token a request of the API carries; a token that is not valid is refused."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if not token:
        return Actor.anonymous(address_of(request))
    actor = None
    if kind.lower() == "bearer":
        actor = accounts.actor_of_token(
            request.app.state.service, token.strip(), address_of(request)
        )
    if actor is None:
        raise HTTPException(401, "The token is not valid.", {"www-authenticate": "Bearer"})
    return actor


Svc = Annotated[Service, Depends(service_of)]
PageAsker = Annotated[Asker, Depends(page_asker)]
ApiActor = Annotated[Actor, Depends(api_actor)]


async def check_form(request: Request, asker: PageAsker) -> None:
    """Refuse a request that changes something unless a page of ours, shown to them, sent it."""
    if request.method in _SAFE:
        return
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "This form was sent by a page from elsewhere.")
    sent = request.headers.get("x-csrf-token") or _text(await request.form(), "csrf")
    if asker.fresh or not hmac.compare_digest(sent.encode(), asker.csrf.encode()):
        raise HTTPException(403, "This form is too old, or was not sent by one of our pages.")


def _text(form: FormData, name: str) -> str:
    value = form.get(name)
    return value if isinstance(value, str) else ""


def keep_session(request: Request, answer: Response, token: str, max_age_s: int) -> None:
    """Put a session's token into a cookie that no script can read."""
    _set_cookie(request, answer, _SESSION, token, max_age_s)


def drop_session(request: Request, answer: Response) -> None:
    """Delete the session's cookie."""
    _set_cookie(request, answer, _SESSION, "", 0)


def keep_form_text(request: Request, answer: Response, asker: Asker) -> None:
    """Give a visitor the cookie that a form of theirs is compared with, where they have none."""
    if asker.fresh:
        _set_cookie(request, answer, _FORM, asker.csrf, None)


def _set_cookie(
    request: Request, answer: Response, name: str, value: str, max_age_s: int | None
) -> None:
    answer.set_cookie(
        _name(request, name),
        value,
        max_age=max_age_s,
        path="/",
        secure=request.app.state.secure,
        httponly=True,
        samesite="lax",
    )


def _name(request: Request, name: str) -> str:
    """A cookie of this prefix is taken from https alone and from no neighbouring host."""
    return f"__Host-{name}" if request.app.state.secure else name


def address_of(request: Request) -> str:
    """Return the address that a request comes from."""
    return request.client.host if request.client else ""


def local_path(target: str) -> str:
    """Return ``target`` where it is a path of this site, else ``/``: nobody is sent elsewhere."""
    parts = urlsplit(target)
    is_local = target.startswith("/") and not parts.scheme and not parts.netloc
    return target if is_local and "\\" not in target and not target.startswith("//") else "/"


def login_address(request: Request) -> str:
    """Return the address of the log-in page that leads back to where the request went."""
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"/login?next={quote(path, safe='')}"
