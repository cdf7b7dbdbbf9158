"""Accounts: registering, logging in, sessions, tokens, roles."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from iolai.challenge.clock import later
from iolai.challenge.membership import take_out_of_all
from iolai.challenge.names import MAX_NAME, checked_name, fold_name
from iolai.challenge.permissions import Action, require
from iolai.challenge.secrets import new_id, new_token, token_hash
from iolai.challenge.service import Actor, Service
from iolai.challenge.throttle import forgive, network_of, throttle, throttle_longer
from iolai.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from iolai.records import Account, EventKind, Role
from iolai.store import accounts as rows
from iolai.store import teams
from iolai.store.accounts import SessionRow, TokenRow
from iolai.store.events import add_event

if TYPE_CHECKING:
    from argon2 import PasswordHasher

__all__ = [
    "MIN_PASSWORD",
    "LiveSession",
    "SessionGrant",
    "TokenGrant",
    "TokenView",
    "actor_of_session",
    "actor_of_token",
    "begin_session",
    "delete_account",
    "get_account",
    "list_accounts",
    "list_tokens",
    "log_in",
    "log_out",
    "make_account",
    "make_token",
    "register",
    "revoke_token",
    "set_password",
    "set_role",
]

MIN_PASSWORD = 10
_MAX_PASSWORD = 256
#: Hashed where there is no such account, so that the answer takes as long as for one.
_NOBODY: list[str] = []


@dataclass(frozen=True, slots=True)
class SessionGrant:
    """What logging in gives: the token goes into the cookie and is stored nowhere."""

    token: str = field(repr=False)
    csrf: str = field(repr=False)
    account: Account
    expires_at: str


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session that holds: who it is, and the token that its unsafe forms carry."""

    actor: Actor
    csrf: str = field(repr=False)
    expires_at: str = ""

    def is_csrf(self, token: str) -> bool:
        """Say whether a form carries this session's token."""
        return hmac.compare_digest(self.csrf.encode(), token.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class TokenGrant:
    """A new API token: shown once, stored nowhere."""

    id: str
    name: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class TokenView:
    """What is known of an API token."""

    id: str
    name: str
    created_at: str
    revoked_at: str


def register(service: Service, actor: Actor, name: str, password: str) -> Account:
    """Make oneself an account, as a participant.

    Raises InputError where name or password will not do, ConflictError where the name is taken,
    RateError where one address makes too many.
    """
    throttle(service, "register", network_of(actor.address))
    return _add(service, actor, name, password, Role.PARTICIPANT)


def make_account(service: Service, actor: Actor, name: str, password: str, role: Role) -> Account:
    """Make an account for somebody, of any role; for an admin."""
    require(actor, Action.MANAGE_ACCOUNTS)
    return _add(service, actor, name, password, role)


def _add(service: Service, actor: Actor, name: str, password: str, role: Role) -> Account:
    shown = checked_name(name)
    account = Account(new_id(), shown, role, service.stamp(), _hashed(password))
    with service.store.write() as connection:
        if rows.find_account_named(connection, fold_name(shown)) is not None:
            raise ConflictError(f"the name {shown!r} is taken", hint="Choose another name.")
        rows.add_account(connection, account, fold_name(shown))
        author = account.id if actor.role is None else actor.author
        _note(service, connection, author, EventKind.ACCOUNT_MADE, account.id, role=role.value)
    return account


def log_in(service: Service, actor: Actor, name: str, password: str) -> SessionGrant:
    """Begin a session.

    Raises ForbiddenError where name and password do not belong together (it does not say which
    is wrong), RateError after too many tries for one name from one address, or from one address.
    Nothing is counted against a name alone: whoever knows it could lock its owner out.
    """
    address = network_of(actor.address)
    pair = f"{fold_name(name)[:MAX_NAME]} from {address}" if address else ""
    throttle(service, "log_in_all", address and f"address {address}")
    if pair:
        throttle_longer(service, "log_in", pair)
    with service.store.read() as connection:
        account = rows.find_account_named(connection, fold_name(name))
    hashed = account.password_hash if account and not account.deleted_at else ""
    if not _is_right(hashed, password) or account is None:
        if account is not None:
            with service.store.write() as connection:
                _note(service, connection, "service", EventKind.LOGIN_FAILED, account.id)
        raise ForbiddenError(
            "the name and the password do not belong together",
            hint="Try again; an admin can set a new password.",
        )
    if pair:
        forgive(service, "log_in", pair)
    return begin_session(service, account)


def begin_session(service: Service, account: Account) -> SessionGrant:
    """Begin a session for an account whose owner was made sure of just now.

    Raises ForbiddenError where it was closed, or its password changed, since ``account`` was read.
    """
    at = service.stamp()
    token, csrf = new_token(), new_token()
    expires_at = later(at, service.settings.session_hours * 3600)
    with service.store.write() as connection:
        now = rows.find_account(connection, account.id)
        if now is None or now.deleted_at or now.password_hash != account.password_hash:
            raise ForbiddenError(
                "the password was changed at this moment", hint="Log in with the new one."
            )
        rows.end_sessions_before(connection, at)
        row = SessionRow(token_hash(token), account.id, csrf, at, expires_at)
        rows.add_session(connection, row)
        _note(service, connection, account.id, EventKind.LOGGED_IN, account.id)
    return SessionGrant(token, csrf, account, expires_at)


def log_out(service: Service, token: str) -> None:
    """End a session; harmless where there is none."""
    with service.store.write() as connection:
        rows.end_session(connection, token_hash(token))


def actor_of_session(service: Service, token: str, address: str = "") -> LiveSession | None:
    """Return who a session's token belongs to, or None where it does not hold."""
    if not token:
        return None
    with service.store.read() as connection:
        session = rows.find_session(connection, token_hash(token))
        if session is None or session.expires_at <= service.stamp():
            return None
        actor = _actor(connection, session.account, address)
    return None if actor is None else LiveSession(actor, session.csrf, session.expires_at)


def actor_of_token(service: Service, token: str, address: str = "") -> Actor | None:
    """Return who an API token belongs to, or None where it does not hold."""
    with service.store.read() as connection:
        row = rows.find_token(connection, token_hash(token))
        if row is None or row.revoked_at:
            return None
        return _actor(connection, row.account, address)


def _actor(connection: Connection, account_id: str, address: str) -> Actor | None:
    account = rows.find_account(connection, account_id)
    if account is None or account.deleted_at:
        return None
    return Actor(account.id, account.name, account.role, address)


def make_token(service: Service, actor: Actor, name: str) -> TokenGrant:
    """Make an API token for one's own account."""
    require(actor, Action.OWN_ACCOUNT)
    _require_account(actor)
    grant = TokenGrant(new_id(), checked_name(name), new_token())
    with service.store.write() as connection:
        rows.add_token(
            connection,
            TokenRow(token_hash(grant.token), grant.id, actor.account, grant.name, service.stamp()),
        )
        _note(service, connection, actor.account, EventKind.TOKEN_MADE, actor.account)
    return grant


def list_tokens(service: Service, actor: Actor) -> tuple[TokenView, ...]:
    """Return one's own tokens, revoked ones too."""
    require(actor, Action.OWN_ACCOUNT)
    with service.store.read() as connection:
        found = rows.list_tokens(connection, actor.account)
    return tuple(TokenView(row.id, row.name, row.created_at, row.revoked_at) for row in found)


def revoke_token(service: Service, actor: Actor, token_id: str) -> None:
    """Revoke one of one's own tokens; raises NotFoundError where it is not one's own."""
    require(actor, Action.OWN_ACCOUNT)
    with service.store.write() as connection:
        if all(row.id != token_id for row in rows.list_tokens(connection, actor.account)):
            raise NotFoundError("there is no such token", hint="Look at the list of your tokens.")
        rows.revoke_token(connection, token_id, service.stamp())
        _note(service, connection, actor.account, EventKind.TOKEN_REVOKED, actor.account)


def get_account(service: Service, actor: Actor, name: str) -> Account:
    """Return an account by its name; for an admin."""
    require(actor, Action.MANAGE_ACCOUNTS)
    with service.store.read() as connection:
        return _named(connection, name)


def list_accounts(service: Service, actor: Actor) -> tuple[Account, ...]:
    """Return all accounts, deleted ones too; for an admin."""
    require(actor, Action.MANAGE_ACCOUNTS)
    with service.store.read() as connection:
        return rows.list_accounts(connection)


def set_role(service: Service, actor: Actor, name: str, role: Role) -> Account:
    """Give an account another role; for an admin.

    Raises ConflictError where a member of a team would get a desk: nobody may see the private
    scores of a challenge that they take part in.
    """
    require(actor, Action.MANAGE_ACCOUNTS)
    with service.store.write() as connection:
        account = _named(connection, name)
        if role is not Role.PARTICIPANT and teams.teams_of_account(connection, account.id):
            raise ConflictError(
                f"{account.name} is in a team and stays a participant",
                hint="Let them leave the team first, or make them another account.",
            )
        rows.set_role(connection, account.id, role)
        _note(service, connection, actor.author, EventKind.ROLE_SET, account.id, role=role.value)
        return _named(connection, name)


def set_password(
    service: Service, actor: Actor, name: str, password: str, old: str = ""
) -> Account:
    """Set one's own password (``old`` must be right), or an admin sets anybody's.

    All sessions end and all tokens are revoked: whoever had the old password has a way in no more.
    Raises ForbiddenError where ``old`` is not right, RateError after too many tries.
    """
    with service.store.read() as connection:
        account = rows.find_account_named(connection, fold_name(name))
    is_own = account is not None and account.id == actor.account
    if not is_own:
        require(actor, Action.MANAGE_ACCOUNTS)
    else:
        throttle(service, "old_password", actor.account)
    if is_own and not _is_right(account.password_hash if account else "", old):
        raise ForbiddenError("the old password is not right", hint="Try again.")
    hashed = _hashed(password)
    with service.store.write() as connection:
        account = _named(connection, name)
        rows.set_password(connection, account.id, hashed)
        rows.end_access(connection, account.id, service.stamp())
        _note(service, connection, actor.author, EventKind.PASSWORD_SET, account.id)
        return _named(connection, name)


def delete_account(service: Service, actor: Actor, name: str, reason: str) -> None:
    """Close an account: it can log in no more and is in no team, its rows stay; for an admin."""
    require(actor, Action.MANAGE_ACCOUNTS)
    with service.store.write() as connection:
        account, at = _named(connection, name), service.stamp()
        rows.delete_account(connection, account.id, at)
        why = "the account is closed"
        take_out_of_all(connection, account.id, at=at, author=actor.author, reason=why)
        add_event(
            connection,
            EventKind.ACCOUNT_DELETED,
            at=at,
            author=actor.author,
            reason=reason,
            data={"account": account.id},
        )


def _named(connection: Connection, name: str) -> Account:
    account = rows.find_account_named(connection, fold_name(name))
    if account is None or account.deleted_at:
        raise NotFoundError(f"there is no account {name[:80]!r}", hint="Check the name.")
    return account


def _require_account(actor: Actor) -> None:
    if not actor.account:
        raise InputError("this needs an account", hint="Log in with an account first.")


def _note(
    service: Service,
    connection: Connection,
    author: str,
    kind: EventKind,
    account: str,
    **data: str,
) -> None:
    add_event(
        connection, kind, at=service.stamp(), author=author, data={"account": account, **data}
    )


def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()  # argon2id, by the parameters of RFC 9106 for little memory


def _hashed(password: str) -> str:
    if not MIN_PASSWORD <= len(password) <= _MAX_PASSWORD:
        raise InputError(
            f"a password has from {MIN_PASSWORD} to {_MAX_PASSWORD} characters",
            hint="Take a longer one; a few words in a row are easy to remember.",
        )
    return _hasher().hash(password.encode("utf-8", "surrogatepass"))


def _is_right(hashed: str, password: str) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    if not _NOBODY:
        _NOBODY.append(_hasher().hash(new_token()))
    try:
        given = password[: 4 * _MAX_PASSWORD].encode("utf-8", "surrogatepass")
        is_right = _hasher().verify(hashed or _NOBODY[0], given)
    except (VerificationError, InvalidHashError):
        return False
    return is_right and bool(hashed)
