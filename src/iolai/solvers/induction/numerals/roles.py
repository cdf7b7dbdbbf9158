"""Which morphs of number names are no numbers, and what else they may be: the likeliest first.

A morph that always stands inside a name may join; one that never stands alone may say nothing, and
one that is never last may take what follows it from a whole. Every other morph is a number.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from iolai.solvers.induction.numerals.valuation import (
    IDLE,
    MINUS,
    PLUS,
    TIMES,
    short_of,
    toward,
)

__all__ = ["Roles", "role_patterns"]

#: The codes that each morph without a number may have.
Roles = dict[str, tuple[int, ...]]

_STEPS = (0, 4, 5, 6, 8, 10, 12, 15, 20)
_WHOLES = (5, 6, 8, 10, 12, 15, 20)
_MAX_OPEN = 6
_MIN_NAMES = 3
#: Neighbours on both sides that make a link of a morph.
_MANY = 3
_NUMBER: tuple[int, ...] = ()
_TOWARD = tuple(toward(step) for step in _STEPS)
_SHORT = tuple(short_of(whole) for whole in _WHOLES)


@dataclass(frozen=True, slots=True)
class _Standing:
    """Where a morph stands: how often, whether ever first, last, alone; bound to what follows."""

    n: int
    first: bool
    last: bool
    alone: bool
    bound: bool
    n_before: int
    n_after: int


def role_patterns(names: Sequence[tuple[str, ...]], limit: int) -> Iterator[Roles]:
    """Yield up to ``limit`` ways to give roles to morphs, the likeliest first."""
    standings = _standings(list(dict.fromkeys(names)))
    opens = [m for m, where in standings.items() if not where.alone and where.n >= _MIN_NAMES]
    opens.sort(key=lambda m: (-_likeness(standings[m]), m))
    opens = opens[:_MAX_OPEN]
    options = [_options(standings[m]) for m in opens]
    for chosen in _cheapest(options, limit):
        yield {
            morph: option[place][1]
            for morph, option, place in zip(opens, options, chosen, strict=True)
            if option[place][1]
        }


def _standings(names: Sequence[tuple[str, ...]]) -> dict[str, _Standing]:
    """Say of each morph, in order of appearance, where it stands; the names differ."""
    n_names = Counter(morph for name in names for morph in dict.fromkeys(name))
    first, last = {name[0] for name in names if name}, {name[-1] for name in names if name}
    alone = {name[0] for name in names if len(name) == 1}
    before: dict[str, set[str]] = defaultdict(set)
    after: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for one, other in pairwise(name):
            before[other].add(one)
            after[one].add(other)
    return {
        morph: _Standing(
            n,
            morph in first,
            morph in last,
            morph in alone,
            morph.endswith("-"),
            len(before[morph]),
            len(after[morph]),
        )
        for morph, n in n_names.items()
    }


def _likeness(where: _Standing) -> float:
    """How much a morph looks like a link: inside, often, among many neighbours."""
    inside = not where.first and not where.last
    return (4.0 if inside else 0.0) + where.n_before + where.n_after + 0.5 * where.n


def _options(where: _Standing) -> list[tuple[float, tuple[int, ...]]]:
    """Return (bits, codes) of the roles a morph may have, no codes where it is a number."""
    if not where.first and not where.last:
        joins = max(0.0, 3.0 - max(where.n_before, where.n_after)) + (1.0 if where.bound else 0.0)
        sure = 1.5 if min(where.n_before, where.n_after) >= _MANY else 0.0
        found = [(joins, (PLUS,)), (0.5 + sure, (IDLE,)), (1.0 + sure, _NUMBER)]
        found += [(1.5 + joins / 2, _TOWARD)]
        found += [(3.0 + joins / 2, (MINUS,)), (3.0 + joins / 2, (TIMES,))]
        return sorted(found, key=lambda option: option[0])
    if where.last:
        return [(0.0, _NUMBER), (3.0, (IDLE,))]
    if where.n_after == 1:
        return [(0.0, _NUMBER), (0.2, (IDLE,))]
    return [(0.0, _NUMBER), (0.7, (IDLE,)), (1.5, _SHORT)]


def _cheapest(
    options: Sequence[Sequence[tuple[float, tuple[int, ...]]]], limit: int
) -> Iterator[tuple[int, ...]]:
    """Yield choices, one of each list, by the sum of their bits."""
    start = (0,) * len(options)
    heap = [(sum(option[0][0] for option in options), start)]
    seen = {start}
    for _ in range(limit):
        if not heap:
            return
        _, chosen = heapq.heappop(heap)
        yield chosen
        for i, place in enumerate(chosen):
            later = (*chosen[:i], place + 1, *chosen[i + 1 :])
            if place + 1 < len(options[i]) and later not in seen:
                seen.add(later)
                bits = sum(o[p][0] for o, p in zip(options, later, strict=True))
                heapq.heappush(heap, (bits, later))
