"""Words aligned segment by segment, at costs learned from the pairs themselves.

Edit distance whose costs are re-estimated from its own alignments: hard EM, after Ristad and
Yianilos (1998), started from the costs of like and unlike kinds of segments.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from iolai.solvers.induction.segments import kind

__all__ = ["Costs", "Word", "align", "align_all"]

Word = tuple[str, ...]
_ROUNDS = 3
_INDEL = 1.2


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of turning one segment into another; ``""`` stands for none."""

    seen: dict[tuple[str, str], float] = field(default_factory=dict)

    def of(self, one: str, other: str) -> float:
        """Return the cost of one step."""
        known = self.seen.get((one, other))
        if known is not None:
            return known
        if one == other:
            return 0.0
        if not one or not other:
            return _INDEL
        return 1.0 if kind(one) == kind(other) else 2.2


def align(one: Word, other: Word, costs: Costs) -> list[tuple[str, str]]:
    """Return the cheapest alignment as pairs of segments, ``""`` where there is no partner."""
    table = _table(one, other, costs)
    pairs: list[tuple[str, str]] = []
    i, j = len(one), len(other)
    while i or j:
        _, di, dj = min(_steps(table, one, other, i, j, costs))
        pairs.append((one[i - 1] if di else "", other[j - 1] if dj else ""))
        i, j = i - di, j - dj
    return pairs[::-1]


def _table(one: Word, other: Word, costs: Costs) -> list[list[float]]:
    deletions = [costs.of(segment, "") for segment in one]
    insertions = [costs.of("", segment) for segment in other]
    row = [0.0]
    for cost in insertions:
        row.append(row[-1] + cost)
    table = [row]
    for i, segment in enumerate(one):
        above = table[-1]
        row = [above[0] + deletions[i]]
        for j, target in enumerate(other):
            best = above[j] + costs.of(segment, target)
            best = min(best, above[j + 1] + deletions[i], row[j] + insertions[j])
            row.append(best)
        table.append(row)
    return table


def _steps(
    table: list[list[float]], one: Word, other: Word, i: int, j: int, costs: Costs
) -> list[tuple[float, int, int]]:
    steps = []
    if i and j:
        steps.append((table[i - 1][j - 1] + costs.of(one[i - 1], other[j - 1]), 1, 1))
    if i:
        steps.append((table[i - 1][j] + costs.of(one[i - 1], ""), 1, 0))
    if j:
        steps.append((table[i][j - 1] + costs.of("", other[j - 1]), 0, 1))
    return steps


def align_all(words: Sequence[tuple[Word, Word]]) -> list[list[tuple[str, str]]]:
    """Align all pairs at costs that they teach together."""
    costs = Costs()
    alignments: list[list[tuple[str, str]]] = []
    for _ in range(_ROUNDS):
        alignments = [align(one, other, costs) for one, other in words]
        costs = _reestimated(alignments)
    return alignments


def _reestimated(alignments: Sequence[Sequence[tuple[str, str]]]) -> Costs:
    """Return costs from counts: a change that is frequent for its segment is cheap."""
    joint = Counter(pair for alignment in alignments for pair in alignment)
    left = Counter(one for alignment in alignments for one, _ in alignment)
    seen = {
        (one, other): min(2.0, -0.5 * math.log((count + 0.1) / (left[one] + 1.0)))
        for (one, other), count in joint.items()
        if one != other
    }
    return Costs(seen)
