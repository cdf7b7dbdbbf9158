"""Uploads that may break off and go on: begin, append from an offset, until the hash is right."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from iolai.challenge.clock import stamp
from iolai.challenge.permissions import Action, require
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.records import Upload
from iolai.store import uploads as rows
from iolai.store.submissions import is_submitted
from iolai.text import visible

__all__ = ["append", "begin", "forget_old", "status"]

_SHA256 = re.compile(r"[0-9a-f]{64}")
#: An upload that did not end within so many days is forgotten.
_DAYS = 3
#: Unfinished uploads of one account may hold so many times the size of one.
_AT_ONCE = 2


def begin(service: Service, actor: Actor, name: str, size: int, sha256: str) -> Upload:
    """Begin an upload of ``size`` bytes whose SHA-256 is known.

    Raises InputError where size or hash will not do, ConflictError where the account has too much
    under way.
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
    shown = visible(Path(name).name)[:100] or "upload"
    upload = Upload(new_id(), actor.account, shown, size, sha256, 0, service.stamp())
    with service.store.write() as connection:
        if rows.bytes_under_way(connection, actor.account) + size > _AT_ONCE * limit:
            raise ConflictError(
                "too many uploads of yours are under way", hint="Finish or cancel one first."
            )
        rows.add_upload(connection, upload)
    _file(service, upload.id).touch(mode=0o600)
    return upload


def status(service: Service, actor: Actor, upload_id: str) -> Upload:
    """Return how far one's upload is; its ``offset`` is where to go on."""
    require(actor, Action.UPLOAD)
    with service.store.read() as connection:
        upload = rows.get_upload(connection, upload_id)
    if upload is None or upload.account != actor.account:
        raise NotFoundError("there is no such upload", hint="Begin a new one.")
    return upload


def append(
    service: Service, actor: Actor, upload_id: str, offset: int, chunks: Iterable[bytes]
) -> Upload:
    """Append bytes from ``offset`` on; what has arrived counts even where the rest breaks off.

    The upload is ``done`` when all bytes are there and their SHA-256 is the one announced.
    Raises ConflictError where ``offset`` is not where the upload stands, InputError where more
    bytes come than announced, or the hash is another (the upload then starts again at 0).
    """
    upload = status(service, actor, upload_id)
    if upload.done:
        return upload
    if offset != upload.offset:
        raise ConflictError(
            f"the upload stands at byte {upload.offset}, not {offset}",
            hint="Ask where it stands and go on from there.",
        )
    path = _file(service, upload_id)
    try:
        with path.open("r+b") as stream:
            stream.seek(offset)
            for chunk in chunks:
                if offset + len(chunk) > upload.size:
                    raise InputError(
                        f"more than the announced {upload.size} bytes came",
                        hint="Begin again with the right size.",
                    )
                stream.write(chunk)
                offset += len(chunk)
            stream.flush()
            os.fsync(stream.fileno())
    finally:
        _set(service, upload_id, offset)
    return (
        _finish(service, replace(upload, offset=offset))
        if offset == upload.size
        else replace(upload, offset=offset)
    )


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
    service.blobs.take(path)
    _set(service, upload.id, upload.size, done=True)
    return replace(upload, done=True)


def forget_old(service: Service) -> int:
    """Delete uploads that did not become a submission for days; return how many."""
    limit = stamp(service.now() - timedelta(days=_DAYS))
    with service.store.write() as connection:
        old = rows.list_uploads_before(connection, limit)
        for upload in old:
            rows.delete_upload(connection, upload.id)
        lost = [one for one in old if one.done and not is_submitted(connection, one.sha256)]
    for upload in old:
        _file(service, upload.id).unlink(missing_ok=True)
    for upload in lost:
        service.blobs.path(upload.sha256).unlink(missing_ok=True)
    return len(old)


def _file(service: Service, upload_id: str) -> Path:
    return service.home / "uploads" / upload_id
