"""Rows as plain values, table by table: for exports and backups, the same on every database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, select

from iolai.store.tables import metadata

__all__ = ["TABLES", "insert_rows", "is_empty", "rows_of"]

#: All tables, each after those that it refers to.
TABLES: tuple[str, ...] = tuple(table.name for table in metadata.sorted_tables)
_BATCH = 500


def rows_of(connection: Connection, table: str, **where: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table whose columns have the given values, in the order of their key."""
    columns = metadata.tables[table]
    query = select(columns).order_by(*columns.primary_key.columns)
    for name, value in where.items():
        query = query.where(columns.c[name] == value)
    for row in connection.execute(query):
        yield dict(row._mapping)


def insert_rows(connection: Connection, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """Insert rows in batches and return how many; events get new ids, in the order given."""
    batch: list[dict[str, Any]] = []
    n_rows = 0
    for row in rows:
        batch.append({k: v for k, v in row.items() if (table, k) != ("event", "id")})
        n_rows += 1
        if len(batch) == _BATCH:
            connection.execute(metadata.tables[table].insert(), batch)
            batch = []
    if batch:
        connection.execute(metadata.tables[table].insert(), batch)
    return n_rows


def is_empty(connection: Connection) -> bool:
    """Say whether no table holds a row."""
    return all(
        connection.execute(select(table).limit(1)).first() is None
        for table in metadata.sorted_tables
    )
