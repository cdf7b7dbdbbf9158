"""Cells: figures, differences and intervals against their definitions, and what they lack named."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from iolai.records import Condition, ItemScore, Outcome
from iolai.stats import sign_flip_test
from iolai.study.comparing import Resampler, expanded_interval, interval_note, plain_scores
from iolai.study.material import Material
from iolai.study.outcomes import Grid, task_grid

RESAMPLER = Resampler(0.90, 4000, 0)


def outcome(model: str, task: str, em: float, points: float = 1.0) -> Outcome:
    items = (ItemScore("x", em, min(1.0, em + 0.2)),)
    return Outcome(model, Condition(), 0, "p", task, items, points=points)


def grid(*rows: tuple[str, list[float]], points: list[float] | None = None) -> Grid:
    return task_grid(
        [
            outcome(model, f"t{n}", em, points[n] if points else 1.0)
            for model, values in rows
            for n, em in enumerate(values)
        ]
    )


def test_the_expanded_interval_reaches_as_far_as_t() -> None:
    resampled = np.random.default_rng(0).normal(0, 1, 400_000)
    for n, t in ((5, 2.1318), (10, 1.8331), (40, 1.6849)):  # 95% points of t, from a table
        interval = expanded_interval(resampled, n, level=0.90, seed=0)
        assert interval.high == pytest.approx(t * math.sqrt(n / (n - 1)), rel=0.02)
        assert interval.low == pytest.approx(-interval.high, rel=0.02)
        assert interval.level == 0.90
    many = expanded_interval(resampled, 1e7, level=0.95, seed=0)
    assert many.high == pytest.approx(NormalDist().inv_cdf(0.975), rel=0.02)


def test_all_points_on_one_task_span_all_that_was_resampled() -> None:
    resampled = np.array([0.1, 0.5, 0.9])
    for n in (1.0, 1 + 1e-12):
        interval = expanded_interval(resampled, n, level=0.90, seed=0)
        assert (interval.low, interval.high) == pytest.approx((0.1, 0.9))


def test_a_figure_is_weighted_by_points_and_leaves_out_tasks_without_any() -> None:
    table = grid(("m", [1.0, 0.0, 0.5]), points=[3.0, 1.0, 0.0])
    cell = RESAMPLER.figure(table, "m", "exact_match")
    assert (cell.value, cell.n) == (0.75, 2)
    em, chrf = 0.75, (3 * 1.0 + 0.2) / 4
    assert RESAMPLER.figure(table, "m").value == pytest.approx(math.sqrt(em * chrf))
    assert plain_scores(table)["m"] == pytest.approx(math.sqrt(em * chrf))


def test_an_interval_stays_within_the_figures_range() -> None:
    cell = RESAMPLER.figure(grid(("m", [1.0, 1.0, 0.0, 1.0, 0.0])), "m", "exact_match")
    assert cell.interval is not None
    assert 0 <= cell.interval.low <= cell.interval.high <= 1


@pytest.mark.parametrize("n", range(1, 8))
def test_fewer_than_five_units_have_no_interval(n: int) -> None:
    values = [float(place % 2) for place in range(n)]
    cells = (
        RESAMPLER.figure(grid(("m", values)), "m", "exact_match"),
        RESAMPLER.mean(values),
        RESAMPLER.tested([value + 0.5 for value in values]),
    )
    assert {cell.interval is not None for cell in cells} == {n >= 5}
    assert "none of fewer than 5" in interval_note(Material())


def test_what_cannot_be_worked_out_is_named() -> None:
    table = grid(("m", [0.5]), ("n", [0.5, 0.1]))
    assert RESAMPLER.figure(table, "gone").reason == "no outcome"
    assert RESAMPLER.figure(table, "m").interval is None
    assert RESAMPLER.difference(table, "m", "n").reason == "one task in common"
    assert RESAMPLER.difference(table, "m", "gone").reason == "no outcome of gone"
    apart = task_grid([outcome("m", "t1", 1.0), outcome("n", "t2", 1.0)])
    assert RESAMPLER.difference(apart, "m", "n").reason == "no task in common"
    pointless = grid(("m", [0.5]), points=[0.0])
    assert RESAMPLER.figure(pointless, "m").reason == "no task with points"
    assert plain_scores(pointless) == {"m": 0.0}
    assert RESAMPLER.mean([]).reason == "nothing to average"
    assert RESAMPLER.mean([0.5]).interval is None


def test_a_difference_is_paired_over_common_tasks() -> None:
    one, other = [0.9, 0.4, 0.8, 0.7, 0.6], [0.5, 0.3, 0.6, 0.4, 0.5]
    table = task_grid(
        [
            *(outcome("m", f"t{n}", em) for n, em in enumerate(one)),
            *(outcome("n", f"t{n}", em) for n, em in enumerate(other)),
            outcome("m", "only", 0.0),
        ]
    )
    cell = RESAMPLER.difference(table, "m", "n", "exact_match")
    assert cell.value == pytest.approx(np.mean(np.subtract(one, other)))
    assert (cell.n, cell.n_seeds) == (5, 1)
    assert cell.p == 2 / 32  # all five differences have one sign
    back = RESAMPLER.difference(table, "n", "m", "exact_match")
    assert back.value == pytest.approx(-float(cell.value or 0))
    assert back.p == cell.p


def test_a_tested_mean_has_the_sign_flips_p() -> None:
    values = [0.1, 0.3, -0.05, 0.2]
    cell = RESAMPLER.tested(values, n_seeds=2)
    test = sign_flip_test(values)
    assert cell.p == getattr(test, "p", None)
    assert cell.value == pytest.approx(0.1375)
    assert RESAMPLER.tested([0.4]).p is None
