"""Counts over the whole service, for those who watch it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, func, select

from iolai.records import EventKind
from iolai.store import tables

__all__ = ["count_events", "count_outcomes", "count_submissions", "last_event_id"]


def count_outcomes(connection: Connection) -> dict[str, int]:
    """Count the verdicts by outcome."""
    column = tables.verdict.c.outcome
    query = select(column, func.count()).group_by(column).order_by(column)
    return {outcome: int(count) for outcome, count in connection.execute(query)}


def count_submissions(connection: Connection) -> dict[str, int]:
    """Count the submissions by kind."""
    column = tables.submission.c.kind
    query = select(column, func.count()).group_by(column).order_by(column)
    return {kind: int(count) for kind, count in connection.execute(query)}


def count_events(connection: Connection, kinds: Iterable[EventKind]) -> dict[EventKind, int]:
    """Count the events of some kinds; a kind without any counts 0."""
    column = tables.event.c.kind
    wanted = tuple(kinds)
    query = (
        select(column, func.count())
        .where(column.in_([kind.value for kind in wanted]))
        .group_by(column)
    )
    found = {EventKind(kind): int(count) for kind, count in connection.execute(query)}
    return {kind: found.get(kind, 0) for kind in wanted}


def last_event_id(connection: Connection) -> int:
    """Return the id of the last event of all, 0 where there is none."""
    return int(connection.execute(select(func.max(tables.event.c.id))).scalar_one() or 0)
