"""A memory-based character transducer: how each segment of a word comes out, by its context.

A new word is rewritten one segment at a time; what a segment becomes is voted by all remembered
segments, each with a weight that grows with the features of context that it shares (IB1 with a
weighted overlap metric, after Daelemans and van den Bosch 2005). Which features count most differs
from problem to problem, so several weightings are kept side by side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from iolai.solvers.induction.alignment import Word, align_all
from iolai.solvers.induction.segments import compose, decomposed, kind, segments

__all__ = ["WEIGHTINGS", "Aligned", "Transducer"]

#: Factor of each feature of :func:`_features`, in its order.
WEIGHTINGS: dict[str, tuple[float, ...]] = {
    "neighbours": (4, 2, 1.3, 4, 2, 1.3, 2.5, 2.5, 1.2, 1.2, 1.5, 1.5, 1.3),
    "edges": (2, 1.2, 1, 2, 1.2, 1, 1.6, 1.6, 1.1, 1.1, 6, 6, 1.2),
    "vowels": (1.6, 1.2, 1, 1.6, 1.2, 1, 1.5, 1.5, 5, 5, 1.5, 1.5, 1.2),
    "following": (1.5, 1.1, 1, 6, 3, 1.5, 1.3, 3, 1.1, 1.5, 1.1, 1.6, 2),
    "output": (2, 1.2, 1, 2, 1.2, 1, 1.5, 1.5, 1.3, 1.3, 1.3, 1.3, 8),
}
_FAR = 3
_COPY = 0.5

Features = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A pair of words: the segments of the first with edges, and what each of them gives."""

    source: Word
    outputs: Word

    @staticmethod
    def of_pairs(pairs: Sequence[tuple[str, str]], *, parts_marks: bool) -> list[Aligned]:
        """Align pairs; ``parts_marks`` makes accents and tones segments of their own."""
        split = decomposed if parts_marks else segments
        words = [(split(one), split(other)) for one, other in pairs]
        aligned = []
        for (one, _), alignment in zip(words, align_all(words), strict=True):
            outputs = ["", *("" for _ in one), ""]
            place = 0
            for source, target in alignment:
                place += bool(source)
                # What is added at the end belongs to the end, whatever stands before it.
                at_end = not source and place == len(one)
                outputs[-1 if at_end else place] += target
            aligned.append(Aligned(("#", *one, "#"), tuple(outputs)))
        return aligned


class Transducer:
    """Learns from aligned pairs; ``predict`` gives weighted outputs for a new word."""

    def __init__(self, aligned: Sequence[Aligned], weighting: str, *, parts_marks: bool) -> None:
        self._split = decomposed if parts_marks else segments
        self._factors = WEIGHTINGS[weighting]
        self._memory: dict[str, list[tuple[Features, str]]] = defaultdict(list)
        for pair in aligned:
            before = ""
            for place, out in enumerate(pair.outputs):
                features = _features(pair.source, place, before)
                self._memory[pair.source[place]].append((features, out))
                before = _change(pair.source[place], out)

    def predict(self, word: str, n_best: int = 4) -> dict[str, float]:
        """Return likely outputs with probabilities (products of the segments' votes)."""
        source = ("#", *self._split(word), "#")
        beam: list[tuple[float, Word, str]] = [(1.0, (), "")]
        for place, segment in enumerate(source):
            grown = [
                (p * share, (*out, text), _change(segment, text))
                for p, out, before in beam
                for text, share in self._votes(source, place, before)
            ]
            beam = sorted(grown, key=lambda state: (-state[0], state[1]))[:n_best]
        found: dict[str, float] = defaultdict(float)
        for probability, out, _ in beam:
            found[compose(out)] += probability
        return dict(found)

    def _votes(self, source: Word, place: int, before: str) -> list[tuple[str, float]]:
        """Return what a segment may become, with shares of the vote."""
        segment = source[place]
        copy = "" if segment == "#" else segment
        remembered = self._memory.get(segment)
        if not remembered:
            return [(copy, 1.0)]
        mine = _features(source, place, before)
        votes: dict[str, float] = defaultdict(float)
        for theirs, out in remembered:
            weight = 1.0
            for factor, one, other in zip(self._factors, mine, theirs, strict=True):
                if one == other:
                    weight *= factor
            votes[out] += weight
        if copy in votes:
            votes[copy] += _COPY
        total = sum(votes.values())
        best = sorted(votes.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
        return [(text, weight / total) for text, weight in best]


def _change(segment: str, out: str) -> str:
    return "=" if out == segment or (segment == "#" and not out) else out or "0"


def _features(word: Word, place: int, before: str) -> Features:
    """Return neighbours, their kinds, the nearest vowels, the edges, and what came out before."""
    n = len(word)

    def at(i: int) -> str:
        return word[i] if 0 <= i < n else "##"

    return (
        at(place - 1),
        at(place - 2),
        at(place - 3),
        at(place + 1),
        at(place + 2),
        at(place + 3),
        kind(at(place - 1)),
        kind(at(place + 1)),
        _vowel(word[:place][::-1]),
        _vowel(word[place + 1 :]),
        str(min(place, _FAR)),
        str(min(n - 1 - place, _FAR)),
        before,
    )


def _vowel(word: Word) -> str:
    return next((segment for segment in word if kind(segment) == "V"), "")
