"""Marks: appended, never changed; the database itself refuses it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from iolai.records.jury import Mark, MarkKind
from iolai.store import tables
from iolai.store.rows import record_of, values_of

__all__ = ["add_mark", "add_marks", "find_mark", "list_marks"]

_MARK, _PAPER = tables.mark, tables.paper


def add_mark(connection: Connection, mark: Mark) -> Mark:
    """Append a mark and return it with its id; raises IntegrityError where its client_id is."""
    values = values_of(mark)
    del values["id"]
    row = connection.execute(_MARK.insert().values(**values).returning(_MARK)).one()
    return _mark(row)


def add_marks(connection: Connection, marks: Iterable[Mark]) -> None:
    """Append many marks, in their order."""
    rows = [values_of(mark) for mark in marks]
    for row in rows:
        del row["id"]
    if rows:
        connection.execute(_MARK.insert(), rows)


def find_mark(connection: Connection, client_id: str) -> Mark | None:
    """Return the mark that a page named so, or None."""
    row = connection.execute(select(_MARK).where(_MARK.c.client_id == client_id)).one_or_none()
    return None if row is None else _mark(row)


def list_marks(
    connection: Connection, challenge_id: str, *, paper_id: str | None = None
) -> tuple[Mark, ...]:
    """Return the marks of a challenge, or of one of its papers, in the order they were given."""
    query: Select[Any] = (
        select(_MARK)
        .join(_PAPER, _PAPER.c.id == _MARK.c.paper)
        .where(_PAPER.c.challenge == challenge_id)
        .order_by(_MARK.c.id)
    )
    if paper_id is not None:
        query = query.where(_MARK.c.paper == paper_id)
    return tuple(map(_mark, connection.execute(query)))


def _mark(row: Row[Any]) -> Mark:
    return record_of(Mark, row, kind=MarkKind(row.kind))
