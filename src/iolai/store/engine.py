"""Open the database, and read or write it in transactions.

A read sees one moment. One write goes on at a time: on SQLite it holds the only write lock from its
first statement (BEGIN IMMEDIATE), on PostgreSQL an advisory lock of the database. So what a write
reads before deciding cannot change under it, and the ids of events follow the order in which they
became visible. Writes are short; bulk work is cut into batches.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from iolai.errors import InputError, NoRoomError

__all__ = ["Store", "open_store", "sqlite_url"]

#: How long a statement waits for another's lock before it fails.
BUSY_MS = 30_000
#: The number of the advisory lock that writes take on PostgreSQL.
_WRITE_LOCK = 0x696F6C6169


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
        with self._reading().connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Begin a transaction that is kept at the end, or undone where an error leaves it.

        Raises NoRoomError, and keeps nothing, where the database's disk is full.
        """
        engine = self.engine.execution_options(iolai_write=True)
        try:
            with engine.begin() as connection:
                if not self.is_sqlite:
                    connection.execute(select(func.pg_advisory_xact_lock(_WRITE_LOCK)))
                yield connection
        except DBAPIError as error:
            if not _is_full(error):
                raise
            raise NoRoomError("the database cannot be written") from error

    def _reading(self) -> Engine:
        if self.is_sqlite:
            return self.engine
        return self.engine.execution_options(isolation_level="REPEATABLE READ")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


#: What SQLite answers where its file, its log or its shared memory finds no room (sqlite.org/
#: rescode.html: FULL, IOERR_WRITE, IOERR_SHMSIZE), and PostgreSQL (class 53, disk_full).
_SQLITE_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)
_POSTGRESQL_FULL = "53100"


def _is_full(error: DBAPIError) -> bool:
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) in _SQLITE_FULL
    return getattr(cause, "sqlstate", "") == _POSTGRESQL_FULL


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
        connect = {"timeout": BUSY_MS / 1000, "check_same_thread": False}
        return {"connect_args": connect, "pool_size": 10, "max_overflow": 90}
    return {
        "connect_args": {"options": f"-c lock_timeout={BUSY_MS}"},
        "pool_size": 10,
        "max_overflow": 40,
    }


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
