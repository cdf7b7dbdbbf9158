"""Positional programs: a word rebuilt from pieces of itself and constants (after FlashFill).

A place is named by a landmark (the start, the end, the nth vowel or consonant from either side), so
that reduplication and infixes are one short program: copy the piece between two places and set it
at a third (Gulwani 2011). Enumeration is exhaustive over landmarks; which program a new word takes
is voted by the words most like it in shape.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from iolai.solvers.induction.segments import Sounds, kind, segments, sounds_in_force

__all__ = ["Found", "Program", "Programs", "landmarks", "place_of", "place_said"]

Word = tuple[str, ...]
_DEPTH = 3
_ORDINALS = {
    "1": "first", "2": "second", "3": "third", "-1": "last", "-2": "second-last",
    "-3": "third-last",
}  # fmt: skip
_SHAPE = 2.0
_LONGEST_PIECE = 8
#: What a symbol more, or a vowel further from the edge, leaves of a program's weight.
_PLAIN = 0.95
_TRIMS = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))


@dataclass(frozen=True, slots=True)
class Program:
    """Drop ``trim`` segments (first, last), then set a piece at a place, over ``cut`` segments.

    The piece is ``before``, a copy from ``start`` to ``end`` (none where both are ``""``), and
    ``after``; places are named as in :func:`landmarks`. With ``exchanged`` nothing is set: the
    segments on the two sides of the place are exchanged.
    """

    at: str
    cut: int
    before: Word = ()
    start: str = ""
    end: str = ""
    after: Word = ()
    trim: tuple[int, int] = (0, 0)
    exchanged: bool = False

    def __str__(self) -> str:
        if self.exchanged:
            return f"the letters that meet {place_said(self.at)} change places"
        start, end = place_said(self.start), place_said(self.end)
        copy = (f"a copy from {start} to {end}",) if self.start else ()
        piece = " + ".join(filter(None, ("".join(self.before), *copy, "".join(self.after))))
        cut = f" in place of {_letters(self.cut)}" if self.cut else ""
        ends = zip(("first", "last"), self.trim, strict=True)
        dropped = "".join(
            f"the {side} {'letter is' if n == 1 else f'{n} letters are'} dropped, "
            for side, n in ends
            if n
        )
        at = place_said(self.at)
        at = f"at {at}" if at.startswith("the ") else at
        return f"{dropped}{piece or 'nothing'} is put {at}{cut}"

    def run(self, word: Word) -> Word | None:
        """Return the word rebuilt, or None where a place does not exist."""
        word = _trimmed(word, self.trim)
        places = landmarks(word)
        at = places.get(self.at)
        if at is None or at + self.cut > len(word):
            return None
        if self.exchanged:
            if not 0 < at < len(word):
                return None
            return (*word[: at - 1], word[at], word[at - 1], *word[at + 1 :])
        copy: Word = ()
        if self.start:
            start, end = places.get(self.start), places.get(self.end)
            if start is None or end is None or start >= end:
                return None
            copy = word[start:end]
        return word[:at] + self.before + copy + self.after + word[at + self.cut :]

    @property
    def length(self) -> int:
        """The program's length, in symbols: shorter ones are preferred."""
        constants = len(self.before) + len(self.after)
        return constants + (2 if self.start else 0) + self.cut + 2 * sum(self.trim)

    @property
    def cost(self) -> int:
        """The length, and what its places cost: none for an edge, n for the nth vowel from one."""
        return self.length + sum(map(_depth, (self.at, self.start, self.end)))


def _depth(place: str) -> int:
    return int(place[-1]) if place[-1:].isdigit() else 0


def _letters(n: int) -> str:
    return "1 letter" if n == 1 else f"{n} letters"


def place_said(place: str) -> str:
    """Return a landmark as it is printed: ``after the second-last vowel``."""
    side, _, rest = place.partition(" ")
    name, _, number = rest.partition(" ")
    return f"{side} the {_ORDINALS[number]} {name}" if number in _ORDINALS else place


def place_of(said: str) -> str:
    """Return the landmark that is printed so."""
    side, _, rest = said.partition(" the ")
    ordinal, _, name = rest.partition(" ")
    number = next((n for n, word in _ORDINALS.items() if word == ordinal), "")
    return f"{side} {name} {number}" if number else said


def _trimmed(word: Word, trim: tuple[int, int]) -> Word:
    return word[trim[0] : len(word) - trim[1]] if sum(trim) < len(word) else ()


def landmarks(word: Word) -> dict[str, int]:
    """Return the named places of a word: before and after the nth vowel, consonant, segment."""
    return _landmarks(word, sounds_in_force())


@lru_cache(maxsize=4096)
def _landmarks(word: Word, _sounds: Sounds | None) -> dict[str, int]:
    places = {"the start": 0, "the end": len(word)}
    for letter, name in (("V", "vowel"), ("C", "consonant")):
        found = [i for i, segment in enumerate(word) if kind(segment) == letter]
        for n in range(1, _DEPTH + 1):
            if n <= len(found):
                places[f"before {name} {n}"] = found[n - 1]
                places[f"after {name} {n}"] = found[n - 1] + 1
                places[f"before {name} -{n}"] = found[-n]
                places[f"after {name} -{n}"] = found[-n] + 1
    return places


class Found:
    """The programs that explain two pairs or more, found once for all pairs."""

    def __init__(self, pairs: Sequence[tuple[str, str]], n_kept: int = 160) -> None:
        self.words = [segments(one) for one, _ in pairs]
        explained: dict[Program, set[int]] = defaultdict(set)
        for place, (one, other) in enumerate(pairs):
            for program in _explaining(segments(one), segments(other)):
                explained[program].add(place)
        several = [(program, hits) for program, hits in explained.items() if len(hits) > 1]
        several.sort(key=lambda entry: (-len(entry[1]), entry[0].cost, repr(entry[0])))
        self.programs = [
            (program, hits, {i for i, w in enumerate(self.words) if program.run(w) is not None})
            for program, hits in several[:n_kept]
        ]


class Programs:
    """Rewrites by the programs found, from the pairs at some places only."""

    def __init__(self, found: Found, places: Sequence[int], n_kept: int = 60) -> None:
        kept = set(places)
        self._words = found.words
        self.programs = [
            (program, hits & kept, applies & kept)
            for program, hits, applies in found.programs
            if len(hits & kept) > 1
        ][:n_kept]

    def predict(self, word: str, n_best: int = 4) -> dict[str, float]:
        """Return outputs weighted by the likeness of the words that the same program explains."""
        split = segments(word)
        likeness = [_likeness(split, other) for other in self._words]
        found: dict[str, float] = defaultdict(float)
        least = min((program.cost for program, _, _ in self.programs), default=0)
        for program, hits, applies in self.programs:
            result = program.run(split)
            if result is None:
                continue
            met = sum(likeness[i] for i in applies) + 1.0
            weight = sum(likeness[i] for i in hits) / met * _PLAIN ** (program.cost - least)
            text = "".join(result)
            found[text] = max(found[text], weight * len(hits) / (len(hits) + 0.5))
        best = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
        return dict(best[:n_best])


def _likeness(one: Word, other: Word) -> float:
    """Return how like two words are in shape: the kinds of their segments from both edges."""
    shapes = [[kind(segment) for segment in word] for word in (one, other)]
    weight = 1.0
    for mine, theirs in (shapes, [shape[::-1] for shape in shapes]):
        for a, b in zip(mine, theirs, strict=False):
            if a != b:
                break
            weight *= _SHAPE
    if len(one) == len(other):
        weight *= 1.5
    return weight


def _explaining(one: Word, other: Word) -> frozenset[Program]:
    """Return every program that turns one word into the other."""
    return _all_explaining(one, other, sounds_in_force())


@lru_cache(maxsize=1024)
def _all_explaining(one: Word, other: Word, _sounds: Sounds | None) -> frozenset[Program]:
    if one == other:
        return frozenset({Program("the end", 0)})
    found: set[Program] = set()
    for trim in _TRIMS:
        word = _trimmed(one, trim)
        if word:
            found.update(_setting(word, other, trim))
    if len(one) == len(other):
        exchanges = (Program(at, 0, exchanged=True) for at in landmarks(one))
        found.update(program for program in exchanges if program.run(one) == other)
    return frozenset(found)


def _setting(one: Word, other: Word, trim: tuple[int, int]) -> Iterator[Program]:
    """Yield the programs that set one piece into a word to make the other."""
    places = landmarks(one)
    by_piece: dict[Word, list[tuple[str, str]]] = defaultdict(list)
    for start_name, start in places.items():
        for end_name, end in places.items():
            if 0 < end - start <= _LONGEST_PIECE:
                by_piece[one[start:end]].append((start_name, end_name))
    for at_name, at in places.items():
        if one[:at] != other[:at]:
            continue
        for cut in (0, 1, 2) if trim == (0, 0) else (0,):
            rest = one[at + cut :]
            middle = len(other) - len(rest)
            if at + cut > len(one) or middle < at or other[middle:] != rest:
                continue
            for before, copy, after in _splits(other[at:middle]):
                names = by_piece.get(copy, ()) if copy else (("", ""),)
                for start_name, end_name in names:
                    yield Program(at_name, cut, before, start_name, end_name, after, trim)


def _splits(piece: Word) -> Iterator[tuple[Word, Word, Word]]:
    """Yield (constant, copy, constant): all constant, or a copy with at most two segments."""
    yield piece, (), ()
    n = len(piece)
    for low in range(min(2, n) + 1):
        for high in range(max(low + 1, n - 2), n + 1):
            if low == 0 or high == n:
                yield piece[:low], piece[low:high], piece[high:]
