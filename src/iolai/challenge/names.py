"""Names of accounts and teams: what may be one, and when two are the same."""

from __future__ import annotations

from iolai.errors import InputError
from iolai.text import fold_lookalikes, nfc, squeeze, visible

__all__ = ["MAX_NAME", "checked_name", "checked_note", "fold_name"]

MAX_NAME = 60
_MAX_NOTE = 500


def checked_name(name: str) -> str:
    """Return a name as it is kept; raises InputError where it is blank, too long or unreadable."""
    kept = squeeze(nfc(name))
    if not kept or len(kept) > MAX_NAME:
        raise InputError(
            f"a name has from 1 to {MAX_NAME} characters", hint="Choose a shorter or longer one."
        )
    if visible(kept) != kept or not any(letter.isalnum() for letter in kept):
        raise InputError(
            "the name holds characters that cannot be seen, or no letter or digit",
            hint="Use letters, digits, spaces and ordinary marks.",
        )
    return kept


def fold_name(name: str) -> str:
    """Return what makes two names the same: case, spaces and look-alike letters do not count."""
    return fold_lookalikes(squeeze(nfc(visible(name))).casefold())


def checked_note(note: str) -> str:
    """Return a note as it is kept; raises InputError where it is too long."""
    kept = visible(note.strip())
    if len(kept) > _MAX_NOTE:
        raise InputError(f"a note has at most {_MAX_NOTE} characters", hint="Shorten it.")
    return kept
