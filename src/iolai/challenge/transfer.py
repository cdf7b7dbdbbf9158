"""Moving a challenge: out of a home as one file, and into another home."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from iolai.challenge.archives import (
    read_rows,
    reading_archive,
    restore_blobs,
    write_blobs,
    write_rows,
    writing_archive,
)
from iolai.challenge.audit import differences_now
from iolai.challenge.boards import made_anew
from iolai.challenge.challenges import ChallengeView, get
from iolai.challenge.incoming import JURY_PREFIX, TABLES, Incoming
from iolai.challenge.keys import digests_of, key_path, read_plain, reseal
from iolai.challenge.names import fold_name
from iolai.challenge.permissions import Action, require
from iolai.challenge.queue import requeue
from iolai.challenge.scoring import all_keys
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import ChallengeState, find_state, scope_of
from iolai.errors import ConflictError, DamagedError, InputError
from iolai.records import AnswerKey, Role, RunState
from iolai.store import accounts, challenges, runs
from iolai.store.dumping import insert_rows, rows_of

__all__ = ["export_challenge", "import_challenge"]

_KIND = "challenge"
#: Tables with a column ``challenge``.
_TABLES = ("answer_key", "team", "submission", "run", "proposal", "event")
_OF_RUNS = ("verdict", "score", "step_result")
_NONSENSE = (KeyError, TypeError, ValueError, AttributeError, AssertionError)


def export_challenge(
    service: Service, actor: Actor, slug: str, out: Path, *, with_key: bool = False
) -> None:
    """Write all of a challenge into one zip: rows, events, blobs, and its keys where asked for.

    Members' names travel, their passwords do not, and the jury's work stays. With the keys the
    file holds the references in the clear: it wants an admin, leaves an event, and is for moving a
    challenge, not for sharing.
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
        rows = rows_of(connection, table, challenge=state.id)
        write_rows(archive, table, (row for row in rows if not _is_jurys(table, row)))
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


def _is_jurys(table: str, row: Mapping[str, Any]) -> bool:
    """Say whether a row is an event of the jury, whose work stays: its seal is this home's."""
    return table == "event" and str(row["kind"]).startswith(JURY_PREFIX)


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
    password. Raises ConflictError where the challenge, or another of its slug, is here already, and
    InputError where a row is of another challenge or refers to what does not come with it; then
    nothing here has changed.
    """
    require(actor, Action.CREATE_CHALLENGE)
    with reading_archive(path, _KIND) as archive, _refusing_nonsense(path):
        (row,) = read_rows(archive, "challenge")
        with service.store.read() as connection:
            _require_new(connection, row)
        keys = {
            Path(name).stem: read_plain(archive.read(name).decode())
            for name in archive.namelist()
            if name.startswith("keys/")
        }
        digests = {key_id: digests_of(service, key) for key_id, key in keys.items()}
        rehearsed = Incoming(row["id"], row["slug"], digests)
        with suppress(_Rehearsed), service.store.write() as connection:
            _take_in(service, connection, archive, row, rehearsed)
            raise _Rehearsed  # nothing of it is kept yet, and no blob was written
        restore_blobs(archive, service.blobs, service.home / "uploads")
        coming = Incoming(row["id"], row["slug"], digests)
        with ExitStack() as made, service.store.write() as connection:
            _take_in(service, connection, archive, row, coming)
            _seal_all(service, coming, keys, made)
    return get(service, actor, row["slug"])


class _Rehearsed(Exception):  # noqa: N818 -- no error: the rehearsal went well
    """Ends the transaction in which an import is tried, so that nothing of it is kept."""


def _take_in(
    service: Service,
    connection: Connection,
    archive: zipfile.ZipFile,
    row: dict[str, Any],
    coming: Incoming,
) -> None:
    """Insert all rows and derive all that is derived of them; raises InputError where that fails.

    This is within the transaction: what cannot be shown is not kept.
    """
    _require_new(connection, row)
    was_sound = not differences_now(connection)
    _insert(service, connection, archive, row, coming)
    _look_at_all(service, connection, row["slug"], was_sound=was_sound)
    if set(coming.digests) - set(coming.key_ids):
        raise InputError(
            f"the export of {coming.slug} is refused: it holds a key that no row names",
            hint="Take an export that iolai wrote, and that nobody changed.",
        )


def _look_at_all(service: Service, connection: Connection, slug: str, *, was_sound: bool) -> None:
    try:
        state = find_state(service, connection, slug)
    except DamagedError as error:
        raise InputError(error.message, hint="Take an export that nobody changed.") from error
    made_anew(connection, state)
    if was_sound and (odd := differences_now(connection)):
        raise InputError(
            f"the export of {slug} is refused: its rows are not what its events say ({odd[0]})",
            hint="Take an export that iolai wrote, and that nobody changed.",
        )


@contextmanager
def _refusing_nonsense(path: Path) -> Iterator[None]:
    """Say of a file whose rows no database takes that it is at fault."""
    try:
        yield
    except (SQLAlchemyError, zipfile.BadZipFile, *_NONSENSE) as error:
        raise InputError(
            f"{path} cannot be imported: its rows do not fit together, or are here already",
            hint="Take an export that iolai wrote, and that nobody changed.",
        ) from error


def _seal_all(
    service: Service, coming: Incoming, keys: dict[str, AnswerKey], made: ExitStack
) -> None:
    """Seal the keys under their new ids; where the import fails, these files alone go again."""
    for key_id, key in keys.items():
        new = coming.key_ids[key_id]
        made.push(partial(_unlink_where_failed, key_path(service, new)))
        reseal(service, new, key)


def _unlink_where_failed(path: Path, kind: object, *_: object) -> None:
    if kind is not None:
        path.unlink(missing_ok=True)


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
    coming: Incoming,
) -> None:
    insert_rows(connection, "challenge", [challenge])
    known = {account.id: account.role for account in accounts.list_accounts(connection)}
    people = coming.people(read_rows(archive, "account"))
    if any(known.get(row["id"], Role.PARTICIPANT) is not Role.PARTICIPANT for row in people):
        raise ConflictError(
            "a member of a team in the export has a desk here, and nobody may have both",
            hint="Import it into another home.",
        )
    new = [_account(connection, row) for row in people if row["id"] not in known]
    insert_rows(connection, "account", new)
    for table in TABLES:
        insert_rows(connection, table, coming.rows(table, read_rows(archive, table)))
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
