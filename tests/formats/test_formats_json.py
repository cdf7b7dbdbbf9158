"""Linguini files and predictions.json: shapes, warnings, lines."""

from __future__ import annotations

import json

import pytest

from iolai import formats
from iolai.errors import InputError
from iolai.records import AnswerKey, ProblemSet, Reference, Task, TaskKey, group_tasks


def _row(**fields: object) -> str:
    return json.dumps({"id": "012017010100", "context": "c", "query": "q", **fields})


def test_a_linguini_row_in_full() -> None:
    document = formats.parse_document(
        _row(
            answer=["a", ["b", "c"]],
            explanation="because",
            work_lang="eng_Latn",
            task_lang=["bom_Latn"],
            task_type="translation",
            eval_type="simple",
        )
    )
    assert document.format == "Linguini .jsonl"
    assert document.problems is not None
    assert document.key is not None
    (problem,) = document.problems
    assert problem.id == "01201701"
    assert problem.tasks == (
        Task("012017010100", "c", "q", "translation", "simple", "eng_Latn", ("bom_Latn",)),
    )
    (task,) = document.key
    assert task.references == (Reference(("a",)), Reference(("b", "c")))
    assert [reference.as_list for reference in task.references] == [False, True]
    assert (task.eval_type, task.points, task.split) == ("simple", 1, "")
    assert task.explanation == "because"
    assert document.warnings == ()


def test_linguini_without_answers_has_no_key() -> None:
    document = formats.parse_document(_row())
    assert document.key is None
    assert document.problems is not None


def test_only_line_feeds_end_a_linguini_row() -> None:
    text = '{"id": "1", "context": "a\u2028b\u0085c", "query": "q", "answer": ["x"]}\r\n\r\n'
    problems = formats.parse_document(text).problems
    assert problems is not None
    assert problems.tasks[0].context == "a\u2028b\u0085c"


def test_linguini_warnings_count_rows() -> None:
    rows = [_row(id=1, source="x"), _row(id=2, source="y")]
    document = formats.parse_document("\n".join(rows), "set.jsonl")
    assert document.problems is not None
    assert [task.id for task in document.problems.tasks] == ["1", "2"]
    extra, number = document.warnings
    assert "set.jsonl, line 1" in extra
    assert "source (and 1 more)" in extra
    assert "the id is a number" in number


def test_linguini_languages_may_be_a_text() -> None:
    problems = formats.parse_document(_row(task_lang="['bom_Latn']")).problems
    assert problems is not None
    assert problems.tasks[0].task_lang == ("bom_Latn",)


def _pair(*ids: str) -> tuple[ProblemSet, AnswerKey]:
    tasks = [Task(name, "c", "q") for name in ids]
    return (
        ProblemSet(group_tasks(tasks)),
        AnswerKey(tuple(TaskKey(name, (Reference(("a",)),), eval_type="") for name in ids)),
    )


def test_linguini_keeps_the_order_of_the_file() -> None:
    # The tasks of the first problem are not neighbours in the file.
    problems, key = _pair("12026010100", "12026020100", "12026010200")
    document = formats.parse_document(formats.render_linguini(problems, key))
    assert (document.problems, document.key) == (problems, key)


def test_linguini_keeps_the_problems_where_the_keys_order_would_not() -> None:
    problems, key = _pair("12026010100", "12026020100")
    turned = AnswerKey(key.tasks[::-1])
    document = formats.parse_document(formats.render_linguini(problems, turned))
    assert (document.problems, document.key) == (problems, key)


def test_linguini_has_our_fields_only_where_they_are_needed() -> None:
    problems, key = _pair("1")
    assert set(json.loads(formats.render_linguini(problems, key))) == {
        *("id", "context", "query", "answer", "explanation"),
        *("work_lang", "task_lang", "task_type", "eval_type"),
    }


def test_linguini_needs_the_whole_key() -> None:
    problems, _ = _pair("1", "2")
    _, key = _pair("1")
    with pytest.raises(InputError, match="the first is 2"):
        formats.render_linguini(problems, key)


def test_predictions_know_the_line_where_they_start() -> None:
    rows = [{"id": "1", "pred": "a\nb", "explanation": "e", "x": [1, {}]}, {"id": "2", "pred": ""}]
    document = formats.parse_document(json.dumps(rows, indent=1))
    assert document.format == "predictions.json"
    assert document.predictions is not None
    assert [(r.id, r.text, r.explanation, r.row) for r in document.predictions] == [
        ("1", "a\nb", "e", 2),
        ("2", "", "", 11),
    ]


def test_null_predictions_are_blank() -> None:
    document = formats.parse_document('[{"id": "1", "pred": null, "explanation": null}]')
    assert document.predictions is not None
    assert document.predictions.predictions[0].text == ""


def test_repeated_ids_in_predictions_json_warn() -> None:
    document = formats.parse_document('[{"id": "1", "pred": "a"},\n{"id": "01", "pred": "b"}]')
    (warning,) = document.warnings
    assert "line 2" in warning
