"""A word of a fixed list, as it comes from outside."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from iolai.errors import UnknownNameError

__all__ = ["choice"]

Choice = TypeVar("Choice", bound=StrEnum)


def choice(words: type[Choice], text: str, what: str) -> Choice:
    """Return the word of a list; raises UnknownNameError, whose hint lists them all."""
    try:
        return words(text)
    except ValueError:
        raise UnknownNameError(what, text[:80], [word.value for word in words]) from None
