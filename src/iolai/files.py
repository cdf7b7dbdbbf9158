"""Files: read whole with a clear error, written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from iolai.errors import FormatError, InputError, NoRoomError, OutputError, Place

__all__ = [
    "MAX_FILE_BYTES",
    "decode_utf8",
    "is_full",
    "is_stream",
    "no_room_said",
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
            f"there is no file {path}", hint=f"Check the path; {_current_folder()}."
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{path} cannot be read: {reason}", hint="Check the path and its permissions."
        ) from error
    if not data:
        raise InputError(f"{path} is empty", hint="Check that the file was written completely.")
    return data


def _current_folder() -> str:
    """Say where a relative path starts; the folder may have been deleted meanwhile."""
    try:
        return f"the current folder is {Path.cwd()}"
    except OSError:
        return "the current folder is there no more"


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

    Folders on the way are made where they are missing, and symlinks are followed: the file they
    lead to is replaced. A stream (``is_stream``) is written to and stays what it is.
    Raises OutputError where it cannot be written; an older file is then left as it was.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with replaced_whole(path) as stream:
        stream.write(data)


@contextmanager
def replaced_whole(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream whose content goes to ``path``, as by ``write_whole``, when the block ends.

    Raises OutputError where it cannot be written; an older file is then left as it was, as it is
    when the block raises.
    """
    try:
        with _sent(path) if is_stream(path) else _renamed(_target(path)) as stream:
            yield stream
    except OSError as error:
        if is_full(error):
            raise NoRoomError(f"{path} cannot be written") from error
        raise OutputError(
            f"{path} cannot be written: {error.strerror}",
            hint="Check that this is a path to a file, in a place with room that you may write to.",
        ) from error


def is_full(error: BaseException) -> bool:
    """Say whether an error of the system means that a disk, or a share of it, is full."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def no_room_said(what: str) -> Iterator[None]:
    """Raise NoRoomError, naming what was to be kept, where the disk turns out to be full."""
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        raise NoRoomError(f"{what} cannot be kept") from error


def is_stream(path: Path) -> bool:
    """Say whether ``path`` hands on what is written to it: a character device, a pipe, stdout.

    Such a path is written to and never replaced, so that only a result that is final belongs there.
    """
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    handed_on = stat.S_ISCHR(status.st_mode) or stat.S_ISFIFO(status.st_mode)
    return handed_on or _standard_output(status) is not None


def _standard_output(status: os.stat_result) -> int | None:
    """Return the number of the standard stream that ``status`` is of: stdout, stderr or neither."""
    for number in (1, 2):
        try:
            if os.path.samestat(status, os.fstat(number)):
                return number
        except OSError:  # this stream is closed
            continue
    return None


def _target(path: Path) -> Path:
    """Return the file that is to be replaced: the one to which symlinks lead."""
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    except ValueError as error:
        raise OutputError(
            f"{str(path)!r} is no path: {error}", hint="Name the file to write."
        ) from error
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder", hint="Name the file to write.")
    if not stat.S_ISREG(mode):
        raise OutputError(
            f"{path} is no ordinary file",
            hint="Name a file, a pipe, or a character device such as /dev/stdout.",
        )
    if not os.access(target, os.W_OK):
        raise OutputError(
            f"{path} is read-only", hint="Name another file, or make this one writable."
        )
    return target


@contextmanager
def _renamed(target: Path) -> Iterator[BinaryIO]:
    """Yield a new file beside ``target`` that takes its place, and its mode, at the end."""
    temporary = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        os.replace(temporary, target)  # noqa: PTH105 -- the name of the system call says it best
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


@contextmanager
def _sent(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream whose content is written to the device or pipe at ``path`` at the end."""
    with io.BytesIO() as content:
        yield content
        number = _standard_output(path.stat())
        if number is None:
            handle = os.open(path, os.O_WRONLY | os.O_NOCTTY)
        else:  # opened anew, a file behind it would be written over from its beginning
            for standard in filter(None, (sys.stdout, sys.stderr)):
                standard.flush()
            handle = os.dup(number)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.getvalue())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
