"""How usual a gloss is among a problem's glosses: which words follow which, with which features."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from iolai.solvers.induction.english import Token
from iolai.solvers.induction.translation.units import token_class

__all__ = ["GlossModel"]

_SMOOTHING = 0.3
_REPEATED = 2.0
_WORD = 0.5


class GlossModel:
    """A bigram model of classes, and of features given the class and the word before."""

    def __init__(self, glosses: Sequence[Sequence[Token]]) -> None:
        self._follow: dict[str, Counter[str]] = defaultdict(Counter)
        self._classes: Counter[str] = Counter()
        self._feats: dict[str, Counter[frozenset[str]]] = defaultdict(Counter)
        self._after: dict[str, Counter[bool]] = defaultdict(Counter)
        for tokens in glosses:
            before, before_token = "<", None
            for token in tokens:
                name = token_class(token)
                self._follow[before][name] += 1
                self._classes[name] += 1
                self._feats[_kind(token)][token.feats] += 1
                if before_token is not None and before_token.kind == "adj":
                    self._after[before_token.stem]["PL" in token.feats] += 1
                before, before_token = name, token
            self._follow[before][">"] += 1
            self._classes[">"] += 1
        self._total = sum(self._classes.values())

    def score(self, tokens: Sequence[Token]) -> float:
        """Return the log-probability of a gloss's structure; repeated words cost extra."""
        total = 0.0
        before, before_token = "<", None
        stems: set[str] = set()
        for token in tokens:
            name = token_class(token)
            total += self._transition(before, name) + self._features(token, before_token) - _WORD
            if token.kind in ("n", "v", "adj"):
                total -= _REPEATED if token.stem in stems else 0.0
                stems.add(token.stem)
            before, before_token = name, token
        return total + self._transition(before, ">")

    def _transition(self, before: str, name: str) -> float:
        seen = self._follow.get(before, Counter())
        n = sum(seen.values())
        backoff = (self._classes[name] + 0.1) / (self._total + 1.0)
        return math.log((seen[name] + _SMOOTHING * backoff) / (n + _SMOOTHING))

    def _features(self, token: Token, before: Token | None) -> float:
        seen = self._feats.get(_kind(token), Counter())
        n = sum(seen.values())
        total = math.log((seen[token.feats] + 0.1) / (n + 0.1 * (len(seen) + 1)))
        if before is not None and before.kind == "adj" and before.stem in self._after:
            numbers = self._after[before.stem]
            total += math.log((numbers["PL" in token.feats] + 0.3) / (sum(numbers.values()) + 0.6))
        return total


def _kind(token: Token) -> str:
    return f"{token.kind}.{token.role}" if token.kind in ("n", "adj") else token.kind
