"""Ranks, ties, states and bands of constructed boards."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from conftest import MakeScore
from iolai.board import BoardEntry, in_order, make_board, rank
from iolai.board.entry import submission_time
from iolai.errors import InputError
from iolai.metrics import summarise
from iolai.records import AnswerKey, BoardLine, Difference, Reference, TaskKey

EARLY, LATE = "2026-07-09 09:28:32", "2026-07-24 23:49:03"


def _published(team: str, score: float, submitted_at: str = EARLY, rank: int = 1) -> BoardEntry:
    line = BoardLine(rank, team, "external", score, score, score, submitted_at)
    return BoardEntry(team=team, submitted_at=submitted_at, published=line)


def _teams(entries: list[BoardEntry]) -> list[str]:
    return [entry.team for entry in in_order(entries)]


def test_better_scores_come_first() -> None:
    entries = [_published("low", 0.1), _published("high", 0.3), _published("middle", 0.2)]
    assert _teams(entries) == ["high", "middle", "low"]


def test_ties_are_broken_by_the_earlier_submission_at_the_published_decimals() -> None:
    # 0.09404 and 0.09396 are both shown as 9.40: the earlier stands first, though it is lower.
    entries = [_published("late", 0.09404, LATE), _published("early", 0.09396, EARLY)]
    assert _teams(entries) == ["early", "late"]
    # 0.0941 is shown as 9.41: no tie.
    entries = [_published("late", 0.0941, LATE), _published("early", 0.0940, EARLY)]
    assert _teams(entries) == ["late", "early"]


def test_order_does_not_depend_on_the_order_of_arrival() -> None:
    entries = [
        _published("b", 0.2, EARLY), _published("a", 0.2, EARLY), _published("c", 0.2, "unknown"),
        _published("d", 0.2, LATE), BoardEntry("z"), BoardEntry("y"),
    ]  # fmt: skip
    for arrival in itertools.islice(itertools.permutations(entries), 0, 720, 37):
        assert _teams(list(arrival)) == ["a", "b", "d", "c", "y", "z"]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-07-09 09:28:32", "2026-07-09T09:28:33"),
        ("2026-07-09 23:00:00", "2026-07-10 01:00:00"),
        ("2026-07-09T12:00:00+02:00", "2026-07-09T11:00:00Z"),
        ("2026-07-09T10:30:00", "2026-07-09T12:00:00+01:00"),
        ("2026-07-09", ""),
        ("2026-07-09", "yesterday"),
    ],
)
def test_times_compare_as_times(earlier: str, later: str) -> None:
    assert submission_time(earlier) < submission_time(later)


def test_unscored_entries_stand_last_without_a_rank(make_score: MakeScore) -> None:
    entries = [
        BoardEntry("nothing"),
        BoardEntry("zero", score=make_score({"1": (0.0, 0.0), "2": (0.0, 0.0)})),
        _published("known", 0.3),
    ]
    rows, _ = rank(entries, summarise)
    assert [(row.team, row.rank, row.state) for row in rows] == [
        ("known", 1, "published"), ("zero", 2, "scored"), ("nothing", None, "unscored"),
    ]  # fmt: skip
    assert rows[2].score is None


def test_states_and_figures(make_score: MakeScore) -> None:
    score = make_score({"1": (0.5, 0.5), "2": (0.5, 0.5)})
    line = BoardLine(1, "x", "external", 0.9, 0.9, 0.9, EARLY, explanation_rate=40.0)
    base = BoardEntry("x", score=score, published=line)
    found = (Difference("score", 0.9, 0.5),)
    cases = {
        "scored": base,
        "recomputed": replace(base, differences=()),
        "differs": replace(base, differences=found),
        "published": replace(base, score=None),
    }
    for state, entry in cases.items():
        (row,), _ = rank([entry], summarise, n_resamples=20)
        assert row.state == state
        # Where an entry was scored here it is ranked by that, whatever was published.
        assert row.score == pytest.approx(0.9 if state == "published" else 0.5)
        assert (row.interval is None) == (state == "published")
        assert row.explanation_rate == (40.0 if state == "published" else 0.0)
        assert row.equal is {"recomputed": True, "differs": False}.get(state)


def test_a_score_without_points_is_no_score(make_score: MakeScore) -> None:
    score = make_score({"1": (0.5, 0.5)}, points={"1": 0.0})
    rows, made = rank([BoardEntry("x", score=score)], summarise)
    assert (rows[0].state, rows[0].rank) == ("unscored", None)
    assert made.reason == "no entry"


def test_one_task_gives_no_interval_and_no_band(make_score: MakeScore) -> None:
    score = make_score({"1": (0.5, 0.5), "2": (0.9, 0.9)}, points={"2": 0.0})
    rows, made = rank([BoardEntry("x", score=score)], summarise)
    assert (rows[0].rank, rows[0].interval, rows[0].band) == (1, None, None)
    assert (made.reason, made.n_tasks) == ("one task", 1)


def test_bands_skip_rows_without_a_record(make_score: MakeScore) -> None:
    def steady(value: float) -> BoardEntry:
        name = f"at {value}"
        return BoardEntry(name, score=make_score({f"{i}": (value, value) for i in range(5)}))

    entries = [steady(0.9), steady(0.5), _published("between", 0.7), steady(0.4)]
    rows, _ = rank(entries, summarise, n_resamples=50)
    assert [(row.team, row.band) for row in rows] == [
        ("at 0.9", 1), ("between", None), ("at 0.5", 2), ("at 0.4", 3),
    ]  # fmt: skip


def test_a_baseline_stands_between_the_ranks_and_ends_no_band(make_score: MakeScore) -> None:
    def steady(team: str, value: float, kind: str = "") -> BoardEntry:
        score = make_score({f"{i}": (value, value) for i in range(5)})
        return BoardEntry(team, account_type=kind, score=score)

    entries = [
        steady("best", 0.9, "baseline"), steady("first", 0.8), steady("between", 0.7, "baseline"),
        steady("second", 0.6), BoardEntry("nothing", account_type="baseline"),
    ]  # fmt: skip
    rows, _ = rank(entries, summarise, n_resamples=50)
    assert [(row.team, row.rank, row.band, row.is_baseline) for row in rows] == [
        ("best", None, None, True), ("first", 1, 1, False), ("between", None, None, True),
        ("second", 2, 2, False), ("nothing", None, None, True),
    ]  # fmt: skip
    assert [row.interval is not None for row in rows] == [True, True, True, True, False]


def test_a_baseline_that_was_published_with_a_rank_keeps_it() -> None:
    entries = [
        replace(_published("base", 0.7), account_type="baseline"),
        replace(_published("team", 0.5, rank=2)),
    ]
    rows, _ = rank(entries, summarise)
    assert [(row.team, row.rank, row.moved) for row in rows] == [
        ("base", 1, False),
        ("team", 2, False),
    ]


def test_a_row_without_a_record_does_not_end_a_band(make_score: MakeScore) -> None:
    def swaying(team: str, first: float, second: float) -> BoardEntry:
        return BoardEntry(team, score=make_score({"1": (first, first), "2": (second, second)}))

    entries = [swaying("a", 0.9, 0.2), _published("between", 0.5), swaying("b", 0.1, 0.8)]
    rows, _ = rank(entries, summarise, n_resamples=100)
    assert [(row.team, row.band) for row in rows] == [("a", 1), ("between", None), ("b", 1)]


def test_intervals_belong_to_their_rows(make_score: MakeScore) -> None:
    source = random.Random(0)  # noqa: S311
    entries = [
        BoardEntry(
            f"team{index}",
            score=make_score({f"{i}": (source.random(), 0.5) for i in range(6)}),
        )
        for index in range(8)
    ]
    rows, _ = rank(entries, summarise, n_resamples=400)
    scores = [row.score for row in rows]
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    for row in rows:
        assert row.interval is not None
        assert row.score is not None
        assert row.interval.low <= row.score <= row.interval.high


def test_figures_by_problem_are_weighted_by_points(make_score: MakeScore) -> None:
    figures = {"12026010100": (1.0, 1.0), "12026010200": (0.0, 0.0), "12026020100": (0.25, 1.0)}
    score = make_score(figures, points={"12026010100": 3.0})
    (row,), _ = rank([BoardEntry("x", score=score)], summarise, n_resamples=10)
    assert set(row.by_problem) == {"1202601", "1202602"}
    assert row.by_problem["1202601"].exact_match == pytest.approx(0.75)
    assert row.by_problem["1202602"].score == pytest.approx(0.5)


def _key(*ids: str) -> AnswerKey:
    return AnswerKey(tuple(TaskKey(task_id, (Reference(("a",)),)) for task_id in ids))


def test_scores_made_in_different_ways_are_not_ranked_together(make_score: MakeScore) -> None:
    figures = {"1": (0.5, 0.5), "2": (0.5, 0.5)}
    entries = [
        BoardEntry("a", score=make_score(figures, version="1")),
        BoardEntry("b", score=make_score(figures, version="2")),
    ]
    with pytest.raises(InputError, match="2 ways") as caught:
        make_board(entries, _key("1", "2"), summarise)
    assert "same metric" in caught.value.hint


def test_scores_against_different_keys_are_not_ranked_together(make_score: MakeScore) -> None:
    entries = [
        BoardEntry("a", score=make_score({"1": (0.5, 0.5)})),
        BoardEntry("b", score=make_score({"2": (0.5, 0.5)})),
    ]
    with pytest.raises(InputError, match="different answer keys"):
        make_board(entries, _key("1"), summarise)


def test_empty_board() -> None:
    board = make_board([], _key("1"), summarise)
    assert board.rows == ()
    assert board.summary.n_entries == 0
    assert board.resampling.reason == "no entry"
