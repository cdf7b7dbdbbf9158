"""What exports and backups are made of: a zip with rows as JSON lines, and blobs by their hash."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from iolai.errors import InputError, NoRoomError
from iolai.files import no_room_said, replaced_whole
from iolai.store import Blobs

__all__ = [
    "read_manifest",
    "read_rows",
    "reading_archive",
    "restore_blobs",
    "write_blobs",
    "write_rows",
    "writing_archive",
]

#: Grows when what is in the archives changes its meaning.
VERSION = 1


@contextmanager
def writing_archive(out: Path, kind: str, **about: object) -> Iterator[zipfile.ZipFile]:
    """Yield a zip that is at ``out`` when the block ends, readable by its owner alone."""
    with replaced_whole(out) as stream:
        os.fchmod(stream.fileno(), 0o600)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            manifest = {"kind": kind, "version": VERSION, **about}
            archive.writestr("manifest.json", json.dumps(manifest, ensure_ascii=False))
            yield archive
    out.chmod(0o600)


@contextmanager
def reading_archive(path: Path, kind: str) -> Iterator[zipfile.ZipFile]:
    """Yield an archive of a kind; raises InputError where the file is none."""
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{path} is no archive that can be read",
            hint="Name the file that was written; check that it was copied whole.",
        ) from error
    with archive:
        manifest = read_manifest(archive, path)
        if manifest.get("kind") != kind or manifest.get("version") != VERSION:
            raise InputError(
                f"{path} is no {kind} of this version: {manifest.get('kind')}, "
                f"version {manifest.get('version')}",
                hint=f"Name a file that iolai wrote as a {kind}.",
            )
        yield archive


def read_manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    """Return what an archive says of itself."""
    try:
        manifest: dict[str, Any] = json.loads(archive.read("manifest.json"))
    except (KeyError, ValueError) as error:
        raise InputError(f"{path} was not written by iolai", hint="Name another file.") from error
    return manifest


def write_rows(archive: zipfile.ZipFile, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON lines."""
    with archive.open(f"rows/{name}.jsonl", "w") as stream:
        for row in rows:
            stream.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")


def read_rows(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table; none where the archive has no such table."""
    try:
        member = archive.open(f"rows/{name}.jsonl")
    except KeyError:
        return
    with member:
        for line in member:
            yield json.loads(line)


def write_blobs(archive: zipfile.ZipFile, blobs: Blobs, names: Iterable[str]) -> None:
    """Write blobs, each once; those that are not there are left out."""
    for name in dict.fromkeys(names):
        if blobs.has(name):
            archive.write(blobs.path(name), f"blobs/{name}")


def restore_blobs(archive: zipfile.ZipFile, blobs: Blobs, folder: Path) -> int:
    """Keep the archive's blobs, each checked by its hash; return how many there were.

    ``folder`` is on the disk of the blobs. Raises InputError where one was changed,
    NoRoomError where there is no room for what the archive announces, or for what it holds.
    """
    found = [info for info in archive.infolist() if info.filename.startswith("blobs/")]
    n_bytes = sum(info.file_size for info in found)
    if shutil.disk_usage(folder).free < n_bytes:
        raise NoRoomError(f"the archive's blobs have {n_bytes >> 20:,} MiB")
    for info in found:
        with no_room_said("a blob of the archive"):
            _restore_blob(archive, info, blobs, folder)
    return len(found)


def _restore_blob(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, blobs: Blobs, folder: Path
) -> None:
    expected = info.filename.removeprefix("blobs/")
    digest = hashlib.sha256()
    handle, name = tempfile.mkstemp(dir=folder, prefix=".restoring-")
    target = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream, archive.open(info) as source:
            while piece := source.read(1 << 20):
                digest.update(piece)
                stream.write(piece)
        if digest.hexdigest() != expected:
            raise InputError(
                f"the blob {expected[:12]} in the archive was changed",
                hint="Take another copy of the archive.",
            )
        blobs.take(target)
    finally:  # whatever ended it, the interrupt of a terminal too
        target.unlink(missing_ok=True)
