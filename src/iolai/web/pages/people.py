"""Logging in and out, registering, one's own account."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from iolai.challenge import accounts
from iolai.challenge.clock import moment
from iolai.challenge.service import Service
from iolai.errors import IolaiError
from iolai.web.asking import (
    Asker,
    PageAsker,
    Svc,
    drop_session,
    keep_session,
    local_path,
    session_token,
)
from iolai.web.faults import status_of
from iolai.web.rendering import render

__all__ = ["router"]

router = APIRouter()
Text = Annotated[str, Form()]


@router.get("/login")
def login_page(request: Request, asker: PageAsker, next: str = "/") -> Response:  # noqa: A002
    """Show the form for logging in."""
    return _login(request, asker, local_path(next))


@router.post("/login")
def login(
    request: Request,
    service: Svc,
    asker: PageAsker,
    name: Text,
    password: Text,
    next: Text = "/",  # noqa: A002
) -> Response:
    """Begin a session."""
    try:
        grant = accounts.log_in(service, asker.actor, name, password)
    except IolaiError as error:
        return _login(request, asker, local_path(next), name, error)
    return _begun(request, service, grant, local_path(next))


def _login(
    request: Request, asker: Asker, target: str, name: str = "", error: IolaiError | None = None
) -> Response:
    context = {"next": target, "name": name, "error": error}
    return render(request, "login.html.j2", asker, context, status=_status(error))


@router.get("/register")
def register_page(request: Request, asker: PageAsker, next: str = "/") -> Response:  # noqa: A002
    """Show the form for a new account."""
    context = {"next": local_path(next), "name": "", "error": None}
    return render(request, "register.html.j2", asker, context)


@router.post("/register")
def register(
    request: Request,
    service: Svc,
    asker: PageAsker,
    name: Text,
    password: Text,
    next: Text = "/",  # noqa: A002
) -> Response:
    """Make an account and begin a session."""
    try:
        account = accounts.register(service, asker.actor, name, password)
        grant = accounts.begin_session(service, account)
    except IolaiError as error:
        context = {"next": local_path(next), "name": name, "error": error}
        return render(request, "register.html.j2", asker, context, status=_status(error))
    target = local_path(next)
    return _begun(request, service, grant, "/?done=account" if target == "/" else target)


def _begun(
    request: Request, service: Service, grant: accounts.SessionGrant, target: str
) -> Response:
    answer = RedirectResponse(target, 303)
    left = moment(grant.expires_at) - service.now()
    keep_session(request, answer, grant.token, int(left.total_seconds()))
    return answer


def _status(error: IolaiError | None) -> int:
    return status_of(error) if error is not None else 200


@router.post("/logout")
def logout(request: Request, service: Svc) -> Response:
    """End the session."""
    accounts.log_out(service, session_token(request))
    answer = RedirectResponse("/", 303)
    drop_session(request, answer)
    return answer


@router.get("/account")
def account_page(request: Request, service: Svc, asker: PageAsker) -> Response:
    """Show one's own account."""
    return _account(request, service, asker)


@router.post("/account/tokens")
def make_token(request: Request, service: Svc, asker: PageAsker, name: Text) -> Response:
    """Make an API token, and show it this once."""
    grant = accounts.make_token(service, asker.actor, name)
    return _account(request, service, asker, made=grant.token)


@router.post("/account/tokens/{token_id}/revoke")
def revoke_token(service: Svc, asker: PageAsker, token_id: str) -> Response:
    """Revoke an API token."""
    accounts.revoke_token(service, asker.actor, token_id)
    return RedirectResponse("/account?done=revoked", 303)


@router.post("/account/password")
def set_password(
    request: Request, service: Svc, asker: PageAsker, old: Text, new: Text
) -> Response:
    """Change one's own password, which ends all sessions, and begin a new one."""
    try:
        account = accounts.set_password(service, asker.actor, asker.actor.name, new, old)
    except IolaiError as error:
        return _account(request, service, asker, error=error)
    grant = accounts.begin_session(service, account)
    return _begun(request, service, grant, "/account?done=password")


def _account(request: Request, service: Service, asker: Asker, **shown: Any) -> Response:
    tokens = accounts.list_tokens(service, asker.actor)
    context = {"tokens": tokens, "made": "", "error": None, **shown}
    status = _status(context["error"])
    return render(request, "account.html.j2", asker, context, status=status)
