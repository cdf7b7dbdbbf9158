"""The working copy: what stands in an entry's view of the files, made from the pinned folder.

It is handed to the sandbox as a tar stream in memory, every hash checked while it is written, and
unpacked there into a tmpfs. Large files are not copied: they become links to a read-only mount of
the pinned folder, in which all that is not pinned is hidden.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from iolai.errors import InputError
from iolai.runners.base import RunRequest
from iolai.runners.pinning import PinnedEntry, PinnedFile, open_regular

__all__ = ["FILES_MOUNT", "Staged", "stage", "verified"]

#: Where the pinned folder is seen inside the sandbox, read-only.
FILES_MOUNT = "/entry-files"
#: Files are copied, smallest first, up to this many bytes together; the others are linked.
_MAX_COPIED = 64 << 20
_CHUNK = 1 << 20
#: More than this many files and folders that are not pinned are not hidden one by one.
_MAX_HIDDEN = 1000

_ETC = {
    "passwd": "entry:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
    "group": "entry:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost entry\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
#: Files of the host's /etc that programs need and that tell nothing about it.
_HOST_ETC = ("ld.so.cache", "localtime")


@dataclass(frozen=True, slots=True)
class Staged:
    """A tar stream in a memory file, and the room its content takes.

    ``handle`` is the open descriptor (the caller closes it). ``n_bytes`` and ``n_inodes`` are what
    the working copy holds before the entry writes anything. ``linked`` are the files that are not
    copied, with what tells whether they change; ``hidden`` is what stands beside them in the folder
    and is not pinned: path, whether it is a folder.
    """

    handle: int
    n_bytes: int
    n_inodes: int
    linked: tuple[tuple[Path, _Stamp], ...]
    hidden: tuple[tuple[str, bool], ...]

    def changed(self) -> str:
        """Return a linked file that is no longer what was pinned, or nothing."""
        return next((str(path) for path, stamp in self.linked if _stamp(path) != stamp), "")


#: Size, inode, and time of the last change in ns.
_Stamp = tuple[int, ...]


def _stamp(path: Path) -> _Stamp:
    try:
        status = path.stat()
    except OSError:
        return ()
    return (status.st_size, status.st_ino, status.st_mtime_ns)


def stage(request: RunRequest, *, owner: int) -> Staged:
    """Write the working copy of an entry; files belong to the uid and gid ``owner``.

    Raises InputError where a file is no longer what was pinned, or a large one cannot be read by
    the uid that will run.
    """
    copied, linked = _split(request.entry)
    places = {file.path: (request.entry.folder / file.path).resolve() for file in linked}
    stamps = tuple((place, _stamp(place)) for place in places.values())
    hidden = _not_pinned(request.entry, places.values()) if linked else ()
    handle = os.memfd_create("iolai-entry", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(handle), "wb") as stream:
            writer = _Writer(stream, owner)
            _write_fixed(writer, request.test_csv)
            for file in copied:
                writer.parents(file.path)
                with verified(request.entry.folder, file) as source:
                    writer.file(f"work/{file.path}", source, file.n_bytes, file.is_executable)
            for file in linked:
                inside = _inside(request.entry, places[file.path])
                if owner:
                    _check_modes(request.entry.folder, inside)
                writer.parents(file.path)
                with verified(request.entry.folder, file):
                    writer.link(f"work/{file.path}", f"{FILES_MOUNT}/{inside}")
            writer.close()
        os.lseek(handle, 0, os.SEEK_SET)
    except BaseException:
        os.close(handle)
        raise
    return Staged(handle, writer.n_bytes, writer.n_inodes, stamps, hidden)


def _split(entry: PinnedEntry) -> tuple[list[PinnedFile], list[PinnedFile]]:
    """Split an entry's files into those to copy and those to link."""
    copied: list[PinnedFile] = []
    linked: list[PinnedFile] = []
    total = 0
    for file in sorted(entry.files, key=lambda file: (file.n_bytes, file.path)):
        total += file.n_bytes
        (copied if total <= _MAX_COPIED else linked).append(file)
    return copied, linked


def _inside(entry: PinnedEntry, place: Path) -> str:
    """Return where a file is in the entry's folder; raises InputError where it is outside."""
    if not place.is_relative_to(entry.folder):
        raise InputError(
            f"{place} is outside of the entry", hint="Replace the link that leads there by a copy."
        )
    return place.relative_to(entry.folder).as_posix()


def _not_pinned(entry: PinnedEntry, linked: Iterable[Path]) -> tuple[tuple[str, bool], ...]:
    """Return what in the folder is neither pinned nor led to by what is; links are left out.

    Raises InputError where that is too much.
    """
    files = {file.path for file in entry.files} | {_inside(entry, place) for place in linked}
    folders = {parent.as_posix() for path in files for parent in PurePosixPath(path).parents}
    found: list[tuple[str, bool]] = []
    waiting = [entry.folder]
    while waiting:
        for item in _listed(waiting.pop()):
            path = Path(item.path).relative_to(entry.folder).as_posix()
            is_folder = item.is_dir(follow_symlinks=False)
            if is_folder and path in folders:
                waiting.append(Path(item.path))
            elif path not in files and not item.is_symlink():
                found.append((path, is_folder))
    if len(found) > _MAX_HIDDEN:
        raise InputError(
            f"{entry.folder} holds {len(found)} files and folders that are no part of the entry",
            hint="Pack the entry, and run what the archive holds.",
        )
    return tuple(found)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:
        return []


def _write_fixed(writer: _Writer, test_csv: str) -> None:
    for name in ("work", "tmp", "shm"):
        writer.folder(name)
    for name in ("data", "etc", "none"):
        writer.folder(name)
    # The mount point of /tmp/data, inside what becomes /tmp.
    writer.folder("tmp/data")
    writer.text("data/test.csv", test_csv)
    for name, text in _ETC.items():
        writer.text(f"etc/{name}", text)
    for name in _HOST_ETC:
        with suppress(OSError):
            data = Path("/etc", name).read_bytes()
            writer.file(f"etc/{name}", io.BytesIO(data), len(data), False)
    writer.folder("etc/alternatives")  # a mount point


def verified(folder: Path, file: PinnedFile) -> BufferedReader | io.BytesIO:
    """Open a pinned file and check its size and hash; the stream is at its start.

    A small file comes back from memory, so that the bytes checked are the bytes used.
    """
    try:
        source = open_regular((folder / file.path).resolve())
    except OSError as error:
        raise _changed(file) from error
    if file.n_bytes <= _CHUNK:
        with source:
            data = source.read(_CHUNK + 1)
        if hashlib.sha256(data).hexdigest() != file.sha256:
            raise _changed(file)
        return io.BytesIO(data)
    is_same = os.fstat(source.fileno()).st_size == file.n_bytes
    if not is_same or hashlib.file_digest(source, "sha256").hexdigest() != file.sha256:
        source.close()
        raise _changed(file)
    source.seek(0)
    return source


def _check_modes(folder: Path, path: str) -> None:
    """See that a uid that owns nothing may read a file that is linked, not copied."""
    for part in (folder, *reversed((folder / path).parents), folder / path):
        needed = stat.S_IROTH if part == folder / path else stat.S_IROTH | stat.S_IXOTH
        if part.is_relative_to(folder) and part.stat().st_mode & needed != needed:
            raise InputError(
                f"{part} cannot be read by the uid that runs entries",
                hint=f"Run: chmod -R o+rX {folder}",
            )


def _changed(file: PinnedFile) -> InputError:
    return InputError(
        f"{file.path} is no longer the file that was pinned",
        hint="Pin the entry again, or bring back the file as it was handed in.",
    )


class _Writer:
    """Writes the tar stream and counts bytes and inodes."""

    def __init__(self, stream: BinaryIO, owner: int) -> None:
        self._tar = tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT)  # noqa: SIM115
        self._owner = owner
        self._folders: set[str] = set()
        self.n_bytes = 0
        self.n_inodes = 1

    def close(self) -> None:
        self._tar.close()

    def _info(self, name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
        info = tarfile.TarInfo(name)
        info.type, info.mode = kind, mode
        info.uid = info.gid = self._owner
        self.n_inodes += 1
        return info

    def folder(self, name: str) -> None:
        self._folders.add(name)
        self._tar.addfile(self._info(name, tarfile.DIRTYPE, 0o755))

    def parents(self, path: str) -> None:
        """Write the folders above a file of the entry that were not written yet."""
        for parent in reversed(Path(path).parents[:-1]):
            name = f"work/{parent.as_posix()}"
            if name not in self._folders:
                self.folder(name)

    def file(self, name: str, source: BinaryIO, n_bytes: int, is_executable: bool) -> None:
        info = self._info(name, tarfile.REGTYPE, 0o755 if is_executable else 0o644)
        info.size = n_bytes
        self.n_bytes += (n_bytes + 4095) // 4096 * 4096  # a tmpfs counts whole pages
        self._tar.addfile(info, source)

    def text(self, name: str, text: str) -> None:
        data = text.encode()
        self.file(name, io.BytesIO(data), len(data), False)

    def link(self, name: str, target: str) -> None:
        info = self._info(name, tarfile.SYMTYPE, 0o777)
        info.linkname = target
        self._tar.addfile(info)
