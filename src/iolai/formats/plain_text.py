"""Plain text: problems as people write them, with or without their answers. See docs/formats.md.

``# `` starts a problem, ``## Task`` a task, ``### Context``, ``### Answers`` and
``### Explanation`` a part of one. Setting lines stand directly under a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.formats.document import CERTAIN, NO, PERHAPS, Document, Notes, TextFormat
from iolai.formats.escapes import (
    block_lines,
    block_text,
    inline_text,
    join_alternatives,
    render_inline,
    split_alternatives,
)
from iolai.formats.source import checked_cell
from iolai.formats.values import (
    IdCheck,
    format_number,
    parse_points,
    parse_split,
    short,
    suggestion,
)
from iolai.records import AnswerKey, Problem, ProblemSet, Reference, Task, TaskKey, problem_id

__all__ = ["FORMAT", "parse_plain_text", "render_plain_text"]

PROBLEM_SETTINGS = ("id", "language", "work_lang", "task_lang")
TASK_SETTINGS = ("id", "type", "eval", "points", "split", "work_lang", "task_lang")
PARTS = ("context", "answers", "explanation")
#: Two digits each are left for problem and task in an id that has to be made.
MAX_NUMBER = 99

_HEADING = re.compile(r"(#{1,3})(?:[ \t]+(.*))?")
_TASK = re.compile(r"task\b.*", re.IGNORECASE | re.DOTALL)
_SETTING = re.compile(r"([A-Za-z_]+)[ \t]*:(.*)", re.DOTALL)
_ANSWER = re.compile(r"([0-9]{1,6})[.)](?:[ \t]+(.*))?", re.DOTALL)
_NUMBERED_PROBLEM = re.compile(r"[0-9]{6,8}")
_TASK_HEADING = re.compile(r"^##[ \t]+task\b", re.IGNORECASE | re.MULTILINE)


@dataclass
class _Section:
    """A heading, its setting lines, and the lines of text up to the next heading."""

    level: int
    heading: str
    place: Place
    settings: dict[str, tuple[str, Place]] = field(default_factory=dict)
    lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return block_text([line for _, line in self.lines])

    def setting(self, name: str, default: str) -> str:
        """Return a setting's text; ``default`` where there is no such line."""
        if name not in self.settings:
            return default
        value, place = self.settings[name]
        return inline_text(value, place)

    def place_of(self, name: str) -> Place:
        return self.settings[name][1] if name in self.settings else self.place


@dataclass
class _TaskSections:
    """A task's heading with its query, and its parts by name."""

    head: _Section
    parts: dict[str, _Section] = field(default_factory=dict)


@dataclass
class _ProblemSections:
    """A problem's heading with its context, and its tasks."""

    head: _Section
    tasks: list[_TaskSections] = field(default_factory=list)


def parse_plain_text(
    text: str, path: Path | str = "problem.txt", first_number: int = 1
) -> Document:
    """Read problems and, where the tasks have answers, their key.

    ``first_number`` is the number of the first problem, for ids that have to be made. Raises
    FormatError naming the line.
    """
    checked_cell(text, Place(path))
    notes = Notes(path)
    reader = _Reader(path, notes)
    sections = _sections(_lines(text), path)
    problems = [
        reader.problem(problem, number)
        for number, problem in enumerate(_tree(sections, path), first_number)
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


# Reading: lines, then sections, then the tree of problems and tasks, then records.


def _lines(text: str) -> list[str]:
    """Split at LF. A file whose first line ends in CRLF is a CRLF file, and all its CRLF go."""
    first_end = text.find("\n")
    if first_end > 0 and text[first_end - 1] == "\r":
        text = text.replace("\r\n", "\n")
    return text.split("\n")


def _sections(lines: list[str], path: Path | str) -> list[_Section]:
    sections: list[_Section] = []
    for row, line in enumerate(lines, 1):
        if line.startswith("#"):
            sections.append(_section(line, Place(path, row)))
        elif sections:
            sections[-1].lines.append((row, line))
        elif line.strip():
            raise FormatError(
                "there is text before the first heading",
                place=Place(path, row),
                hint="Start with a line `# Title of the problem`.",
            )
    for section in sections:
        known = {1: PROBLEM_SETTINGS, 2: TASK_SETTINGS}.get(section.level)
        if known:
            _take_settings(section, known, path)
    return sections


def _section(line: str, place: Place) -> _Section:
    match = _HEADING.fullmatch(line.rstrip(" \t\r"))
    if match is None:
        raise FormatError(
            f"{short(line)} starts with # and is no heading",
            place=place,
            hint="A heading is #, ## or ### with a space after it; in a text put a backslash "
            "before a line that starts with #.",
        )
    return _Section(len(match[1]), match[2] or "", place)


def _take_settings(section: _Section, known: tuple[str, ...], path: Path | str) -> None:
    """Move the lines ``name: value`` directly under a heading from its text to its settings."""
    while section.lines:
        row, line = section.lines[0]
        match = _SETTING.fullmatch(line)
        if match is None:
            return
        name, place = match[1].lower(), Place(path, row, match[1][:40])
        if name not in known:
            raise FormatError(
                f"there is no setting named {short(name)} here",
                place=place,
                hint=f"{suggestion(name, known)}Known: {', '.join(known)}. Put a blank line "
                "before it where it is text.",
            )
        if name in section.settings:
            raise FormatError(
                f"{name} is set twice", place=place, hint="Leave one of the two lines."
            )
        section.settings[name] = (match[2], place)
        del section.lines[0]


def _tree(sections: list[_Section], path: Path | str) -> list[_ProblemSections]:
    problems: list[_ProblemSections] = []
    for section in sections:
        if section.level == 1:
            problems.append(_ProblemSections(section))
        elif not problems:
            raise FormatError(
                "a task stands before the first problem",
                place=section.place,
                hint="Start with a line `# Title of the problem`.",
            )
        elif section.level == 2:
            problems[-1].tasks.append(_TaskSections(_checked_task(section)))
        else:
            _add_part(problems[-1], section)
    for problem in problems:
        if not problem.tasks:
            raise FormatError(
                f"the problem {short(problem.head.heading)} has no task",
                place=problem.head.place,
                hint="Add a line `## Task 1` with the query under it.",
            )
    return problems


def _checked_task(section: _Section) -> _Section:
    if not _TASK.fullmatch(section.heading):
        raise FormatError(
            f"there is no heading ## {section.heading[:40]}",
            place=section.place,
            hint="A heading with ## starts a task: `## Task 1`. Its parts have ###: "
            "`### Answers`, `### Explanation`, `### Context`.",
        )
    return section


def _add_part(problem: _ProblemSections, section: _Section) -> None:
    name = section.heading.strip().lower()
    if name not in PARTS:
        raise FormatError(
            f"there is no heading ### {section.heading[:40]}",
            place=section.place,
            hint=f"{suggestion(name, PARTS)}Known: {', '.join(PARTS)}.",
        )
    if not problem.tasks:
        raise FormatError(
            f"### {section.heading[:40]} stands before the first task",
            place=section.place,
            hint="It belongs under a task: `## Task 1`.",
        )
    parts = problem.tasks[-1].parts
    if name in parts:
        raise FormatError(
            f"the task has two parts named {name}",
            place=section.place,
            hint=f"The first is in line {parts[name].place.row}; put them together.",
        )
    parts[name] = section


class _Reader:
    """Makes records of sections, and keeps what holds for the whole file."""

    def __init__(self, path: Path | str, notes: Notes) -> None:
        self._path = path
        self._notes = notes
        self._problem_ids = IdCheck(path, "problem")
        self._task_ids = IdCheck(path)
        self._unkeyed: list[Place] = []
        self.keys: list[TaskKey] = []

    def problem(self, sections: _ProblemSections, number: int) -> Problem:
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

    def _task(self, sections: _TaskSections, task_id: str, problem: _Section) -> Task:
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

    def _key(self, sections: _TaskSections, task_id: str) -> TaskKey | None:
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


def _task_ids(sections: _ProblemSections, number: int) -> list[str]:
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


def _made_id(problem: _Section, number: int, position: int, place: Place) -> str:
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


def _languages(section: _Section) -> tuple[str, ...]:
    if "task_lang" not in section.settings:
        return ()
    value, place = section.settings["task_lang"]
    names = [name.strip() for name in value.split(",")]
    return tuple(inline_text(name, place) for name in names if name)


def _references(section: _Section) -> list[tuple[str, ...]]:
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
        yield "### Context"
        if task.context:
            yield "\n".join(block_lines(task.context))
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
        yield "### Explanation"
        yield "\n".join(block_lines(key.explanation))


def _task_settings(problem: Problem, task: Task, key: TaskKey | None) -> Iterator[str]:
    settings = {
        "id": task.id,
        "type": task.task_type or (key.task_type if key else ""),
        "eval": task.eval_type or (key.eval_type if key else ""),
        "points": format_number(key.points) if key else "",
        "split": key.split if key else "",
    }
    for name, value in settings.items():
        if value:
            yield f"{name}: {render_inline(value)}"
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
    starts_with="a line `# Title of the problem`",
    claims=_claims,
    parse=parse_plain_text,
    parse_numbered=parse_plain_text,
)
