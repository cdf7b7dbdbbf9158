"""The reader against judgements by hand on problems of real contests (not part of the project)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from iolai.records import Task, group_tasks
from iolai.solvers.induction.reader import TaskSheet, read_sheet

ARCHIVE = Path(__file__).parents[4] / "shared" / "data" / "linguini-2003-2019.zip"
DATA = Path(__file__).parent / "data"

pytestmark = pytest.mark.skipif(
    not ARCHIVE.exists(), reason=f"the problem set is not beside the project: {ARCHIVE.name}"
)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    with zipfile.ZipFile(ARCHIVE) as archive:
        text = archive.read("dataset.jsonl", pwd=b"linguisticreasoning").decode()
    return [json.loads(line) for line in text.split("\n") if line.strip()]


@pytest.fixture(scope="module")
def sheets(rows: list[dict[str, object]]) -> dict[str, TaskSheet]:
    tasks = [Task(*(str(r[k]) for k in ("id", "context", "query", "task_type"))) for r in rows]
    return {t.id: t for problem in group_tasks(tasks) for t in read_sheet(problem).tasks}


@pytest.mark.parametrize("name", ["judged_layouts", "judged_layouts_again"])
def test_layout_and_direction_as_judged(name: str, sheets: dict[str, TaskSheet]) -> None:
    judged = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    assert len(judged) == 40
    right = sum(
        1
        for one in judged
        if (task := sheets[one["id"]]).layout == one["layout"]
        and (task.items[0].source, task.items[0].target) == (one["source"], one["target"])
    )
    assert right >= 36


def test_item_counts(rows: list[dict[str, object]], sheets: dict[str, TaskSheet]) -> None:
    right = sum(len(sheets[str(r["id"])].items) == len(r["answer"]) for r in rows)  # type: ignore[arg-type]
    assert right >= 0.95 * len(rows)


def test_something_is_understood_of_nearly_every_problem(sheets: dict[str, TaskSheet]) -> None:
    empty = [
        t.id for t in sheets.values() if not (t.tables or t.lists or t.equations or t.matching)
    ]
    assert len(empty) <= 0.05 * len(sheets)
