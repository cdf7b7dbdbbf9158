"""Moving a challenge: out of a home as one file, and into another home."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from iolai.challenge.archives import (
    read_rows,
    reading_archive,
    restore_blobs,
    write_blobs,
    write_rows,
    writing_archive,
)
from iolai.challenge.challenges import ChallengeView, get
from iolai.challenge.keys import digests_of, key_path, read_plain, reseal
from iolai.challenge.names import fold_name
from iolai.challenge.permissions import Action, require
from iolai.challenge.queue import requeue
from iolai.challenge.scorebook import with_digests
from iolai.challenge.scoring import all_keys
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import ChallengeState, find_state, scope_of
from iolai.errors import ConflictError
from iolai.records import AnswerKey, RunState
from iolai.store import accounts, challenges, runs
from iolai.store.dumping import insert_rows, rows_of

__all__ = ["export_challenge", "import_challenge"]

_KIND = "challenge"
#: Tables with a column ``challenge``, each after those that it refers to.
_TABLES = ("answer_key", "team", "submission", "run", "proposal", "event")
_OF_RUNS = ("verdict", "score", "step_result")


def export_challenge(
    service: Service, actor: Actor, slug: str, out: Path, *, with_key: bool = False
) -> None:
    """Write all of a challenge into one zip: rows, events, blobs, and its keys where asked for.

    Members' names travel, their passwords do not. With the keys the file holds the references in
    the clear: it wants an admin, leaves an event, and is for moving a challenge, not for sharing.
    """
    require(actor, Action.MANAGE_CHALLENGE)
    keys = all_keys(service, actor, slug, f"export to {out.name}") if with_key else {}
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.MANAGE_CHALLENGE, scope_of(state))
        with writing_archive(out, _KIND, slug=slug, with_key=with_key) as archive:
            _write_tables(archive, connection, state)
            write_blobs(archive, service.blobs, _blobs(connection, state))
            for key_id, key in keys.items():
                archive.writestr(f"keys/{key_id}.json", _plain(key))


def _plain(key: AnswerKey) -> str:
    return json.dumps([asdict(task) for task in key], ensure_ascii=False)


def _write_tables(archive: zipfile.ZipFile, connection: Connection, state: ChallengeState) -> None:
    write_rows(archive, "challenge", rows_of(connection, "challenge", id=state.id))
    for table in _TABLES:
        write_rows(archive, table, rows_of(connection, table, challenge=state.id))
    members = list(rows_of(connection, "member", challenge=state.id))
    write_rows(archive, "member", members)
    people = {row["account"] for row in members}
    people |= {row["account"] for row in rows_of(connection, "submission", challenge=state.id)}
    write_rows(archive, "account", _accounts(connection, people))
    runs = [row["id"] for row in rows_of(connection, "run", challenge=state.id)]
    for table in _OF_RUNS:
        write_rows(
            archive, table, (row for run in runs for row in rows_of(connection, table, run=run))
        )


def _accounts(connection: Connection, people: Iterable[str]) -> Iterator[dict[str, Any]]:
    for account_id in sorted(people):
        account = accounts.find_account(connection, account_id)
        if account is not None:
            yield {"id": account.id, "name": account.name, "created_at": account.created_at}


def _blobs(connection: Connection, state: ChallengeState) -> Iterator[str]:
    yield state.problems
    for row in rows_of(connection, "event", challenge=state.id, kind="challenge_defined"):
        data = json.loads(row["data"])
        yield data.get("problems", "")
        yield from (one["blob"] for one in data["settings"]["baselines"])
    for row in rows_of(connection, "submission", challenge=state.id):
        yield row["blob"]
    for run in rows_of(connection, "run", challenge=state.id):
        for verdict in rows_of(connection, "verdict", run=run["id"]):
            yield verdict["output"]
            yield verdict["log"]


def import_challenge(service: Service, actor: Actor, path: Path) -> ChallengeView:
    """Read what ``export_challenge`` wrote into this home.

    Without keys the boards stand as they were, and nothing can be scored until a key is handed in.
    Members whose account is not here get one that nobody can log in to until an admin sets its
    password. Raises ConflictError where the challenge, or another of its slug, is here already.
    """
    require(actor, Action.CREATE_CHALLENGE)
    with reading_archive(path, _KIND) as archive:
        (row,) = read_rows(archive, "challenge")
        with service.store.read() as connection:
            _require_new(connection, row)
        restore_blobs(archive, service.blobs, service.home / "uploads")
        keys = {
            Path(name).stem: read_plain(archive.read(name).decode())
            for name in archive.namelist()
            if name.startswith("keys/")
        }
        try:
            with service.store.write() as connection:
                _require_new(connection, row)
                _insert(service, connection, archive, row, keys)
        except BaseException:
            for key_id in keys:
                key_path(service, key_id).unlink(missing_ok=True)
            raise
    return get(service, actor, row["slug"])


def _require_new(connection: Connection, row: dict[str, Any]) -> None:
    by_slug = challenges.find_challenge(connection, row["slug"])
    if by_slug is not None or challenges.get_challenge(connection, row["id"]) is not None:
        raise ConflictError(
            f"a challenge {row['slug']} is here already", hint="Import it into another home."
        )


def _insert(
    service: Service,
    connection: Connection,
    archive: zipfile.ZipFile,
    challenge: dict[str, Any],
    keys: dict[str, AnswerKey],
) -> None:
    insert_rows(connection, "challenge", [challenge])
    known = {account.id for account in accounts.list_accounts(connection)}
    people = [row for row in read_rows(archive, "account") if row["id"] not in known]
    insert_rows(connection, "account", [_account(connection, row) for row in people])
    for key_id, key in keys.items():
        reseal(service, key_id, key)
    digests = {key_id: digests_of(service, key) for key_id, key in keys.items()}
    for table in ("answer_key", "team", "member", "submission", "run", "proposal"):
        rows = read_rows(archive, table)
        insert_rows(connection, table, (_mended(table, row, digests) for row in rows))
    for table in (*_OF_RUNS, "event"):
        rows = read_rows(archive, table)
        insert_rows(connection, table, (_mended(table, row, digests) for row in rows))
    under_way = [s for s in RunState if s not in (RunState.QUEUED, RunState.DONE)]
    for run in runs.list_runs(connection, challenge_id=challenge["id"], states=under_way):
        requeue(connection, run, at=service.stamp(), reason="imported from another home")


def _account(connection: Connection, row: dict[str, Any]) -> dict[str, Any]:
    name = row["name"]
    if accounts.find_account_named(connection, fold_name(name)) is not None:
        name = f"{name} ({row['id']})"
    return row | {
        "name": name,
        "folded_name": fold_name(name),
        "role": "participant",
        "password_hash": "",
        "deleted_at": "",
    }


def _mended(table: str, row: dict[str, Any], digests: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Make a row fit this home: digests are keyed with its secret."""
    if table == "answer_key" and row["id"] in digests:
        known = digests[row["id"]]
        tasks = [task | {"digest": known[task["id"]]} for task in json.loads(row["tasks"])]
        return row | {"tasks": json.dumps(tasks)}
    if table == "score" and row["key"] in digests:
        return row | {"body": with_digests(row["body"], digests[row["key"]])}
    return row
