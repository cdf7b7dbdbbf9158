"""Searching for the assignment of forms to glosses under which what they share goes together best.

The objective: for each trait of the glosses the morph that goes with it best, by the surprise of
their overlap (a hypergeometric tail), and for each morph its best trait. It is climbed by
population annealing (Hukushima and Iba 2003): many assignments change by swaps while it cools, and
are drawn anew by their scores; the best of them are then climbed by all swaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.base import Budget

__all__ = ["MOVES_OF_A_ROUND", "N_REPLICAS", "Association", "Evidence", "search", "surprise"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

#: Assignments that are annealed together.
N_REPLICAS = 64
#: Moves of each between two draws.
MOVES_OF_A_ROUND = 50
#: Heats in nats of surprise, from the first to the last.
_HOT, _COLD = 2.0, 0.5
_N_CLIMBED = 4


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of n forms and n glosses.

    ``morphs`` (n, p) and ``traits`` (n, q) say what has what, as 0 and 1, with weights (p,) and
    (q,); ``linear`` (n, n) is what a pair speaks for itself; the first ``n_fixed`` forms belong to
    the glosses of the same places.
    """

    morphs: Floats
    traits: Floats
    morph_weights: Floats
    trait_weights: Floats
    linear: Floats
    n_fixed: int = 0

    @property
    def weights(self) -> Floats:
        """Weights of each morph with each trait, (p, q)."""
        return np.outer(self.morph_weights, self.trait_weights)

    def morph_shares(self, both_ways: float) -> Floats:
        """Weights (p,) of the morphs' own best traits, together ``both_ways`` times the traits'."""
        total = float(self.morph_weights.sum()) or 1.0
        return np.full(len(self.morph_weights), both_ways * len(self.trait_weights) / total)


def surprise(n: int, size: int, other_size: int) -> Floats:
    """Return, for each overlap 0..n of two subsets of n things, minus the log of its tail chance.

    Overlaps at or below what is expected by chance surprise by 0.
    """
    low, high = max(0, size + other_size - n), min(size, other_size)
    out = np.zeros(n + 1)
    tail = 0.0
    for k in range(high, low - 1, -1):
        chance = _choose(size, k) + _choose(n - size, other_size - k) - _choose(n, other_size)
        tail += exp(chance)
        if k * n > size * other_size:
            out[k] = -log(min(1.0, tail))
    out[high + 1 :] = out[high]
    return out


def _choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


class Association:
    """The objective for hard assignments, and what a swap adds to it."""

    def __init__(self, evidence: Evidence, both_ways: float) -> None:
        n = len(evidence.morphs)
        self._morphs = evidence.morphs.astype(np.intp)
        self._traits = evidence.traits.astype(np.intp)
        sizes, other_sizes = self._morphs.sum(0), self._traits.sum(0)
        known = {(a, b): surprise(n, int(a), int(b)) for a in sizes for b in other_sizes}
        table = np.zeros((len(sizes), len(other_sizes), n + 1))
        for (row, a), (column, b) in (
            (one, other) for one in enumerate(sizes) for other in enumerate(other_sizes)
        ):
            table[row, column] = known[a, b]
        self._flat = (table * evidence.weights[:, :, None]).reshape(-1)
        self._singles = self._flat.astype(np.float32)  # half the memory to look up in
        self._offsets = np.arange(table[:, :, 0].size).reshape(table.shape[:2]) * (n + 1)
        self._shares = evidence.morph_shares(both_ways)
        self._linear = evidence.linear
        self._n_fixed = evidence.n_fixed

    def values(self, gloss_of: Places) -> Floats:
        """Return the weighted surprise of each morph with each trait, (p, q)."""
        found: Floats = self._flat[self._offsets + self._morphs.T @ self._traits[gloss_of]]
        return found

    def cells(self, overlap: Places) -> Places:
        """Return the places in the flat table of values of overlaps (p, q, replicas)."""
        return self._offsets[:, :, None] + overlap

    def summed(self, cells: Places) -> Floats:
        """Return the objective less the linear term, (replicas,), of places (p, q, replicas)."""
        values = self._singles.take(cells)
        found: Floats = values.max(0).sum(0) + self._shares @ values.max(1).astype(np.float64)
        return found

    def score(self, gloss_of: Places) -> float:
        """Return the objective for an assignment (form -> gloss), in weighted nats."""
        straight = self._linear[np.arange(len(gloss_of)), gloss_of].sum()
        return self._sum(self.values(gloss_of)) + float(straight)

    def climbed(self, gloss_of: Places) -> tuple[float, Places]:
        """Swap glosses as long as any swap adds to the score; return the score and the end."""
        gloss_of = gloss_of.copy()
        score = self.score(gloss_of)
        while True:
            overlap = self._morphs.T @ self._traits[gloss_of]
            best = self._sum(self._flat[self._offsets + overlap]) + 1e-9
            pair = (0, 0)
            for i, k in self._pairs(len(gloss_of)):
                after = self._after(gloss_of, overlap, i, k)
                if after > best:
                    best, pair = after, (i, k)
            if pair == (0, 0):
                return score, gloss_of
            i, k = pair
            gloss_of[i], gloss_of[k] = gloss_of[k], gloss_of[i]
            score = self.score(gloss_of)

    def _pairs(self, n: int) -> Iterator[tuple[int, int]]:
        return ((i, k) for i in range(self._n_fixed, n) for k in range(self._n_fixed, i))

    def _after(self, gloss_of: Places, overlap: NDArray[np.intp], i: int, k: int) -> float:
        """Return the score after a swap, less the linear term of all as they stand."""
        p, q = gloss_of[i], gloss_of[k]
        change = np.outer(self._morphs[i] - self._morphs[k], self._traits[q] - self._traits[p])
        linear = self._linear
        straight = linear[i, q] + linear[k, p] - linear[i, p] - linear[k, q]
        return self._sum(self._flat[self._offsets + overlap + change]) + float(straight)

    def _sum(self, values: Floats) -> float:
        if not values.size:
            return 0.0
        return float(values.max(0).sum() + self._shares @ values.max(1))


class _Population:
    """Assignments that change by swaps while it cools, and are drawn anew now and then.

    All replicas move at once; the last axis of every array is the replica, which numpy goes
    through fastest. ``cells`` are places in the flat table of values, (p, q, r).
    """

    def __init__(self, evidence: Evidence, both_ways: float, rng: np.random.Generator) -> None:
        self._objective = Association(evidence, both_ways)
        self._rng = rng
        self._morphs, self._traits = (
            evidence.morphs.astype(np.intp),
            evidence.traits.astype(np.intp),
        )
        self._linear = evidence.linear
        self._n_fixed = evidence.n_fixed
        n = len(evidence.morphs)
        free = np.arange(evidence.n_fixed, n)
        kept = np.tile(np.arange(evidence.n_fixed), (N_REPLICAS, 1))
        drawn = np.array([rng.permutation(free) for _ in range(N_REPLICAS)])
        self.gloss_of = np.concatenate([kept, drawn], axis=1).astype(np.intp)
        overlap = np.einsum("np,rnq->pqr", self._morphs, self._traits[self.gloss_of])
        self._cells = np.ascontiguousarray(self._objective.cells(overlap))
        self._after = np.empty_like(self._cells)
        straight = self._linear[np.arange(n), self.gloss_of].sum(1)
        self._sums = self._objective.summed(self._cells)
        self.scores = self._sums + straight
        self.best, self.best_scores = self.gloss_of.copy(), self.scores.copy()

    def move(self, heat: float) -> None:
        """Propose a swap to each replica, and take it by the rule of Metropolis (1953)."""
        n, rows = self.gloss_of.shape[1], np.arange(N_REPLICAS)
        n_free = n - self._n_fixed
        one = self._rng.integers(0, n_free, N_REPLICAS)
        other = (one + self._rng.integers(1, n_free, N_REPLICAS)) % n_free + self._n_fixed
        one = one + self._n_fixed
        p, q = self.gloss_of[rows, one], self.gloss_of[rows, other]
        morphs = (self._morphs[one] - self._morphs[other]).T
        traits = (self._traits[q] - self._traits[p]).T
        np.multiply(morphs[:, None], traits[None], out=self._after)
        self._after += self._cells
        linear = self._linear
        straight = linear[one, q] + linear[other, p] - linear[one, p] - linear[other, q]
        sums = self._objective.summed(self._after)
        gain = sums - self._sums + straight
        taken = np.log(self._rng.random(N_REPLICAS) + 1e-300) * heat < gain
        np.copyto(self._cells, self._after, where=taken)
        rows = rows[taken]
        self.gloss_of[rows, one[taken]], self.gloss_of[rows, other[taken]] = q[taken], p[taken]
        self.scores[rows] += gain[taken]
        self._sums[rows] = sums[taken]
        better = self.scores > self.best_scores
        self.best_scores[better] = self.scores[better]
        self.best[better] = self.gloss_of[better]

    def draw(self, heat: float, next_heat: float) -> None:
        """Draw the replicas anew, as the next heat weighs them against this one."""
        weights = np.exp((self.scores - self.scores.max()) * (1 / next_heat - 1 / heat))
        steps = (self._rng.random() + np.arange(N_REPLICAS)) / N_REPLICAS
        chosen = np.searchsorted(np.cumsum(weights) / weights.sum(), steps).clip(0, N_REPLICAS - 1)
        self.gloss_of, self.scores = self.gloss_of[chosen], self.scores[chosen]
        self._sums = self._sums[chosen]
        self._cells = np.ascontiguousarray(self._cells[:, :, chosen])


def search(
    evidence: Evidence, both_ways: float, rng: np.random.Generator, n_moves: int, budget: Budget
) -> dict[tuple[int, ...], float]:
    """Return the assignments found (form -> gloss) with their scores."""
    population = _Population(evidence, both_ways, rng)
    objective = Association(evidence, both_ways)
    n_rounds = max(1, n_moves // MOVES_OF_A_ROUND)
    heats = [_HOT * (_COLD / _HOT) ** (k / n_rounds) for k in range(n_rounds + 1)]
    for heat, next_heat in pairwise(heats):
        for _ in range(MOVES_OF_A_ROUND):
            population.move(heat)
        population.draw(heat, next_heat)
        if budget.seconds_left <= 0:
            break
    found = {
        tuple(int(gloss) for gloss in gloss_of): float(score)
        for gloss_of, score in zip(population.best, population.best_scores, strict=True)
    }
    for key in sorted(found, key=lambda key: (-found[key], key))[:_N_CLIMBED]:
        score, climbed = objective.climbed(np.array(key))
        found[tuple(int(gloss) for gloss in climbed)] = score
    return found
