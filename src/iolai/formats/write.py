"""Writing files: each is rendered as text first, and then written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from iolai.files import write_whole
from iolai.formats.linguini import render_linguini
from iolai.formats.plain_text import render_plain_text
from iolai.formats.rubric_toml import render_rubric
from iolai.formats.solution_csv import render_solution_csv
from iolai.formats.submission_csv import render_submission_csv
from iolai.formats.test_csv import render_test_csv
from iolai.records import AnswerKey, PredictionSet, ProblemSet, Rubric

__all__ = [
    "write_linguini",
    "write_plain_text",
    "write_rubric",
    "write_solution_csv",
    "write_submission_csv",
    "write_test_csv",
]


def write_test_csv(path: Path | str, problems: ProblemSet) -> None:
    """Write ``test.csv``: problems without references, titles and language names."""
    write_whole(Path(path), render_test_csv(problems))


def write_solution_csv(path: Path | str, key: AnswerKey) -> None:
    """Write ``solution.csv``: the answer key without explanations."""
    write_whole(Path(path), render_solution_csv(key))


def write_submission_csv(path: Path | str, predictions: PredictionSet) -> None:
    """Write ``submission.csv``: predictions with their explanations."""
    write_whole(Path(path), render_submission_csv(predictions))


def write_linguini(path: Path | str, problems: ProblemSet, key: AnswerKey) -> None:
    """Write a Linguini ``.jsonl``; raises InputError where the key lacks a task."""
    write_whole(Path(path), render_linguini(problems, key))


def write_plain_text(path: Path | str, problems: ProblemSet, key: AnswerKey | None = None) -> None:
    """Write problems as plain text; without a key, the sheet that a solver may see."""
    write_whole(Path(path), render_plain_text(problems, key))


def write_rubric(path: Path | str, rubric: Rubric) -> None:
    """Write a rubric as TOML."""
    write_whole(Path(path), render_rubric(rubric))
