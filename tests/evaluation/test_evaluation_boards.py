"""The board of the archived records, against what is known of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iolai.evaluation import board_of_predictions, board_of_records
from iolai.formats import read_records
from iolai.records import AnswerKey, Board, Prediction, PredictionSet, Reference, TaskKey


@pytest.fixture(scope="module")
def board(records_folder: Path) -> Board:
    return board_of_records(read_records(records_folder))


def test_counts_of_the_records(board: Board) -> None:
    summary = board.summary
    assert (summary.n_entries, summary.n_recomputed, summary.n_published_only) == (48, 23, 25)
    assert (summary.n_equal, summary.n_differ) == (23, 0)
    assert (summary.n_wrong_count, summary.n_predictions) == (69, 299)
    assert summary.n_entries_wrong_count == 22
    assert summary.n_not_selected == 8
    assert summary.n_repeating == 2


def test_winner_has_the_published_interval(board: Board) -> None:
    interval = board.rows[0].interval
    assert interval is not None
    # Published: 12.0 to 26.5, of another random stream.
    assert interval.low == pytest.approx(0.120, abs=0.003)
    assert interval.high == pytest.approx(0.265, abs=0.003)
    assert board.resampling.n_tasks == 13


def test_neighbours_are_mostly_tied(board: Board) -> None:
    bands = [row.band for row in board.rows if row.band is not None]
    assert len(bands) == 23
    assert bands == sorted(bands)
    assert bands[0] == 1
    assert len(set(bands)) == 4


def test_two_entries_of_one_code_are_found(board: Board) -> None:
    ranks = {row.team: row.rank for row in board.rows}
    (pair,) = [pair for pair in board.similar if pair.n_shared_explanations >= 5]
    assert (ranks[pair.first], ranks[pair.second]) == (1, 5)
    assert pair.score_gap == pytest.approx(0.0306, abs=1e-4)


def test_same_records_same_board(records_folder: Path, board: Board) -> None:
    again = board_of_records(read_records(records_folder))
    assert again == board
    other = board_of_records(read_records(records_folder), seed=1)
    assert other.rows[0].interval != board.rows[0].interval
    assert [row.team for row in other.rows] == [row.team for row in board.rows]


def test_each_row_is_reported(records_folder: Path) -> None:
    told: list[str] = []
    records = read_records(records_folder)
    board_of_records(records, on_entry=told.append)
    assert told == [line.team for line in records.board]


def test_board_of_solvers() -> None:
    key = AnswerKey(
        tuple(TaskKey(f"1203001{n}", (Reference(("a",)),), points=1) for n in ("0100", "0200"))
    )
    sets = {
        "wrong": PredictionSet((Prediction.of_items("12030010100", ["b"]),)),
        "right": PredictionSet(
            tuple(Prediction.of_items(task.id, ["a"], "It is so.") for task in key)
        ),
    }
    board = board_of_predictions(sets, key, name="demo")
    assert [(row.team, row.rank, row.state) for row in board.rows] == [
        ("right", 1, "scored"), ("wrong", 2, "scored"),
    ]  # fmt: skip
    assert board.rows[0].band == 1
    assert board.rows[1].band == 2
    assert [use.team for use in board.explanations] == ["right"]
