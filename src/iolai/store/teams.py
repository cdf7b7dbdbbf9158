"""Teams of a challenge, and who is in them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from iolai.records import Account, Role, Team, TeamKind
from iolai.store import tables
from iolai.store.rows import add, record_of

__all__ = [
    "add_member",
    "add_team",
    "close_team",
    "count_members",
    "count_teams",
    "find_team_by_code",
    "find_team_named",
    "get_team",
    "list_members",
    "list_teams",
    "remove_member",
    "set_join_code",
    "team_of",
    "teams_of_account",
]

_TEAM, _MEMBER, _ACCOUNT = tables.team, tables.member, tables.account


def add_team(connection: Connection, team: Team, folded_name: str) -> None:
    """Insert a team; ``folded_name`` is what makes names equal within a challenge."""
    add(connection, _TEAM, team, folded_name=folded_name)


def get_team(connection: Connection, team_id: str) -> Team | None:
    """Return a team by its id."""
    return _one(connection, select(_TEAM).where(_TEAM.c.id == team_id))


def find_team_named(connection: Connection, challenge_id: str, folded_name: str) -> Team | None:
    """Return a team of a challenge by its folded name."""
    query = select(_TEAM).where(
        _TEAM.c.challenge == challenge_id, _TEAM.c.folded_name == folded_name
    )
    return _one(connection, query)


def find_team_by_code(connection: Connection, challenge_id: str, code: str) -> Team | None:
    """Return the team of a challenge that a join code belongs to."""
    query = select(_TEAM).where(_TEAM.c.challenge == challenge_id, _TEAM.c.join_code == code)
    return _one(connection, query) if code else None


def list_teams(connection: Connection, challenge_id: str) -> tuple[Team, ...]:
    """Return the teams of a challenge that are not deleted, by name."""
    query = (
        select(_TEAM)
        .where(_TEAM.c.challenge == challenge_id, _TEAM.c.deleted_at == "")
        .order_by(_TEAM.c.folded_name)
    )
    return _all(connection, query)


def count_teams(connection: Connection, challenge_id: str) -> int:
    """Count the teams of a challenge that are not deleted; baselines are no teams."""
    query = select(func.count()).where(
        _TEAM.c.challenge == challenge_id,
        _TEAM.c.deleted_at == "",
        _TEAM.c.kind != TeamKind.BASELINE,
    )
    return int(connection.execute(query).scalar_one())


def set_join_code(connection: Connection, team_id: str, code: str) -> None:
    """Give a team another join code; the old one no longer works."""
    connection.execute(_TEAM.update().where(_TEAM.c.id == team_id).values(join_code=code))


def add_member(
    connection: Connection, *, challenge_id: str, account_id: str, team_id: str, at: str
) -> None:
    """Put an account into a team; an account is in one team of a challenge at most."""
    connection.execute(
        _MEMBER.insert(),
        {"challenge": challenge_id, "account": account_id, "team": team_id, "joined_at": at},
    )


def remove_member(connection: Connection, challenge_id: str, account_id: str) -> None:
    """Take an account out of its team."""
    connection.execute(
        _MEMBER.delete().where(_MEMBER.c.challenge == challenge_id, _MEMBER.c.account == account_id)
    )


def close_team(connection: Connection, team_id: str, at: str) -> None:
    """Mark a team as deleted and free its name; the row stays."""
    free = _TEAM.c.folded_name + f" ({team_id})"
    closing = _TEAM.update().where(_TEAM.c.id == team_id)
    connection.execute(closing.values(deleted_at=at, folded_name=free, join_code=""))


def team_of(connection: Connection, challenge_id: str, account_id: str) -> Team | None:
    """Return the team of a challenge that an account is in."""
    query = (
        select(_TEAM)
        .join(_MEMBER, _MEMBER.c.team == _TEAM.c.id)
        .where(_MEMBER.c.challenge == challenge_id, _MEMBER.c.account == account_id)
    )
    return _one(connection, query)


def teams_of_account(connection: Connection, account_id: str) -> tuple[Team, ...]:
    """Return the teams of all challenges that an account is in."""
    query = (
        select(_TEAM)
        .join(_MEMBER, _MEMBER.c.team == _TEAM.c.id)
        .where(_MEMBER.c.account == account_id)
        .order_by(_TEAM.c.created_at)
    )
    return _all(connection, query)


def list_members(connection: Connection, team_id: str) -> tuple[Account, ...]:
    """Return the accounts in a team, those who joined first before the others."""
    query = (
        select(_ACCOUNT)
        .join(_MEMBER, _MEMBER.c.account == _ACCOUNT.c.id)
        .where(_MEMBER.c.team == team_id)
        .order_by(_MEMBER.c.joined_at, _ACCOUNT.c.id)
    )
    rows = connection.execute(query)
    return tuple(record_of(Account, row, role=Role(row.role)) for row in rows)


def count_members(connection: Connection, team_id: str) -> int:
    """Count the accounts in a team that are not closed."""
    query = (
        select(func.count())
        .select_from(_MEMBER)
        .join(_ACCOUNT, _ACCOUNT.c.id == _MEMBER.c.account)
        .where(_MEMBER.c.team == team_id, _ACCOUNT.c.deleted_at == "")
    )
    return int(connection.execute(query).scalar_one())


def _team(row: Row[Any]) -> Team:
    return record_of(Team, row, kind=TeamKind(row.kind))


def _one(connection: Connection, query: Select[Any]) -> Team | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else _team(row)


def _all(connection: Connection, query: Select[Any]) -> tuple[Team, ...]:
    return tuple(map(_team, connection.execute(query)))
