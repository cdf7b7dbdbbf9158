"""Matching by association: pieces of forms and units of glosses that go together.

Under a matching, each piece and each unit co-occur some number of times; how surprising that is
(hypergeometric tail, the pair's own occurrence left out, so that nothing is evidence for itself) is
the strength of their link. A pair gains for each unit of its gloss the strongest link among the
pieces of its form. The sum is climbed by simulated annealing over exchanges of two glosses, from
several starts; the matchings found vote, the better ones more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.base import Budget
from iolai.solvers.induction.matching.features import form_pieces, gloss_units

__all__ = ["best_matching", "match_marginals"]

Floats = NDArray[np.float64]
Columns = NDArray[np.intp]
_STARTS = 5
_STEPS = 2500
_HOT, _COLD = 2.0, 0.15
_VOTE = 1.5
_HINT = 0.35


def match_marginals(forms: Sequence[str], glosses: Sequence[str], budget: Budget) -> Floats:
    """Return for each form the share of the vote that each gloss has; rows sum to one."""
    rng = np.random.default_rng(budget.seed)
    n = max(len(forms), len(glosses))
    objective = Association(forms, gloss_units(glosses), glosses)
    found: list[tuple[float, Columns]] = []
    for _ in range(_STARTS):
        if found and budget.seconds_left <= 0:
            break
        found.append(_anneal(objective, rng, budget))
    best = max(score for score, _ in found)
    votes = np.full((n, n), 1e-3)
    for score, columns in found:
        votes[np.arange(n), columns] += math.exp((score - best) / _VOTE)
    votes = votes[: len(forms), : len(glosses)]
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))


def best_matching(
    forms: Sequence[str], units: Sequence[set[str]], texts: Sequence[str], budget: Budget
) -> Columns:
    """Return for each form the place of the thing with these units that suits it best."""
    rng = np.random.default_rng(budget.seed)
    objective = Association(forms, units, texts)
    found = [_anneal(objective, rng, budget) for _ in range(2)]
    return max(found, key=lambda pair: pair[0])[1]


def _anneal(
    objective: Association, rng: np.random.Generator, budget: Budget
) -> tuple[float, Columns]:
    """Exchange glosses at falling temperature; returns the best matching met."""
    n = objective.n
    columns = rng.permutation(n)
    score = objective.score(columns)
    best, best_score = columns.copy(), score
    for step in range(_STEPS if n > 2 else 10):
        if step % 100 == 0 and budget.seconds_left <= 0:
            break
        heat = _HOT * (_COLD / _HOT) ** (step / _STEPS)
        i, j = rng.integers(n), rng.integers(n)
        if i == j:
            continue
        columns[[i, j]] = columns[[j, i]]
        changed = objective.score(columns)
        if changed >= score or rng.random() < math.exp((changed - score) / heat):
            score = changed
            if score > best_score:
                best, best_score = columns.copy(), score
        else:
            columns[[i, j]] = columns[[j, i]]
    return best_score, best


class Association:
    """The objective: how strongly the pieces of matched forms go with the units of glosses."""

    def __init__(
        self, forms: Sequence[str], units_of: Sequence[set[str]], glosses: Sequence[str]
    ) -> None:
        self.n = max(len(forms), len(glosses))
        pieces, weights = _patterns(form_pieces(forms), self.n, _piece_weight)
        units, _ = _patterns(units_of, self.n, lambda _: 1.0)
        self._pieces, self._units = pieces, units
        self._weights = weights[:, None]
        self._tails = _tails(self.n - 1)
        self._n_piece = (pieces.sum(axis=0) - 1).astype(np.intp)[:, None]
        self._n_unit = (units.sum(axis=0) - 1).astype(np.intp)[None, :]
        self._hints = _length_hints(forms, glosses, self.n)
        self._mask = np.where(pieces > 0, 0.0, -np.inf)[:, :, None]

    def score(self, columns: Columns) -> float:
        """Return the sum over all pairs of what their units gain."""
        chosen = self._units[columns]
        joint = self._pieces.T @ chosen
        rest = np.maximum(joint - 1, 0).astype(np.intp)
        strength = self._tails[self._n_piece, self._n_unit, rest] * self._weights
        strength = np.where(
            strength >= strength.max(axis=1, keepdims=True), strength, 0.3 * strength
        )
        gains = (self._pieces[:, :, None] * strength[None, :, :]).max(axis=1, initial=0.0)
        hints = self._hints[np.arange(self.n), columns].sum()
        return float((gains * chosen).sum() + _HINT * hints)


def _piece_weight(piece: str) -> float:
    """Return how likely a shared piece is a morpheme: longer ones are, and whole words."""
    letters = len(piece.strip("#"))
    edges = len(piece) - letters
    return 1.0 - math.exp(-(letters + 0.5 * edges) / 2.0)


def _patterns(sets: Sequence[set[str]], n: int, weigh: object) -> tuple[Floats, Floats]:
    """Return things by distinct patterns of features, and each pattern's greatest weight.

    Features that the same things have are one pattern; those of one thing only, or of all, say
    nothing and are left out.
    """
    assert callable(weigh)  # noqa: S101
    members: dict[str, list[int]] = {}
    for i, names in enumerate(sets):
        for name in names:
            members.setdefault(name, []).append(i)
    patterns: dict[tuple[int, ...], float] = {}
    for name, places in sorted(members.items()):
        if 1 < len(places) < len(sets):
            key = tuple(places)
            patterns[key] = max(patterns.get(key, 0.0), float(weigh(name)))
    matrix = np.zeros((n, max(1, len(patterns))))
    for k, places_of in enumerate(patterns):
        matrix[list(places_of), k] = 1.0
    weights = np.array(list(patterns.values()) or [0.0])
    return matrix, weights


def _tails(n: int) -> Floats:
    """Return -log P(X >= k) for a hypergeometric X, by both margins and k, for n things."""
    table = np.zeros((n + 2, n + 2, n + 2))
    for a in range(n + 1):
        for b in range(n + 1):
            total = math.comb(n, b)
            tail = 0.0
            for k in range(min(a, b), -1, -1):
                tail += math.comb(a, k) * math.comb(n - a, b - k) / total if b - k <= n - a else 0.0
                table[a, b, k] = -math.log(max(min(tail, 1.0), 1e-30))
    return table


def _length_hints(forms: Sequence[str], glosses: Sequence[str], n: int) -> Floats:
    """Return a weak preference of long forms for long glosses, by rank."""
    ranks = []
    for texts in (forms, glosses):
        sizes = np.array([len(text) + 4 * text.count(" ") for text in texts], dtype=float)
        ranks.append((sizes - sizes.mean()) / (sizes.std() + 1e-9))
    out = np.zeros((n, n))
    out[: len(forms), : len(glosses)] = np.outer(ranks[0], ranks[1]) / 2.0
    return out
