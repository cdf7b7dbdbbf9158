"""What forms have in common: stretches of segments that recur, weighted by how telling they are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.segments import segments

__all__ = ["REDUPLICATION", "Morph", "form_words", "is_reduplicated", "morph_table", "shared_morphs"]

Floats = NDArray[np.float64]

REDUPLICATION = "reduplication"
_EDGE = "#"
_MAX_LENGTH = 10
_MAX_MORPHS = 160
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
        bare = self.text.strip(_EDGE)
        left = "" if self.text.startswith(_EDGE) or self.text == REDUPLICATION else "-"
        right = "" if self.text.endswith(_EDGE) or self.text == REDUPLICATION else "-"
        return f"{left}{bare}{right}"


def form_words(form: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of a form (hyphens part them), each as segments in lower case."""
    return tuple(segments(word.lower()) for word in _PART.findall(form))


def shared_morphs(forms: Sequence[str]) -> tuple[Morph, ...]:
    """Return the stretches that two forms or more share but not all, the longest of each set."""
    places: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for place, form in enumerate(forms):
        for word in form_words(form):
            for stretch in _stretches(word):
                places[stretch].add(place)
            if is_reduplicated(word):
                places[(REDUPLICATION,)].add(place)
    longest: dict[frozenset[int], tuple[str, ...]] = {}
    for stretch, where in sorted(places.items()):
        if 2 <= len(where) < len(forms) or stretch == (REDUPLICATION,):
            key = frozenset(where)
            if key not in longest or _weight(stretch) > _weight(longest[key]):
                longest[key] = stretch
    morphs = [Morph("".join(s), where, _weight(s)) for where, s in longest.items()]
    morphs.sort(key=lambda m: (-m.weight, -len(m.places), m.text))
    return tuple(morphs[:_MAX_MORPHS])


def _stretches(word: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    padded = (_EDGE, *word, _EDGE)
    for start in range(len(padded)):
        for end in range(start + 1, min(len(padded), start + _MAX_LENGTH) + 1):
            stretch = padded[start:end]
            if stretch != (_EDGE,) and not (len(stretch) == 1 and len(word) > 1):
                yield stretch


def is_reduplicated(word: tuple[str, ...]) -> bool:
    """Say whether a word begins or ends with the same two segments or more twice."""
    for size in range(2, len(word) // 2 + 1):
        if word[:size] == word[size : 2 * size] or word[-size:] == word[-2 * size : -size]:
            return True
    return False


def _weight(stretch: tuple[str, ...]) -> float:
    if stretch == (REDUPLICATION,):
        return 0.6
    size = sum(0.6 if segment == _EDGE else 1.0 for segment in stretch)
    return 1.0 - 0.6**size


def morph_table(morphs: Sequence[Morph], n_forms: int) -> Floats:
    """Return which form has which morph, as a matrix (forms, morphs) of 0 and 1."""
    table = np.zeros((n_forms, len(morphs)))
    for column, morph in enumerate(morphs):
        table[sorted(morph.places), column] = 1.0
    return table
