"""Blinding: taking out of a typed text what its writer would not have written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable

from iolai.records import Blinded, Removal

__all__ = ["blind"]


def blind(text: str, names: Iterable[str] = (), prompt: str = "") -> Blinded:
    """Take out names and lines of the prompt, and keep a record of each removal."""
    lines = [line for line in prompt.splitlines() if line.strip()]
    listed = sorted({name for name in (*names, *lines) if name.strip()}, key=len, reverse=True)
    if not listed:
        return Blinded(text)
    pattern = re.compile("|".join(map(re.escape, listed)), re.IGNORECASE)
    removals = (Removal("name", found.start(), found[0]) for found in pattern.finditer(text))
    return Blinded(pattern.sub("", text), tuple(removals))
