"""The migrations make the tables that the code knows, and facts cannot be changed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from iolai.records import EventKind
from iolai.store import Store, migrate, open_store
from iolai.store.events import add_event, last_id, list_events
from iolai.store.tables import metadata


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    opened = open_store(store_url)
    migrate(opened)
    yield opened
    opened.close()


def test_migrations_make_the_tables_that_the_code_knows(store: Store) -> None:
    with store.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        made = {
            name: {index["name"] for index in inspect(connection).get_indexes(name)}
            for name in metadata.tables
        }
    for name, table in metadata.tables.items():
        assert {index.name for index in table.indexes} <= made[name]


def test_migrating_again_changes_nothing(store: Store) -> None:
    _event(store)
    migrate(store)
    with store.read() as connection:
        assert len(list_events(connection)) == 1


def test_names_that_are_kept_are_folded_anew(store: Store) -> None:
    """Whose name held a variation selector still logs in; of two alike each keeps its own."""
    names = {"a": "heart\ufe0f", "b": "twin", "c": "tw\ufe0fin", "d": "plain"}
    with store.write() as connection:
        for account, folded in names.items():
            row = dict.fromkeys(("id", "name", "role", "password_hash"), account)
            row |= {"folded_name": folded, "created_at": "2026"}
            connection.execute(metadata.tables["account"].insert(), row)
        connection.execute(text("UPDATE alembic_version SET version_num = '0003'"))
    migrate(store)
    with store.read() as connection:
        rows = connection.execute(text("SELECT id, folded_name FROM account"))
        kept = {row.id: row.folded_name for row in rows}
    assert kept == names | {"a": "heart"}


FACTS = {
    "event": "reason = 'another'",
    "submission": "note = 'another'",
    "verdict": "outcome = 'ok'",
    "score": "body = '{}'",
    "answer_key": "tasks = '[]'",
    "mark": "points = 4",
}


def test_facts_can_be_neither_changed_nor_deleted(store: Store) -> None:
    with store.write() as connection:
        _one_of_each(connection)
    for table, change in FACTS.items():
        for statement in (f"UPDATE {table} SET {change}", f"DELETE FROM {table}"):  # noqa: S608
            refused = pytest.raises(DBAPIError, match=f"rows of {table} are never changed")
            with refused, store.write() as connection:
                connection.execute(text(statement))
        with store.read() as connection:
            count = connection.execute(text(f"SELECT count(*) FROM {table}"))  # noqa: S608
            assert count.scalar_one() == 1


def test_facts_cannot_be_truncated(store: Store) -> None:
    if store.is_sqlite:
        pytest.skip("SQLite has no TRUNCATE")
    _event(store)
    with pytest.raises(DBAPIError, match="never changed"), store.write() as connection:
        connection.execute(text("TRUNCATE event"))


def test_a_failed_write_leaves_nothing(store: Store) -> None:
    def fail() -> None:
        with store.write() as connection:
            add_event(connection, EventKind.VERDICT, at="2026", author="x", challenge="c")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.read() as connection:
        assert list_events(connection) == ()


def test_the_last_id_is_of_the_kinds_asked_for(store: Store) -> None:
    with store.write() as connection:
        first = add_event(connection, EventKind.VERDICT, at="2026", author="x", challenge="c")
        add_event(connection, EventKind.RUN_STEP, at="2026", author="x", challenge="c")
        add_event(connection, EventKind.VERDICT, at="2026", author="x", challenge="other")
    with store.read() as connection:
        assert last_id(connection, "c", [EventKind.VERDICT, EventKind.KEY_SET]) == first
        assert last_id(connection, "c", [EventKind.KEY_SET]) == 0


def _event(store: Store) -> None:
    with store.write() as connection:
        add_event(connection, EventKind.VERDICT, at="2026", author="x")


def _one_of_each(connection: Connection) -> None:
    rows = {
        "challenge": {"id": "c", "slug": "s", "created_at": "2026"},
        "answer_key": {"id": "k", "challenge": "c", "created_at": "2026", "tasks": "[]"},
        "team": {
            "id": "t",
            "challenge": "c",
            "name": "T",
            "folded_name": "t",
            "created_at": "2026",
            "kind": "team",
        },
        "submission": {
            "id": "s",
            "challenge": "c",
            "team": "t",
            "account": "",
            "kind": "predictions",
            "received_at": "2026",
        },
        "run": {
            "id": "r",
            "submission": "s",
            "challenge": "c",
            "team": "t",
            "state": "done",
            "queued_at": "2026",
            "tag": 1,
        },
        "verdict": dict.fromkeys(("n_answered", "n_tasks", "wall_s", "cpu_s", "peak_mib"), 0)
        | dict.fromkeys(("owner", "mechanism", "detail", "output", "log"), "")
        | {"run": "r", "at": "2026", "outcome": "crashed"},
        "score": {
            "run": "r",
            "key": "k",
            "at": "2026",
            "signature": "",
            "figures": "{}",
            "body": "[]",
        },
        "event": {"at": "2026", "author": "x", "kind": "verdict", "data": "{}"},
        "account": dict.fromkeys(("id", "name", "folded_name", "role", "password_hash"), "a")
        | {"created_at": "2026"},
        "paper": {"id": "p", "challenge": "c", "problem": "1", "number": 101},
        "mark": dict.fromkeys(("criterion", "note", "kind", "client_id"), "x")
        | {"paper": "p", "juror": "a", "points": 1.0, "rubric_version": 1, "at": "2026"},
    }
    for name, values in rows.items():
        connection.execute(metadata.tables[name].insert(), values)
