"""The upload: an archive that is byte-identical whenever and wherever it is made.

Order, times, owners and modes are fixed, and nothing is compressed: compressors differ between
machines, and weights do not shrink. The first member holds the hash of every file.
"""

from __future__ import annotations

import hashlib
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Protocol, cast

from iolai.entry.folder import MANIFEST
from iolai.errors import InputError
from iolai.files import is_stream, replaced_whole

__all__ = ["PackedFile", "write_archive"]

#: 1980-01-01, the earliest time that a .zip can hold; the same in every archive.
_TIME = (1980, 1, 1, 0, 0, 0)
_SECONDS = 315532800
_BLOCK = 0xFFFF  # what one stored block of a deflate stream can hold (RFC 1951, 3.2.4)
_CHUNK = 1 << 20
_UNIX = 3
_REGULAR = 0o100000


class PackedFile(Protocol):
    """A file to be packed: its path in the folder with ``/``, SHA-256 in hex, size in bytes."""

    @property
    def path(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def n_bytes(self) -> int: ...
    @property
    def is_executable(self) -> bool: ...


def write_archive(folder: Path, files: Sequence[PackedFile], out: Path) -> str:
    """Write an archive of ``files``, ``.tar.gz`` or ``.zip`` by its name; return its SHA-256.

    Raises InputError for another kind of name, an archive inside the folder or at a pipe or
    device, and a file that is not what its hash says; OutputError where the archive cannot be
    written. An older archive is replaced only by a complete one.
    """
    make = _maker(out)
    if out.resolve().is_relative_to(folder.resolve()):
        raise InputError(
            f"{out} would be inside the entry that it packs", hint="Name a place outside of it."
        )
    if is_stream(out):
        raise InputError(f"{out} is no ordinary file", hint="Name the archive to write.")
    ordered = sorted(files, key=lambda file: file.path)
    manifest = "".join(f"{file.sha256}  {file.path}\n" for file in ordered).encode()
    with replaced_whole(out) as stream, make(stream) as archive:
        archive.add(MANIFEST, io.BytesIO(manifest), len(manifest), is_executable=False)
        for file in ordered:
            with _opened(folder, file) as source:
                checked = _Hashed(source)
                archive.add(file.path, checked, file.n_bytes, is_executable=file.is_executable)
                checked.must_be(file)
    with out.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def _maker(out: Path) -> Callable[[IO[bytes]], _Archive]:
    for ending, make in _KINDS.items():
        if out.name.endswith(ending):
            return make
    raise InputError(
        f"{out} is no known kind of archive", hint=f"Its name must end in {' or '.join(_KINDS)}."
    )


def _opened(folder: Path, file: PackedFile) -> IO[bytes]:
    try:
        return (folder / file.path).open("rb")
    except OSError as error:
        raise _changed(file) from error


def _changed(file: PackedFile) -> InputError:
    return InputError(
        f"{file.path} changed while it was packed", hint="Pack again when nothing writes there."
    )


class _Hashed:
    """A stream to read from that remembers what went through it."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        data = self._source.read(size)
        self._digest.update(data)
        return data

    def must_be(self, file: PackedFile) -> None:
        """Raise InputError where the file is longer, or other, than it was."""
        if self._source.read(1) or self._digest.hexdigest() != file.sha256:
            raise _changed(file)


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _Archive(Protocol):
    def __enter__(self) -> _Archive: ...
    def __exit__(self, *reason: object) -> None: ...
    def add(self, path: str, source: _Readable, n_bytes: int, *, is_executable: bool) -> None: ...


class _TarGz:
    """A POSIX tar in a gzip file of stored blocks."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._gzip = _StoredGzip(stream)
        self._tar = tarfile.open(  # noqa: SIM115 -- closed in __exit__
            fileobj=cast("IO[bytes]", self._gzip),
            mode="w|",
            format=tarfile.PAX_FORMAT,
            encoding="utf-8",
        )

    def __enter__(self) -> _TarGz:
        return self

    def __exit__(self, *reason: object) -> None:
        if reason[0] is None:
            self._tar.close()
            self._gzip.finish()

    def add(self, path: str, source: _Readable, n_bytes: int, *, is_executable: bool) -> None:
        """Append one file."""
        member = tarfile.TarInfo(path)
        member.size, member.mtime = n_bytes, _SECONDS
        member.mode = 0o755 if is_executable else 0o644
        try:
            self._tar.addfile(member, source)
        except OSError as error:
            if "unexpected end of data" in str(error):
                raise InputError(
                    f"{path} changed while it was packed",
                    hint="Pack again when nothing writes there.",
                ) from error
            raise


class _StoredGzip:
    """Writes a gzip file (RFC 1952) without compression, the same bytes on every machine."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._left = bytearray()
        self._crc = self._size = 0
        # No name, no time, "fastest" as level, unknown system.
        stream.write(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff")

    def write(self, data: bytes) -> int:
        """Take in data; whole blocks go out at once."""
        self._crc = zlib.crc32(data, self._crc)
        self._size += len(data)
        self._left += data
        while len(self._left) > _BLOCK:
            self._write_block(bytes(self._left[:_BLOCK]), is_last=False)
            del self._left[:_BLOCK]
        return len(data)

    def finish(self) -> None:
        """Write the last block and the trailer."""
        self._write_block(bytes(self._left), is_last=True)
        self._stream.write(struct.pack("<LL", self._crc, self._size & 0xFFFFFFFF))

    def _write_block(self, data: bytes, *, is_last: bool) -> None:
        self._stream.write(struct.pack("<BHH", is_last, len(data), len(data) ^ 0xFFFF) + data)


class _Zip:
    """A .zip with stored members."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED)

    def __enter__(self) -> _Zip:
        return self

    def __exit__(self, *reason: object) -> None:
        self._zip.close()

    def add(self, path: str, source: _Readable, n_bytes: int, *, is_executable: bool) -> None:
        """Append one file."""
        member = zipfile.ZipInfo(path, _TIME)
        member.create_system = _UNIX
        member.external_attr = (_REGULAR | (0o755 if is_executable else 0o644)) << 16
        member.file_size = n_bytes
        with self._zip.open(member, "w", force_zip64=n_bytes >= 1 << 31) as target:
            while chunk := source.read(_CHUNK):
                target.write(chunk)


_KINDS: dict[str, Callable[[IO[bytes]], _Archive]] = {".tar.gz": _TarGz, ".zip": _Zip}
