"""``hedged``: what a rule does "typically" or "often" is no rule.

Two hedges at least, and one or more in every 50 words: a single "usually" may be the very fact.
What stands in quotes does not count, a gloss may be "perhaps".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole, quoted

__all__ = ["CHECK"]

_HEDGE = re.compile(
    r"\b(?:typically|often|usually|generally|sometimes|likely|probably|perhaps|possibly|presumably"
    r"|commonly|frequently|apparently|seemingly|mostly|tends? to|appears? to|seems? to|could be"
    r"|might be|may be|might indicate|may indicate|suggest(?:s|ing)?|potentially|some kind of"
    r"|something like|in many cases|in some cases|can vary|may vary|varies)\b",
    re.IGNORECASE,
)
_LEAST = 2
_WORDS_EACH = 50


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    spans = [(start, start + len(part)) for start, part in quoted(one.text)]
    starts = [start for start, _ in spans]
    hedges = []
    for found in _HEDGE.finditer(one.text):
        before = bisect_right(starts, found.start())
        if not before or found.start() >= spans[before - 1][1]:
            hedges.append(found)
    n_words = len(one.text.split())
    if len(hedges) >= _LEAST and len(hedges) * _WORDS_EACH >= n_words:
        first = hedges[0]
        yield Found(f"{len(hedges)} hedges in {n_words} words", first[0], first.start())


CHECK = Check("hedged", "rules that hold typically or often", _find)
