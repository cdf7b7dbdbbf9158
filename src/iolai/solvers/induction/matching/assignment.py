"""The heaviest one-to-one assignment (Kuhn 1955, Munkres 1957; by shortest augmenting paths)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["heaviest_assignment"]

Floats = NDArray[np.float64]


def heaviest_assignment(weights: Floats) -> NDArray[np.intp]:
    """Return for each row the column it is given, so that the sum of weights is the greatest.

    ``weights`` is a square matrix of finite numbers; every column is given once.
    """
    n = len(weights)
    cost = -weights
    row_price, column_price = np.zeros(n + 1), np.zeros(n + 1)
    row_of = np.full(n + 1, n, dtype=np.intp)  # column -> row; n stands for none
    for row in range(n):
        _augment(cost, row, row_price, column_price, row_of)
    columns = np.empty(n, dtype=np.intp)
    columns[row_of[:n]] = np.arange(n)
    return columns


def _augment(
    cost: Floats, row: int, row_price: Floats, column_price: Floats, row_of: NDArray[np.intp]
) -> None:
    """Give one more row a column along the cheapest path; prices keep reduced costs above 0."""
    n = len(cost)
    row_of[n] = row
    column = n
    slack = np.full(n, np.inf)
    came_from = np.full(n, n, dtype=np.intp)
    used = np.zeros(n + 1, dtype=np.bool_)
    while row_of[column] != n:
        used[column] = True
        here = row_of[column]
        reduced = cost[here] - row_price[here] - column_price[:n]
        better = ~used[:n] & (reduced < slack)
        slack[better] = reduced[better]
        came_from[better] = column
        open_slack = np.where(used[:n], np.inf, slack)
        following = int(np.argmin(open_slack))
        step = open_slack[following]
        row_price[row_of[used]] += step
        column_price[used] -= step
        slack[~used[:n]] -= step
        column = following
    while column != n:
        row_of[column] = row_of[came_from[column]]
        column = int(came_from[column])
    row_of[n] = n
