"""An entry's folder: what belongs to the entry, and what in it could not travel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from iolai.entry.findings import EntryFinding
from iolai.errors import InputError

__all__ = [
    "MANIFEST",
    "MAX_PATH_BYTES",
    "OUTPUT",
    "SCRIPT",
    "EntryFolder",
    "is_left_out",
    "read_folder",
]

SCRIPT = "script.py"
OUTPUT = "submission.csv"
#: The hashes of an archive's files; written by packing, so no part of what is packed.
MANIFEST = "MANIFEST.sha256"

#: Longer paths do not travel.
MAX_PATH_BYTES = 1024

_LEFT_OUT_NAMES = frozenset(
    {
        "__pycache__",
        ".DS_Store",
        ".git",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".venv",
        "venv",
    }
)


def is_left_out(path: str) -> bool:
    """Say whether a path (relative, with ``/``) is no part of the entry.

    Caches, virtual environments, version control, an older output, an archive's manifest.
    """
    parts = PurePosixPath(path).parts
    return path in (OUTPUT, MANIFEST) or path.endswith(".pyc") or bool(_LEFT_OUT_NAMES & set(parts))


def is_too_long(path: str) -> bool:
    """Say whether a relative path has more bytes than travel."""
    return len(path.encode("utf-8", "surrogateescape")) > MAX_PATH_BYTES


@dataclass(frozen=True)
class EntryFolder:
    """The files of an entry with their sizes in bytes, by relative path; and what is no file."""

    root: Path
    sizes: dict[str, int]
    findings: tuple[EntryFinding, ...] = ()
    folders: frozenset[str] = field(default=frozenset())

    def has(self, path: str) -> bool:
        """Say whether a relative path is one of the entry's files or folders."""
        return path in self.sizes or path in self.folders

    def nearest(self, path: str) -> str:
        """Return the file that differs from ``path`` in case alone, or nothing."""
        same = (known for known in self.sizes if known.lower() == path.lower())
        return next(same, "")


def read_folder(folder: Path) -> EntryFolder:
    """List an entry's folder; raises InputError where it is none.

    Nothing is opened. What cannot travel becomes a finding and is not among the files.
    """
    root = folder.resolve()
    if not root.is_dir():
        raise InputError(f"there is no folder {folder}", hint="Name the entry's folder.")
    sizes: dict[str, int] = {}
    findings: list[EntryFinding] = []
    folders: set[str] = {""}
    for path, entry in _walk(root):
        if entry is None:
            findings.append(EntryFinding(path, 0, "unreadable", "the folder cannot be read"))
        elif is_too_long(path):
            text = f"the path is longer than {MAX_PATH_BYTES} bytes"
            findings.append(EntryFinding(f"{path[:60]}…", 0, "odd-file", text))
        elif entry.is_dir(follow_symlinks=False):
            folders.add(path)
        elif finding := _oddity(root, path, entry):
            findings.append(finding)
        else:
            sizes[path] = entry.stat().st_size
    if (root / OUTPUT).exists():
        findings.append(EntryFinding(OUTPUT, 0, "old-output", "the output of an earlier run"))
    return EntryFolder(root, sizes, tuple(findings), frozenset(folders))


def _walk(root: Path) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """Yield each path below with what is there; None for a folder that cannot be read."""
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            found = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            yield folder.relative_to(root).as_posix(), None
            continue
        for entry in found:
            path = Path(entry.path).relative_to(root).as_posix()
            if is_left_out(path):
                continue
            yield path, entry
            if entry.is_dir(follow_symlinks=False) and not is_too_long(path):
                waiting.append(Path(entry.path))


def _oddity(root: Path, path: str, entry: os.DirEntry[str]) -> EntryFinding | None:
    name = entry.name
    if not name.isprintable() or "\\" in name or name != name.strip():
        shown = ascii(path)[1:-1]
        return EntryFinding(shown, 0, "odd-file", "the name has characters that do not travel")
    if entry.is_symlink():
        target = Path(os.path.realpath(entry.path))  # resolve() raises on a loop
        if not target.is_relative_to(root):
            return EntryFinding(path, 0, "link", "a link that leads out of the folder")
        if not target.is_file():
            return EntryFinding(path, 0, "link", "a link that does not lead to a file")
    elif not entry.is_file():
        return EntryFinding(path, 0, "odd-file", "a device, a FIFO or a socket")
    return None
