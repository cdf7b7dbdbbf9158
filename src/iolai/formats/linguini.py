"""Linguini ``.jsonl``: problems with their references, one task a line as a JSON object.

Source: the Linguini benchmark's ``dataset.jsonl``. ``eval_type`` also takes the value ``simple``;
a ``multi`` row may hold a bare text among its lists. Where a key has a split, or points other than
1, they are written in fields of those names, which the benchmark itself does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iolai.errors import FormatError, InputError, IolaiError, Place
from iolai.formats.document import NO, PERHAPS, Document, Notes, TextFormat
from iolai.formats.fields import Fields
from iolai.formats.json_text import parse_json, parse_json_file
from iolai.formats.values import (
    IdCheck,
    json_line,
    parse_languages,
    parse_split,
    read_references,
    references_as_json,
)
from iolai.records import AnswerKey, ProblemSet, Task, TaskKey, canonical_id, group_tasks

__all__ = ["FORMAT", "parse_linguini", "render_linguini"]

REQUIRED = ("id", "context", "query")
OPTIONAL = ("answer", "explanation", "work_lang", "task_lang", "task_type", "eval_type")
OURS = ("split", "points")
KNOWN = frozenset((*REQUIRED, *OPTIONAL, *OURS))


def parse_linguini(text: str, path: Path | str = "dataset.jsonl") -> Document:
    """Read problems and, where the rows have answers, their key.

    Raises FormatError naming line and field, also where only some rows have answers.
    """
    notes, ids = Notes(path), IdCheck(path)
    rows = [_fields(line, row, text, path) for row, line in _lines(text)]
    tasks = [_task(fields, ids, notes) for fields in rows]
    keyed = [fields for fields in rows if "answer" in fields.values]
    if keyed and len(keyed) < len(rows):
        unkeyed = next(fields for fields in rows if "answer" not in fields.values)
        raise FormatError(
            "this row has no answer, others have one",
            place=unkeyed.at("answer"),
            hint="Give every row an answer, or none.",
        )
    name = Path(path).name
    key = AnswerKey(tuple(_task_key(fields, notes) for fields in keyed), name=name)
    return Document(
        FORMAT.name,
        problems=ProblemSet(group_tasks(tasks), name=name),
        key=key if keyed else None,
        warnings=notes.warnings,
    )


def render_linguini(problems: ProblemSet, key: AnswerKey) -> str:
    """Write problems with their key, one task a line.

    The rows stand in the key's order where that order gives the same problems back, else in the
    problems' order. Raises InputError where the key lacks a task. A problem's title and language
    name have no field and are lost.
    """
    lacking = [task.id for task in problems.tasks if key.get(task.id) is None]
    if lacking:
        raise InputError(
            f"the key has no answers for {len(lacking)} tasks, the first is {lacking[0]}",
            hint="Hand over the key of these problems.",
        )
    place = {canonical_id(task.id): number for number, task in enumerate(key)}
    in_key_order = sorted(problems.tasks, key=lambda task: place[canonical_id(task.id)])
    same = group_tasks(in_key_order) == group_tasks(problems.tasks)
    rows = in_key_order if same else problems.tasks
    return "".join(f"{json_line(_row(task, key.get(task.id)))}\n" for task in rows)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    # Only LF ends a line: JSON texts may hold U+2028 and its like as they are.
    for row, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield row, line


def _fields(line: str, row: int, text: str, path: Path | str) -> Fields:
    try:
        value = parse_json(line, Place(path, row))
    except FormatError as error:
        clearer = _not_lines(text, path)
        if clearer is None:
            raise
        raise clearer from error
    return Fields.of(value, Place(path, row), REQUIRED)


def _not_lines(text: str, path: Path | str) -> FormatError | None:
    """Return a clearer error where the file is one JSON document over several lines."""
    try:
        value = parse_json_file(text.strip(), path)
    except IolaiError:
        return None
    names = (
        ", ".join(str(name)[:40] for name in list(value)[:10]) if isinstance(value, dict) else ""
    )
    return FormatError(
        f"this is one JSON object over several lines, with the fields {names}",
        place=Place(path, 1),
        hint="A Linguini file has one object a line, each with id, context and query; "
        "of a record's files only predictions.json can be read on its own.",
    )


def _task(fields: Fields, ids: IdCheck, notes: Notes) -> Task:
    row = fields.place.row or 1
    extra = sorted(str(name) for name in fields.values if name not in KNOWN)
    if extra:
        notes.add(f"fields that this format does not have are left out: {', '.join(extra)}", row)
    return Task(
        id=ids.require(_id(fields, notes), row),
        context=fields.text("context"),
        query=fields.text("query"),
        task_type=fields.text("task_type", ""),
        eval_type=fields.text("eval_type", ""),
        work_lang=fields.text("work_lang", ""),
        task_lang=_languages(fields),
    )


def _id(fields: Fields, notes: Notes) -> str:
    value = fields.values["id"]
    if isinstance(value, int) and not isinstance(value, bool):
        notes.add("the id is a number, read as text", fields.place.row or 1)
        return str(value)
    return fields.text("id")


def _languages(fields: Fields) -> tuple[str, ...]:
    value = fields.values.get("task_lang")
    if value is None or isinstance(value, str):
        return parse_languages(value or "", fields.at("task_lang"))
    names = fields.list("task_lang")
    if not all(isinstance(name, str) for name in names):
        raise FormatError(
            "task_lang must be a list of texts",
            place=fields.at("task_lang"),
            hint='Write a list such as ["swh_Latn"].',
        )
    return tuple(str(name) for name in names)


def _task_key(fields: Fields, notes: Notes) -> TaskKey:
    references = read_references(fields.values["answer"], fields.at("answer"), notes)
    return TaskKey(
        id=str(fields.values["id"]),
        references=references,
        split=parse_split(fields.text("split", ""), fields.at("split")),
        points=fields.number("points", 0) if "points" in fields.values else 1.0,
        task_type=fields.text("task_type", ""),
        eval_type=fields.text("eval_type", ""),
        explanation=fields.text("explanation", ""),
    )


def _row(task: Task, key: TaskKey | None) -> dict[str, object]:
    answers = key or TaskKey(task.id, ())
    row: dict[str, object] = {
        "id": task.id,
        "context": task.context,
        "query": task.query,
        "answer": references_as_json(answers.references),
        "explanation": answers.explanation,
        "work_lang": task.work_lang,
        "task_lang": list(task.task_lang),
        "task_type": task.task_type or answers.task_type,
        "eval_type": task.eval_type or answers.eval_type,
    }
    if answers.split:
        row["split"] = answers.split
    if answers.points != 1:
        row["points"] = answers.points
    return row


def _claims(text: str) -> int:
    return PERHAPS if text[:1] == "{" else NO


FORMAT = TextFormat(
    name="Linguini .jsonl",
    starts_with='{"id": ..., "context":',
    claims=_claims,
    parse=parse_linguini,
)
