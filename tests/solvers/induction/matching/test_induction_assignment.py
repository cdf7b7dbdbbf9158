from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from iolai.solvers.induction.matching.assignment import heaviest_assignment


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_as_heavy_as_the_best_of_all_orders(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(10):
        weights = rng.normal(size=(n, n))
        found = heaviest_assignment(weights)
        assert sorted(found) == list(range(n))
        best = max(sum(weights[i, p[i]] for i in range(n)) for p in permutations(range(n)))
        assert weights[np.arange(n), found].sum() == pytest.approx(best)


def test_ties_still_give_each_column_once() -> None:
    assert sorted(heaviest_assignment(np.zeros((5, 5)))) == [0, 1, 2, 3, 4]
