"""A file of a form as an upload: hashed, sent through the same door as an upload in pieces."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import BinaryIO

from fastapi import UploadFile

from iolai.challenge import uploads
from iolai.challenge.service import Actor, Service
from iolai.errors import InputError
from iolai.records import Upload

__all__ = ["receive_file"]

_PIECE = 1 << 20


def receive_file(service: Service, actor: Actor, file: UploadFile) -> Upload:
    """Take a form's file in as a finished upload; raises InputError where it is empty."""
    size, sha256 = _measure(file.file)
    if not size:
        raise InputError("the file is empty", hint="Check which file you chose.")
    upload = uploads.begin(service, actor, file.filename or "archive", size, sha256)
    file.file.seek(upload.offset)
    return uploads.append(service, actor, upload.id, upload.offset, _pieces(file.file))


def _measure(file: BinaryIO) -> tuple[int, str]:
    digest = hashlib.sha256()
    size = 0
    file.seek(0)
    for piece in _pieces(file):
        digest.update(piece)
        size += len(piece)
    return size, digest.hexdigest()


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece
