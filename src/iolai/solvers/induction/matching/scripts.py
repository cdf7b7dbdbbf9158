"""Words in two scripts: which letters stand for which, learnt together with which word is which.

A pair of words fits as well as its letters at like places (counted from both ends) do; letters fit
as well as they meet in the pairs taken so far. The two are estimated in turn from many starts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.base import Budget
from iolai.solvers.induction.matching.assignment import heaviest_assignment
from iolai.solvers.induction.segments import decomposed

__all__ = ["Letters"]

Floats = NDArray[np.float64]

_WIDTH = 0.12
_SMOOTH = 0.15
_N_TURNS = 25
_FAR = 1e3


class Letters:
    """Two lists of the same number of words; ``search`` gives assignments with their scores.

    The first ``n_fixed`` words belong together as they stand.
    """

    def __init__(self, forms: Sequence[str], glosses: Sequence[str], n_fixed: int = 0) -> None:
        words, others = [_letters(w) for w in forms], [_letters(w) for w in glosses]
        self.signs = sorted({letter for word in words for letter in word})
        self.letters = sorted({letter for word in others for letter in word})
        first, second = _places(words, self.signs), _places(others, self.letters)
        grid = np.linspace(0.0, 1.0, 21)
        near = np.exp(-((grid[:, None] - grid[None, :]) ** 2) / (2 * _WIDTH**2))
        self._meetings: Floats = np.einsum("isx,xy,jly->ijsl", first, near, second, optimize=True)
        totals = self._meetings.sum((2, 3), keepdims=True)
        self._meetings /= np.where(totals > 0, totals, 1.0)
        self._held = np.zeros(self._meetings.shape[:2])
        self._held[:n_fixed, :] = self._held[:, :n_fixed] = -_FAR
        self._held[np.arange(n_fixed), np.arange(n_fixed)] = _FAR
        lengths = [np.array([len(word) for word in side], float) for side in (words, others)]
        self._lengths = lengths[0] - lengths[0].mean(), lengths[1] - lengths[1].mean()

    def search(
        self, rng: np.random.Generator, n_starts: int, budget: Budget
    ) -> dict[tuple[int, ...], float]:
        """Return the assignments reached (word -> word) with the log odds of their letters."""
        found: dict[tuple[int, ...], float] = {}
        n = len(self._meetings)
        spread = [float(side.std()) or 1.0 for side in self._lengths]
        like = np.outer(self._lengths[0] / spread[0], self._lengths[1] / spread[1])
        for _ in range(n_starts):
            gloss_of = heaviest_assignment(self._held + like + rng.normal(size=(n, n)))
            for turn in range(_N_TURNS):
                fit = self.fit(gloss_of)
                noise = rng.normal(size=(n, n)) * fit.std() * (0.9 ** (turn + 1))
                after = heaviest_assignment(
                    self._held + fit + (noise if turn < _N_TURNS - 8 else 0.0)
                )
                if turn > _N_TURNS - 8 and (after == gloss_of).all():
                    break
                gloss_of = after
            score = float(self.fit(gloss_of)[np.arange(n), gloss_of].sum())
            found[tuple(int(gloss) for gloss in gloss_of)] = score
            if budget.seconds_left <= 0:
                break
        return found

    def odds(self, gloss_of: NDArray[np.intp]) -> Floats:
        """Return the log odds of each sign with each letter, (signs, letters), given pairs."""
        met = self._meetings[np.arange(len(gloss_of)), gloss_of].sum(0) + 1e-4
        by_chance = np.outer(met.sum(1), met.sum(0)) / met.sum()
        odds: Floats = np.log((met + _SMOOTH * by_chance) / (by_chance * (1 + _SMOOTH)))
        return odds

    def fit(self, gloss_of: NDArray[np.intp]) -> Floats:
        """Return how well each pair of words fits the letters of the pairs given, (n, n)."""
        out: Floats = np.einsum("ijsl,sl->ij", self._meetings, self.odds(gloss_of))
        return out


def _letters(word: str) -> tuple[str, ...]:
    return tuple(part for part in decomposed(word.lower()) if part.isalpha() or ord(part) > 767)


def _places(words: Sequence[tuple[str, ...]], alphabet: Sequence[str]) -> Floats:
    """Return where each word has each letter: (words, letters, 21 places from start to end)."""
    index = {letter: place for place, letter in enumerate(alphabet)}
    out = np.zeros((len(words), len(alphabet), 21))
    for row, word in enumerate(words):
        for place, letter in enumerate(word):
            relative = place / (len(word) - 1) if len(word) > 1 else 0.5
            out[row, index[letter], round(20 * relative)] += 1.0
    return out
