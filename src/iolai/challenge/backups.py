"""Backup of a whole home into one file, and restoring it into an empty home.

The secret is not in it: keep it apart, since whoever has both can open the answer keys. Restoring
needs the secret again. A backup is of one moment: a read transaction for the rows; blobs and
sealed keys are never changed once written.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from iolai.challenge.archives import (
    read_rows,
    reading_archive,
    restore_blobs,
    write_rows,
    writing_archive,
)
from iolai.challenge.permissions import Action, require
from iolai.challenge.queue import requeue
from iolai.challenge.scoring import check_keys
from iolai.challenge.secrets import SECRET_BYTES
from iolai.challenge.service import Actor, Service, open_service
from iolai.errors import ConflictError, InputError
from iolai.files import write_whole
from iolai.records import EventKind, RunState
from iolai.store import runs
from iolai.store.accounts import end_all_access
from iolai.store.dumping import TABLES, insert_rows, is_empty, rows_of
from iolai.store.events import add_event

__all__ = ["BackupReport", "backup", "restore"]

_KIND = "backup"
#: Tables whose rows mean nothing elsewhere: who is logged in, what uploads, who works.
_LEFT_OUT = ("session", "rate", "upload", "worker")


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds. ``n_ended`` is how many sessions and tokens in it were ended."""

    n_rows: int
    n_blobs: int
    n_keys: int
    n_ended: int = 0


def backup(service: Service, actor: Actor, out: Path) -> BackupReport:
    """Write a backup of the home while it is in use; the secret and its settings are not in it."""
    require(actor, Action.BACK_UP)
    n_rows = 0
    with service.store.read() as connection, writing_archive(out, _KIND) as archive:
        for table in TABLES:
            if table not in _LEFT_OUT:
                rows = list(rows_of(connection, table))
                n_rows += len(rows)
                write_rows(archive, table, rows)
        keys = sorted((service.home / "keys").glob("*.sealed"))
        for path in keys:
            archive.write(path, f"keys/{path.name}")
        blobs = [path for path in service.blobs.folder.glob("??/*") if path.name[0] != "."]
        for path in sorted(blobs):
            archive.write(path, f"blobs/{path.parent.name}{path.name}")
    return BackupReport(n_rows, len(blobs), len(keys))


def restore(
    archive_path: Path, home: Path, secret: Path, actor: Actor | None = None
) -> BackupReport:
    """Restore a backup into a home whose database is empty, with the secret it was made under.

    Runs that were under way are queued again. All sessions and tokens end: the backup knows
    nothing of those that were ended or revoked after it was made. Raises InputError where the
    secret is none, or not the one that the keys were sealed with, ConflictError where the home
    already holds something.
    """
    if not secret.is_file() or secret.stat().st_size != SECRET_BYTES:
        raise InputError(
            f"{secret} is no secret of a service",
            hint="Name the file secret of the home that was backed up.",
        )
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = home / "secret"
    if target.exists() and target.read_bytes() != secret.read_bytes():
        raise ConflictError(f"{home} has another secret already", hint="Restore into a new home.")
    if not target.exists():
        write_whole(target, secret.read_bytes())
        target.chmod(0o600)
    service = open_service(home)
    try:
        return _restore(service, actor or Actor.local(), archive_path)
    finally:
        service.close()


def _restore(service: Service, actor: Actor, path: Path) -> BackupReport:
    with service.store.read() as connection:
        if not is_empty(connection):
            raise ConflictError(
                f"{service.home} is in use", hint="Restore into a home that is new."
            )
    with reading_archive(path, _KIND) as archive:
        n_blobs = restore_blobs(archive, service.blobs, service.home / "uploads")
        n_keys = _restore_keys(service, archive)
        with service.store.write() as connection:
            n_rows = sum(
                insert_rows(connection, table, read_rows(archive, table)) for table in TABLES
            )
            under_way = [s for s in RunState if s not in (RunState.QUEUED, RunState.DONE)]
            for run in runs.list_runs(connection, states=under_way):
                requeue(connection, run, at=service.stamp(), reason="restored from a backup")
            at = service.stamp()
            n_ended = end_all_access(connection, at)
            data = {"n_ended": n_ended}
            add_event(connection, EventKind.RESTORED, at=at, author=actor.author, data=data)
    return BackupReport(n_rows, n_blobs, n_keys, n_ended)


def _restore_keys(service: Service, archive: zipfile.ZipFile) -> int:
    """Put the sealed keys back, and refuse a secret that does not open them."""
    names = [name for name in archive.namelist() if name.startswith("keys/")]
    places = [service.home / "keys" / Path(name).name for name in names]
    try:
        for name, place in zip(names, places, strict=True):
            place.touch(mode=0o600)
            place.write_bytes(archive.read(name))
        check_keys(service, [place.stem for place in places])
    except BaseException:
        for place in places:
            place.unlink(missing_ok=True)
        raise
    return len(places)
