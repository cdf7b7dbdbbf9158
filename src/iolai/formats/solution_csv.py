"""``solution.csv``: the answer key, one task a row."""

from __future__ import annotations

from pathlib import Path

from iolai.errors import Place
from iolai.formats.csv_table import Row, claims_columns, parse_table, render_table
from iolai.formats.document import Document, Notes, TextFormat
from iolai.formats.json_text import parse_json
from iolai.formats.values import (
    IdCheck,
    format_number,
    parse_points,
    parse_split,
    read_references,
    render_references,
)
from iolai.records import AnswerKey, TaskKey

__all__ = ["FORMAT", "parse_solution_csv", "render_solution_csv"]

COLUMNS = ("id", "answer", "split", "points", "task_type", "eval_type")


def parse_solution_csv(text: str, path: Path | str = "solution.csv") -> Document:
    """Read an answer key; raises FormatError naming row and column."""
    notes, ids = Notes(path), IdCheck(path)
    rows = parse_table(text, path, COLUMNS, (), notes)
    key = AnswerKey(tuple(_task_key(row, path, ids, notes) for row in rows), name=Path(path).name)
    return Document(FORMAT.name, key=key, warnings=notes.warnings)


def render_solution_csv(key: AnswerKey) -> str:
    """Write an answer key. Its explanations have no column and are lost."""
    return render_table(
        COLUMNS,
        (
            (
                task.id,
                render_references(task.references),
                task.split,
                format_number(task.points),
                task.task_type,
                task.eval_type,
            )
            for task in key
        ),
    )


def _task_key(row: Row, path: Path | str, ids: IdCheck, notes: Notes) -> TaskKey:
    answer = Place(path, row.line, "answer")
    return TaskKey(
        id=ids.require(row["id"], row.line),
        references=read_references(parse_json(row["answer"], answer), answer, notes),
        split=parse_split(row["split"], Place(path, row.line, "split")),
        points=parse_points(row["points"], Place(path, row.line, "points")),
        task_type=row["task_type"],
        eval_type=row["eval_type"],
    )


FORMAT = TextFormat(
    name="solution.csv",
    starts_with="id,answer,split",
    claims=lambda text: claims_columns(text, COLUMNS, ("answer",)),
    parse=parse_solution_csv,
)
