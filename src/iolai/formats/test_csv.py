"""``test.csv``: the challenge's problems, one task a row, no references."""

from __future__ import annotations

from pathlib import Path

from iolai.errors import Place
from iolai.formats.csv_table import Row, claims_columns, parse_table, render_table
from iolai.formats.document import Document, Notes, TextFormat
from iolai.formats.values import IdCheck, parse_languages, render_languages
from iolai.records import ProblemSet, Task, group_tasks

__all__ = ["FORMAT", "parse_test_csv", "render_test_csv"]

COLUMNS = ("id", "context", "query", "work_lang", "task_lang", "task_type", "eval_type")


def parse_test_csv(text: str, path: Path | str = "test.csv") -> Document:
    """Read problems; raises FormatError naming row and column."""
    notes, ids = Notes(path), IdCheck(path)
    rows = parse_table(text, path, COLUMNS, (), notes)
    tasks = [_task(row, path, ids) for row in rows]
    problems = ProblemSet(group_tasks(tasks), name=Path(path).name)
    return Document(FORMAT.name, problems=problems, warnings=notes.warnings)


def render_test_csv(problems: ProblemSet) -> str:
    """Write problems, task by task. A title and a language name have no column and are lost."""
    return render_table(
        COLUMNS,
        (
            (
                task.id,
                task.context,
                task.query,
                task.work_lang,
                render_languages(task.task_lang),
                task.task_type,
                task.eval_type,
            )
            for task in problems.tasks
        ),
    )


def _task(row: Row, path: Path | str, ids: IdCheck) -> Task:
    return Task(
        id=ids.require(row["id"], row.line),
        context=row["context"],
        query=row["query"],
        task_type=row["task_type"],
        eval_type=row["eval_type"],
        work_lang=row["work_lang"],
        task_lang=parse_languages(row["task_lang"], Place(path, row.line, "task_lang")),
    )


FORMAT = TextFormat(
    name="test.csv",
    starts_with="id,context,query",
    claims=lambda text: claims_columns(text, COLUMNS, ("context", "query")),
    parse=parse_test_csv,
)
