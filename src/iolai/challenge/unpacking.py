"""Unpacking an entry archive as if it meant harm.

Only ordinary files with plain names are written, into a new folder that is ours; links, devices
and paths that lead out are refused, and so is whatever would grow past the limits, be it in files,
in headers or in padding. What an archive says of its own size is never believed.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, cast

from iolai.entry import MANIFEST, is_left_out
from iolai.errors import InputError
from iolai.runners import SCRIPT

__all__ = ["RefusedError", "UnpackLimits", "checked_entry", "unpack_archive"]

_CHUNK = 1 << 18
#: What stands between two files of a .tar may not be longer: headers, long names, padding.
_MAX_HEADERS = 1 << 20
#: The most memory that unpacking a .tar.xz may take.
_MAX_LZMA = 256 << 20
_MAX_MANIFEST = 64 << 20
_MAX_PATH_BYTES, _MAX_DEPTH = 1024, 32
#: A ratio says nothing of an archive that stays this small.
_SMALL = 64 << 20
#: Made by one system's archiver beside the files that it was given.
_BESIDE = "__MACOSX"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


class RefusedError(InputError):
    """What was handed in cannot be run, by its own doing: says which file and which rule."""


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """What an entry may be: bytes and files unpacked, and bytes unpacked for each byte packed."""

    max_bytes: int = 64 << 30
    max_files: int = 50_000
    max_ratio: float = 200.0


def unpack_archive(archive: Path, target: Path, limits: UnpackLimits = UnpackLimits()) -> Path:
    """Unpack a ``.zip``, ``.tar``, ``.tar.gz`` or ``.tar.xz`` into the new folder ``target``.

    Returns the entry's folder: ``target``, or the one folder in it that holds ``script.py``.
    Raises RefusedError where the archive is broken, breaks a rule, or has a ``MANIFEST.sha256``
    that says otherwise; OSError where this machine cannot write it. ``target`` must not exist.
    """
    target.mkdir(mode=0o755)
    writer = _Writer(target, limits, archive.stat().st_size)
    try:
        with archive.open("rb") as packed:
            for member in _members(packed, limits):
                writer.take(member)
    except (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error) as error:
        raise _damaged(str(error)) from error
    except (EOFError, gzip.BadGzipFile, UnicodeError, NotImplementedError) as error:
        raise _damaged(str(error)) from error
    except (ValueError, RuntimeError, OverflowError) as error:  # a header that makes no sense
        raise _damaged(str(error)) from error
    return checked_entry(target)


def checked_entry(folder: Path) -> Path:
    """Return where ``script.py`` stands: in ``folder``, or in the only folder that it holds.

    Raises RefusedError where it is in neither, or a ``MANIFEST.sha256`` beside it does not hold.
    """
    root = folder
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        root = inside[0]
    if not (root / SCRIPT).is_file():
        raise RefusedError(
            f"there is no {SCRIPT} at the top of the entry",
            hint=f"Put {SCRIPT} at the top, or into the one folder that the archive holds.",
        )
    if (root / MANIFEST).is_file():
        _check_manifest(root)
    return root


@dataclass(frozen=True, slots=True)
class _Member:
    """One member: its name as packed, what it is ("" for a file), and how to read it."""

    name: str
    kind: str
    is_executable: bool
    open: Callable[[], IO[bytes]]


def _damaged(reason: str) -> RefusedError:
    return RefusedError(
        f"the archive is damaged or of no known kind: {reason}",
        hint="Pack the entry again with `iolai entry pack`, as .tar.gz or .zip.",
    )


def _too_large(what: str) -> RefusedError:
    return RefusedError(
        f"the archive unpacks to {what}",
        hint="Leave out what the entry does not need; weights can be quantised.",
    )


def _members(packed: BinaryIO, limits: UnpackLimits) -> Iterator[_Member]:
    start = packed.read(512)
    packed.seek(0)
    if start.startswith(b"PK"):
        yield from _zip_members(packed, limits)
    elif start.startswith(b"\x1f\x8b"):
        yield from _tar_members(cast("BinaryIO", gzip.GzipFile(fileobj=packed)))
    elif start.startswith(b"\xfd7zXZ\x00"):
        yield from _tar_members(cast("BinaryIO", _Unxz(packed)))
    elif start[257:262] == b"ustar":
        yield from _tar_members(packed)
    else:
        raise _damaged("it begins like none of .zip, .tar, .tar.gz and .tar.xz")


def _zip_members(packed: BinaryIO, limits: UnpackLimits) -> Iterator[_Member]:
    directory = cast("IO[bytes]", _LimitedReads(packed, max(_MAX_HEADERS, 200 * limits.max_files)))
    with zipfile.ZipFile(directory) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            kind = "" if mode >> 12 in (0, 0o10) else "a link or a device"
            if info.is_dir():
                kind = "a folder"
            elif info.flag_bits & 1:
                kind = "encrypted"
            elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                kind = "packed by a method that is not deflate"
            yield _Member(info.filename, kind, bool(mode & 0o100), _opener(archive, info))


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


class _LimitedReads:
    """A file of which no more than so many bytes are read at once: a directory kept in memory."""

    def __init__(self, stream: BinaryIO, max_read: int) -> None:
        self._stream, self._max_read = stream, max_read
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(self._max_read + 1 if size < 0 else min(size, self._max_read + 1))
        if len(data) > self._max_read:
            raise _too_large("too many files")
        return data


class _Unxz:
    """Reads an .xz file with bounded memory, which lzma.open cannot."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._lzma = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_LZMA)
        self._left = b""

    def read(self, size: int) -> bytes:
        parts = []
        while size and not self._lzma.eof:
            data = self._packed.read(_CHUNK) if self._lzma.needs_input else b""
            if self._lzma.needs_input and not data:
                raise EOFError("it ends too early")
            parts.append(self._lzma.decompress(data, size))
            size -= len(parts[-1])
        return b"".join(parts)


def _tar_members(unpacked: BinaryIO) -> Iterator[_Member]:
    stream = _Forward(unpacked)
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r:", encoding="utf-8") as archive:
        while (info := archive.next()) is not None:
            kind = "" if info.isreg() and not info.issparse() else "a link or a device"
            if info.isdir():
                kind = "a folder"
            stream.expect(info.size if not kind else 0)
            yield _Member(info.name, kind, bool(info.mode & 0o100), _extractor(archive, info))


def _extractor(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def extract() -> IO[bytes]:
        stream = archive.extractfile(info)
        if stream is None:
            raise _damaged(f"{info.name!a} has no content")
        return stream

    return extract


class _Forward:
    """A stream that is read once, from its start to its end, in pieces that are never large.

    Between two files no more than ``_MAX_HEADERS`` bytes may stand; ``expect`` adds a file's own.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._position = stream, 0
        self._end = _MAX_HEADERS

    def expect(self, size: int) -> None:
        self._end = self._position + size + _MAX_HEADERS

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        if size < 0 or size > _MAX_HEADERS or self._position + size > self._end:
            raise _damaged("a header is too long")
        parts = []
        while size and (data := self._stream.read(size)):
            parts.append(data)
            size -= len(data)
            self._position += len(data)
        return b"".join(parts)

    def seek(self, position: int) -> None:
        """Go forward; nothing that makes sense in an archive leads back."""
        if position < self._position:
            raise _damaged("a header leads back")
        while position > self._position:
            if not self.read(min(_CHUNK, position - self._position)):
                raise _damaged("it ends too early")


class _Writer:
    """Writes members below a folder and keeps count."""

    def __init__(self, target: Path, limits: UnpackLimits, n_packed: int) -> None:
        self._target, self._limits = target, limits
        ratio_bytes = max(_SMALL, int(limits.max_ratio * n_packed))
        self._bytes_left = min(limits.max_bytes, ratio_bytes)
        self._is_ratio = ratio_bytes < limits.max_bytes
        self._n_members = 0
        self._kinds: dict[str, str] = {"": "folder"}

    def take(self, member: _Member) -> None:
        """Write one member, or refuse the archive for it."""
        self._n_members += 1
        if self._n_members > self._limits.max_files:
            raise _too_large(f"more than {self._limits.max_files} files")
        path = _plain_path(member)
        if path is None:
            return
        if member.kind == "a folder":
            self._make_folders(path, PurePosixPath(path))
            return
        if member.kind:
            raise _broken_rule(path, f"is {member.kind}")
        self._make_folders(path, PurePosixPath(path).parent)
        if path in self._kinds:
            raise _broken_rule(path, "is there twice")
        self._kinds[path] = "file"
        self._write(member, path)

    def _make_folders(self, path: str, folder: PurePosixPath) -> None:
        for place in (*reversed(folder.parents), folder):
            name = "" if str(place) == "." else str(place)
            if self._kinds.setdefault(name, "folder") != "folder":
                raise _broken_rule(path, f"stands below {name}, which is a file")
            if len(self._kinds) > 2 * self._limits.max_files:
                raise _too_large("too many folders")
            (self._target / name).mkdir(mode=0o755, exist_ok=True)

    def _write(self, member: _Member, path: str) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        mode = 0o755 if member.is_executable else 0o644
        handle = os.open(self._target / path, flags, mode)
        with os.fdopen(handle, "wb") as file, member.open() as source:
            while data := source.read(_CHUNK):
                self._bytes_left -= len(data)
                if self._bytes_left < 0:
                    raise self._past_limit()
                file.write(data)

    def _past_limit(self) -> RefusedError:
        if self._is_ratio:
            return _too_large(f"more than {self._limits.max_ratio:g} times its size")
        return _too_large(f"more than {self._limits.max_bytes >> 20} MiB")


def _broken_rule(path: str, rule: str) -> RefusedError:
    return RefusedError(
        f"{ascii(path[:200])[1:-1]} {rule}",
        hint="An archive holds ordinary files with plain names below its own folder, each once.",
    )


def _plain_path(member: _Member) -> str | None:
    """Return a member's path without ``./``; None for what is passed over.

    Raises RefusedError for a path that leads out or does not travel.
    """
    name = member.name
    path = PurePosixPath(name)
    if name.startswith("/") or ".." in path.parts or re.match(r"[A-Za-z]:", name):
        raise _broken_rule(name, "leads out of the entry's folder")
    if not name.isprintable() or "\\" in name or len(name.encode("utf-8")) > _MAX_PATH_BYTES:
        raise _broken_rule(name, "has a name that does not travel")
    if len(path.parts) > _MAX_DEPTH:
        raise _broken_rule(name, f"stands in more than {_MAX_DEPTH} folders")
    if not path.parts or path.parts[0] == _BESIDE:
        return None
    return str(path)


def _check_manifest(root: Path) -> None:
    """Compare every file with its hash in the manifest; raises RefusedError naming the first."""
    if (root / MANIFEST).stat().st_size > _MAX_MANIFEST:
        raise _broken_rule(MANIFEST, "is too long")
    text = (root / MANIFEST).read_bytes().decode("utf-8", "replace")
    lines = [_LINE.fullmatch(line) for line in text.split("\n")[:-1]]
    if not all(lines):
        raise _broken_rule(MANIFEST, "has a line that is no hash and path")
    hashes = {line[2]: line[1] for line in lines if line is not None}
    for path in _files_below(root):
        if is_left_out(path):
            continue
        expected = hashes.pop(path, None)
        if expected is None:
            raise _broken_rule(path, f"is not in {MANIFEST}")
        with (root / path).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != expected:
                raise _broken_rule(path, f"is not what its hash in {MANIFEST} says")
    if hashes:
        raise _broken_rule(min(hashes), f"is in {MANIFEST} and not in the archive")


def _files_below(root: Path) -> Iterator[str]:
    for folder, names, files in os.walk(root):
        names.sort()
        for name in sorted(files):
            yield (Path(folder) / name).relative_to(root).as_posix()
