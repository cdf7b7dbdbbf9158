"""Files named by the SHA-256 of their content: written once, whole, and never changed."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iolai.errors import NotFoundError
from iolai.files import no_room_said

__all__ = ["Blobs"]

_PIECE = 1 << 20
#: How names of files begin that are being written.
_NEW = ".new-"
_DAY_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Blobs:
    """A folder of blobs, spread over 256 folders."""

    folder: Path

    def path(self, sha256: str) -> Path:
        """Return where a blob stands, or would."""
        return self.folder / sha256[:2] / sha256[2:]

    def has(self, sha256: str) -> bool:
        """Say whether a blob is here."""
        return bool(sha256) and self.path(sha256).is_file()

    def read(self, sha256: str) -> bytes:
        """Return a blob's content; raises NotFoundError where it is not here."""
        try:
            return self.path(sha256).read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            raise NotFoundError(
                f"there is no blob {sha256[:12]}", hint="Restore the folder blobs from a backup."
            ) from None

    def put(self, data: bytes) -> str:
        """Keep a content and return its SHA-256; it is on the disk when this returns.

        Raises NoRoomError, and leaves nothing, where the disk is full.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        target = self.path(sha256)
        if target.is_file():
            return sha256
        with no_room_said("a file that was sent or made"):
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=_NEW)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(data)
                    stream.flush()
                    os.fsync(stream.fileno())
                _keep(Path(temporary), target)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        return sha256

    def sweep(self) -> int:
        """Delete what processes that died were writing, a day ago or longer; return how many.

        No blob is among it: one is renamed into place when it is whole.
        """
        n_swept = 0
        for path in self.folder.glob(f"??/{_NEW}*"):
            with suppress(FileNotFoundError):  # it was renamed, or another process sweeps too
                if time.time() - path.stat().st_mtime > _DAY_S:
                    path.unlink()
                    n_swept += 1
        return n_swept

    def take(self, file: Path) -> str:
        """Move a file of the same disk here and return its SHA-256; the file is gone after it."""
        digest = hashlib.sha256()
        with file.open("rb") as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
            os.fsync(stream.fileno())
        sha256 = digest.hexdigest()
        target = self.path(sha256)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if target.is_file():
            file.unlink()
        else:
            _keep(file, target)
        return sha256

    def link(self, file: Path, sha256: str) -> None:
        """Keep a file of the same disk whose SHA-256 is known, and leave it where it is.

        The file must change no more: both names are of the same bytes.
        """
        target = self.path(sha256)
        with no_room_said("an upload"):
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file.chmod(0o600)
            with suppress(FileExistsError):
                target.hardlink_to(file)
            _sync_folder(target.parent)


def _keep(file: Path, target: Path) -> None:
    """Rename into place, and have the name on the disk too."""
    file.chmod(0o600)
    file.rename(target)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
