"""Segmentations and roles of morphs in turn, each enumerated; the best lexicons of all."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2

from iolai.solvers.induction.numerals.equations import Fact
from iolai.solvers.induction.numerals.meter import Meter
from iolai.solvers.induction.numerals.roles import Roles, role_patterns
from iolai.solvers.induction.numerals.seeds import Seed, seeds, usable
from iolai.solvers.induction.numerals.words import Segmentation

__all__ = ["Explored", "explored"]

_N_PATTERNS = 120
_WIDTH, _OPEN_WIDTH = 800, 3000
_UNUSED_BITS = 14.0
_N_EACH = 2
#: The steps left once a plain lexicon is found, and those of one enumeration, as shares.
_SHARE_WHEN_FOUND, _RUN_SHARE = 0.25, 0.25
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
    top: int,
    meter: Meter,
) -> list[Explored]:
    """Return lexicons for some facts, the cheapest first, each once.

    ``names`` are all names of the sheet, ``top`` is what no name is worth more than.
    """
    steps = meter.left
    width = _OPEN_WIDTH if any(fact.equation is None for fact in facts) else _WIDTH
    found: dict[object, Explored] = {}
    is_found = False
    for segmentation, roles in _in_turn(options, names):
        if meter.is_spent:
            break
        share = meter.part(_RUN_SHARE * steps)
        made = seeds(facts, segmentation, roles, (width, top), share, _N_EACH)
        unused = len(facts) - len(usable(facts, segmentation))
        if not is_found and not unused and any(_is_plain(seed) for seed in made):
            is_found = True
            meter = meter.part(_SHARE_WHEN_FOUND * steps)
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
