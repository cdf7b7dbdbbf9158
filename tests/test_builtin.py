"""The built-in problems: enough of them, sound, worth 20 points each, and solved from the sheet."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from iolai.evaluation import lint_key, read_builtin
from iolai.formats import builtin_path, read_document
from iolai.metrics import score_predictions
from iolai.reading import read_items
from iolai.records import TASK_TYPES, Prediction, PredictionSet, Rubric
from iolai.text import is_nfc

PROBLEMS, KEY = read_builtin()
RUBRICS = {rubric.problem: rubric for rubric in read_document(builtin_path()).rubrics}
SOLVINGS = sorted((Path(__file__).parents[1] / "docs/solvings").glob("*.json"))


def test_there_are_enough() -> None:
    assert len(PROBLEMS) >= 12
    assert len(PROBLEMS.tasks) >= 30
    assert sum(task.n_items for task in KEY) >= 150


def test_at_least_half_are_on_real_languages() -> None:
    real = [problem for problem in PROBLEMS if "invented" not in problem.language]
    assert 2 * len(real) >= len(PROBLEMS)
    for problem in real:
        (folder,) = builtin_path().glob(f"{problem.id[-2:]}-*")
        code = problem.language.split("[")[1].rstrip("]")
        assert code in (folder / "notes.md").read_text(encoding="utf-8")


def test_every_task_type_stands_in_both_splits() -> None:
    scored = {(task.split, task.task_type) for task in KEY if task.points > 0}
    assert scored == {(split, kind) for split in ("public", "private") for kind in TASK_TYPES}


def test_the_key_has_no_fault() -> None:
    assert [finding for finding in lint_key(KEY, PROBLEMS) if finding.is_fault] == []


def test_the_items_are_read_from_the_sheets() -> None:
    read = {task.id: len(read_items(task)) for task in PROBLEMS.tasks}
    assert read == {task.id: task.n_items for task in KEY}


def test_what_the_set_must_show() -> None:
    letters = {
        reference.alternatives[0]
        for task in KEY
        if task.task_type == "match_letters"
        for reference in task.references
    }
    assert {"AA", "BB"} <= letters, "labels past Z"
    assert any(task.eval_type == "multi" for task in KEY), "alternatives"
    assert any(task.points == 0 for task in KEY), "a task that only asks for an explanation"
    assert any('"persons"' in p.context or '"sex"' in p.context for p in PROBLEMS), (
        "kinship as JSON"
    )
    scripts = {language for task in PROBLEMS.tasks for language in task.task_lang}
    assert any(not language.endswith("_Latn") for language in scripts), "another script"


@pytest.mark.parametrize("problem", PROBLEMS.problems, ids=lambda problem: problem.id)
def test_every_task_is_explained_and_every_text_is_nfc(problem) -> None:  # type: ignore[no-untyped-def]
    for task in problem.tasks:
        key = KEY.get(task.id)
        assert key is not None
        assert len(key.explanation) > 100
        texts = [task.context, task.query, key.explanation]
        texts += [text for reference in key.references for text in reference.alternatives]
        assert all(map(is_nfc, texts))


@pytest.mark.parametrize("problem", PROBLEMS.problems, ids=lambda problem: problem.id)
def test_every_rubric_is_worth_20_points(problem) -> None:  # type: ignore[no-untyped-def]
    rubric: Rubric = RUBRICS[problem.id]
    assert rubric.points == 20
    kinds = Counter(criterion.kind for criterion in rubric.criteria)
    scored = [task.id for task in problem.tasks if KEY.get(task.id).points > 0]  # type: ignore[union-attr]
    assert sorted(c.task for c in rubric.criteria if c.kind == "task") == sorted(scored)
    assert kinds["theory"] >= 2
    for criterion in rubric.criteria:
        steps = [step.points for step in criterion.steps]
        assert steps == sorted(steps, reverse=True)
        assert steps[0] == criterion.points


def test_every_problem_was_solved_twice_from_its_sheet_alone() -> None:
    """The solvings on record, scored again with the present key: every item right."""
    solved: Counter[str] = Counter()
    for path in SOLVINGS:
        record = json.loads(path.read_text(encoding="utf-8"))
        scored = {
            task.id for task in KEY if task.points > 0 and task.id.startswith(record["problem"])
        }
        rows = [Prediction.of_items(t["id"], t["answers"]) for t in record["tasks"]]
        rows = [row for row in rows if row.id in scored]
        assert {row.id for row in rows} == scored
        tasks = score_predictions(PredictionSet(tuple(rows)), KEY).tasks
        assert all(task.exact_match == 1 for task in tasks if task.id in scored), path.name
        solved[record["problem"]] += 1
    assert solved == {problem.id: 2 for problem in PROBLEMS}
