"""Files: read whole with a clear error, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from iolai.errors import FormatError, InputError, OutputError, Place

__all__ = [
    "MAX_FILE_BYTES",
    "decode_utf8",
    "read_bytes",
    "read_text",
    "replaced_whole",
    "write_whole",
]

#: A larger file is refused: the challenge's files are far below a hundredth of this.
MAX_FILE_BYTES = 1 << 30


def read_bytes(path: Path) -> bytes:
    """Return the file's content.

    Raises InputError where the path is missing, no ordinary file, unreadable, empty or larger
    than ``MAX_FILE_BYTES``.
    """
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no ordinary file"
            raise InputError(f"{path} is {kind}", hint="Name the file itself.")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(
                f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB",
                hint="This is not a file of a challenge; check which file you named.",
            )
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            f"there is no file {path}", hint=f"Check the path; the current folder is {Path.cwd()}."
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{path} cannot be read: {reason}", hint="Check the path and its permissions."
        ) from error
    if not data:
        raise InputError(f"{path} is empty", hint="Check that the file was written completely.")
    return data


def decode_utf8(data: bytes, path: Path | str) -> str:
    """Decode UTF-8 (a byte order mark is dropped); raises FormatError naming the line."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            place=Place(path, row),
            hint="Save the file again with the encoding UTF-8.",
        ) from error


def read_text(path: Path) -> str:
    """Return the file's text, exactly: line ends are left as they are."""
    return decode_utf8(read_bytes(path), path)


def write_whole(path: Path, content: str | bytes) -> None:
    """Replace ``path`` by ``content`` in one step: readers see the old file or the new one.

    Folders on the way are made where they are missing.
    Raises OutputError where it cannot be written; an older file is then left as it was.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with replaced_whole(path) as stream:
        stream.write(data)


@contextmanager
def replaced_whole(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream whose content replaces ``path`` in one step when the block ends well.

    Raises OutputError where it cannot be written; an older file is then left as it was, as it is
    when the block raises.
    """
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.")
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        os.replace(temporary, path)  # noqa: PTH105 -- the name of the system call says it best
    except OSError as error:
        raise OutputError(
            f"{path} cannot be written: {error.strerror}",
            hint="Check that this is a path to a file, in a place with room that you may write to.",
        ) from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
