"""The participant's side: a folder in, and out of it an entry, findings or an archive."""

from iolai.entry.check import DEFAULT_LIMITS, FolderLimits, check_entry
from iolai.entry.findings import ENTRY_KINDS, EntryFinding
from iolai.entry.folder import MANIFEST, is_left_out
from iolai.entry.new import DEFAULT_STARTER, NEED_WEIGHTS, STARTERS, new_entry
from iolai.entry.pack import PackedFile, write_archive
from iolai.entry.verify import Verification, verify_archive

__all__ = [
    "DEFAULT_LIMITS",
    "DEFAULT_STARTER",
    "ENTRY_KINDS",
    "MANIFEST",
    "NEED_WEIGHTS",
    "STARTERS",
    "EntryFinding",
    "FolderLimits",
    "PackedFile",
    "Verification",
    "check_entry",
    "is_left_out",
    "new_entry",
    "verify_archive",
    "write_archive",
]
