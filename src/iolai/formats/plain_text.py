"""Plain text: problems as people write them, with or without their answers. See docs/formats.md.

``# `` starts a problem, ``## Task`` a task, ``### Context``, ``### Answers`` and
``### Explanation`` a part of one. Setting lines stand directly under a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.formats.document import CERTAIN, NO, PERHAPS, Document, Notes, TextFormat
from iolai.formats.escapes import (
    block_lines,
    inline_text,
    join_alternatives,
    render_inline,
    split_alternatives,
)
from iolai.formats.pasted import looks_pasted
from iolai.formats.sections import (
    ProblemSections,
    Section,
    TaskSections,
    read_pasted,
    read_sections,
)
from iolai.formats.source import checked_cell
from iolai.formats.values import (
    IdCheck,
    format_number,
    parse_points,
    parse_split,
    short,
)
from iolai.records import AnswerKey, Problem, ProblemSet, Reference, Task, TaskKey, problem_id

__all__ = ["FORMAT", "parse_plain_text", "render_plain_text"]

#: Two digits each are left for problem and task in an id that has to be made.
MAX_NUMBER = 99

_ANSWER = re.compile(r"([0-9]{1,6})[.)](?:[ \t]+(.*))?", re.DOTALL)
_NUMBERED_PROBLEM = re.compile(r"[0-9]{6,8}")
_TASK_HEADING = re.compile(r"^##[ \t]+task\b", re.IGNORECASE | re.MULTILINE)


def parse_plain_text(
    text: str, path: Path | str = "problem.txt", first_number: int = 1
) -> Document:
    """Read problems and, where the tasks have answers, their key.

    ``first_number`` is the number of the first problem, for ids that have to be made. Questions
    without a heading of their own are tasks, too, with a warning. Raises FormatError naming the
    line.
    """
    checked_cell(text, Place(path))
    notes = Notes(path)
    reader = _Reader(path, notes)
    cut = read_pasted if looks_pasted(text) else read_sections
    problems = [
        reader.problem(problem, number)
        for number, problem in enumerate(cut(text, path, notes), first_number)
    ]
    reader.require_all_or_no_answers()
    name = Path(path).name
    return Document(
        FORMAT.name,
        problems=ProblemSet(tuple(problems), name=name),
        key=AnswerKey(tuple(reader.keys), name=name) if reader.keys else None,
        warnings=notes.warnings,
    )


def render_plain_text(problems: ProblemSet, key: AnswerKey | None = None) -> str:
    """Write problems; without a key, the sheet that a solver may see.

    Raises InputError where a problem has no tasks or the key lacks one of them.
    """
    blocks: list[str] = []
    for problem in problems:
        if not problem.tasks:
            raise InputError(
                f"the problem {short(problem.id)} has no tasks", hint="Leave the problem out."
            )
        blocks += _problem_blocks(problem)
        for number, task in enumerate(problem.tasks, 1):
            blocks += _task_blocks(problem, task, number, _key_of(task, key))
    return "\n\n".join(blocks) + "\n"


class _Reader:
    """Makes records of sections, and keeps what holds for the whole file."""

    def __init__(self, path: Path | str, notes: Notes) -> None:
        self._path = path
        self._notes = notes
        self._problem_ids = IdCheck(path, "problem")
        self._task_ids = IdCheck(path)
        self._unkeyed: list[Place] = []
        self.keys: list[TaskKey] = []

    def problem(self, sections: ProblemSections, number: int) -> Problem:
        head = sections.head
        ids = _task_ids(sections, number)
        title = inline_text(head.heading, head.place)
        language = head.setting("language", "")
        tasks = tuple(
            self._task(task, task_id, head)
            for task, task_id in zip(sections.tasks, ids, strict=True)
        )
        name = head.setting("id", _common_problem(ids))
        self._problem_ids.require(name, head.place_of("id").row or 1)
        return Problem(name, tasks, title, language)

    def _task(self, sections: TaskSections, task_id: str, problem: Section) -> Task:
        head, parts = sections.head, sections.parts
        self._task_ids.require(task_id, head.place_of("id").row or 1)
        task_key = self._key(sections, task_id)
        return Task(
            id=task_id,
            context=parts["context"].text if "context" in parts else problem.text,
            query=head.text,
            task_type=head.setting("type", ""),
            eval_type=head.setting("eval", task_key.eval_type if task_key else ""),
            work_lang=head.setting("work_lang", problem.setting("work_lang", "")),
            task_lang=_languages(head if "task_lang" in head.settings else problem),
        )

    def _key(self, sections: TaskSections, task_id: str) -> TaskKey | None:
        head, parts = sections.head, sections.parts
        points = parse_points(head.setting("points", "1"), head.place_of("points"))
        split = parse_split(head.setting("split", ""), head.place_of("split"))
        if "answers" not in parts:
            self._unkeyed.append(head.place)
            if "explanation" in parts:
                row = parts["explanation"].place.row or 1
                self._notes.add("an explanation without answers is left out", row)
            return None
        references = _references(parts["answers"])
        several = any(len(reference) > 1 for reference in references)
        eval_type = head.setting("eval", "multi" if several else "single")
        as_list = several or eval_type == "multi"
        key = TaskKey(
            id=task_id,
            references=tuple(Reference(texts, as_list) for texts in references),
            split=split,
            points=points,
            task_type=head.setting("type", ""),
            eval_type=eval_type,
            explanation=parts["explanation"].text if "explanation" in parts else "",
        )
        self.keys.append(key)
        return key

    def require_all_or_no_answers(self) -> None:
        """A key that lacks some tasks of its own file would score them as absent, silently."""
        if self.keys and self._unkeyed:
            raise FormatError(
                "this task has no answers, others have some",
                place=self._unkeyed[0],
                hint="Give every task a part `### Answers`, or none.",
            )


def _task_ids(sections: ProblemSections, number: int) -> list[str]:
    """Return the tasks' ids; those not given are made from the numbers of problem and task.

    ``1``, ``0000``, two digits for the problem, two for the task, ``00``. Under a problem with an
    id of its own they start with that instead, and go by the challenge's rule where it is a number.
    """
    given = [task.head.setting("id", "") for task in sections.tasks]
    return [
        task_id
        if "id" in task.head.settings
        else _made_id(sections.head, number, position, task.head.place)
        for position, (task, task_id) in enumerate(zip(sections.tasks, given, strict=True), 1)
    ]


def _made_id(problem: Section, number: int, position: int, place: Place) -> str:
    own = problem.setting("id", "")
    if own and not _NUMBERED_PROBLEM.fullmatch(own):
        return f"{own}-{position}"
    if position > MAX_NUMBER or (not own and number > MAX_NUMBER):
        raise FormatError(
            f"no id can be made for task {position} of problem {number}",
            place=place,
            hint=f"From number {MAX_NUMBER + 1} on, set the id: a line `id: ...` under the "
            "heading.",
        )
    return f"{own or f'10000{number:02}'}{position:02}00"


def _common_problem(ids: list[str]) -> str:
    """Return the problem's id that all task ids share, else the first task's id."""
    shared = {problem_id(task_id) for task_id in ids}
    only = shared.pop() if len(shared) == 1 else None
    return only or ids[0]


def _languages(section: Section) -> tuple[str, ...]:
    if "task_lang" not in section.settings:
        return ()
    value, place = section.settings["task_lang"]
    names = [name.strip(" \t\r") for name in value.split(",")]
    return tuple(inline_text(name, place) for name in names if name)


def _references(section: Section) -> list[tuple[str, ...]]:
    """Read the answers, one line an item, numbered from 1."""
    references: list[tuple[str, ...]] = []
    for row, line in section.lines:
        if not line.strip():
            continue
        expected = len(references) + 1
        place = Place(section.place.path, row, f"answer {expected}")
        match = _ANSWER.fullmatch(line.strip(" \t\r"))
        if match is None or int(match[1]) != expected:
            raise FormatError(
                f"{short(line)} is not answer {expected}",
                place=place,
                hint=f"Write one line an item, numbered from 1: `{expected}. the answer`; a line "
                "end inside an answer is written \\n.",
            )
        references.append(split_alternatives(match[2] or "", place))
    if not references:
        raise FormatError(
            "there are no answers under the heading",
            place=section.place,
            hint="Write one line an item: `1. the answer`; or leave the heading out.",
        )
    return references


# Writing.


def _problem_blocks(problem: Problem) -> Iterator[str]:
    first = problem.tasks[0]
    settings = {
        "id": problem.id,
        "language": problem.language,
        "work_lang": first.work_lang,
    }
    lines = [f"# {render_inline(problem.title)}".rstrip(" ")]
    lines += [f"{name}: {render_inline(value)}" for name, value in settings.items() if value]
    if first.task_lang:
        lines.append(_task_lang_line(first))
    yield "\n".join(lines)
    if problem.context:
        yield "\n".join(block_lines(problem.context))


def _task_blocks(problem: Problem, task: Task, number: int, key: TaskKey | None) -> Iterator[str]:
    yield "\n".join([f"## Task {number}", *_task_settings(problem, task, key)])
    if task.query:
        yield "\n".join(block_lines(task.query))
    if task.context != problem.context:
        yield "\n".join(["### Context", *block_lines(task.context)])
    if key is None:
        return
    yield "\n".join(
        [
            "### Answers",
            *(
                f"{number}. {join_alternatives(reference.alternatives)}"
                for number, reference in enumerate(key.references, 1)
            ),
        ]
    )
    if key.explanation:
        yield "\n".join(["### Explanation", *block_lines(key.explanation)])


def _task_settings(problem: Problem, task: Task, key: TaskKey | None) -> Iterator[str]:
    settings = {
        "id": task.id,
        "type": task.task_type or (key.task_type if key else ""),
        "eval": task.eval_type or (key.eval_type if key else ""),
        "points": format_number(key.points) if key else "",
        "split": key.split if key else "",
    }
    for name, value in settings.items():
        # A blank form of a task with answers is written: left out, it would read as the default.
        if value or (name == "eval" and key):
            yield f"{name}: {render_inline(value)}".rstrip(" ")
    first = problem.tasks[0]
    if task.work_lang != first.work_lang:
        yield f"work_lang: {render_inline(task.work_lang)}".rstrip(" ")
    if task.task_lang != first.task_lang:
        yield _task_lang_line(task)


def _task_lang_line(task: Task) -> str:
    names = (render_inline(name).replace(",", "\\c") or "\\e" for name in task.task_lang)
    return f"task_lang: {', '.join(names)}".rstrip(" ")


def _key_of(task: Task, key: AnswerKey | None) -> TaskKey | None:
    if key is None:
        return None
    task_key = key.get(task.id)
    if task_key is None:
        raise InputError(
            f"the key has no answers for the task {short(task.id)}",
            hint="Hand over the key of these problems, or none.",
        )
    return task_key


def _claims(head: str) -> int:
    if _TASK_HEADING.search(head):
        return CERTAIN if head.startswith("#") else PERHAPS
    return PERHAPS if head.startswith("#") and not head.startswith("#!") else NO


FORMAT = TextFormat(
    name="plain text",
    starts_with="# Title",
    claims=_claims,
    parse=parse_plain_text,
    parse_numbered=parse_plain_text,
)
