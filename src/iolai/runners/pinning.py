"""Pinning an entry: every file's hash, taken once, so that what was handed in is what runs."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePosixPath

from iolai.errors import InputError

__all__ = ["OUTPUT_NAME", "PinnedEntry", "PinnedFile", "open_regular", "pin_entry"]

#: What an entry writes; a file of that name in the folder is an older run's and is not pinned.
OUTPUT_NAME = "submission.csv"

_MAX_PATH_BYTES = 1024
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file: its path inside the folder with ``/``, its SHA-256 in hex, its size in bytes."""

    path: str
    sha256: str
    n_bytes: int
    is_executable: bool = False


@dataclass(frozen=True)
class PinnedEntry:
    """An entry's folder and its files in the order of their paths."""

    folder: Path
    files: tuple[PinnedFile, ...]

    @property
    def n_bytes(self) -> int:
        """The size of all files together, in bytes."""
        return sum(file.n_bytes for file in self.files)

    @property
    def revision(self) -> str:
        """One SHA-256 in hex over all paths, hashes and executable bits."""
        lines = (f"{file.sha256} {file.is_executable:d} {file.path}\n" for file in self.files)
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def pin_entry(
    folder: Path,
    *,
    max_gib: float = 64.0,
    max_files: int = 50_000,
    leave_out: Callable[[str], bool] = lambda _: False,
) -> PinnedEntry:
    """Hash every file of an entry's folder.

    A link to a file inside the folder is taken as that file; empty folders, an older
    ``submission.csv`` and every path that ``leave_out`` says yes to (relative, with ``/``) are
    left out. Raises InputError for a folder that is none, a link that leads
    out or to a folder, a device, a FIFO or a socket, a name with control characters or broken
    text, and for too many files or bytes.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise InputError(f"there is no folder {folder}", hint="Name the entry's folder.")
    files: list[PinnedFile] = []
    left = int(max_gib * (1 << 30))
    for path in _walk(root, root, leave_out):
        if len(files) == max_files:
            raise InputError(
                f"{folder} holds more than {max_files} files",
                hint="Leave out what the entry does not need, or pack small files together.",
            )
        file = _pin_file(root, path, left)
        left -= file.n_bytes
        files.append(file)
    return PinnedEntry(root, tuple(sorted(files, key=lambda file: file.path)))


def _walk(root: Path, folder: Path, leave_out: Callable[[str], bool]) -> Iterator[str]:
    """Yield the paths of all files, checked for names and kinds, relative to ``root``."""
    try:
        found = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be read: {error.strerror}", hint="Check its permissions."
        ) from error
    for entry in found:
        relative = Path(entry.path).relative_to(root).as_posix()
        if leave_out(relative):
            continue
        _check_name(relative)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(root, Path(entry.path), leave_out)
        elif relative != OUTPUT_NAME:
            _check_kind(root, relative, entry)
            yield relative


def _check_name(relative: str) -> None:
    shown = ascii(relative[:120])
    name = PurePosixPath(relative).name
    broken = any("\ud800" <= char <= "\udfff" for char in relative)
    if broken or not relative.isprintable() or "\\" in name or name != name.strip():
        raise InputError(
            f"the file name {shown} holds characters that do not travel",
            hint="Rename it: letters, digits, '.', '_', '-' and inner spaces are safe everywhere.",
        )
    if len(relative.encode()) > _MAX_PATH_BYTES:
        raise InputError(
            f"the path {shown}... is longer than {_MAX_PATH_BYTES} bytes",
            hint="Use shorter names or fewer folders inside each other.",
        )


def _check_kind(root: Path, relative: str, entry: os.DirEntry[str]) -> None:
    if entry.is_symlink():
        target = Path(os.path.realpath(entry.path))  # resolve() raises on a loop
        if not target.is_relative_to(root) or not target.is_file():
            raise InputError(
                f"{relative} is a link that does not lead to a file inside the entry",
                hint="Replace it by a copy of what it points to.",
            )
    elif not entry.is_file(follow_symlinks=False):
        raise InputError(
            f"{relative} is a device, a FIFO or a socket",
            hint="An entry holds files and folders only; delete it.",
        )


def _pin_file(root: Path, relative: str, left: int) -> PinnedFile:
    try:
        with open_regular((root / relative).resolve()) as stream:
            status = os.fstat(stream.fileno())
            if status.st_size > left:
                raise InputError(
                    f"the entry is too large: {relative} goes past the limit",
                    hint="Leave out what the entry does not need; weights can be quantised.",
                )
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(
            f"{relative} cannot be read: {error.strerror}", hint="Check its permissions."
        ) from error
    return PinnedFile(relative, digest, status.st_size, bool(status.st_mode & stat.S_IXUSR))


def open_regular(path: Path | str, *, dir_fd: int | None = None) -> BufferedReader:
    """Open an ordinary file for reading: no link is followed, no FIFO waited for.

    Raises OSError; for what is no ordinary file its ``strerror`` says what it is.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    kind = os.stat(path, dir_fd=dir_fd, follow_symlinks=False).st_mode
    if not stat.S_ISREG(kind):
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(stat.S_IFMT(kind), 'no ordinary file')}")
    handle = os.open(path, flags, dir_fd=dir_fd)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no ordinary file")
    return os.fdopen(handle, "rb")
