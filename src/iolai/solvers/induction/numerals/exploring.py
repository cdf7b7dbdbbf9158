"""Segmentations and roles of morphs in turn, each enumerated; the best lexicons of all."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2

from iolai.solvers.base import Budget
from iolai.solvers.induction.numerals.equations import Fact
from iolai.solvers.induction.numerals.roles import Roles, role_patterns
from iolai.solvers.induction.numerals.seeds import Seed, seeds, usable
from iolai.solvers.induction.numerals.words import Segmentation

__all__ = ["Explored", "explored"]

_N_PATTERNS = 120
_WIDTH, _OPEN_WIDTH = 800, 3000
_UNUSED_BITS = 14.0
_N_EACH = 2
#: What one enumeration costs beside the lexicons it tries.
_RUN_ROWS = 15_000
#: How many bits better a segmentation is of which twice as many roles are tried.
_DOUBLING_BITS = 20.0
#: What a morph of a lexicon without odd numbers costs at most, on the mean.
_PLAIN_BITS = 5.0


@dataclass(frozen=True, slots=True)
class Explored:
    """A lexicon with the segmentation it belongs to; ``bits`` is the cost of both."""

    bits: float
    seed: Seed
    segmentation: Segmentation


def explored(
    facts: Sequence[Fact],
    options: Sequence[Segmentation],
    names: Sequence[str],
    effort: tuple[int, int],
    budget: Budget,
) -> list[Explored]:
    """Return lexicons for some facts, the cheapest first, each once.

    ``names`` are all names of the sheet, ``effort`` is how many lexicons may be tried in all (what
    is found depends on no clock while there is time) and what no name is worth more than.
    """
    n_rows, top = effort
    width = _OPEN_WIDTH if any(fact.equation is None for fact in facts) else _WIDTH
    found: dict[object, Explored] = {}
    left_when_found = n_rows // 4
    for segmentation, roles in _in_turn(options, names):
        if n_rows <= 0 or budget.seconds_left <= 0:
            break
        made, spent = seeds(facts, segmentation, roles, (width, top), budget, _N_EACH)
        n_rows -= spent + _RUN_ROWS
        unused = len(facts) - len(usable(facts, segmentation))
        if not unused and any(_is_plain(seed) for seed in made):
            n_rows = min(n_rows, left_when_found)
        for seed in made:
            bits = seed.bits + segmentation.bits() + _UNUSED_BITS * unused
            key = (id(segmentation), frozenset(seed.lexicon.items()))
            if key not in found or bits < found[key].bits:
                found[key] = Explored(bits, seed, segmentation)
    return sorted(found.values(), key=lambda each: each.bits)


def _is_plain(seed: Seed) -> bool:
    """Say whether a lexicon explains everything without far-fetched numbers."""
    return seed.n_missed == 0 and seed.bits <= _PLAIN_BITS * len(seed.lexicon)


def _in_turn(
    options: Sequence[Segmentation], names: Sequence[str]
) -> Iterator[tuple[Segmentation, Roles]]:
    """Yield roles under each segmentation, the likeliest of the likeliest first."""
    bits = [option.bits() for option in options]
    walks = [
        role_patterns([option.morphs(name) for name in names], _N_PATTERNS) for option in options
    ]
    heap = [(cost - min(bits), at, 0) for at, cost in enumerate(bits)]
    heapq.heapify(heap)
    while heap:
        _, at, n = heapq.heappop(heap)
        roles = next(walks[at], None)
        if roles is not None:
            yield options[at], roles
            later = bits[at] - min(bits) + _DOUBLING_BITS * log2(n + 2)
            heapq.heappush(heap, (later, at, n + 1))
