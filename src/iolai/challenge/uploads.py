"""Uploads that may break off and go on: begin, append from an offset, until the hash is right."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Connection

from iolai.challenge.clock import stamp
from iolai.challenge.permissions import Action, require
from iolai.challenge.room import require_room
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.throttle import throttle
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.files import no_room_said
from iolai.records import Upload
from iolai.store import uploads as rows
from iolai.text import visible

__all__ = [
    "append",
    "begin",
    "cancel",
    "finished_file",
    "forget_file",
    "forget_old",
    "hand_over",
    "list_own",
    "status",
]

_SHA256 = re.compile(r"[0-9a-f]{64}")
#: An upload that did not end within so many days is forgotten.
_DAYS = 3
#: Unfinished uploads of one account may hold so many times the size of one.
_AT_ONCE = 2
_DAY_S = 24 * 3600


def begin(service: Service, actor: Actor, name: str, size: int, sha256: str) -> Upload:
    """Begin an upload of ``size`` bytes whose SHA-256 is known.

    Raises InputError where size or hash will not do, ConflictError where the account has too much
    under way, NoRoomError where the disk has no room for it.
    """
    require(actor, Action.UPLOAD)
    limit = service.settings.max_upload_mib << 20
    if not 0 < size <= limit:
        raise InputError(
            f"an upload has from 1 byte to {service.settings.max_upload_mib} MiB",
            hint="Leave out what the entry does not need.",
        )
    if not _SHA256.fullmatch(sha256):
        raise InputError("the SHA-256 is not 64 hexadecimal digits", hint="Use small letters.")
    throttle(service, "upload", actor.account)
    require_room(service, size)
    shown = visible(Path(name).name)[:100] or "upload"
    upload = Upload(new_id(), actor.account, shown, size, sha256, 0, service.stamp())
    with service.store.write() as connection:
        if rows.bytes_under_way(connection, actor.account) + size > _AT_ONCE * limit:
            raise ConflictError(
                "too many uploads of yours are under way", hint="Finish or cancel one first."
            )
        with no_room_said("an upload"):
            _file(service, upload.id).touch(mode=0o600)
        rows.add_upload(connection, upload)
    return upload


def status(service: Service, actor: Actor, upload_id: str) -> Upload:
    """Return how far one's upload is; its ``offset`` is where to go on."""
    require(actor, Action.UPLOAD)
    with service.store.read() as connection:
        upload = rows.get_upload(connection, upload_id)
    if upload is None or upload.account != actor.account:
        raise NotFoundError("there is no such upload", hint="Begin a new one.")
    return upload


def list_own(service: Service, actor: Actor) -> tuple[Upload, ...]:
    """Return one's uploads that were not handed in yet, the earliest first."""
    require(actor, Action.UPLOAD)
    with service.store.read() as connection:
        return rows.list_uploads(connection, actor.account)


def cancel(service: Service, actor: Actor, upload_id: str) -> None:
    """Forget one's upload, whatever has arrived of it.

    Raises NotFoundError where there is none, ConflictError while another request writes to it.
    """
    status(service, actor, upload_id)
    with _alone(service, upload_id):
        with service.store.write() as connection:
            rows.delete_upload(connection, upload_id)
        forget_file(service, upload_id)


def append(
    service: Service, actor: Actor, upload_id: str, offset: int, chunks: Iterable[bytes]
) -> Upload:
    """Append bytes from ``offset`` on; what has arrived counts even where the rest breaks off.

    The upload is ``done`` when all bytes are there and their SHA-256 is the one announced.
    Raises ConflictError where ``offset`` is not where the upload stands or another request
    writes to it, InputError where more
    bytes come than announced, or the hash is another (the upload then starts again at 0).
    """
    status(service, actor, upload_id)
    with _alone(service, upload_id):
        upload = status(service, actor, upload_id)  # again: it may have moved before the lock
        if upload.done:
            return upload
        if offset != upload.offset:
            raise ConflictError(
                f"the upload stands at byte {upload.offset}, not {offset}",
                hint="Ask where it stands and go on from there.",
            )
        upload = _written(service, upload, chunks)
        return _finish(service, upload) if upload.offset == upload.size else upload


@contextmanager
def _alone(service: Service, upload_id: str) -> Iterator[None]:
    """Hold an upload, against every thread and process, while its bytes and offset move.

    Raises ConflictError where somebody else writes to it, NotFoundError where it is gone.
    """
    try:
        stream = _file(service, upload_id).open("rb")
    except FileNotFoundError:
        raise NotFoundError("there is no such upload", hint="Begin a new one.") from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConflictError(
                "another request writes to this upload at this moment",
                hint="Send one piece after the other; ask where it stands and go on from there.",
            ) from None
        yield


def _written(service: Service, upload: Upload, chunks: Iterable[bytes]) -> Upload:
    """Write what comes behind what is there; the offset is kept even where the rest breaks off."""
    offset = upload.offset
    try:
        # Unbuffered: what is counted is on its way to the disk, also where that is full.
        with (
            no_room_said("an upload"),
            _file(service, upload.id).open("r+b", buffering=0) as stream,
        ):
            stream.seek(offset)
            for chunk in chunks:
                if offset + len(chunk) > upload.size:
                    raise InputError(
                        f"more than the announced {upload.size} bytes came",
                        hint="Begin again with the right size.",
                    )
                left = memoryview(chunk)
                while left:
                    n_written = stream.write(left)
                    offset += n_written
                    left = left[n_written:]
            os.fsync(stream.fileno())
    finally:
        _set(service, upload.id, offset)
    return replace(upload, offset=offset)


def _set(service: Service, upload_id: str, offset: int, *, done: bool = False) -> None:
    with service.store.write() as connection:
        rows.set_offset(connection, upload_id, offset, done=done)


def _finish(service: Service, upload: Upload) -> Upload:
    path = _file(service, upload.id)
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    if digest.hexdigest() != upload.sha256:
        _set(service, upload.id, 0)
        raise InputError(
            "what arrived has another SHA-256 than was announced",
            hint="The file changed, or the way spoilt it: upload it again from the start.",
        )
    _set(service, upload.id, upload.size, done=True)
    return replace(upload, done=True)


def finished_file(service: Service, upload: Upload) -> Path:
    """Return where the bytes of a finished upload are; they change no more."""
    return _file(service, upload.id)


def hand_over(service: Service, connection: Connection, upload: Upload) -> None:
    """Make a finished upload a blob, in the transaction that accepts it as a submission.

    Until then its bytes are the upload's alone, so that forgetting it can take nothing from
    anybody else. The file itself goes when the transaction has ended (``forget_file``).
    """
    service.blobs.link(finished_file(service, upload), upload.sha256)
    rows.delete_upload(connection, upload.id)


def forget_file(service: Service, upload_id: str) -> None:
    """Delete the file of an upload that is one no more."""
    _file(service, upload_id).unlink(missing_ok=True)


def forget_old(service: Service) -> int:
    """Delete uploads that did not become a submission for days; return how many.

    So go files that are no upload's any more, as where a process died between the acceptance of
    one and the end of its file; and hidden ones, which an import was writing, after a day. No blob
    is ever deleted.
    """
    limit = stamp(service.now() - timedelta(days=_DAYS))
    with service.store.write() as connection:
        old = rows.list_uploads_before(connection, limit)
        for upload in old:
            rows.delete_upload(connection, upload.id)
        # A file and its row begin in one write transaction, and there is one of these at a time.
        left = _files_of_none(service, connection)
    for path in left:
        path.unlink(missing_ok=True)
    return len(left)


def _files_of_none(service: Service, connection: Connection) -> list[Path]:
    """Return the files in ``uploads`` without a row; hidden ones (being restored) when old."""
    found = sorted((service.home / "uploads").iterdir())
    hidden = [path for path in found if path.name.startswith(".")]
    plain = [path for path in found if not path.name.startswith(".")]
    left = [path for path in plain if rows.get_upload(connection, path.name) is None]
    return left + [path for path in hidden if _age_s(path) > _DAY_S]


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _file(service: Service, upload_id: str) -> Path:
    return service.home / "uploads" / upload_id
