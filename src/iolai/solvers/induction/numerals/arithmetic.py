"""The arithmetic of numerals: what the morphs of a number word are, and how they make its value.

A morph is a digit, a round number, a base (a round number that multiplies a digit right behind it),
a link (it adds what follows to what precedes, less an offset: 0 for "and", 4 where one counts
towards the next four), a sign of multiplication, or nothing. A smaller number before a greater one
multiplies it, a greater one before a smaller is added to it. So the systems of Comrie's survey
(WALS 131) are covered, overcounting too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["NOTHING", "Meaning", "value_of"]


@dataclass(frozen=True, slots=True, order=True)
class Meaning:
    """What a morph does: ``size`` is the value of a digit, number or base, or a link's offset."""

    kind: str
    size: int = 0

    def __str__(self) -> str:
        if self.kind == "link":
            return f"less {self.size}, plus" if self.size else "plus"
        if self.kind == "times":
            return "times"
        if self.kind == "base":
            return f"{self.size} times"
        return str(self.size) if self.kind in ("digit", "number") else "nothing"

    @property
    def cost(self) -> float:
        """The meaning's length in bits, roughly: simple ones first."""
        if self.kind == "nothing":
            return 1.0
        if self.kind in ("link", "times"):
            return 1.5 + (2.0 if self.size else 0.0)
        return {"digit": 1.5, "number": 2.0}.get(self.kind, 4.0) + math.log2(self.size)


NOTHING = Meaning("nothing")


def value_of(morphs: Sequence[str], meanings: Mapping[str, Meaning]) -> int | None:
    """Return the value of a row of morphs; None where it makes no number."""
    total, current, is_base = 0, 0, False
    pending = times = False
    for morph in morphs:
        meaning = meanings[morph]
        if meaning.kind == "nothing":
            continue
        if meaning.kind in ("link", "times"):
            if not pending or times:
                return None
            if meaning.kind == "times":
                times = True
                continue
            total += current - meaning.size
            current, pending, is_base = 0, False, False
            continue
        if not pending:
            current, pending = meaning.size, True
        elif times or current < meaning.size or (is_base and meaning.kind == "digit"):
            current *= meaning.size
            times = False
        else:
            total += current
            current = meaning.size
        is_base = meaning.kind == "base"
    return total + current if pending and not times else None
