"""What forms have in common: stretches of segments that recur, weighted by how telling they are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.segments import kind, segments

__all__ = [
    "REDUPLICATION",
    "Morph",
    "form_words",
    "is_reduplicated",
    "morph_table",
    "shared_morphs",
]

Floats = NDArray[np.float64]
Stretch = tuple[str, ...]

REDUPLICATION = "reduplication"
_EDGE = "#"
_ROOT, _PATTERN, _ANY_CONSONANT = "root ", "pattern ", "C"
_MAX_LENGTH = 10
_MAX_MORPHS = 160
_WOVEN_SHARE = 0.35
_PART = re.compile(r"[^\s\-–=.,;:!?/()\[\]]+")


@dataclass(frozen=True, slots=True)
class Morph:
    """A recurring stretch of segments, ``#`` for a word's edge; ``places`` are the forms with it.

    ``weight`` in (0, 1) grows with its length: a long stretch recurs by chance less easily.
    """

    text: str
    places: frozenset[int]
    weight: float

    def __str__(self) -> str:
        if self.text == REDUPLICATION or self.text.startswith((_ROOT, _PATTERN)):
            return self.text
        left = "" if self.text.startswith(_EDGE) else "-"
        right = "" if self.text.endswith(_EDGE) else "-"
        return f"{left}{self.text.strip(_EDGE)}{right}"


def form_words(form: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of a form (hyphens part them), each as segments in lower case."""
    return tuple(segments(word.lower()) for word in _PART.findall(form))


def shared_morphs(forms: Sequence[str]) -> tuple[Morph, ...]:
    """Return the stretches that two forms or more share but not all, the longest of each set.

    Roots and patterns that interleave count only where most forms have such a root.
    """
    places: dict[Stretch, set[int]] = defaultdict(set)
    woven: dict[Stretch, set[int]] = defaultdict(set)
    for place, form in enumerate(forms):
        for word in form_words(form):
            for stretch in _stretches(word):
                places[stretch].add(place)
            for pattern in _patterns(word):
                woven[pattern].add(place)
            if is_reduplicated(word):
                places[(REDUPLICATION,)].add(place)
    longest = _longest(places, len(forms))
    roots = {root: where for root, where in woven.items() if root[0] == _ROOT and len(where) > 1}
    covered = {p for where in roots.values() if frozenset(where) not in longest for p in where}
    if len(covered) > _WOVEN_SHARE * len(forms):
        longest = _longest({**places, **woven}, len(forms))
    morphs = [Morph("".join(s), where, _weight(s)) for where, s in longest.items()]
    morphs.sort(key=lambda m: (-m.weight, -len(m.places), m.text))
    return tuple(morphs[:_MAX_MORPHS])


def _longest(places: Mapping[Stretch, set[int]], n_forms: int) -> dict[frozenset[int], Stretch]:
    """Return for each set of forms the stretch that tells most among those shared by just them."""
    longest: dict[frozenset[int], Stretch] = {}
    for stretch, where in sorted(places.items()):
        if 2 <= len(where) < n_forms or stretch == (REDUPLICATION,):
            key = frozenset(where)
            if key not in longest or _weight(stretch) > _weight(longest[key]):
                longest[key] = stretch
    return longest


def _stretches(word: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    padded = (_EDGE, *word, _EDGE)
    for start in range(len(padded)):
        for end in range(start + 1, min(len(padded), start + _MAX_LENGTH) + 1):
            stretch = padded[start:end]
            if stretch != (_EDGE,) and not (len(stretch) == 1 and len(word) > 1):
                yield stretch


def _patterns(word: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a word's consonants three at a time, and its vowels with their places marked by C.

    A doubled consonant counts once. So roots and patterns that interleave are found, as in
    Semitic languages.
    """
    consonants = [segment for segment in word if kind(segment) == "C"]
    consonants = [c for i, c in enumerate(consonants) if i == 0 or c != consonants[i - 1]]
    for start in range(len(consonants) - 2):
        yield (_ROOT, *consonants[start : start + 3])
    melody: list[str] = []
    for segment in word:
        sign = _ANY_CONSONANT if kind(segment) == "C" else segment
        if sign != _ANY_CONSONANT or melody[-1:] != [sign]:
            melody.append(sign)
    if len(melody) > 2:
        yield (_PATTERN, *melody)


def is_reduplicated(word: tuple[str, ...]) -> bool:
    """Say whether a word begins or ends with the same two segments or more twice."""
    for size in range(2, len(word) // 2 + 1):
        if word[:size] == word[size : 2 * size] or word[-size:] == word[-2 * size : -size]:
            return True
    return False


def _weight(stretch: tuple[str, ...]) -> float:
    if stretch == (REDUPLICATION,):
        return 0.6
    if stretch[0] in (_ROOT, _PATTERN):
        return 0.7
    size = sum(0.6 if segment == _EDGE else 1.0 for segment in stretch)
    return 1.0 - 0.6**size


def morph_table(morphs: Sequence[Morph], n_forms: int) -> Floats:
    """Return which form has which morph, as a matrix (forms, morphs) of 0 and 1."""
    table = np.zeros((n_forms, len(morphs)))
    for column, morph in enumerate(morphs):
        table[sorted(morph.places), column] = 1.0
    return table
