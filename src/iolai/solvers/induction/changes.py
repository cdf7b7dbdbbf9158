"""Rules of change in context, by minimal generalisation (after Albright and Hayes 2003).

Each pair of words gives a change ``A -> B / C _ D``. Pairs with the same change are generalised to
what their contexts share; a rule's weight is how often it is right where its context is met.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from iolai.solvers.induction.segments import kind, segments

__all__ = ["Change", "ChangeRules"]

Word = tuple[str, ...]
_CLASSES = frozenset({"<V>", "<C>", "<->", "<M>"})


@dataclass(frozen=True, slots=True)
class Change:
    """``before -> after`` between two contexts; ``#`` is the word's edge, ``<V>`` a class."""

    before: Word
    after: Word
    left: Word
    right: Word

    def __str__(self) -> str:
        def side(word: Word) -> str:
            return "".join(s.strip("<>") if s in _CLASSES else s for s in word)

        before = "".join(self.before) or "∅"
        after = "".join(self.after) or "∅"
        return f"{before} → {after} / {side(self.left)}_{side(self.right)}"

    def apply(self, word: Word) -> Iterator[Word]:
        """Yield the results of the change at each place where its context is met."""
        padded = ("#", *word, "#")
        n, length = len(padded), len(self.before)
        for start in range(1, n - length):
            end = start + length
            if padded[start:end] != self.before:
                continue
            if self._fits(padded[:start], padded[end:]):
                yield padded[1:start] + self.after + padded[end:-1]

    def _fits(self, left: Word, right: Word) -> bool:
        if len(self.left) > len(left) or len(self.right) > len(right):
            return False
        near = left[len(left) - len(self.left) :]
        return all(map(_meets, self.left, near)) and all(
            map(_meets, self.right, right[: len(self.right)])
        )


def _meets(pattern: str, segment: str) -> bool:
    return pattern == segment or (pattern in _CLASSES and f"<{kind(segment)}>" == pattern)


class ChangeRules:
    """All rules that pairs of words support, each with (hits, scope)."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        words = [(segments(one), segments(other)) for one, other in pairs]
        self.rules: list[tuple[Change, int, int]] = []
        for rule in sorted(_rules(words), key=repr):
            hits = scope = 0
            for one, other in words:
                results = list(rule.apply(one))
                scope += bool(results)
                hits += other in results[:1] or (len(results) > 1 and other in results)
            if hits:
                self.rules.append((rule, hits, scope))
        self.rules.sort(key=lambda entry: -_reliability(entry[1], entry[2]))

    def predict(self, word: str, n_best: int = 4) -> dict[str, float]:
        """Return outputs with the reliability of the best rule that gives each."""
        found: dict[str, float] = {}
        split = segments(word)
        for rule, hits, scope in self.rules:
            for result in rule.apply(split):
                text = "".join(result)
                found.setdefault(text, _reliability(hits, scope))
            if len(found) >= n_best:
                break
        return found

    def described(self, n_rules: int = 8) -> tuple[str, ...]:
        """Return the rules that cover the examples, each once, the most reliable first."""
        return tuple(str(rule) for rule, _, _ in self.rules[:n_rules])


def _reliability(hits: int, scope: int) -> float:
    """Return hits out of scope, held down where there is little to go by."""
    return (hits + 0.25) / (scope + 1.25)


def _rules(words: Sequence[tuple[Word, Word]]) -> set[Change]:
    by_change: dict[tuple[Word, Word], list[tuple[Word, Word]]] = defaultdict(list)
    for one, other in words:
        for change in _changes(one, other):
            by_change[change.before, change.after].append((change.left, change.right))
    rules: set[Change] = set()
    for (before, after), contexts in by_change.items():
        unique = list(dict.fromkeys(contexts))[:24]
        for left, right in _generalised(unique):
            rules.add(Change(before, after, left, right))
    return rules


def _changes(one: Word, other: Word) -> Iterable[Change]:
    """Return the change between two words, at each place where an insertion may have been made."""
    padded, target = ("#", *one, "#"), ("#", *other, "#")
    shorter = min(len(padded), len(target))
    prefix = 0
    while prefix < shorter and padded[prefix] == target[prefix]:
        prefix += 1
    suffix = 0
    while suffix < shorter - 1 and padded[-suffix - 1] == target[-suffix - 1]:
        suffix += 1
    low = min(len(padded), len(target)) - suffix
    starts = {min(prefix, low)} if prefix <= low else set(range(max(1, low), prefix + 1))
    for start in sorted(starts)[:4]:
        tail = min(suffix, len(padded) - start, len(target) - start)
        end, target_end = len(padded) - tail, len(target) - tail
        if start >= 1 and tail >= 1:
            yield Change(padded[start:end], target[start:target_end], padded[:start], padded[end:])


def _generalised(contexts: Sequence[tuple[Word, Word]]) -> set[tuple[Word, Word]]:
    """Return what pairs of contexts share, by segment and then by class; and the empty context."""
    found: set[tuple[Word, Word]] = {((), ()), (("#",), ()), ((), ("#",))}
    for left, right in contexts:
        for near in (1, 2):
            found.add((left[-near:], ()))
            found.add(((), right[:near]))
            found.add((left[-near:], right[:near]))
    for place, (left, right) in enumerate(contexts):
        for other_left, other_right in contexts[place + 1 :]:
            shared = _shared(left[::-1], other_left[::-1])[::-1]
            found.add((shared, _shared(right, other_right)))
    return found


def _shared(one: Word, other: Word) -> Word:
    """Return the common beginning; where segments differ the class stands, and ends it."""
    out: list[str] = []
    for mine, theirs in zip(one, other, strict=False):
        if mine == theirs:
            out.append(mine)
            continue
        if kind(mine) == kind(theirs) and kind(mine) != "#":
            out.append(f"<{kind(mine)}>")
        break
    return tuple(out)
