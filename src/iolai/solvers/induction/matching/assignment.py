"""The assignment problem: one-to-one pairs of greatest total weight (Jonker and Volgenant 1987)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_assignment"]

Floats = NDArray[np.float64]


def best_assignment(weights: Floats) -> NDArray[np.intp]:
    """Return for each row the column of the assignment with the greatest sum.

    ``weights`` has at most as many rows as columns. Shortest augmenting paths, O(n^3).
    """
    n, m = weights.shape
    if n > m:
        raise ValueError("more rows than columns")
    cost = weights.max() - weights if weights.size else weights
    row_price, column_price = np.zeros(n + 1), np.zeros(m + 1)
    row_of = np.zeros(m + 1, dtype=np.intp)
    for row in range(1, n + 1):
        row_of[0] = row
        column = 0
        least = np.full(m + 1, np.inf)
        previous = np.zeros(m + 1, dtype=np.intp)
        used = np.zeros(m + 1, dtype=bool)
        while True:
            used[column] = True
            here = row_of[column]
            reduced = cost[here - 1] - row_price[here] - column_price[1:]
            better = ~used[1:] & (reduced < least[1:])
            least[1:][better] = reduced[better]
            previous[1:][better] = column
            following = int(np.where(used[1:], np.inf, least[1:]).argmin()) + 1
            step = least[following]
            row_price[row_of[used]] += step
            column_price[used] -= step
            least[~used] -= step
            column = following
            if row_of[column] == 0:
                break
        while column:
            row_of[column] = row_of[previous[column]]
            column = int(previous[column])
    columns = np.zeros(n, dtype=np.intp)
    for column in range(1, m + 1):
        if row_of[column]:
            columns[row_of[column] - 1] = column - 1
    return columns
