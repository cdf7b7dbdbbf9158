"""Names of accounts and teams: what may be one, and when two are the same."""

from __future__ import annotations

from iolai.errors import InputError
from iolai.text import fold_lookalikes, nfc, squeeze, unseen_character, visible, without_ignorable

__all__ = ["MAX_NAME", "checked_name", "checked_note", "fold_name"]

MAX_NAME = 60
_MAX_NOTE = 500


def checked_name(name: str) -> str:
    """Return a name as it is kept; raises InputError where it is blank, too long or unreadable."""
    kept = squeeze(nfc(_seen(name, "the name")))
    if not kept or len(kept) > MAX_NAME:
        raise InputError(
            f"a name has from 1 to {MAX_NAME} characters", hint="Choose a shorter or longer one."
        )
    if not any(letter.isalnum() for letter in kept):
        raise InputError(
            "the name holds no letter or digit",
            hint="Use letters, digits, spaces and ordinary marks.",
        )
    return kept


def _seen(text: str, what: str) -> str:
    """Return a text whose every character can be seen; raises InputError naming one that cannot."""
    text = text.replace("\r\n", "\n")
    unseen = unseen_character(text, many_lines=True)
    if unseen:
        raise InputError(
            f"{what} holds {unseen}, a character that cannot be seen",
            hint="Take it out; a copied page, or an emoji, may have brought it along.",
        )
    return text


def fold_name(name: str) -> str:
    """Return what makes two names the same.

    Case, spaces, look-alikes and what draws nothing, as a joiner does, do not count.
    """
    return fold_lookalikes(squeeze(nfc(without_ignorable(visible(name)))).casefold())


def checked_note(note: str) -> str:
    """Return a note as it is kept; raises InputError where it is too long or unreadable."""
    kept = _seen(note.strip(), "the note")
    if len(kept) > _MAX_NOTE:
        raise InputError(f"a note has at most {_MAX_NOTE} characters", hint="Shorten it.")
    return kept
