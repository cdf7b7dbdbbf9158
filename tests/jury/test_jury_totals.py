"""Totals, medals, ranks, and the smallest change that moves a medal; against trying everything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jury_strategies import marked_paper, rubrics, simple_rubric

from iolai.errors import InputError
from iolai.jury.consensus import counted
from iolai.jury.marking import allowed_points
from iolai.jury.resampling import Resampler
from iolai.jury.results import jury_result
from iolai.jury.totals import (
    medal_clashes,
    medals,
    rank_among,
    require_falling,
    sensitivity,
    sum_points,
)
from iolai.records import (
    Contestant,
    ContestantKind,
    ContestantTable,
    Figure,
    PersonScore,
    Thresholds,
)

OF_2026 = Thresholds(gold=70.0, silver=58.4, honourable=35.3)


def test_a_medal_is_given_from_its_threshold_on() -> None:
    known = Thresholds(70, 58.4, 45, 35.3)
    assert [medals(n, known) for n in (70, 69.5, 58.4, 58, 45, 35.3, 35)] == [
        ("gold",),
        ("silver",),
        ("silver",),
        ("bronze",),
        ("bronze",),
        ("honourable mention",),
        ("none",),
    ]


def test_an_unknown_threshold_leaves_the_medal_open() -> None:
    assert medals(60, OF_2026) == ("silver",)
    assert medals(58, OF_2026) == ("bronze", "honourable mention")
    assert medals(35, OF_2026) == ("none",)
    assert medals(10, Thresholds(gold=70)) == ("silver", "bronze", "honourable mention", "none")
    assert medals(80, Thresholds(silver=60)) == ("gold", "silver")


def test_thresholds_must_fall() -> None:
    require_falling(OF_2026)
    require_falling(Thresholds())
    with pytest.raises(InputError, match=r"honourable mention \(60\) is not below that of silver"):
        require_falling(Thresholds(gold=70, silver=60, honourable=60))


def test_ranks_count_the_people_above() -> None:
    people = [80, 70, 70, 50]
    assert [rank_among(n, people) for n in (90, 80, 75, 70, 60, 0)] == [1, 1, 2, 2, 4, 5]


def test_a_medal_of_the_table_that_the_thresholds_do_not_give_is_reported() -> None:
    people = [
        PersonScore("one", 71, medal="gold"),
        PersonScore("two", 60, medal="gold"),
        PersonScore("three", 40, medal="bronze"),
        PersonScore("four", 10),
    ]
    (clash,) = medal_clashes(people, OF_2026)
    assert (clash.name, clash.given, clash.by_thresholds) == ("two", "gold", ("silver",))


def test_points_of_tenths_add_up() -> None:
    assert sum_points([0.1] * 3) == 0.3


@st.composite
def one_contestant(draw: st.DrawFn):
    rubric = {name: draw(rubrics(problem=name)) for name in ("x", "y")}
    papers = []
    for name, one in rubric.items():
        sheets = {
            juror: {c.id: draw(st.sampled_from(allowed_points(c))) for c in one.criteria}
            for juror in draw(st.sampled_from([("a", "b"), ("c", "a")]))
        }
        settled = {c.id: draw(st.sampled_from(allowed_points(c))) for c in one.criteria}
        papers.append(marked_paper(name, "s", sheets, settled))
    cuts = sorted(draw(st.sets(st.integers(1, 24), min_size=4, max_size=4)), reverse=True)
    values = [draw(st.sampled_from([cut / 2, cut / 2, None])) for cut in cuts]
    return rubric, papers, Thresholds(*values)


@settings(max_examples=60, deadline=None)
@given(one_contestant())
def test_sensitivity_is_what_trying_every_mark_finds(case) -> None:
    rubric, papers, thresholds = case
    marks = [
        (paper.paper.problem, one)
        for paper in papers
        for one in counted(rubric[paper.paper.problem], paper.assignment, paper.marks)
    ]
    total = sum(one.points for _, one in marks)
    tried = []
    for problem, one in marks:
        (criterion,) = (c for c in rubric[problem].criteria if c.id == one.criterion)
        allowed = allowed_points(criterion)
        for place, points in enumerate(allowed):
            if medals(total - one.points + points, thresholds) != medals(total, thresholds):
                n_steps = abs(place - allowed.index(one.points))
                tried.append((n_steps, problem, one.criterion, points))
    found = sensitivity(rubric, papers, thresholds)
    least = min((n for n, *_ in tried), default=None)
    assert found.n_steps == least
    assert {(c.n_steps, c.problem, c.criterion, c.to_points) for c in found.changes} == {
        one for one in tried if one[0] == least
    }
    for juror, medal in found.by_juror.items():
        own = 0.0
        for paper in papers:
            given_marks = {
                m.criterion: m.points for m in paper.marks if m.juror == juror and m.kind == "own"
            }
            for one in counted(rubric[paper.paper.problem], paper.assignment, paper.marks):
                own += given_marks.get(one.criterion, one.points)
        assert medal == " or ".join(medals(own, thresholds))


def test_where_no_single_mark_can_move_the_medal() -> None:
    rubric = {"x": simple_rubric(2)}
    paper = marked_paper("x", "s", {"a": {"c1": 1}, "b": {"c1": 1}})
    found = sensitivity(rubric, [paper], Thresholds(gold=50, silver=40, bronze=30, honourable=20))
    assert (found.n_steps, found.changes) == (None, ())
    assert found.by_juror == {"a": "none", "b": "none"}


def result_of(**options):
    rubric = {"x": simple_rubric(10, 10), "y": simple_rubric(10, 10, problem="y")}
    same = {"c1": 8.0, "c2": 6.0}
    papers = [
        marked_paper("x", "s1", {"a": same, "b": same}),
        marked_paper("y", "s1", {"a": same, "b": {"c1": 8.0, "c2": 4.0}}, {"c2": 5.0}),
        marked_paper("x", "s2", {"a": {"c1": 1, "c2": 1}, "b": {"c1": 1, "c2": 2}}),
        marked_paper("x", "p1", {"a": {"c1": 5, "c2": 5}, "b": {"c1": 5, "c2": 5}}),
    ]
    contestants = [
        Contestant("s1", "System one", ContestantKind.SYSTEM),
        Contestant("s2", "System two", ContestantKind.SYSTEM),
        Contestant("p1", "Person one", ContestantKind.PERSON),
    ]
    table = ContestantTable({}, **options)
    return jury_result(rubric, papers, contestants, table, resampler=Resampler(n_resamples=50))


def test_a_result_has_totals_ranks_and_medals() -> None:
    people = (PersonScore("p", 30), PersonScore("q", 27), PersonScore("r", 5))
    thresholds = Thresholds(gold=30, silver=20, bronze=10, honourable=5)
    result = result_of(people=people, thresholds=thresholds)
    rows = [(row.contestant.id, row.total, row.rank, row.medals) for row in result.contestants]
    assert rows == [
        ("s1", 27.0, 2, ("silver",)),
        ("p1", 10.0, 3, ("bronze",)),
        ("s2", 1.0, 4, ("none",)),
    ]
    assert result.contestants[0].by_problem == {"x": 14.0, "y": 13.0}
    assert {row.n_people for row in result.contestants} == {3}
    assert result.contestants[0].sensitivity is not None


def test_a_result_says_what_is_lacking() -> None:
    notes = " | ".join(result_of().notes)
    assert "1 of 4 papers are not settled" in notes
    assert "2 papers are missing" in notes
    assert "ranks are among the people marked here" in notes
    (first, *_) = result_of().contestants
    assert (first.rank, first.n_people) == (1, 1)
    assert (first.medals, first.sensitivity) == ((), None), "no thresholds, no medals"


def test_a_person_with_another_total_than_the_table_is_noted() -> None:
    told = "people with another total here than in the table: 1"
    assert told in result_of(people=(PersonScore("Person one", 12),)).notes
    assert told not in result_of(people=(PersonScore("Person one", 10),)).notes


def test_scores_are_compared_out_of_what_could_be_got() -> None:
    result = result_of(
        automatic={"s1": 80.0, "s2": 30.0, "p1": 99.0},
        automatic_by_problem={"s1": {"x": 75.0}, "s2": {"x": 30.0}},
    )
    comparison = result.comparison
    assert comparison.jury == {"s1": 67.5, "s2": 5.0}
    assert comparison.by_contestant == {"s1": 12.5, "s2": 25.0}
    by_problem = {one.problem: one.inflation for one in comparison.by_problem}
    assert isinstance(by_problem["x"], Figure)
    assert by_problem["x"].value == pytest.approx(((75 - 70) + (30 - 5)) / 2)


def test_difficulty_is_by_kind_of_contestant() -> None:
    lines = {(one.problem, one.criterion): one for one in result_of().difficulty.criteria}
    one = lines["x", "c1"]
    assert (one.systems, one.people) == (pytest.approx((0.8 + 0.1) / 2), 0.5)
    assert (one.n_systems, one.n_people) == (2, 1)
    assert lines["x", "c2"].n_systems == 1, "an open difference counts nothing"
    assert (lines["y", "c1"].people, lines["y", "c1"].n_people) == (None, 0)


def test_a_paper_without_rubric_or_contestant_is_refused() -> None:
    paper = marked_paper("z", "s1", {"a": {"c1": 1}, "b": {"c1": 1}})
    known = [Contestant("s1", "S", ContestantKind.SYSTEM)]
    with pytest.raises(InputError, match="no rubric of problem 'z'"):
        jury_result({}, [paper], known, ContestantTable({}))
    with pytest.raises(InputError, match="contestant 's1', whose paper was marked, is not listed"):
        jury_result({"z": simple_rubric(1, problem="z")}, [paper], [], ContestantTable({}))
