"""What repeats: equal outputs, repeated and shared explanations, texts that stop short."""

from __future__ import annotations

import pytest

from conftest import MakeScore
from iolai.board import (
    BoardEntry,
    explanation_uses,
    shared_explanations,
    similar_pairs,
    summarise_board,
)
from iolai.metrics import score_predictions
from iolai.records import AnswerKey, BoardLine, Prediction, PredictionSet, Reference, TaskKey

KEY = AnswerKey(
    (
        TaskKey("1", tuple(Reference((letter,)) for letter in "ABCD")),
        TaskKey("2", tuple(Reference((letter,)) for letter in "EF")),
        TaskKey("3", (Reference(("G",)),), points=0),
    )
)


def _entry(team: str, *answers: list[str], explanations: tuple[str, ...] = ()) -> BoardEntry:
    texts = (*explanations, *[""] * 3)
    rows = PredictionSet(
        tuple(
            Prediction.of_items(task.id, items, text)
            for task, items, text in zip(KEY, (*answers, [], [], [])[:3], texts, strict=False)
        )
    )
    return BoardEntry(team, score=score_predictions(rows, KEY), predictions=rows)


def test_share_is_over_the_items_that_either_answered() -> None:
    one = _entry("one", ["x", "y", "z", ""], ["", ""])
    two = _entry("two", ["X.", "y", "other", ""], ["q", ""])
    (pair,) = similar_pairs([one, two], threshold=0.5)
    # Equal by the normalised answers: x and y. Answered by either: x, y, z, q.
    assert (pair.first, pair.second, pair.n_equal, pair.n_items) == ("one", "two", 2, 4)
    assert pair.share == 0.5
    assert similar_pairs([one, two], threshold=0.51) == ()


def test_pairs_are_sorted_by_share_then_rank() -> None:
    entries = [
        _entry("a", ["1", "2", "3", "4"]),
        _entry("b", ["1", "2", "3", "9"]),
        _entry("c", ["1", "2", "3", "4"]),
        _entry("d", ["1", "2", "3", "9"]),
    ]
    found = [(pair.first, pair.second) for pair in similar_pairs(entries)]
    assert found == [("a", "c"), ("b", "d"), ("a", "b"), ("a", "d"), ("b", "c"), ("c", "d")]


def test_blank_entries_are_not_alike() -> None:
    assert similar_pairs([_entry("a"), _entry("b")], threshold=0.0) == ()


def test_rows_without_a_record_are_left_out() -> None:
    line = BoardLine(1, "p", "", 0.5, 0.5, 0.5, "")
    entries = [_entry("a", ["1"]), BoardEntry("p", published=line), _entry("b", ["1"])]
    assert [(pair.first, pair.second) for pair in similar_pairs(entries)] == [("a", "b")]


def test_gap_and_shared_explanations_of_a_pair() -> None:
    better = _entry("a", ["A", "B", "C", "D"], ["E", "F"], explanations=("One.", "Two."))
    worse = _entry("b", ["A", "B", "C", "D"], ["E", "x"], explanations=("One.", "Else."))
    (pair,) = similar_pairs([better, worse])
    assert pair.n_shared_explanations == 1
    # EM and chrF of the second are (1 + 1/2) / 2 each.
    assert pair.score_gap == pytest.approx(0.25)


def test_explanations_of_one_entry() -> None:
    entry = _entry("a", [], [], [], explanations=("Same  text.", "Same text.\n", "It ends in the"))
    (use,) = explanation_uses([entry, _entry("silent", ["1"])])
    assert (use.team, use.n_explanations, use.n_distinct, use.n_unfinished) == ("a", 3, 2, 1)
    assert use.repeated == (("Same text.", 2),)


def test_unfinished_texts_count_once_a_task() -> None:
    (use,) = explanation_uses([_entry("a", explanations=("cut off in", "cut off in", "Done."))])
    assert use.n_unfinished == 2


def test_shared_explanations_need_two_teams() -> None:
    entries = [
        _entry("a", explanations=("Shared.", "Own.", "Own.")),
        _entry("b", explanations=("Shared.", "Wide.")),
        _entry("c", explanations=("Wide.", "Shared.", "Shared.")),
    ]
    found = shared_explanations(entries)
    assert [(item.text, item.teams, item.n_uses) for item in found] == [
        ("Shared.", ("a", "b", "c"), 4), ("Wide.", ("b", "c"), 2),
    ]  # fmt: skip


def test_summary_counts(make_score: MakeScore) -> None:
    line = BoardLine(
        1, "p", "", 0.5, 0.5, 0.5, "", public_score_best_run=0.5, public_score_scored_run=0.4
    )
    blank_run = BoardLine(2, "q", "", 0.5, 0.5, 0.5, "", public_score_best_run=0.5)
    entries = [
        # Wrong counts: task 1 (one of four); task 3 too, but it has no points.
        _entry("a", ["A"], ["E", "F"], ["x", "y"], explanations=("Same.", "Same.")),
        _entry("b", ["A", "B", "C", "D"], ["E", "F"], ["G"], explanations=("Same.", "cut", "cut")),
        BoardEntry("p", published=line),
        BoardEntry("q", published=blank_run),
        BoardEntry("none"),
    ]
    uses, shared = explanation_uses(entries), shared_explanations(entries)
    summary = summarise_board(entries, uses, shared)
    assert summary.n_entries == 5
    assert summary.n_recomputed == 2
    assert (summary.n_equal, summary.n_differ) == (0, 0)
    assert (summary.n_published_only, summary.n_unscored) == (2, 1)
    assert (summary.n_predictions, summary.n_wrong_count) == (4, 1)
    assert summary.n_entries_wrong_count == 1
    assert (summary.n_repeating, summary.n_shared_texts, summary.n_half_unfinished) == (2, 1, 1)
    assert (summary.n_not_selected, summary.n_other_run) == (0, 1)


def test_half_of_the_explanations_is_enough_to_be_counted() -> None:
    entries = [_entry("half", explanations=("It is.", "It is not, since")),
               _entry("third", explanations=("It is.", "It is not.", "It is, since"))]  # fmt: skip
    summary = summarise_board(entries, explanation_uses(entries), ())
    assert summary.n_half_unfinished == 1
