"""Searching for the assignment of forms to glosses under which what they share goes together best.

The objective: for each trait of the glosses the morph that goes with it best, by the surprise of
their overlap (a hypergeometric tail), and for each morph its best trait. It is climbed by graduated
assignment (Gold and Rangarajan 1996): soft assignments made doubly stochastic (Sinkhorn 1964)
follow the gradient of a smooth objective while they harden, many at once from random starts; then
by swaps; then again from starts that keep a part of the best assignments found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.base import Budget
from iolai.solvers.induction.matching.assignment import heaviest_assignment

__all__ = ["WORK_OF_A_ROUND", "Association", "Evidence", "search", "surprise"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Places = NDArray[np.intp]

_N_STARTS = 64
_N_STEPS = 36
_N_KEPT = 4
_HOT, _COLD = 1.0, 0.1
_FIXED = 30.0
#: How many soft assignments are moved in a round, times the moves of each.
WORK_OF_A_ROUND = _N_STARTS * _N_STEPS


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
        self._offsets = np.arange(table[:, :, 0].size).reshape(table.shape[:2]) * (n + 1)
        self._shares = evidence.morph_shares(both_ways)
        self._linear = evidence.linear
        self._n_fixed = evidence.n_fixed

    def values(self, gloss_of: Places) -> Floats:
        """Return the weighted surprise of each morph with each trait, (p, q)."""
        found: Floats = self._flat[self._offsets + self._morphs.T @ self._traits[gloss_of]]
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


class _Graduated:
    """Soft assignments (r, n, n) that follow the gradient while the temperature falls."""

    def __init__(self, evidence: Evidence, both_ways: float) -> None:
        n = len(evidence.morphs)
        sizes, other_sizes = evidence.morphs.sum(0), evidence.traits.sum(0)
        self._morphs = evidence.morphs.astype(np.float32)
        self._traits = evidence.traits.astype(np.float32)
        self._linear = evidence.linear.astype(np.float32)
        self._expected = (np.outer(sizes, other_sizes) / n).astype(np.float32)
        uneven = np.outer(n - sizes, n - other_sizes) / (n * max(1, n - 1))
        spread = np.outer(sizes, other_sizes) / n * uneven
        self._spread = np.sqrt(np.maximum(spread, 1e-6)).astype(np.float32)
        self._weights = evidence.weights.astype(np.float32)
        self._shares = evidence.morph_shares(both_ways)[:, None].astype(np.float32)
        fixed = np.arange(evidence.n_fixed)
        self._held = np.zeros((n, n), np.float32)
        self._held[fixed, :] = self._held[:, fixed] = -_FIXED
        self._held[fixed, fixed] = _FIXED

    def harden(self, logits: Floats) -> Singles:
        """Return what starts (r, n, n) become, each row and column near a single 1."""
        soft = _doubly_stochastic(logits.astype(np.float32) + self._held, 12)
        for step in range(_N_STEPS):
            heat = _HOT * (_COLD / _HOT) ** (step / (_N_STEPS - 1))
            target = _doubly_stochastic(self._gradient(soft) / heat + self._held, 6)
            soft = 0.5 * soft + 0.5 * target
        return soft

    def _gradient(self, soft: Singles) -> Singles:
        overlap = self._morphs.T @ soft @ self._traits
        excess = np.maximum(0.0, (overlap - self._expected) / self._spread)
        value = self._weights * excess**2 / 2
        by_trait = np.exp(value - value.max(1, keepdims=True))
        by_trait /= by_trait.sum(1, keepdims=True)
        by_morph = np.exp(value - value.max(2, keepdims=True))
        by_morph /= by_morph.sum(2, keepdims=True)
        slope = self._weights * excess / self._spread * (by_trait + self._shares * by_morph)
        gradient: Singles = self._morphs @ slope @ self._traits.T + self._linear
        gradient = gradient - gradient.mean(1, keepdims=True)
        gradient -= gradient.mean(2, keepdims=True)
        gradient /= gradient.std((1, 2), keepdims=True) + 1e-9
        return gradient


def _doubly_stochastic(logits: Singles, n_rounds: int) -> Singles:
    """Return matrices whose rows and columns sum to 1, nearly."""
    out: Singles = np.exp(logits - logits.max((1, 2), keepdims=True)) + np.float32(1e-12)
    for _ in range(n_rounds):
        out /= out.sum(2, keepdims=True)
        out /= out.sum(1, keepdims=True)
    return out


def search(
    evidence: Evidence, both_ways: float, rng: np.random.Generator, n_rounds: int, budget: Budget
) -> dict[tuple[int, ...], float]:
    """Return the assignments found (form -> gloss) with their scores."""
    objective = Association(evidence, both_ways)
    graduated = _Graduated(evidence, both_ways)
    n = len(evidence.morphs)
    found: dict[tuple[int, ...], float] = {}
    logits = rng.normal(size=(_N_STARTS, n, n))
    for _ in range(n_rounds):
        for soft in graduated.harden(logits):
            gloss_of = heaviest_assignment(soft.astype(np.float64))
            key = tuple(int(gloss) for gloss in gloss_of)
            if key not in found:
                found[key] = objective.score(gloss_of)
        for key in _best(found, 2):
            score, climbed = objective.climbed(np.array(key))
            found[tuple(int(gloss) for gloss in climbed)] = score
        if budget.seconds_left <= 0:
            break
        logits = _kept_in_part(_best(found, _N_KEPT), n, rng)
    return found


def _best(found: dict[tuple[int, ...], float], n: int) -> list[tuple[int, ...]]:
    return sorted(found, key=lambda key: (-found[key], key))[:n]


def _kept_in_part(best: list[tuple[int, ...]], n: int, rng: np.random.Generator) -> Floats:
    """Return starts that hold on to a random part of one of the best assignments each."""
    logits = 0.5 * rng.normal(size=(_N_STARTS, n, n))
    for start in range(_N_STARTS):
        gloss_of = np.array(best[start % len(best)])
        kept = np.flatnonzero(rng.random(n) < rng.choice([0.3, 0.5, 0.7]))
        logits[start, kept, gloss_of[kept]] += 3.0
    return logits
