"""``templated``: a frame of words that the entry uses for problem after problem.

Forms in quotes and numbers are left out of account. A text is templated where at least half of
its runs of five words stand in texts of the same entry for at least two other problems: what is
said of one language is seldom said, in the same words, of three.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from iolai.jury.explanations.base import Check, Explained, Found, Whole, quoted

__all__ = ["CHECK"]

_N_WORDS = 5
_LEAST_RUNS = 4
_SHARE = 0.5
_N_OTHERS = 2


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    own = _runs(one.plain)
    if len(own) < _LEAST_RUNS:
        return
    others: dict[str, frozenset[str]] = {}
    for row in whole.by_entry[one.entry]:
        if row.problem != one.problem and row.plain:
            others[row.problem] = others.get(row.problem, frozenset()) | _runs(row.plain)
    framed = [run for run in own if sum(run in runs for runs in others.values()) >= _N_OTHERS]
    if len(framed) >= _SHARE * len(own):
        words = {run: run.split(" ", 1)[0] for run in framed}
        lower = one.plain.lower()
        places = {word: lower.find(word) for word in set(words.values())}
        first = min(framed, key=lambda run: places[words[run]] % (len(lower) + 1))
        yield Found(
            f"{len(framed)} of its {len(own)} runs of {_N_WORDS} words stand in the entry's texts "
            "for other problems too",
            first,
        )


@lru_cache(maxsize=4096)
def _runs(text: str) -> frozenset[str]:
    parts, place = [], 0
    for start, part in quoted(text):
        parts.append(text[place:start])
        place = start + len(part)
    words = re.findall(r"[^\W\d_]+", " ".join((*parts, text[place:])).lower())
    return frozenset(" ".join(words[n : n + _N_WORDS]) for n in range(len(words) - _N_WORDS + 1))


CHECK = Check("templated", "a frame of words that is used for every problem", _find)
