"""A ``.zip`` with one file in it, encrypted or not: read in memory, never unpacked to disk."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

from iolai.errors import FormatError, InputError, Place

__all__ = ["MAX_UNPACKED", "NAME", "is_zip", "is_zip_behind_more", "unpack"]

NAME = ".zip"
#: No more than this is unpacked, in bytes.
MAX_UNPACKED = 256 << 20
#: Text packs 3 to 10 times smaller. What packs better than this is made to fill the memory.
MAX_RATIO = 200
#: Below this size, in bytes, the ratio does not matter.
_HARMLESS = 1 << 20
#: Decryption is slow (some MB a second), so encrypted data may not be longer than this, in bytes.
MAX_ENCRYPTED = 16 << 20

_ENCRYPTED, _STRONGLY_ENCRYPTED, _AES = 0x1, 0x40, 99
_CHUNK = 1 << 20
# What zipfile raises on damaged files, by its source and by trying.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    LookupError,
    NotImplementedError,
)


def is_zip(data: bytes) -> bool:
    """Say whether a file's bytes start as those of a ``.zip`` do."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def is_zip_behind_more(data: bytes) -> bool:
    """Say whether the bytes are a ``.zip`` with something before it, as a self-extracting one."""
    return not is_zip(data) and zipfile.is_zipfile(io.BytesIO(data))


def unpack(data: bytes, path: Path | str, password: str | None) -> tuple[str, bytes]:
    """Return name and content of the one file in a ``.zip``.

    Folders and what macOS adds do not count. Raises InputError for a missing or wrong password,
    FormatError for a damaged file, several files, a packing method other than deflate, and sizes
    over ``MAX_UNPACKED``, ``MAX_RATIO`` or ``MAX_ENCRYPTED``.
    """
    place = Place(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = _only_member(archive, place)
            place = replace(place, path=f"{path}: {member.filename[:80]!r}")
            _check(member, place, password)
            return member.filename, _content(archive, member, place, password)
    except _DAMAGE as error:
        raise FormatError(
            f"the .zip is damaged or cut off ({str(error)[:80]})",
            place=place,
            hint="Fetch or pack the file again.",
        ) from error


def _only_member(archive: zipfile.ZipFile, place: Place) -> zipfile.ZipInfo:
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith("__MACOSX/")
    ]
    if len(members) == 1:
        return members[0]
    names = [member.filename[:60] for member in members[:8]]
    if "[Content_Types].xml" in names:
        what, hint = "this is an office document", "Save the table as CSV with the encoding UTF-8."
    elif not members:
        what, hint = "the .zip holds no file", "Pack the one file that is to be read."
    else:
        what = f"the .zip holds {len(members)} files: {', '.join(map(repr, names))}"
        hint = "Pack only the one that is to be read, or unpack them and name a file or folder."
    raise FormatError(what, place=place, hint=hint)


def _check(member: zipfile.ZipInfo, place: Place, password: str | None) -> None:
    """Refuse, before anything is unpacked, what cannot or should not be."""
    encrypted = member.flag_bits & _ENCRYPTED
    if member.flag_bits & _STRONGLY_ENCRYPTED or member.compress_type == _AES:
        raise FormatError(
            "the file is encrypted by a method that is not supported",
            place=place,
            hint="Unpack it with another program, or pack it with traditional zip encryption.",
        )
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FormatError(
            f"the file is packed by method {member.compress_type}, which is not supported",
            place=place,
            hint="Pack it again the usual way (deflate).",
        )
    if encrypted and member.compress_size > MAX_ENCRYPTED:
        raise _too_large(f"{MAX_ENCRYPTED >> 20} MiB of encrypted data", place)
    _check_size(member.file_size, member, place)
    if encrypted and not password:
        raise InputError(
            f"{place.path} is encrypted and no password was given",
            hint="Give it with --password.",
        )


def _check_size(size: int, member: zipfile.ZipInfo, place: Place) -> None:
    if size > MAX_UNPACKED:
        raise _too_large(f"{MAX_UNPACKED >> 20} MiB when unpacked", place)
    if size > _HARMLESS and size > MAX_RATIO * member.compress_size:
        raise _too_large(f"{MAX_RATIO} times its packed size", place)


def _too_large(what: str, place: Place) -> FormatError:
    return FormatError(
        f"the file has more than {what}",
        place=place,
        hint="No problem set is like that; check where the file comes from.",
    )


def _content(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: Place, password: str | None
) -> bytes:
    """Unpack bit by bit: the sizes that the file states of itself may be wrong."""
    wrong = InputError(
        f"the password does not open {place.path}: it is wrong, or the file is damaged",
        hint="Give the right one with --password, or fetch the file again.",
    )
    content = bytearray()
    encrypted = bool(member.flag_bits & _ENCRYPTED)
    try:
        with archive.open(
            member, pwd=password.encode() if password and encrypted else None
        ) as file:
            while chunk := file.read(_CHUNK):
                content += chunk
                _check_size(len(content), member, place)
    except NotImplementedError:
        raise
    except RuntimeError as error:  # zipfile's word for a wrong password
        raise wrong from error
    except (zlib.error, zipfile.BadZipFile) as error:
        # One wrong password in 256 passes the first check and yields damaged data.
        if encrypted and "header" not in str(error).lower():
            raise wrong from error
        raise
    return bytes(content)
