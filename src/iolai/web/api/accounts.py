"""Accounts and API tokens."""

from __future__ import annotations

from fastapi import APIRouter

from iolai.challenge import accounts, receipts
from iolai.challenge.service import Actor
from iolai.errors import ForbiddenError
from iolai.records import Account, Role
from iolai.version import __version__
from iolai.web.asking import ApiActor, Svc
from iolai.web.choices import choice
from iolai.web.shapes import (
    AccountShape,
    Credentials,
    Made,
    NewPassword,
    RoleAsked,
    ServiceShape,
    TokenAsked,
    TokenShape,
)

__all__ = ["router"]

router = APIRouter(tags=["accounts"])


@router.get("/service")
def service(service: Svc) -> ServiceShape:
    """Say which service this is, and the key that its receipts are verified with."""
    return ServiceShape(
        version=__version__, now=service.stamp(), public_key=receipts.public_key(service)
    )


@router.post("/accounts", status_code=201)
def register(service: Svc, actor: ApiActor, body: Credentials) -> AccountShape:
    """Make an account."""
    return _account(accounts.register(service, actor, body.name, body.password))


@router.get("/accounts")
def list_accounts(service: Svc, actor: ApiActor) -> list[AccountShape]:
    """List all accounts; for an admin."""
    return [_account(one) for one in accounts.list_accounts(service, actor) if not one.deleted_at]


@router.put("/accounts/{name}/role")
def set_role(service: Svc, actor: ApiActor, name: str, body: RoleAsked) -> AccountShape:
    """Give an account a role; for an admin."""
    role = choice(Role, body.role, "role")
    return _account(accounts.set_role(service, actor, name, role))


@router.get("/account")
def own_account(actor: ApiActor) -> AccountShape:
    """Say whose token this is."""
    _require_account(actor)
    return AccountShape(id=actor.account, name=actor.name, role=str(actor.role))


@router.put("/account/password", status_code=204)
def set_password(service: Svc, actor: ApiActor, body: NewPassword) -> None:
    """Change one's own password; all sessions end and all tokens are revoked."""
    _require_account(actor)
    accounts.set_password(service, actor, actor.name, body.new, body.old)


@router.post("/tokens", status_code=201)
def make_token(service: Svc, actor: ApiActor, body: TokenAsked) -> Made:
    """Log in with name and password, and get a token for a program."""
    grant = accounts.log_in(service, actor, body.name, body.password)
    accounts.log_out(service, grant.token)
    owner = Actor(grant.account.id, grant.account.name, grant.account.role, actor.address)
    made = accounts.make_token(service, owner, body.label)
    return Made(id=made.id, name=made.name, token=made.token)


@router.get("/tokens")
def list_tokens(service: Svc, actor: ApiActor) -> list[TokenShape]:
    """List one's own tokens."""
    found = accounts.list_tokens(service, actor)
    return [
        TokenShape(id=one.id, name=one.name, created_at=one.created_at, revoked_at=one.revoked_at)
        for one in found
    ]


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(service: Svc, actor: ApiActor, token_id: str) -> None:
    """Revoke one of one's own tokens."""
    accounts.revoke_token(service, actor, token_id)


def _account(account: Account) -> AccountShape:
    return AccountShape(id=account.id, name=account.name, role=account.role.value)


def _require_account(actor: Actor) -> None:
    if not actor.account:
        raise ForbiddenError(
            "this needs an account", hint="Send a token: Authorization: Bearer TOKEN."
        )
