"""Permutation tests, corrections and correlations: against hand counts, definitions and scipy."""

from __future__ import annotations

import numpy as np
import pytest

from iolai.stats import (
    Correlation,
    NoCorrelation,
    NoTest,
    Permutation,
    benjamini_hochberg,
    correlation,
    exchange_test,
    geometric_mean,
    holm,
    sign_flip_test,
    within_groups_test,
)


def test_all_sign_flips_are_counted() -> None:
    # Of the 8 ways to give 1, 2 and 4 signs, two reach a sum of 7 in size.
    found = sign_flip_test([1, 2, 4])
    assert isinstance(found, Permutation)
    assert (found.p, found.n_tried, found.exact) == (2 / 8, 8, True)
    assert found.effect == pytest.approx(7 / 3)
    assert found.interval is None  # at 90% nothing at all would be rejected


def test_weights_are_points_and_a_task_without_any_is_left_out() -> None:
    weighted = sign_flip_test([1, -1, 5], [3, 1, 0])
    assert isinstance(weighted, Permutation)
    assert (weighted.effect, weighted.n) == (0.5, 2)


def test_a_drawn_test_comes_near_the_exact_one() -> None:
    values = np.random.default_rng(3).normal(0.3, 1, 14)
    exact = sign_flip_test(values)
    longer = sign_flip_test([*values, 0.0])  # a pair without difference changes nothing
    assert isinstance(exact, Permutation)
    assert isinstance(longer, Permutation)
    assert exact.exact
    assert not longer.exact
    assert longer.p == pytest.approx(exact.p, abs=0.02)
    assert longer == sign_flip_test([*values, 0.0])
    assert longer != sign_flip_test([*values, 0.0], seed=1)


def test_a_drawn_p_value_is_never_nothing() -> None:
    found = sign_flip_test([1.0] * 40, n_tried=99)
    assert isinstance(found, Permutation)
    assert found.p == 1 / 100


def test_the_interval_ends_where_the_test_begins_to_reject() -> None:
    values = np.random.default_rng(5).normal(0.5, 1, 10)
    found = sign_flip_test(values, level=0.9)
    assert isinstance(found, Permutation)
    assert found.interval is not None
    for end, outwards in ((found.interval.low, -1e-6), (found.interval.high, 1e-6)):
        inside = sign_flip_test(values - (end - outwards))
        outside = sign_flip_test(values - (end + outwards))
        assert isinstance(inside, Permutation)
        assert isinstance(outside, Permutation)
        assert inside.p > 0.1 >= outside.p


def test_it_rejects_at_its_level_where_nothing_is_there() -> None:
    generator = np.random.default_rng(0)
    tests = [sign_flip_test(generator.normal(0, 1, 8)) for _ in range(600)]
    share = np.mean([isinstance(t, Permutation) and t.p <= 0.1 for t in tests])
    assert share == pytest.approx(0.1, abs=0.04)


@pytest.mark.parametrize(("values", "reason"), [([], "no pairs"), ([0.5], "one pair")])
def test_too_few_pairs_are_named(values: list[float], reason: str) -> None:
    assert sign_flip_test(values) == NoTest(reason)
    figures = np.array([[v, v] for v in values]).reshape(-1, 2)
    assert exchange_test(figures, figures, [1] * len(values), geometric_mean) == NoTest(reason)


def test_exchanging_is_flipping_for_a_plain_mean() -> None:
    generator = np.random.default_rng(1)
    one, other = generator.random((2, 9, 1))
    points = generator.integers(1, 4, 9)
    exchanged = exchange_test(one, other, points, lambda means: means[..., 0])
    flipped = sign_flip_test((one - other)[:, 0], points)
    assert isinstance(exchanged, Permutation)
    assert isinstance(flipped, Permutation)
    assert (exchanged.effect, exchanged.p) == pytest.approx((flipped.effect, flipped.p))


def test_exchanging_measures_the_score_itself() -> None:
    one = np.array([[1.0, 1.0], [0.0, 0.5], [1.0, 1.0]])
    other = np.array([[0.0, 0.5], [0.0, 0.5], [0.0, 0.0]])
    found = exchange_test(one, other, [1, 1, 1], geometric_mean)
    assert isinstance(found, Permutation)
    assert found.effect == pytest.approx(np.sqrt(2 / 3 * 2.5 / 3) - 0.0)
    assert found.p == 0.5


def test_a_tag_is_compared_within_its_own_group() -> None:
    # The tagged run is 2 above its team's others in both teams, though team b is far above a.
    values = [3.0, 1.0, 1.0, 13.0, 11.0, 7.0]
    tags = [True, False, False, True, False, True]
    groups = ["a", "a", "a", "b", "b", "c"]
    found = within_groups_test(values, tags, groups)
    assert isinstance(found, Permutation)
    assert found.effect == pytest.approx(2)
    assert (found.n, found.n_tried, found.exact) == (5, 6, True)
    # Only the arrangement seen reaches +2, and none -2: 3 ways in team a, 2 in team b.
    assert found.p == pytest.approx(1 / 6)


def test_a_group_weighs_as_much_as_it_can_say() -> None:
    # One against one with no effect, three against three with an effect of 1: 1/2 to 3/2.
    values = [5.0, 5.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    tags = [True, False, True, True, True, False, False, False]
    found = within_groups_test(values, tags, ["a"] * 2 + ["b"] * 6)
    assert isinstance(found, Permutation)
    assert found.effect == pytest.approx(0.75)


def test_within_groups_the_interval_holds_the_shift_and_covers() -> None:
    generator = np.random.default_rng(2)
    groups = [team for team in "abcdefgh" for _ in range(6)]
    levels = dict(zip("abcdefgh", generator.normal(0, 5, 8), strict=True))
    hits, n_trials = 0, 150
    for _ in range(n_trials):
        tags = [bool(t) for t in generator.integers(0, 2, 48)]
        noise = generator.normal(0, 1, 48)
        values = [levels[g] + 1.5 * t + e for g, t, e in zip(groups, tags, noise, strict=True)]
        found = within_groups_test(values, tags, groups, n_tried=400)
        assert isinstance(found, Permutation)
        assert found.interval is not None
        hits += found.interval.low <= 1.5 <= found.interval.high
    assert hits / n_trials == pytest.approx(0.9, abs=0.075)


def test_groups_of_one_kind_say_nothing() -> None:
    assert within_groups_test([1, 2], [True, False], ["a", "b"]) == NoTest("no group has both")


def test_corrections_are_those_of_the_books() -> None:
    from scipy.stats import false_discovery_control

    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([]) == benjamini_hochberg([]) == ()
    for seed in range(20):
        p_values = list(np.random.default_rng(seed).random(1 + seed % 7) ** 3)
        assert benjamini_hochberg(p_values) == pytest.approx(
            tuple(false_discovery_control(p_values))
        )
    with pytest.raises(ValueError, match="no p-value"):
        holm([0.5, 1.5])


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_a_correlation_is_that_of_scipy(method: str) -> None:
    from scipy import stats

    generator = np.random.default_rng(7)
    x = generator.integers(0, 8, 30).astype(float)  # with ties
    y = x + generator.normal(0, 3, 30).round()
    found = correlation(x, y, method=method, n_resamples=500)  # type: ignore[arg-type]
    theirs = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[method](x, y)
    assert isinstance(found, Correlation)
    assert found.value == pytest.approx(theirs.statistic)
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_what_cannot_correlate_is_named() -> None:
    assert correlation([1, 2, 3], [1, 2, 3]) == NoCorrelation("fewer than 4 pairs")
    assert correlation([1, 1, 1, 1], [1, 2, 3, 4]) == NoCorrelation("one of the two does not vary")
    with pytest.raises(ValueError, match="no pairs"):
        correlation([1, 2], [1, 2, 3])
