"""Checking an archive against the hashes that it carries; nothing is unpacked."""

from __future__ import annotations

import hashlib
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from iolai.entry.folder import MANIFEST, SCRIPT
from iolai.errors import InputError

__all__ = ["Verification", "verify_archive"]

_MAX_MANIFEST = 64 << 20
_CHUNK = 1 << 20
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
#: path, kind of member ("" for an ordinary file), how to open it
_Member = tuple[str, str, Callable[[], IO[bytes]]]


@dataclass(frozen=True, slots=True)
class Verification:
    """What an archive holds, in files and bytes; ``faults`` say what is not as its hashes say."""

    n_files: int
    n_bytes: int
    sha256: str
    faults: tuple[str, ...]


def verify_archive(path: Path) -> Verification:
    """Compare each file of an archive with its hash in ``MANIFEST.sha256``.

    Raises InputError where the file is no archive or has no manifest.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is no ordinary file", hint="Name what iolai entry pack wrote.")
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        with _opened(path) as members:
            return _compare(members, digest)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}", hint="Check the path.") from error
    except (OSError, EOFError, RuntimeError, ValueError, zlib.error) as error:
        raise _unusable(path, str(error)) from error
    except (tarfile.TarError, zipfile.BadZipFile, NotImplementedError) as error:
        raise _unusable(path, str(error)) from error


def _unusable(path: Path, reason: str) -> InputError:
    return InputError(
        f"{path} is no archive of an entry: {reason}",
        hint="Name what iolai entry pack wrote; if it is that, it came through damaged.",
    )


def _compare(members: _Members, digest: str) -> Verification:
    hashes: dict[str, str] | None = None
    seen: set[str] = set()
    faults: list[str] = []
    n_bytes = 0
    for name, kind, opened in members:
        if hashes is None:
            hashes = _manifest(name, kind, opened)
            continue
        fault = _fault_of_name(name, kind, seen)
        seen.add(name)
        if fault:
            faults.append(f"{ascii(name)[1:-1]}: {fault}")
            continue
        found, size = _hash(opened)
        n_bytes += size
        if name not in hashes:
            faults.append(f"{name}: not in {MANIFEST}")
        elif hashes[name] != found:
            faults.append(f"{name}: not what its hash says")
    if hashes is None:
        raise ValueError(f"it does not begin with {MANIFEST}")
    faults += (f"{name}: missing" for name in hashes if name not in seen)
    if SCRIPT not in hashes:
        faults.append(f"{SCRIPT}: there is none")
    return Verification(len(seen), n_bytes, digest, tuple(faults))


def _fault_of_name(name: str, kind: str, seen: set[str]) -> str:
    parts = PurePosixPath(name).parts
    if kind:
        return kind
    if name in seen:
        return "there twice"
    is_plain = name.isprintable() and "\\" not in name and PurePosixPath(name).as_posix() == name
    return "" if is_plain and ".." not in parts and parts[0] != "/" else "no path inside a folder"


def _manifest(name: str, kind: str, opened: Callable[[], IO[bytes]]) -> dict[str, str]:
    if name != MANIFEST or kind:
        raise ValueError(f"it does not begin with {MANIFEST}")
    with opened() as stream:
        text = stream.read(_MAX_MANIFEST).decode("utf-8")
    lines = [_LINE.fullmatch(line) for line in text.split("\n")[:-1]]
    if not lines or not all(lines):
        raise ValueError(f"{MANIFEST} has a line that is no hash and path")
    return {line[2]: line[1] for line in lines if line is not None}


def _hash(opened: Callable[[], IO[bytes]]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with opened() as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size


class _Members:
    """The members of an archive, in its order, whichever kind it is."""

    def __init__(self, archive: tarfile.TarFile | zipfile.ZipFile) -> None:
        self._archive = archive

    def __enter__(self) -> _Members:
        return self

    def __exit__(self, *reason: object) -> None:
        self._archive.close()

    def __iter__(self) -> Iterator[_Member]:
        if isinstance(self._archive, zipfile.ZipFile):
            yield from _zip_members(self._archive)
        else:
            yield from _tar_members(self._archive)


def _opened(path: Path) -> _Members:
    if zipfile.is_zipfile(path):
        return _Members(zipfile.ZipFile(path))
    return _Members(tarfile.open(path, "r:gz", encoding="utf-8"))


def _zip_members(archive: zipfile.ZipFile) -> Iterator[_Member]:
    for member in archive.infolist():
        is_link = (member.external_attr >> 28) not in (0, 8)
        kind = "a folder, a link or a device" if member.is_dir() or is_link else ""
        yield member.filename, kind, lambda member=member: archive.open(member)  # type: ignore[misc]


def _tar_members(archive: tarfile.TarFile) -> Iterator[_Member]:
    for member in archive:
        kind = "" if member.isreg() else "a folder, a link or a device"
        yield member.name, kind, lambda member=member: _content(archive, member)  # type: ignore[misc]
    _read_to_the_end(archive)


def _read_to_the_end(archive: tarfile.TarFile) -> None:
    """Read what follows the last member: an archive that was cut short, or added to, shows here."""
    while archive.fileobj is not None and (chunk := archive.fileobj.read(_CHUNK)):
        if chunk.strip(b"\0"):
            raise ValueError("something follows its end")


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(member)
    if stream is None:
        raise ValueError(f"{member.name} has no content")
    return stream
