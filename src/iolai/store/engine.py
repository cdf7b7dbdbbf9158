"""Open the database, and read or write it in transactions.

A read sees one moment. A write on SQLite holds the only write lock from its first statement
(BEGIN IMMEDIATE), so what it reads before deciding cannot change under it; on PostgreSQL the
functions that decide over a row lock it (``FOR UPDATE``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from iolai.errors import InputError

__all__ = ["Store", "open_store", "sqlite_url"]

#: How long a statement waits for another's lock before it fails.
BUSY_MS = 30_000


@dataclass(frozen=True, slots=True)
class Store:
    """A database that is open; made by ``open_store``."""

    engine: Engine
    url: str

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite (else PostgreSQL)."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Begin a transaction that only reads."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Begin a transaction that is kept at the end, or undone where an error leaves it."""
        engine = self.engine.execution_options(iolai_write=True)
        with engine.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def sqlite_url(path: Path) -> str:
    """Return the URL of an SQLite file."""
    return f"sqlite+pysqlite:///{path.absolute()}"


def open_store(url: str) -> Store:
    """Open a database by URL: ``sqlite:///file`` or ``postgresql://...``.

    Raises InputError where the URL is of another kind. The tables are made by
    ``store.migrate``; opening changes nothing.
    """
    engine = create_engine(_driver_url(url), pool_pre_ping=True, **_settings(url))
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return Store(engine, url)


def _driver_url(url: str) -> str:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise InputError(
            "the database's URL cannot be read",
            hint="Write sqlite:////path/to/store.sqlite or postgresql://user@host/name.",
        ) from error
    drivers = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg"}
    name = parsed.get_backend_name()
    if name not in drivers:
        raise InputError(
            f"no database of the kind {name!r}",
            hint="Use SQLite (the default) or PostgreSQL.",
        )
    return parsed.set(drivername=drivers[name]).render_as_string(hide_password=False)


def _settings(url: str) -> dict[str, Any]:
    if url.startswith("sqlite"):
        return {"connect_args": {"timeout": BUSY_MS / 1000, "check_same_thread": False}}
    return {"pool_size": 10, "max_overflow": 20}


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # sqlite3 must not begin transactions by itself
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",  # an acknowledged submission survives a power cut
        "foreign_keys=ON",
        f"busy_timeout={BUSY_MS}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    is_write = connection.get_execution_options().get("iolai_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_write else "BEGIN")
