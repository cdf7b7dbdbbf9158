"""A file of a form as an upload: hashed, sent through the same door as an upload in pieces."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fastapi import UploadFile

from iolai.challenge import uploads
from iolai.challenge.service import Actor, Service
from iolai.errors import InputError
from iolai.records import Upload

__all__ = ["key_file", "receive_file"]

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


@contextmanager
def key_file(data: bytes) -> Iterator[Path]:
    """Yield a path to a key that was sent; the file is this process's alone, and then deleted."""
    if not data:
        raise InputError("the key is empty", hint="Send a solution.csv.")
    with tempfile.TemporaryDirectory(prefix="iolai-key-") as folder:  # made with mode 700
        path = Path(folder) / "solution.csv"
        path.write_bytes(data)
        yield path
