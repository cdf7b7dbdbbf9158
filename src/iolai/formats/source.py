"""From bytes to text, with the accidents of real files told apart: UTF-16, NUL bytes, nothing."""

from __future__ import annotations

import re
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.files import decode_utf8, read_bytes

__all__ = [
    "MAX_CELL",
    "checked_cell",
    "exists",
    "first_mark",
    "list_folder",
    "load_text",
    "storable",
    "to_text",
    "too_long",
]

#: The longest text that one cell or field may hold, in characters. The longest context of any
#: olympiad problem is a thousandth of this.
MAX_CELL = 16 << 20

_NOT_STORABLE = re.compile("[\ud800-\udfff\0]")
_UTF8_HINT = "Save the file again with the encoding UTF-8."


def storable(text: str) -> str:
    """Make lone surrogates and NUL U+FFFD: no UTF-8 file can hold the one, no CSV the other."""
    return _NOT_STORABLE.sub("\ufffd", text)


def checked_cell(text: str, place: Place) -> str:
    """Return ``text``; raises FormatError where it is longer than ``MAX_CELL``."""
    if len(text) > MAX_CELL:
        raise too_long(place)
    return text


def too_long(place: Place) -> FormatError:
    """Return the error for a text longer than ``MAX_CELL``."""
    return FormatError(
        f"a text of more than {MAX_CELL >> 20} Mi characters",
        place=place,
        hint="No cell of a challenge is nearly that long; look for a stray quote before it.",
    )


def to_text(data: bytes, path: Path | str) -> str:
    """Decode a file's bytes.

    Raises FormatError naming the line for UTF-16, other bytes that are not UTF-8, and NUL; and
    InputError where there is only white space.
    """
    _refuse_utf16(data, path)
    text = decode_utf8(data, path)
    nul = text.find("\0")
    if nul >= 0:
        raise FormatError(
            "a NUL byte, which no text file holds",
            place=Place(path, text.count("\n", 0, nul) + 1),
            hint="The file is damaged or no text; write it again.",
        )
    if first_mark(text) is None:
        raise InputError(
            f"{path} holds only white space", hint="Check that the file was written completely."
        )
    return text


def load_text(path: Path) -> str:
    """Read a file as text; raises InputError or FormatError as ``read_bytes`` and ``to_text``."""
    return to_text(read_bytes(path), path)


def exists(path: Path) -> bool:
    """Say whether there is something at ``path`` that may be looked at."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def list_folder(folder: Path) -> list[Path]:
    """Return what is in a folder, sorted, without hidden files; raises InputError."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise InputError(
            f"{folder} cannot be read: {error.strerror}",
            hint="Check that the folder exists and may be read.",
        ) from error


def first_mark(text: str) -> int | None:
    """Return where the first character stands that is no white space, or None."""
    found = re.search(r"\S", text)
    return found.start() if found else None


def _refuse_utf16(data: bytes, path: Path | str) -> None:
    head = data[:200]
    every_other_is_nul = len(head) >= 4 and (not any(head[0::2][:20]) or not any(head[1::2][:20]))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or (every_other_is_nul and any(head)):
        raise FormatError("this is UTF-16, not UTF-8", place=Place(path, 1), hint=_UTF8_HINT)
