"""Finding the example pairs of a context: lines that hold two sides, whatever parts them."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import pairwise

from iolai.text import squeeze

__all__ = ["example_pairs", "letter_pairs", "likeness", "similarity"]

# From the surest separator to the weakest: the first that parts two lines or more is taken.
_SEPARATORS = tuple(
    re.compile(pattern)
    for pattern in (r"\t+", r"\s*\|\s*", r"\s+[–—−]\s+", r"\s+-\s+", r"\s*=\s*", r"\s{2,}", r":\s+")
)
_LABEL = re.compile(r"\s*(?:\(?(?:\d{1,3}|[A-Za-z]{1,2})[.)]\s+)")
#: Letters of a text that are compared with another's.
_COMPARED = 2000


def example_pairs(context: str) -> tuple[tuple[str, str], ...]:
    """Return the two sides of each example line, labels taken off.

    Where no separator parts the lines, neighbouring lines are taken for the two sides.
    """
    lines = [_LABEL.sub("", line, count=1).rstrip() for line in context.split("\n")]
    lines = [line for line in lines if line.strip()]
    for separator in _SEPARATORS:
        parts = [separator.split(line.strip(), maxsplit=1) for line in lines]
        pairs = [(squeeze(p[0]), squeeze(p[1])) for p in parts if len(p) == 2 and all(p)]
        if len(pairs) >= 2:
            return tuple(pairs)
    return tuple((squeeze(one), squeeze(other)) for one, other in pairwise(lines))


def similarity(one: str, other: str) -> float:
    """Return the Dice coefficient of two texts' letter pairs, in [0, 1], case apart.

    Of longer texts the first 2,000 letters count.
    """
    return likeness(letter_pairs(one), letter_pairs(other))


def likeness(first: Set[str], second: Set[str]) -> float:
    """Return the Dice coefficient of two sets, in [0, 1]; 0 where one is empty."""
    if not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))


def letter_pairs(text: str) -> Set[str]:
    """Return the pairs of neighbouring letters of a text's first 2,000 letters, case apart."""
    padded = f" {squeeze(text[:_COMPARED]).lower()} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}
