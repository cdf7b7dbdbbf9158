"""Between records and rows: every record is one row, and its fields are the columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, Table

__all__ = ["add", "all_of", "dump", "one_of", "record_of", "values_of"]

T = TypeVar("T")


def dump(value: object) -> str:
    """Write compact JSON text, always the same for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def values_of(record: Any, **instead: Any) -> dict[str, Any]:
    """Return the columns of a record; ``instead`` gives those that are stored in another form."""
    values = {field.name: getattr(record, field.name) for field in fields(record)} | instead
    return {name: v.value if isinstance(v, Enum) else v for name, v in values.items()}


def add(connection: Connection, table: Table, record: Any, **more: Any) -> None:
    """Insert a record as a row."""
    connection.execute(table.insert(), values_of(record, **more))


def record_of(kind: type[T], row: Row[Any] | Mapping[str, Any], /, **instead: Any) -> T:
    """Make a record of a row; columns that are no field are left out, enumerations made."""
    mapping = row if isinstance(row, Mapping) else row._mapping
    values = {f.name: mapping[f.name] for f in fields(kind) if f.name not in instead}  # type: ignore[arg-type]
    return kind(**values, **instead)


def one_of(connection: Connection, kind: type[T], query: Select[Any]) -> T | None:
    """Return the only row of a query as a record, or None."""
    row = connection.execute(query).one_or_none()
    return None if row is None else record_of(kind, row)


def all_of(connection: Connection, kind: type[T], query: Select[Any]) -> tuple[T, ...]:
    """Return the rows of a query as records."""
    rows: Iterable[Row[Any]] = connection.execute(query)
    return tuple(record_of(kind, row) for row in rows)
