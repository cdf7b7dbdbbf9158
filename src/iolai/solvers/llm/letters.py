"""Matching tasks: letters from log-probabilities, each used as often as the sheet allows.

A model asked for letters one after another repeats favourites and invents some. Here each item's
legal letters are scored, and one assignment is taken for all items together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.matching.assignment import heaviest_assignment

__all__ = ["assign_letters", "calibrated"]


def calibrated(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take each letter's own attraction out of the scores (n_items, n_options).

    A model prefers some letters whatever the item; the mean over the items of a letter's
    log-probability is that preference, and is subtracted (the mean over all put back).
    """
    preference: NDArray[np.float64] = scores.mean(axis=0, keepdims=True) - scores.mean()
    return scores - preference


def assign_letters(
    scores: NDArray[np.float64], options: Sequence[str], *, one_to_one: bool = True
) -> list[str]:
    """Return a letter for each item: the assignment with the greatest sum of log-probabilities.

    ``scores`` has the shape (n_items, n_options). Where there are more items than options, or
    ``one_to_one`` is false, each item gets its own best letter as far as needed: options are
    used as evenly as the counts allow.
    """
    n_items, n_options = scores.shape
    if not one_to_one:
        return [options[int(k)] for k in scores.argmax(axis=1)]
    copies = -(-n_items // n_options)
    wide = np.zeros((copies * n_options, copies * n_options))  # square: spare rows cost nothing
    wide[:n_items] = np.tile(scores, (1, copies))
    return [options[int(column) % n_options] for column in heaviest_assignment(wide)[:n_items]]
