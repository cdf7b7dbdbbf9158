"""Intervals and bands against plain references, and against what the words promise."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.stats import (
    Interval,
    NoInterval,
    bands,
    bootstrap,
    bootstrap_interval,
    geometric_mean,
    paired_difference,
    percentile_interval,
    percentile_intervals,
    resampled_scores,
    spans_zero,
    why_no_interval,
)

VALUES = [(0.5, 0.8), (0.0, 0.2), (1.0, 1.0), (0.25, 0.5)]
POINTS = [1.0, 2.0, 0.5, 3.0]


def _plain_resamples(
    values: list[tuple[float, float]], points: list[float], n_resamples: int, seed: int
) -> list[float]:
    """The definition, one draw at a time."""
    draws = np.random.default_rng(seed).integers(0, len(points), size=(n_resamples, len(points)))
    scores = []
    for draw in draws:
        weight = sum(points[task] for task in draw)
        em = sum(points[task] * values[task][0] for task in draw) / weight
        chrf = sum(points[task] * values[task][1] for task in draw) / weight
        scores.append(math.sqrt(em * chrf))
    return scores


def test_resampled_scores_equal_the_plain_definition() -> None:
    plain = _plain_resamples(VALUES, POINTS, 200, seed=7)
    fast = resampled_scores([VALUES], POINTS, geometric_mean, n_resamples=200, seed=7)
    assert fast.shape == (200, 1)
    np.testing.assert_allclose(fast[:, 0], plain, rtol=0, atol=1e-12)


def test_tasks_without_points_are_not_drawn() -> None:
    with_zero = [*VALUES, (1.0, 1.0)]
    expected = bootstrap_interval(VALUES, POINTS, n_resamples=500, seed=3)
    assert bootstrap_interval(with_zero, [*POINTS, 0.0], n_resamples=500, seed=3) == expected


def test_interval_holds_the_middle_of_the_resamples() -> None:
    plain = sorted(_plain_resamples(VALUES, POINTS, 1000, seed=1))
    interval = bootstrap_interval(VALUES, POINTS, level=0.8, n_resamples=1000, seed=1)
    assert isinstance(interval, Interval)
    assert plain[98] <= interval.low <= plain[101]
    assert plain[898] <= interval.high <= plain[901]
    assert (interval.level, interval.n_resamples, interval.seed) == (0.8, 1000, 1)


def test_same_seed_same_interval_other_seed_another() -> None:
    first = bootstrap_interval(VALUES, POINTS, n_resamples=300, seed=5)
    assert bootstrap_interval(VALUES, POINTS, n_resamples=300, seed=5) == first
    other = bootstrap_interval(VALUES, POINTS, n_resamples=300, seed=6)
    assert isinstance(first, Interval)
    assert isinstance(other, Interval)
    assert (other.low, other.high) != (first.low, first.high)


def test_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    # 200 samples of 40 tasks from a population whose mean is 0.5; a percentile interval of 90%
    # misses it in about 1 of 10, and in hardly ever less than 1 of 30 or more than 1 of 5.
    generator = np.random.default_rng(11)

    def mean(means: np.ndarray) -> np.ndarray:
        return np.asarray(means[..., 0])

    hits = 0
    for trial in range(200):
        sample = generator.beta(0.5, 0.5, size=(40, 1))
        interval = bootstrap_interval(sample, np.ones(40), mean, n_resamples=400, seed=trial)
        assert isinstance(interval, Interval)
        hits += interval.low <= 0.5 <= interval.high
    assert 160 <= hits <= 194


@pytest.mark.parametrize(
    ("weights", "reason"),
    [([], "no points"), ([0.0, 0.0], "no points"), ([0.0, 2.0], "one task"), ([1.0, 1.0], "")],
)
def test_degenerate_weights_are_named(weights: list[float], reason: str) -> None:
    assert why_no_interval(weights) == reason
    made = bootstrap_interval([(0.5, 0.5)] * len(weights), weights, n_resamples=10)
    assert made == NoInterval(reason) if reason else isinstance(made, Interval)


def test_entry_without_a_hit_has_an_interval_without_width() -> None:
    interval = bootstrap_interval([(0.0, 0.3), (0.0, 0.9)], [1, 1], n_resamples=50)
    assert isinstance(interval, Interval)
    assert (interval.low, interval.high) == (0.0, 0.0)
    assert interval.is_point
    wide = bootstrap_interval([(0.0, 0.3), (1.0, 0.9)], [1, 1], n_resamples=50)
    assert isinstance(wide, Interval)
    assert not wide.is_point


@pytest.mark.parametrize(
    ("values", "weights", "n_resamples"),
    [
        ([[(0.1, 0.2)]], [1, 1], 10),
        ([(0.1, 0.2)], [1], 10),
        ([[(math.nan, 0.2), (0, 0)]], [1, 1], 10),
        ([[(0.1, 0.2), (0, 0)]], [1, -1], 10),
        ([[(0.1, 0.2), (0, 0)]], [0, 0], 10),
        ([[(0.1, 0.2), (0, 0)]], [1, 1], 0),
    ],
)
def test_calls_without_sense_are_refused(
    values: object, weights: list[float], n_resamples: int
) -> None:
    with pytest.raises(ValueError, match=r"."):
        resampled_scores(values, weights, geometric_mean, n_resamples=n_resamples)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [0.0, 1.0, 90, -0.1])
def test_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        percentile_interval([0.1, 0.2], level=level)


def test_paired_difference_is_taken_draw_by_draw() -> None:
    # Unpaired, two entries that move together could not be told apart; paired, one is always 0.1
    # ahead.
    base = np.linspace(0.0, 0.8, 101)
    difference = paired_difference(base + 0.1, base)
    assert difference.low == pytest.approx(0.1)
    assert difference.high == pytest.approx(0.1)
    assert not spans_zero(difference)


@pytest.mark.parametrize(
    ("low", "high", "spans"),
    [(-0.1, 0.1, True), (0.0, 0.1, True), (-0.1, 0.0, True), (0.0, 0.0, True),
     (1e-17, 1e-16, True), (1e-6, 0.1, False), (-0.1, -1e-6, False)],
)  # fmt: skip
def test_interval_spans_zero(low: float, high: float, spans: bool) -> None:
    assert spans_zero(Interval(low, high)) is spans


def _steady(*levels: float, noise: float = 0.0) -> np.ndarray:
    """Resampled scores of entries at fixed levels, each with its own noise around them."""
    generator = np.random.default_rng(0)
    return np.asarray(levels) + generator.uniform(-noise, noise, size=(1000, len(levels)))


def test_bands_begin_at_the_first_entry_that_differs() -> None:
    # Each neighbour is tied with the next (0.05 apart, noise 0.1), but the third is 0.2 away from
    # the first: being tied is not transitive, and the band is measured from its first entry.
    scores = _steady(0.50, 0.45, 0.30, 0.25, 0.05, noise=0.05)
    assert bands(range(5), scores) == (1, 1, 2, 2, 3)
    chain = _steady(0.50, 0.42, 0.34, 0.26, noise=0.06)
    neighbours = [paired_difference(chain[:, i], chain[:, i + 1]) for i in range(3)]
    assert all(spans_zero(difference) for difference in neighbours)
    assert bands(range(4), chain) == (1, 1, 2, 2)


def test_a_band_is_a_run_even_where_a_later_entry_is_tied_with_its_first() -> None:
    # The third entry is so noisy that it is tied with the first, but the second is not: the band
    # ended there, and a run of neighbouring ranks has no holes.
    generator = np.random.default_rng(1)
    scores = np.column_stack(
        [np.full(1000, 0.5), np.full(1000, 0.4), generator.uniform(0.0, 0.7, 1000)]
    )
    assert spans_zero(paired_difference(scores[:, 0], scores[:, 2]))
    assert bands((0, 1, 2), scores) == (1, 2, 2)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.integers(1, 8))
def test_bands_and_intervals_of_many_are_those_of_each(means: list[int], piece: int) -> None:
    """Looked at in pieces they are what the plain definition gives, entry by entry."""
    draws = np.random.default_rng(0).normal(size=(60, len(means)))
    scores = draws * 0.3 + np.array(sorted(means, reverse=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "_AT_ONCE", piece)
        found = bands(range(len(means)), scores)
        intervals = percentile_intervals(scores)
    expected: list[int] = []
    first = 0
    for column in range(len(means)):
        tied = spans_zero(paired_difference(scores[:, first], scores[:, column]))
        first = first if tied else column
        expected.append((expected[-1] if expected else 1) + (not tied))
    assert found == tuple(expected)
    assert intervals == tuple(percentile_interval(column) for column in scores.T)


def test_bands_follow_the_order_that_is_given() -> None:
    scores = _steady(0.1, 0.9, 0.5)
    assert bands((1, 2, 0), scores) == (1, 2, 3)
    assert bands((), scores) == ()


def test_identical_entries_share_a_band() -> None:
    entries = [VALUES, VALUES, [(em * 0.5, chrf) for em, chrf in VALUES]]
    scores = resampled_scores(entries, POINTS, geometric_mean, n_resamples=300)
    assert bands((0, 1, 2), scores) == (1, 1, 2)


def test_importing_the_statistics_does_not_import_numpy() -> None:
    code = "import sys, iolai.stats, iolai.records; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
