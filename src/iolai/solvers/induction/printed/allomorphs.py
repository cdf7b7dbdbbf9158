"""Which form a unit takes where: alternatives with conditions, the first that holds is taken.

Printed as ``-ok after a last vowel [back vowel]; -ek``. A condition looks at the word so far, at
the first letter of what follows, or at what else the meaning says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from iolai.solvers.induction.printed.contexts import sounds_as
from iolai.solvers.induction.segments import is_vowel, segments
from iolai.solvers.induction.translation.describe import is_person

__all__ = ["Alternatives", "Place", "conditions", "find_alternatives", "first_conditions"]

SILENT = "∅"
_WRONG_COST = 3
_ENOUGH_TO_EXCEPT = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where a morph stands: the word before it, the morph after it, all that the gloss says.

    ``before`` and ``after`` are None where nothing stands, so that nothing can be said of them.
    """

    before: str | None
    after: str | None
    meanings: frozenset[str]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """(morph or ``∅``, condition) in their order; the last has no condition."""

    choices: tuple[tuple[str, str], ...]

    def at(self, place: Place) -> str:
        """Return the morph at a place, ``""`` where the unit is silent there."""
        known = conditions(place)
        for morph, condition in self.choices:
            if not condition or condition in known:
                return "" if morph == SILENT else morph
        return ""

    def may_be_in(self, form: str) -> bool:
        """Say whether a form may have one of the morphs in it; a silent one always may."""
        return any(morph == SILENT or morph.strip("-") in form for morph, _ in self.choices)

    def __str__(self) -> str:
        return "; ".join(f"{morph} {condition}".strip() for morph, condition in self.choices)

    @staticmethod
    def parse(text: str) -> Alternatives:
        """Read alternatives back."""
        parts = (part.partition(" ") for part in text.split("; "))
        return Alternatives(tuple((morph, condition) for morph, _, condition in parts))


def conditions(place: Place) -> frozenset[str]:
    """Return every condition that holds at a place, as printed."""
    # Two features at once are too special: they would name single examples.
    found = {f"with {meaning}" for meaning in place.meanings if " with " not in meaning}
    if place.before is None or place.after is None:
        return frozenset(found)
    before, after = segments(place.before), segments(place.after)
    found |= {f"after {name}" for name in sounds_as(before[-1] if before else "#") if name}
    found |= {f"before {name}" for name in sounds_as(after[0] if after else "#") if name}
    vowel = next((segment for segment in reversed(before) if is_vowel(segment)), "")
    found |= {f"after a last vowel {name}" for name in sounds_as(vowel) if name and vowel}
    return frozenset(found)


def first_conditions(seen: Sequence[tuple[str, Place]]) -> frozenset[str]:
    """Return the conditions, equally good, one of which comes first in a unit's alternatives."""
    default = _most_common(morph for morph, _ in seen)
    scored = _scored([(morph, conditions(place)) for morph, place in seen], default)
    best = min((one[:2] for one in scored), default=None)
    return frozenset(condition for gain, is_word, condition, _ in scored if (gain, is_word) == best)


def find_alternatives(
    seen: Sequence[tuple[str, Place]], shared: Mapping[str, int] | None = None
) -> Alternatives:
    """Return alternatives for what was seen of a unit: (morph or ``∅``, place).

    Greedy: the most frequent morph needs no condition; of the conditions for others the one that
    is right most often is taken first, a wrong one costing three right ones. It has to be right
    twice, or once where it is another feature of the meaning (a person, a tense). Of equally good
    ones a word's own role goes before other features, those before pronouns, and what most units
    may have (``shared``) before the rest: one rule for all adjectives.
    """
    default = _most_common(morph for morph, _ in seen)
    left = [(morph, conditions(place)) for morph, place in seen]
    choices: list[tuple[str, str]] = []
    while any(morph != default for morph, _ in left):
        best = _best_condition(left, default, shared or {})
        if best is None:
            break
        choices.append(best)
        left = [(morph, known) for morph, known in left if best[1] not in known]
    return Alternatives((*choices, (default, "")))


def _best_condition(
    left: Sequence[tuple[str, frozenset[str]]], default: str, shared: Mapping[str, int]
) -> tuple[str, str] | None:
    ranked = [
        (gain, is_word, _rank(condition), -shared.get(condition, 0), len(condition),
         condition, morph)
        for gain, is_word, condition, morph in _scored(left, default)
    ]  # fmt: skip
    if not ranked:
        return None
    *_, condition, morph = min(ranked)
    return morph, condition


def _rank(condition: str) -> int:
    """Return how natural a condition is: first a word's own role, last which person is meant."""
    if " as " in condition:
        return 0
    return 2 if is_person(condition.removeprefix("with ").partition(" (")[0]) else 1


def _scored(
    left: Sequence[tuple[str, frozenset[str]]], default: str
) -> list[tuple[int, bool, str, str]]:
    """Return (minus gain, whether it names a word, condition, morph) of what is good enough.

    A word gains one less than it rights: it may be the word of two examples by chance.
    """
    met: Counter[str] = Counter()
    hits: Counter[tuple[str, str]] = Counter()
    for morph, known in left:
        met.update(known)
        hits.update((morph, condition) for condition in known if morph != default)
    scored = []
    for (morph, condition), n in hits.items():
        gain = n - _WRONG_COST * (met[condition] - n)
        is_feature = condition.startswith("with ") and "“" not in condition
        if gain >= (1 if is_feature and len(left) > _ENOUGH_TO_EXCEPT else 2):
            is_word = condition.startswith("with ") and not is_feature
            scored.append((is_word - gain, is_word, condition, morph))
    return scored


def _most_common(values: Iterable[str]) -> str:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))
