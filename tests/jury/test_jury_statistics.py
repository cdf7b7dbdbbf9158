"""Agreement and comparison equal those of krippendorff and scipy; what does not exist says why."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from jury_strategies import marked_paper, simple_rubric

from iolai.errors import MissingPartError
from iolai.jury.agreement import _alphas, alpha, first_marks, problem_agreement
from iolai.jury.comparison import compare, inflation, pearson, spearman
from iolai.jury.resampling import Resampler
from iolai.records import (
    Assignment,
    Comparison,
    Figure,
    Mark,
    MarkedPaper,
    MarkKind,
    NoFigure,
    Paper,
)
from iolai.stats import Interval, NoInterval

QUICK = Resampler(n_resamples=200, seed=3)
SIDES = ("automatic scores", "jury scores")
points = st.integers(0, 8).map(lambda n: n / 2)
scores = st.integers(0, 200).map(lambda n: n / 2)
tables = st.lists(st.tuples(points, points), min_size=2, max_size=12)
columns = st.lists(st.tuples(scores, scores), min_size=3, max_size=12)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_alpha_is_that_of_krippendorff(table) -> None:
    found = alpha(table, QUICK)
    if len({value for pair in table for value in pair}) == 1:
        assert found == NoFigure("all marks are equal")
        return
    data = np.asarray(table).T
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="interval")
    assert isinstance(found, Figure)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.n == len(table)
    # The formula by which the resamples are measured is the same.
    assert _alphas(data[:, None, :])[0] == pytest.approx(expected, abs=1e-9)


def test_alpha_by_hand() -> None:
    # Papers (1, 1), (2, 3), (4, 4): observed (0 + 1 + 0) / 3; marks 1 1 2 3 4 4 have mean 2.5 and
    # squares about it 2.25 2.25 0.25 0.25 2.25 2.25 = 9.5; expected 2 * 9.5 / 5 = 3.8.
    found = alpha([(1, 1), (2, 3), (4, 4)], QUICK)
    assert isinstance(found, Figure)
    assert found.value == pytest.approx(1 - (1 / 3) / 3.8)


def test_there_is_no_alpha_without_papers_or_variation() -> None:
    assert alpha([], QUICK) == NoFigure("no paper was marked by two")
    assert alpha([(1, 2)], QUICK) == NoFigure("one paper")
    assert alpha([(2, 2), (2, 2)], QUICK) == NoFigure("all marks are equal")


def test_the_interval_of_alpha_is_that_of_papers_drawn_again() -> None:
    table = [(1, 1), (2, 3), (4, 4), (0, 2), (3, 3)]
    found = alpha(table, QUICK)
    rng = np.random.default_rng(QUICK.seed)
    values = []
    for draw in rng.integers(0, len(table), size=(QUICK.n_resamples, len(table))):
        data = np.asarray(table, dtype=float)[draw].T
        if len(np.unique(data)) > 1:
            values.append(
                krippendorff.alpha(reliability_data=data, level_of_measurement="interval")
            )
    assert isinstance(found, Figure)
    assert isinstance(found.interval, Interval)
    assert found.interval.n_resamples == len(values)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        tuple(np.quantile(values, (0.05, 0.95)))
    )


def test_an_interval_needs_resamples_in_which_the_marks_vary() -> None:
    sometimes = alpha([(1, 1)] * 9 + [(1, 2)], Resampler(n_resamples=400, seed=1))
    assert isinstance(sometimes, Figure)
    assert isinstance(sometimes.interval, Interval)
    assert 200 < sometimes.interval.n_resamples < 400
    # Of 27 draws of three contestants 15 make one of the two lists constant.
    seldom = spearman([1, 1, 2], [1, 2, 2], Resampler(n_resamples=2000), SIDES, "contestant")
    assert isinstance(seldom, Figure)
    assert seldom.value == pytest.approx(0.5)
    assert seldom.interval == NoInterval(
        "in most resamples of the contestants the figure does not exist"
    )


@settings(max_examples=60, deadline=None)
@given(columns)
def test_correlations_are_those_of_scipy(table) -> None:
    xs, ys = [x for x, _ in table], [y for _, y in table]
    for ours, theirs in ((spearman, scipy.stats.spearmanr), (pearson, scipy.stats.pearsonr)):
        found = ours(xs, ys, QUICK, SIDES, "contestant")
        if len(set(xs)) == 1:
            assert found == NoFigure("the automatic scores are all equal")
        elif len(set(ys)) == 1:
            assert found == NoFigure("the jury scores are all equal")
        else:
            assert isinstance(found, Figure)
            assert found.value == pytest.approx(theirs(xs, ys).statistic, abs=1e-12)
            assert found.n == len(table)
            if isinstance(found.interval, Interval):
                assert -1 <= found.interval.low <= found.interval.high <= 1


def test_the_interval_of_a_correlation_is_that_of_scipy_on_the_same_draws() -> None:
    xs, ys = [10.0, 20.0, 20.0, 35.0, 50.0], [12.0, 18.0, 25.0, 25.0, 60.0]
    rng = np.random.default_rng(QUICK.seed)
    draws = rng.integers(0, 5, size=(QUICK.n_resamples, 5))
    for ours, theirs in ((spearman, scipy.stats.spearmanr), (pearson, scipy.stats.pearsonr)):
        values = []
        for draw in draws:
            x, y = np.asarray(xs)[draw], np.asarray(ys)[draw]
            if len(set(x)) > 1 and len(set(y)) > 1:
                values.append(theirs(x, y).statistic)
        found = ours(xs, ys, QUICK, SIDES, "contestant")
        assert isinstance(found, Figure)
        assert isinstance(found.interval, Interval)
        assert found.interval.n_resamples == len(values)
        expected = tuple(np.quantile(values, (0.05, 0.95)))
        assert (found.interval.low, found.interval.high) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("n", "reason"), [(0, "no contestants"), (1, "one contestant"), (2, "two contestants")]
)
def test_two_always_correlate_so_three_are_needed(n: int, reason: str) -> None:
    values = [float(m) for m in range(n)]
    assert spearman(values, values, QUICK, SIDES, "contestant") == NoFigure(reason)
    assert pearson(values, values, QUICK, SIDES, "contestant") == NoFigure(reason)


def test_values_that_differ_by_rounding_are_equal() -> None:
    xs = [0.1 + 0.2, 0.3, 0.3]
    assert pearson(xs, [1, 2, 3], QUICK, SIDES, "x") == NoFigure(
        "the automatic scores are all equal"
    )


def test_inflation_is_automatic_less_jury() -> None:
    found = inflation([50.0, 30.0], [40.0, 32.0], QUICK)
    assert isinstance(found, Figure)
    assert found.value == 4
    assert isinstance(found.interval, Interval)
    assert (found.interval.low, found.interval.high) == (-2, 10)
    single = inflation([50.0], [40.0], QUICK)
    assert single == Figure(10, NoInterval("one contestant"), 1)
    assert isinstance(inflation([], [], QUICK), NoFigure)


def test_only_contestants_with_both_scores_are_compared() -> None:
    found = compare(
        {"a": 50, "b": 30, "c": 20, "d": 99},
        {"b": 25, "a": 40, "c": 21, "e": 1},
        QUICK,
        {"x": {"a": 60, "d": 1}, "y": {}},
        {"x": {"a": 50, "b": 20}, "y": {"a": 30}},
    )
    assert isinstance(found, Comparison)
    assert found.by_contestant == {"b": 5, "a": 10, "c": -1}
    assert isinstance(found.spearman, Figure)
    assert found.spearman.value == 1
    by_problem = {one.problem: one for one in found.by_problem}
    assert by_problem["x"].inflation == Figure(10, NoInterval("one contestant"), 1)
    assert isinstance(by_problem["y"].inflation, NoFigure)
    assert compare({"a": 1}, {"b": 2}, QUICK) == NoFigure(
        "no contestant has both an automatic and a jury score"
    )


@pytest.mark.parametrize("package", ["krippendorff", "scipy"])
def test_an_absent_package_is_named_with_what_installs_it(monkeypatch, package: str) -> None:
    for name in (package, f"{package}.stats"):
        monkeypatch.setitem(sys.modules, name, None)
    measure = {
        "krippendorff": lambda: alpha([(1, 2), (2, 2)], QUICK),
        "scipy": lambda: spearman([1, 2, 3], [1, 3, 2], QUICK, SIDES, "contestant"),
    }[package]
    with pytest.raises(MissingPartError, match=f"the package {package} is not installed") as caught:
        measure()
    assert "iolai[jury]" in caught.value.hint


def test_agreement_is_of_papers_that_both_handed_over() -> None:
    rubric = simple_rubric(2, 2)
    sheets = [((0, 1), (0, 2)), ((2, 2), (2, 2)), ((1, 0), (1, 1))]
    papers = [
        marked_paper(
            "x",
            f"s{n}",
            {
                juror: dict(zip(("c1", "c2"), sheet, strict=True))
                for juror, sheet in zip(("a", "b"), pair, strict=True)
            },
            {"c2": 1.0},
        )
        for n, pair in enumerate(sheets)
    ]
    half = marked_paper("x", "s9", {"a": {"c1": 2, "c2": 0}, "b": {"c1": 0}})
    half = replace(half, marks=half.marks[:-1])
    whole = marked_paper("x", "s8", {"a": {"c1": 2, "c2": 0}, "b": {"c1": 0, "c2": 1}})
    held = replace(whole, marks=whole.marks[:-1])  # marked in full, one not handed over
    found = problem_agreement(rubric, [*papers, half, held], QUICK)
    c1, c2 = found.criteria
    assert (c1.n_papers, c1.n_equal) == (3, 3)
    assert isinstance(c1.alpha, Figure)
    assert c1.alpha.value == 1
    assert (c2.n_papers, c2.n_equal) == (3, 1)
    totals = [(1, 2), (4, 4), (1, 2)]
    expected = krippendorff.alpha(
        reliability_data=np.asarray(totals).T, level_of_measurement="interval"
    )
    assert isinstance(found.totals.alpha, Figure)
    assert found.totals.alpha.value == pytest.approx(expected)
    assert not math.isnan(found.totals.alpha.value)


def _given(juror: str, c1: float, c2: float, version: int = 1) -> list[Mark]:
    return [
        Mark("p", juror, "c1", MarkKind.OWN, c1, rubric_version=version),
        Mark("p", juror, "c2", MarkKind.OWN, c2, rubric_version=version),
        Mark("p", juror, "", MarkKind.HANDED_OVER, rubric_version=version),
    ]


def _again(juror: str, criterion: str, points: float) -> list[Mark]:
    return [
        Mark("p", juror, criterion, MarkKind.REOPENED),
        Mark("p", juror, criterion, MarkKind.OWN, points),
        Mark("p", juror, "", MarkKind.HANDED_OVER),
    ]


def _seen(pair: tuple[str, str], marks: list[Mark]) -> MarkedPaper:
    return MarkedPaper(Paper("p", "x", "s"), Assignment("p", pair), tuple(marks))


def test_agreement_is_of_the_marks_before_anybody_saw_the_other_s() -> None:
    both = [*_given("a", 2, 0), *_given("b", 1, 2)]
    first = ({"c1": 2, "c2": 0}, {"c1": 1, "c2": 2})
    assert first_marks(_seen(("a", "b"), both)) == first
    copied = [*both, *_again("b", "c1", 2), *_again("a", "c2", 2)]
    assert first_marks(_seen(("a", "b"), copied)) == first, "reopened, and marked like the other's"
    alone = [*_given("a", 2, 0), *_again("a", "c1", 1), *_given("b", 1, 2)]
    assert first_marks(_seen(("a", "b"), alone)) == ({"c1": 1, "c2": 0}, first[1]), (
        "changed before the other handed over"
    )
    assert first_marks(_seen(("a", "b"), both[:-1])) is None


def test_a_stand_in_is_compared_with_what_the_other_first_gave() -> None:
    marks = [
        *_given("a", 2, 0), *_given("b", 1, 2),
        *_again("a", "c1", 1),  # a has seen what b gave
        Mark("p", "b", "", MarkKind.REOPENED),  # and b goes
        *_given("c", 0, 0),
    ]  # fmt: skip
    assert first_marks(_seen(("a", "c"), marks)) == ({"c1": 2, "c2": 0}, {"c1": 0, "c2": 0})


def test_agreement_after_an_amendment_is_of_what_both_gave_first() -> None:
    """c1 went down from 4 to 2 after both had seen; c3 came new, and nobody marked it unseen."""
    marks = [*_given("a", 4, 0), *_given("b", 3, 0)]
    marks += [*_again("a", "c1", 2), *_again("b", "c1", 2)]
    found = problem_agreement(simple_rubric(2, 2, 1), [_seen(("a", "b"), marks)] * 2, QUICK)
    assert [(one.n_papers, one.n_equal) for one in found.criteria] == [(2, 0), (2, 2), (0, 0)]
    assert found.totals.n_equal == 0
