"""Uploads in pieces, which go on where they were broken off."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from iolai.challenge import uploads
from iolai.records import Upload
from iolai.web.api.raw import RAW, Pieces, pieces
from iolai.web.asking import ApiActor, Svc
from iolai.web.shapes import UploadAsked, UploadShape

__all__ = ["router"]

router = APIRouter(prefix="/uploads", tags=["uploads"])


@router.post("", status_code=201)
def begin(service: Svc, actor: ApiActor, body: UploadAsked) -> UploadShape:
    """Begin an upload of so many bytes with this SHA-256."""
    return _shape(uploads.begin(service, actor, body.name, body.size, body.sha256))


@router.get("")
def list_uploads(service: Svc, actor: ApiActor) -> list[UploadShape]:
    """List one's uploads that were not handed in yet, the earliest first."""
    return [_shape(upload) for upload in uploads.list_own(service, actor)]


@router.get("/{upload_id}")
def state(service: Svc, actor: ApiActor, upload_id: str) -> UploadShape:
    """Say how much of an upload has arrived."""
    return _shape(uploads.status(service, actor, upload_id))


def _is_mine(service: Svc, actor: ApiActor, upload_id: str) -> None:
    uploads.status(service, actor, upload_id)


@router.patch("/{upload_id}", openapi_extra=RAW, dependencies=[Depends(_is_mine)])
def append(
    service: Svc,
    actor: ApiActor,
    upload_id: str,
    offset: Annotated[int, Query(ge=0, le=1 << 50)],
    body: Pieces,
) -> UploadShape:
    """Send the next piece, up to 16 MiB: the body is its bytes, ``offset`` where they begin."""
    return _shape(uploads.append(service, actor, upload_id, offset, pieces(body)))


@router.delete("/{upload_id}", status_code=204)
def cancel(service: Svc, actor: ApiActor, upload_id: str) -> None:
    """Drop an upload and what has arrived of it."""
    uploads.cancel(service, actor, upload_id)


def _shape(upload: Upload) -> UploadShape:
    return UploadShape(
        id=upload.id,
        name=upload.name,
        size=upload.size,
        sha256=upload.sha256,
        offset=upload.offset,
        done=upload.done,
    )
