"""``iolai entry check``: what would fail in the challenge, found by reading alone.

The entry is never run and nothing of it is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iolai.entry.environment import read_environment
from iolai.entry.files_used import find_in_files
from iolai.entry.findings import EntryFinding
from iolai.entry.folder import SCRIPT, EntryFolder, read_folder
from iolai.entry.reach import read_entry
from iolai.entry.rules import find_in_code
from iolai.entry.rules_files import find_secrets, find_silent_settings
from iolai.entry.rules_models import find_in_models, find_pointers
from iolai.entry.rules_order import find_late_output
from iolai.entry.rules_recipe import SettingsFault, find_in_recipe

__all__ = ["DEFAULT_LIMITS", "FolderLimits", "check_entry"]


_RULES = (
    find_in_code,
    find_in_files,
    find_in_models,
    find_pointers,
    find_late_output,
    find_silent_settings,
    find_secrets,
)


@dataclass(frozen=True, slots=True)
class FolderLimits:
    """How large an entry may be: GiB of all files together, and the number of files."""

    max_gib: float = 64.0
    max_files: int = 50_000


DEFAULT_LIMITS = FolderLimits()


def check_entry(
    folder: Path,
    limits: FolderLimits = DEFAULT_LIMITS,
    settings_fault: SettingsFault | None = None,
) -> tuple[EntryFinding, ...]:
    """Return what would fail, file by file, in the order of lines.

    ``settings_fault`` says what is wrong with the fields of a model's configuration.

    Raises InputError where the folder is none or its ``environment.lock`` cannot be read.
    """
    listed = read_folder(folder)
    entry, findings = read_entry(listed, read_environment(listed.root / "environment.lock"))
    if SCRIPT not in listed.sizes:
        findings = [EntryFinding(SCRIPT, 0, "no-script", "there is none")]
    findings += listed.findings
    findings += _sizes(listed, limits)
    for rule in _RULES:
        findings += rule(entry)
    findings += find_in_recipe(entry, settings_fault)
    return tuple(sorted(set(findings)))


def _sizes(folder: EntryFolder, limits: FolderLimits) -> Iterator[EntryFinding]:
    n_files, n_bytes = len(folder.sizes), sum(folder.sizes.values())
    if n_files > limits.max_files:
        text = f"{n_files} files, {limits.max_files} are allowed"
        yield EntryFinding("", 0, "too-many-files", text)
    if n_bytes > limits.max_gib * (1 << 30):
        largest = max(folder.sizes, key=folder.sizes.__getitem__)
        text = f"{_gib(n_bytes)}, {limits.max_gib:g} GiB are allowed; the largest file is {largest}"
        yield EntryFinding("", 0, "too-large", text)


def _gib(n_bytes: int) -> str:
    return f"{n_bytes / (1 << 30):.2f} GiB"
