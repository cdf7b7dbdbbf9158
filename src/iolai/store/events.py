"""Events: appended, never changed; the database itself refuses it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, func, literal_column, select, text, union_all

from iolai.records import Event, EventKind
from iolai.store import tables
from iolai.store.rows import dump, record_of

__all__ = [
    "accepted_order",
    "add_event",
    "add_events",
    "last_event",
    "last_id",
    "list_events",
    "newest_id",
]

_EVENT = tables.event
_NEWEST = text("SELECT max(id) FROM event")


def add_event(
    connection: Connection,
    kind: EventKind,
    *,
    at: str,
    author: str,
    challenge: str = "",
    team: str = "",
    submission: str = "",
    run: str = "",
    reason: str = "",
    data: Mapping[str, object] | None = None,
) -> int:
    """Append an event and return its id.

    ``author`` is an account's id, ``local:USER`` (maybe ``as ACCOUNT``) or ``service``.
    """
    values = {
        "at": at,
        "author": author,
        "kind": kind.value,
        "challenge": challenge,
        "team": team,
        "submission": submission,
        "run": run,
        "reason": reason,
        "data": dump(dict(data or {})),
    }
    query = _EVENT.insert().values(**values).returning(_EVENT.c.id)
    return int(connection.execute(query).scalar_one())


def add_events(connection: Connection, events: Iterable[Event]) -> None:
    """Append many events, in their order; their ids are given anew."""
    rows = [
        {
            "at": event.at,
            "author": event.author,
            "kind": event.kind.value,
            "challenge": event.challenge,
            "team": event.team,
            "submission": event.submission,
            "run": event.run,
            "reason": event.reason,
            "data": dump(dict(event.data)),
        }
        for event in events
    ]
    if rows:
        connection.execute(_EVENT.insert(), rows)


def list_events(
    connection: Connection,
    *,
    challenge: str | None = None,
    team: str | None = None,
    submission: str | None = None,
    run: str | None = None,
    kinds: Sequence[EventKind] = (),
    until: str | None = None,
    before_id: int | None = None,
    limit: int | None = None,
    newest_first: bool = False,
) -> tuple[Event, ...]:
    """Return the events that fit all that is given, the oldest first.

    ``until`` is a time that none is later than, ``before_id`` an id that all are smaller than.
    """
    wanted = {"challenge": challenge, "team": team, "submission": submission, "run": run}
    query: Select[Any] = select(_EVENT)
    for column, value in wanted.items():
        if value is not None:
            query = query.where(_EVENT.c[column] == value)
    if kinds:
        query = query.where(_EVENT.c.kind.in_([kind.value for kind in kinds]))
    if until is not None:
        query = query.where(_EVENT.c.at <= until)
    if before_id is not None:
        query = query.where(_EVENT.c.id < before_id)
    order = _EVENT.c.id.desc() if newest_first else _EVENT.c.id
    return tuple(map(_event, connection.execute(query.order_by(order).limit(limit))))


def last_event(
    connection: Connection, kind: EventKind, *, challenge: str, until: str | None = None
) -> Event | None:
    """Return the last event of a kind in a challenge, or None."""
    found = list_events(
        connection, challenge=challenge, kinds=(kind,), until=until, limit=1, newest_first=True
    )
    return found[0] if found else None


def last_id(connection: Connection, challenge: str, kinds: Iterable[EventKind]) -> int:
    """Return the id of the last event of any of the kinds in a challenge, 0 where there is none."""
    tops = [
        select(func.max(_EVENT.c.id).label("top")).where(
            _EVENT.c.challenge == challenge, _EVENT.c.kind == kind.value
        )
        for kind in kinds
    ]
    each = union_all(*tops).subquery()
    return int(
        connection.execute(select(func.max(literal_column("top"))).select_from(each)).scalar_one()
        or 0
    )


def accepted_order(
    connection: Connection, challenge: str, *, team_id: str | None = None
) -> dict[str, tuple[int, str]]:
    """Return, by submission, the id and the time of the event by which it was accepted."""
    is_one = _EVENT.c.kind == EventKind.SUBMISSION_ACCEPTED.value
    whose = _EVENT.c.challenge == challenge if team_id is None else _EVENT.c.team == team_id
    query = select(_EVENT.c.submission, _EVENT.c.id, _EVENT.c.at).where(whose, is_one)
    return {row.submission: (int(row.id), row.at) for row in connection.execute(query)}


def newest_id(connection: Connection) -> int:
    """Return the id of the newest event of all, 0 where there is none: the cheapest of questions.

    Where it is what it was, nothing that anybody decides has changed.
    """
    return int(connection.execute(_NEWEST).scalar_one() or 0)


def _event(row: Row[Any]) -> Event:
    return record_of(Event, row, kind=EventKind(row.kind), data=json.loads(row.data))
