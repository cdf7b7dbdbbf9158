"""The archived records of 2026 as a study: the figures that were published come out."""

from __future__ import annotations

from pathlib import Path

import pytest

from iolai.evaluation import board_of_records
from iolai.formats import read_records
from iolai.records import Board, Condition, Records
from iolai.study.board_tables import board_tables
from iolai.study.figures import FIGURES
from iolai.study.likeness import likeness_tables
from iolai.study.material import Material, StudyEntry
from iolai.study.outcomes import predicted
from iolai.study.robustness import robustness_tables


@pytest.fixture(scope="module")
def records(records_folder: Path) -> Records:
    return read_records(records_folder)


@pytest.fixture(scope="module")
def board(records: Records) -> Board:
    return board_of_records(records)


@pytest.fixture(scope="module")
def material(records: Records, board: Board) -> Material:
    entries = tuple(
        StudyEntry(
            entry.folder,
            entry.team,
            entry.metrics.get("public_score"),
            at=str(entry.metadata.get("timestamp", "")),
            predictions=entry.predictions,
        )
        for entry in records.entries
    )
    return Material(key=records.key, entries=entries, board=board, n_resamples=500)


def test_the_top_of_the_board_is_as_published(material: Material, records: Records) -> None:
    top = board_tables(material)[0]
    published = sorted(records.board, key=lambda line: line.rank)[:10]
    assert [row[1].value for row in top.rows] == [line.team for line in published]
    for row, line in zip(top.rows, published, strict=True):
        for cell, figure in zip(row[2:5], (line.score, line.exact_match, line.chrf), strict=True):
            assert isinstance(cell.value, float)
            assert round(100 * cell.value, 2) == pytest.approx(100 * figure, abs=0.006)
    interval = top.rows[0][2].interval
    assert interval is not None
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.121, 0.263)


def test_exact_match_per_problem_and_type_of_the_best_present(
    material: Material, board: Board
) -> None:
    _, _, problems, types = board_tables(material)
    best = board.rows[0]
    for table, scores in ((problems, best.by_problem), (types, best.by_task_type)):
        row = table.row(best.team)
        shown = {name: row[name].value for name in scores if name in row}
        assert shown
        for name, value in shown.items():
            assert value == pytest.approx(scores[name].exact_match)
    present = [row for row in board.rows if row.by_problem]
    for problem in best.by_problem:
        highest = max(float(row.by_problem[problem].exact_match or 0) for row in present)
        assert problems.row("best of each")[problem].value == pytest.approx(highest)


def test_the_counts_of_the_records_here(board: Board) -> None:
    counts = board.summary
    assert counts.n_recomputed == 23
    assert (counts.n_wrong_count, counts.n_predictions) == (69, 299)
    assert counts.n_entries_wrong_count == 22
    assert counts.n_not_selected == 8


def test_the_two_entries_with_the_same_code_agree_most(material: Material, board: Board) -> None:
    outputs = likeness_tables(material)[1]
    first = outputs.rows[0]
    teams = {entry.name: entry.team for entry in material.entries}
    ranks = {row.team: row.rank for row in board.rows}
    scores = {row.team: float(row.score or 0) for row in board.rows}
    one, other = (teams[str(cell.value)] for cell in first[:2])
    assert {ranks[one], ranks[other]} == {1, 5}
    assert round(100 * abs(scores[one] - scores[other]), 2) == 3.06


def test_entries_are_drawn_per_problem_and_task(material: Material) -> None:
    chart = FIGURES["problems"](material)
    (entries,) = chart.series
    assert len(entries.dots) == 299
    assert len({dot.x for dot in entries.dots}) == 13


def test_reading_labels_away_would_lift_an_entry_to_the_top(records: Records) -> None:
    outcomes = tuple(
        outcome
        for entry in records.entries
        for outcome in predicted(
            entry.predictions, records.key, model=entry.team, condition=Condition("entry")
        )
    )
    reading, choices = robustness_tables(Material(outcomes, key=records.key, n_resamples=100))
    ranks = {line.team: line.rank for line in records.board}
    by_gain = max(reading.rows, key=lambda row: float(row[3].value or 0))
    assert ranks[str(by_gain[0].value)] == 17
    assert float(by_gain[6].value or 0) <= 3
    assert float(by_gain[5].value or 0) > 6
    scores = {line.team: line.score for line in records.board}
    for row in reading.rows:
        assert row[1].value == pytest.approx(scores[str(row[0].value)], abs=6e-5)
    assert choices.row("reading: JSON lists are not understood")["mean"].value
