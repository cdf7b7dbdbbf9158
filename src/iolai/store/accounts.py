"""Accounts, their sessions and their tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from iolai.records import Account, Role
from iolai.store import tables
from iolai.store.rows import record_of

__all__ = [
    "SessionRow",
    "TokenRow",
    "add_account",
    "add_session",
    "add_token",
    "delete_account",
    "end_access",
    "end_all_access",
    "end_session",
    "end_sessions_before",
    "end_sessions_of",
    "find_account",
    "find_account_named",
    "find_session",
    "find_token",
    "list_accounts",
    "list_tokens",
    "revoke_token",
    "set_password",
    "set_role",
]

_ACCOUNT, _SESSION, _TOKEN = tables.account, tables.session, tables.api_token


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session; the token itself is nowhere, only its hash."""

    token_hash: str
    account: str
    csrf: str
    created_at: str
    expires_at: str


@dataclass(frozen=True, slots=True)
class TokenRow:
    """An API token; the token itself is nowhere, only its hash."""

    token_hash: str
    id: str
    account: str
    name: str
    created_at: str
    revoked_at: str = ""


def add_account(connection: Connection, account: Account, folded_name: str) -> None:
    """Insert an account; ``folded_name`` is what makes names equal."""
    values = {
        "id": account.id,
        "name": account.name,
        "folded_name": folded_name,
        "role": account.role.value,
        "password_hash": account.password_hash,
        "created_at": account.created_at,
        "deleted_at": account.deleted_at,
    }
    connection.execute(_ACCOUNT.insert(), values)


def _account(row: Row[Any] | None) -> Account | None:
    return None if row is None else record_of(Account, row, role=Role(row.role))


def find_account(connection: Connection, account_id: str) -> Account | None:
    """Return an account by its id, a deleted one too."""
    return _account(
        connection.execute(select(_ACCOUNT).where(_ACCOUNT.c.id == account_id)).one_or_none()
    )


def find_account_named(connection: Connection, folded_name: str) -> Account | None:
    """Return an account by its folded name, a deleted one too: names are not given twice."""
    query = select(_ACCOUNT).where(_ACCOUNT.c.folded_name == folded_name)
    return _account(connection.execute(query).one_or_none())


def list_accounts(connection: Connection) -> tuple[Account, ...]:
    """Return all accounts, deleted ones too, the oldest first."""
    query = select(_ACCOUNT).order_by(_ACCOUNT.c.created_at, _ACCOUNT.c.id)
    rows = connection.execute(query)
    return tuple(record_of(Account, row, role=Role(row.role)) for row in rows)


def set_role(connection: Connection, account_id: str, role: Role) -> None:
    """Give an account another role."""
    connection.execute(_ACCOUNT.update().where(_ACCOUNT.c.id == account_id).values(role=role.value))


def set_password(connection: Connection, account_id: str, password_hash: str) -> None:
    """Give an account another password."""
    connection.execute(
        _ACCOUNT.update().where(_ACCOUNT.c.id == account_id).values(password_hash=password_hash)
    )


def delete_account(connection: Connection, account_id: str, at: str) -> None:
    """Mark an account as deleted and end its sessions and tokens; the row stays."""
    connection.execute(
        _ACCOUNT.update().where(_ACCOUNT.c.id == account_id).values(deleted_at=at, password_hash="")
    )
    end_access(connection, account_id, at)


def add_session(connection: Connection, session: SessionRow) -> None:
    """Insert a session."""
    connection.execute(
        _SESSION.insert(),
        {
            "token_hash": session.token_hash,
            "account": session.account,
            "csrf": session.csrf,
            "created_at": session.created_at,
            "expires_at": session.expires_at,
        },
    )


def find_session(connection: Connection, token_hash: str) -> SessionRow | None:
    """Return a session by the hash of its token, whether it has expired or not."""
    return _one_session(connection, select(_SESSION).where(_SESSION.c.token_hash == token_hash))


def _one_session(connection: Connection, query: Select[Any]) -> SessionRow | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else record_of(SessionRow, row)


def end_session(connection: Connection, token_hash: str) -> None:
    """Delete a session."""
    connection.execute(_SESSION.delete().where(_SESSION.c.token_hash == token_hash))


def end_access(connection: Connection, account_id: str, at: str) -> None:
    """End all sessions of an account, and revoke all its tokens."""
    end_sessions_of(connection, account_id)
    revoke = _TOKEN.update().where(_TOKEN.c.account == account_id, _TOKEN.c.revoked_at == "")
    connection.execute(revoke.values(revoked_at=at))


def end_all_access(connection: Connection, at: str) -> int:
    """End all sessions of all accounts, and revoke all tokens; return how many still held."""
    n_sessions = connection.execute(_SESSION.delete()).rowcount
    revoke = _TOKEN.update().where(_TOKEN.c.revoked_at == "").values(revoked_at=at)
    return int(n_sessions + connection.execute(revoke).rowcount)


def end_sessions_of(connection: Connection, account_id: str) -> None:
    """Delete all sessions of an account."""
    connection.execute(_SESSION.delete().where(_SESSION.c.account == account_id))


def end_sessions_before(connection: Connection, at: str) -> None:
    """Delete the sessions that expired before a time."""
    connection.execute(_SESSION.delete().where(_SESSION.c.expires_at < at))


def add_token(connection: Connection, token: TokenRow) -> None:
    """Insert an API token."""
    connection.execute(
        _TOKEN.insert(),
        {
            "token_hash": token.token_hash,
            "id": token.id,
            "account": token.account,
            "name": token.name,
            "created_at": token.created_at,
            "revoked_at": token.revoked_at,
        },
    )


def find_token(connection: Connection, token_hash: str) -> TokenRow | None:
    """Return a token by its hash, a revoked one too."""
    query = select(_TOKEN).where(_TOKEN.c.token_hash == token_hash)
    row = connection.execute(query).one_or_none()
    return None if row is None else record_of(TokenRow, row)


def list_tokens(connection: Connection, account_id: str) -> tuple[TokenRow, ...]:
    """Return an account's tokens, revoked ones too, the oldest first."""
    query = (
        select(_TOKEN)
        .where(_TOKEN.c.account == account_id)
        .order_by(_TOKEN.c.created_at, _TOKEN.c.id)
    )
    return tuple(record_of(TokenRow, row) for row in connection.execute(query))


def revoke_token(connection: Connection, token_id: str, at: str) -> None:
    """Mark a token as revoked."""
    connection.execute(_TOKEN.update().where(_TOKEN.c.id == token_id).values(revoked_at=at))
