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
_REFLEXIVE = 5.0
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
                self._feats[_kind(token, before_token)][token.feats] += 1
                if before_token is not None and before_token.kind == "adj":
                    self._after[before_token.stem]["PL" in token.feats] += 1
                before, before_token = name, token
            self._follow[before][">"] += 1
            self._classes[">"] += 1
        self._total = sum(self._classes.values())
        self._objects: dict[str, Counter[bool]] = defaultdict(Counter)
        for tokens in glosses:
            for verb, has_object in _valencies(tokens):
                self._objects[verb][has_object] += 1
                self._objects[""][has_object] += 1

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
        total += sum(self._valency(verb, has) for verb, has in _valencies(tokens))
        return total - _REFLEXIVE * _reflexive(tokens) + self._transition(before, ">")

    def _valency(self, verb: str, has_object: bool) -> float:
        """Return the log-probability that a verb has an object or none."""
        all_verbs, mine = self._objects[""], self._objects.get(verb, Counter())
        share = (all_verbs[has_object] + 0.5) / (sum(all_verbs.values()) + 1.0)
        return math.log((mine[has_object] + 0.7 * share) / (sum(mine.values()) + 0.7))

    def _transition(self, before: str, name: str) -> float:
        seen = self._follow.get(before, Counter())
        n = sum(seen.values())
        backoff = (self._classes[name] + 0.1) / (self._total + 1.0)
        return math.log((seen[name] + _SMOOTHING * backoff) / (n + _SMOOTHING))

    def _features(self, token: Token, before: Token | None) -> float:
        seen = self._feats.get(_kind(token, before), Counter())
        n = sum(seen.values())
        total = math.log((seen[token.feats] + 0.1) / (n + 0.1 * (len(seen) + 1)))
        if before is not None and before.kind == "adj" and before.stem in self._after:
            numbers = self._after[before.stem]
            total += math.log((numbers["PL" in token.feats] + 0.3) / (sum(numbers.values()) + 0.6))
        return total


def _valencies(tokens: Sequence[Token]) -> list[tuple[str, bool]]:
    """Return each verb with whether an object stands between it and the next verb or link."""
    found: list[tuple[str, bool]] = []
    for token in tokens:
        if token.kind == "v":
            found.append((token.stem, False))
        elif found and token.role == "O" and token.kind in ("n", "pro"):
            found[-1] = (found[-1][0], True)
    return found


def _reflexive(tokens: Sequence[Token]) -> int:
    """Count objects of the same first or second person as the subject before them."""
    count, subject = 0, ""
    for token in tokens:
        if token.kind == "pro" and token.role == "S":
            subject = token.stem[:1]
        elif token.kind == "n" and token.role == "S":
            subject = ""
        elif token.kind == "pro" and token.role == "O":
            count += token.stem[:1] == subject and subject in ("1", "2")
    return count


def _kind(token: Token, before: Token | None) -> str:
    """Return the kind and role of a token; a noun after its possessor or adjective is apart."""
    if token.kind not in ("n", "adj"):
        return token.kind
    place = ""
    if before is not None and (before.role == "P" or before.kind == "adj"):
        place = "P" if before.role == "P" else "adj"
    return f"{token.kind}.{token.role}.{place}"
