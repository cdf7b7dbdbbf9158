"""Uploads that are under way."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from iolai.records import Upload
from iolai.store import tables
from iolai.store.rows import add, all_of, one_of

__all__ = [
    "add_upload",
    "bytes_under_way",
    "delete_upload",
    "get_upload",
    "list_uploads",
    "list_uploads_before",
    "set_offset",
]

_UPLOAD = tables.upload


def add_upload(connection: Connection, upload: Upload) -> None:
    """Insert an upload."""
    add(connection, _UPLOAD, upload)


def get_upload(connection: Connection, upload_id: str) -> Upload | None:
    """Return an upload by its id."""
    return one_of(connection, Upload, select(_UPLOAD).where(_UPLOAD.c.id == upload_id))


def list_uploads(connection: Connection, account_id: str) -> tuple[Upload, ...]:
    """Return an account's uploads, the earliest first."""
    query = select(_UPLOAD).where(_UPLOAD.c.account == account_id)
    return all_of(connection, Upload, query.order_by(_UPLOAD.c.created_at, _UPLOAD.c.id))


def bytes_under_way(connection: Connection, account_id: str) -> int:
    """Return how many bytes an account's uploads will hold when they are all there."""
    query = select(func.coalesce(func.sum(_UPLOAD.c.size), 0)).where(
        _UPLOAD.c.account == account_id
    )
    return int(connection.execute(query).scalar_one())


def set_offset(connection: Connection, upload_id: str, offset: int, *, done: bool = False) -> None:
    """Say how many bytes have arrived, and whether it is whole and its hash is right."""
    connection.execute(
        _UPLOAD.update().where(_UPLOAD.c.id == upload_id).values(offset=offset, done=done)
    )


def delete_upload(connection: Connection, upload_id: str) -> None:
    """Forget an upload."""
    connection.execute(_UPLOAD.delete().where(_UPLOAD.c.id == upload_id))


def list_uploads_before(connection: Connection, at: str) -> tuple[Upload, ...]:
    """Return the uploads that were begun before a time."""
    return all_of(connection, Upload, select(_UPLOAD).where(_UPLOAD.c.created_at < at))
