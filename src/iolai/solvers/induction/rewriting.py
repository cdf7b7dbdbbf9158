"""Rewriting a word as another by example: several models, weighted by leaving examples out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from iolai.solvers.base import Budget
from iolai.solvers.induction.changes import ChangeRules
from iolai.solvers.induction.programs import Found, Programs
from iolai.solvers.induction.transducer import WEIGHTINGS, Aligned, Transducer

__all__ = ["Rewriter", "Rewriting", "make_rewriter"]

Pairs = Sequence[tuple[str, str]]
_MAX_LEFT_OUT = 12
#: No sheet has more; all rules are tried on all pairs, so that the work is the square of them.
_MAX_PAIRS = 200
_FLOOR = 0.001
_PARTED = ("neighbours", "vowels", "output")
_SHARED_AFFIX = 0.85
_SHARPNESS = 2


#: The names of the models that are quick with a word, however many examples there are.
_BRIEF = ("rules of change", "programs")


class _Model(Protocol):
    def predict(self, word: str, n_best: int = 4) -> dict[str, float]: ...


class Rewriting(Protocol):
    """What rewrites a word: weighted outputs, a rate of success, rules."""

    left_out: float

    def predict(self, word: str, *, is_brief: bool = False) -> dict[str, float]:
        """Return weighted outputs; the weights sum to at most 1.

        ``is_brief`` leaves out the models that compare a word with every example.
        """
        ...

    def rules(self) -> tuple[str, ...]:
        """Return the rules in words."""
        ...


def make_rewriter(pairs: Pairs, budget: Budget) -> Rewriting:
    """Return a rewriter for pairs; phrases of a fixed number of words are rewritten by word."""
    pairs = list(dict.fromkeys((one, other) for one, other in pairs if one and other))
    pairs = pairs[:_MAX_PAIRS]
    lengths = Counter((len(one.split()), len(other.split())) for one, other in pairs)
    if lengths:
        (n, m), count = lengths.most_common(1)[0]
        if n == m > 1 and count >= _SHARED_AFFIX * len(pairs):
            return _ByWord(pairs, n, budget)
    return Rewriter(pairs, budget)


class _ByWord:
    """Rewrites phrases word by word, each place by its own rewriter."""

    def __init__(self, pairs: Pairs, n_words: int, budget: Budget) -> None:
        split = [(one.split(), other.split()) for one, other in pairs]
        kept = [(one, other) for one, other in split if len(one) == len(other) == n_words]
        self._parts = [
            Rewriter([(one[k], other[k]) for one, other in kept], budget) for k in range(n_words)
        ]
        self.left_out = 1.0
        for part in self._parts:
            self.left_out *= part.left_out

    def predict(self, word: str, *, is_brief: bool = False) -> dict[str, float]:
        """Return the combinations of the words' outputs."""
        words = word.split()
        if len(words) != len(self._parts):
            return {}
        found: dict[str, float] = {"": 1.0}
        for part, one in zip(self._parts, words, strict=True):
            made = part.predict(one, is_brief=is_brief).items()
            outputs = sorted(made, key=lambda pair: (-pair[1], pair[0]))[:3]
            found = {
                f"{text} {out}".strip(): weight * share
                for text, weight in found.items()
                for out, share in outputs
            }
        return found

    def rules(self) -> tuple[str, ...]:
        """Return the rules of all words."""
        return tuple(rule for part in self._parts for rule in part.rules())


@dataclass(frozen=True, slots=True)
class _Affixes:
    """A beginning and an end that nearly all words of one side have."""

    prefix: str
    suffix: str

    def strip(self, word: str) -> str | None:
        """Return what stands between; None where the word lacks them."""
        if not (word.startswith(self.prefix) and word.endswith(self.suffix)):
            return None
        inner = word[len(self.prefix) : len(word) - len(self.suffix)]
        return inner or None


def _shared_affixes(words: Sequence[str]) -> _Affixes:
    return _Affixes(_shared_prefix(words), _shared_prefix([w[::-1] for w in words])[::-1])


def _shared_prefix(words: Sequence[str]) -> str:
    """Return the longest beginning shared by nearly all, if it is set off (a word, a bracket)."""
    prefix = ""
    counts = Counter(word[:n] for word in words for n in range(1, min(8, len(word))))
    for beginning, count in counts.items():
        closed = beginning.endswith(" ") or not beginning[-1].isalnum()
        if closed and count >= _SHARED_AFFIX * len(words) and len(beginning) > len(prefix):
            prefix = beginning
    return prefix


class Rewriter:
    """Predicts the second word of a pair from the first.

    ``left_out`` is the share of the examples got right by the weighted models when each is left
    out, in [0, 1]; it is the confidence of an unambiguous answer.
    """

    def __init__(self, pairs: Pairs, budget: Budget) -> None:
        self._affixes = tuple(_shared_affixes([pair[k] for pair in pairs]) for k in (0, 1))
        bare = [tuple(self._affixes[k].strip(pair[k]) for k in (0, 1)) for pair in pairs]
        self._pairs = list(dict.fromkeys((one, other) for one, other in bare if one and other))
        tested = _spread(len(self._pairs), _MAX_LEFT_OUT)
        makers = _makers(self._pairs)
        everything = range(len(self._pairs))
        self._weights: dict[str, float] = {}
        self._models: dict[str, _Model] = {}
        outputs: dict[str, list[dict[str, float]]] = {}
        for name, make in makers.items():
            if self._models and budget.seconds_left <= 0:
                break
            outputs[name] = self._left_out(make, tested, budget)
            self._weights[name] = _FLOOR + self._mass(outputs[name], tested) ** _SHARPNESS
            self._models[name] = make(everything)
        self.left_out = self._share_right(outputs, tested)

    def predict(self, word: str, *, is_brief: bool = False) -> dict[str, float]:
        """Return weighted outputs; the weights sum to at most 1."""
        bare = self._affixes[0].strip(word) or word
        votes: dict[str, float] = defaultdict(float)
        brief = {name: self._models[name] for name in _BRIEF if name in self._models}
        models = (brief if is_brief else None) or self._models
        total = sum(self._weights[name] for name in models)
        for name, model in models.items():
            for text, share in _shares(model.predict(bare)).items():
                whole = f"{self._affixes[1].prefix}{text}{self._affixes[1].suffix}"
                votes[whole] += self._weights[name] * share / total
        return dict(votes)

    def rules(self) -> tuple[str, ...]:
        """Return the rules of change that the examples support."""
        return ChangeRules(self._pairs).described()

    def _left_out(
        self, make: Callable[[Sequence[int]], _Model], tested: Sequence[int], budget: Budget
    ) -> list[dict[str, float]]:
        """Return what a model predicts for each tested pair without having seen it."""
        out: list[dict[str, float]] = []
        for place in tested:
            if budget.seconds_left <= 0 or len(self._pairs) < 2:
                break
            rest = [i for i in range(len(self._pairs)) if i != place]
            out.append(_shares(make(rest).predict(self._pairs[place][0])))
        return out

    def _mass(self, outputs: Sequence[dict[str, float]], tested: Sequence[int]) -> float:
        """Return the mean share that a model gives to the right word."""
        if not outputs:
            return 0.3
        right = (out.get(self._pairs[p][1], 0.0) for out, p in zip(outputs, tested, strict=False))
        return sum(right) / len(outputs)

    def _share_right(
        self, found: dict[str, list[dict[str, float]]], tested: Sequence[int]
    ) -> float:
        right = n = 0
        for k, place in enumerate(tested):
            votes: dict[str, float] = defaultdict(float)
            for name, outputs in found.items():
                for text, share in outputs[k].items() if k < len(outputs) else ():
                    votes[text] += self._weights[name] * share
            if votes:
                n += 1
                right += max(votes, key=lambda text: (votes[text], text)) == self._pairs[place][1]
        return right / n if n else 0.0


def _makers(pairs: Pairs) -> dict[str, Callable[[Sequence[int]], _Model]]:
    """Return the models by name; each is made from the places of the pairs it may see."""
    makers: dict[str, Callable[[Sequence[int]], _Model]] = {}
    for parts_marks in (False, True):
        aligned = Aligned.of_pairs(pairs, parts_marks=parts_marks)
        if parts_marks and aligned == Aligned.of_pairs(pairs, parts_marks=False):
            continue
        for weighting in _PARTED if parts_marks else WEIGHTINGS:
            name = f"transducer by {weighting}" + (", marks parted" if parts_marks else "")
            makers[name] = partial(_transducer, aligned, weighting, parts_marks)
    makers[_BRIEF[0]] = lambda kept: ChangeRules([pairs[i] for i in kept])
    found = Found(pairs)
    makers[_BRIEF[1]] = lambda kept: Programs(found, kept)
    return makers


def _transducer(
    aligned: Sequence[Aligned], weighting: str, parts_marks: bool, kept: Sequence[int]
) -> _Model:
    return Transducer([aligned[i] for i in kept], weighting, parts_marks=parts_marks)


def _spread(n_pairs: int, n: int) -> list[int]:
    """Return up to n places, evenly over the pairs."""
    if n_pairs <= n:
        return list(range(n_pairs))
    return sorted({round(i * (n_pairs - 1) / (n - 1)) for i in range(n)})


def _shares(weights: dict[str, float]) -> dict[str, float]:
    """Sharpen weights and make them sum to 1."""
    sharp = {text: weight**2 for text, weight in weights.items() if text}
    total = sum(sharp.values())
    return {text: weight / total for text, weight in sharp.items()} if total else {}
