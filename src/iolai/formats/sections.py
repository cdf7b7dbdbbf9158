"""Plain text cut into its headings: lines, then sections, then problems with their tasks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.document import Notes
from iolai.formats.escapes import block_text, inline_text
from iolai.formats.pasted import FILL_IN, find_questions, has_blanks, title_of
from iolai.formats.values import short, suggestion

__all__ = ["ProblemSections", "Section", "TaskSections", "read_pasted", "read_sections"]

PROBLEM_SETTINGS = ("id", "language", "work_lang", "task_lang")
TASK_SETTINGS = ("id", "type", "eval", "points", "split", "work_lang", "task_lang")
PARTS = ("context", "answers", "explanation")

_HEADING = re.compile(r"(#{1,3})(?:[ \t]+(.*))?")
_TASK = re.compile(r"task\b.*", re.IGNORECASE | re.DOTALL)
_SETTING = re.compile(r"([A-Za-z_]+)[ \t]*:(.*)", re.DOTALL)


@dataclass
class Section:
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
class TaskSections:
    """A task's heading with its query, and its parts by name."""

    head: Section
    parts: dict[str, Section] = field(default_factory=dict)


@dataclass
class ProblemSections:
    """A problem's heading with its context, and its tasks."""

    head: Section
    tasks: list[TaskSections] = field(default_factory=list)


def read_sections(text: str, path: Path | str, notes: Notes) -> list[ProblemSections]:
    """Cut a text into problems, at least one, each with at least one task.

    A problem without a heading ``## Task`` has its questions for tasks, and ``notes`` says which.
    Raises FormatError naming the line: text before the first heading, a heading or a setting that
    does not exist, one that stands twice or in the wrong place, a problem that asks nothing.
    """
    return _tree(_sections(_lines(text), path), notes)


def read_pasted(text: str, path: Path | str, notes: Notes) -> list[ProblemSections]:
    """Cut a sheet without any heading into one problem with its questions for tasks."""
    lines = list(enumerate(_lines(text), 1))
    at = title_of([line for _, line in lines])
    title = lines[at][1].strip() if at is not None else ""
    head = Section(1, title, Place(path, 1), lines=lines[0 if at is None else at + 1 :])
    return _with_tasks([ProblemSections(head)], notes)


def _lines(text: str) -> list[str]:
    """Split at LF. A file whose first line ends in CRLF is a CRLF file, and all its CRLF go."""
    first_end = text.find("\n")
    if first_end > 0 and text[first_end - 1] == "\r":
        text = text.replace("\r\n", "\n")
    return text.split("\n")


def _sections(lines: list[str], path: Path | str) -> list[Section]:
    sections: list[Section] = []
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


def _section(line: str, place: Place) -> Section:
    match = _HEADING.fullmatch(line.rstrip(" \t\r"))
    if match is None:
        raise FormatError(
            f"{short(line)} starts with # and is no heading",
            place=place,
            hint="A heading is #, ## or ### with a space after it; in a text put a backslash "
            "before a line that starts with #.",
        )
    return Section(len(match[1]), match[2] or "", place)


def _take_settings(section: Section, known: tuple[str, ...], path: Path | str) -> None:
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


def _tree(sections: list[Section], notes: Notes) -> list[ProblemSections]:
    problems: list[ProblemSections] = []
    for section in sections:
        if section.level == 1:
            problems.append(ProblemSections(section))
        elif not problems:
            raise FormatError(
                "a task stands before the first problem",
                place=section.place,
                hint="Start with a line `# Title of the problem`.",
            )
        elif section.level == 2:
            problems[-1].tasks.append(TaskSections(_checked_task(section)))
        else:
            _add_part(problems[-1], section)
    return _with_tasks(problems, notes)


def _with_tasks(problems: list[ProblemSections], notes: Notes) -> list[ProblemSections]:
    for problem in problems:
        if not problem.tasks:
            _take_questions(problem, notes)
        if not problem.tasks:
            raise FormatError(
                f"the problem {short(problem.head.heading)} has no task",
                place=problem.head.place,
                hint="Add a line `## Task 1` with the query under it.",
            )
    return problems


def _take_questions(problem: ProblemSections, notes: Notes) -> None:
    """Make tasks of the questions in a problem's text, and note which lines were taken for them."""
    lines = problem.head.lines
    found = find_questions([line for _, line in lines])
    for at, (start, said) in enumerate(found):
        end = found[at + 1][0] if at + 1 < len(found) else len(lines)
        _add_question(problem, lines[start:end])
        row, line = lines[said]
        notes.add(f"no heading ## Task: {short(line.strip())} is taken for a question", row)
    if found:
        problem.head.lines = lines[: found[0][0]]
    elif has_blanks([line for _, line in lines]):
        row = next(row for row, line in lines if line.strip())
        _add_question(problem, [(row, FILL_IN)])
        notes.add("no heading ## Task and no question: the blanks are taken for what is asked", row)


def _add_question(problem: ProblemSections, lines: list[tuple[int, str]]) -> None:
    place = Place(problem.head.place.path, lines[0][0])
    problem.tasks.append(TaskSections(Section(2, "", place, lines=lines)))


def _checked_task(section: Section) -> Section:
    if not _TASK.fullmatch(section.heading):
        raise FormatError(
            f"there is no heading ## {section.heading[:40]}",
            place=section.place,
            hint="A heading with ## starts a task: `## Task 1`. Its parts have ###: "
            "`### Answers`, `### Explanation`, `### Context`.",
        )
    return section


def _add_part(problem: ProblemSections, section: Section) -> None:
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
