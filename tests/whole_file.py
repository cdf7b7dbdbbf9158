"""A submission.csv that was written while its writer was killed: whole, or the test fails."""

from __future__ import annotations

from pathlib import Path

from iolai.formats import read_predictions
from iolai.reading import read_official
from iolai.records import AnswerKey, ProblemSet

__all__ = ["assert_whole"]


def assert_whole(out: Path, problems: ProblemSet, key: AnswerKey) -> None:
    """Every task has its row, in order, with as many answers as the key asks and none blank."""
    rows = read_predictions(out)
    assert [row.id for row in rows] == [task.id for task in problems.tasks]
    for task in key:
        row = rows.get(task.id)
        assert row is not None
        read = read_official(row.text, task.n_items)
        assert read.is_json_list
        assert read.n_read == task.n_items
        assert all(text.strip() for text in read.items)
