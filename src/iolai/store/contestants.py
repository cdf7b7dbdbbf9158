"""Contestants: whose work the jury marks."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from iolai.records.jury import ContestantKind
from iolai.store import tables
from iolai.store.rows import add, record_of

__all__ = [
    "ContestantRow",
    "add_contestant",
    "get_contestant",
    "list_contestants",
    "set_work",
    "withdraw_contestant",
]

_CONTESTANT = tables.contestant


@dataclass(frozen=True, slots=True)
class ContestantRow:
    """A contestant. ``work`` is the blob of what was handed in; a system has a team and a run."""

    id: str
    challenge: str
    kind: ContestantKind
    name: str
    created_at: str
    team: str = ""
    run: str = ""
    work: str = ""
    withdrawn_at: str = ""


def add_contestant(connection: Connection, contestant: ContestantRow, folded_name: str) -> None:
    """Insert a contestant."""
    add(connection, _CONTESTANT, contestant, folded_name=folded_name)


def get_contestant(connection: Connection, contestant_id: str) -> ContestantRow | None:
    """Return a contestant by its id."""
    query = select(_CONTESTANT).where(_CONTESTANT.c.id == contestant_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else record_of(ContestantRow, row, kind=ContestantKind(row.kind))


def list_contestants(
    connection: Connection, challenge_id: str, *, folded_name: str | None = None
) -> tuple[ContestantRow, ...]:
    """Return the contestants that were not withdrawn, by kind and name; or those of a name."""
    query = select(_CONTESTANT).where(
        _CONTESTANT.c.challenge == challenge_id, _CONTESTANT.c.withdrawn_at == ""
    )
    if folded_name is not None:
        query = query.where(_CONTESTANT.c.folded_name == folded_name)
    query = query.order_by(_CONTESTANT.c.kind.desc(), _CONTESTANT.c.folded_name)
    return tuple(
        record_of(ContestantRow, row, kind=ContestantKind(row.kind))
        for row in connection.execute(query)
    )


def set_work(connection: Connection, contestant_id: str, work: str) -> None:
    """Say which blob holds what a contestant handed in."""
    connection.execute(
        _CONTESTANT.update().where(_CONTESTANT.c.id == contestant_id).values(work=work)
    )


def withdraw_contestant(connection: Connection, contestant_id: str, at: str) -> None:
    """Take a contestant out; the row stays."""
    connection.execute(
        _CONTESTANT.update().where(_CONTESTANT.c.id == contestant_id).values(withdrawn_at=at)
    )
