"""Problem sets in disguise: examples in another order, forms in other letters; references too.

What a solver that reasons over structure makes of a set should not depend on either. Only what the
reader takes for forms is renamed, cell by cell and item by item; glosses, instructions and
numbers stay.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from iolai.records import AnswerKey, Problem, ProblemSet, Reference, Task, TaskKey
from iolai.solvers.induction.numerals.equations import equation_of
from iolai.solvers.induction.reader import Entry, Sheet, Table, TaskSheet, read_sheet
from iolai.solvers.induction.reader.roles import similarity
from iolai.solvers.induction.segments import kind, script
from iolai.text import letter_parts, nfc

__all__ = ["MODES", "disguised"]

_LONGEST_NAME = 10

Rename = Callable[[str], str]

#: Another order; letters exchanged within vowels and within consonants; any letters exchanged.
MODES = ("shuffled", "renamed", "permuted")
_FORMS = ("form", "phonetic")
#: A translation beside a form: between quotation marks, or in brackets after it.
_GLOSSED = re.compile(r"(['‘“\"][^'’”\"]*['’”\"]|(?<=\s)\([^()]*\)$)")


def disguised(
    problems: ProblemSet, key: AnswerKey, mode: str, seed: int
) -> tuple[ProblemSet, AnswerKey]:
    """Return a set and its key, the same but for the disguise; ids stay."""
    made: list[Problem] = []
    keys: dict[str, TaskKey] = {}
    for problem in problems:
        rng = random.Random(f"{mode}/{seed}/{problem.id}")  # noqa: S311 - a seed is wanted
        sheet = read_sheet(problem)
        known = [key.get(task.id) for task in problem.tasks]
        if mode == "shuffled":
            tasks = _shuffled(problem, sheet, rng)
        else:
            rename = _renaming(sheet, known, rng, within_kind=mode == "renamed")
            tasks = tuple(
                _renamed(task, read, rename)
                for task, read in zip(problem.tasks, sheet.tasks, strict=True)
            )
            for read, task_key in zip(sheet.tasks, known, strict=True):
                if task_key is not None:
                    keys[task_key.id] = _renamed_key(task_key, read, rename)
        made.append(replace(problem, tasks=tasks))
    return ProblemSet(tuple(made)), AnswerKey(tuple(keys.get(t.id, t) for t in key))


# --- another order --------------------------------------------------------------------------


def _shuffled(problem: Problem, sheet: Sheet, rng: random.Random) -> tuple[Task, ...]:
    """Put full rows of tables into another order, the same in every task with that context."""
    contexts: dict[str, str] = {}
    for task, read in zip(problem.tasks, sheet.tasks, strict=True):
        if task.context not in contexts:
            contexts[task.context] = _rows_shuffled(task.context, read.tables, rng)
    return tuple(replace(task, context=contexts[task.context]) for task in problem.tasks)


def _rows_shuffled(context: str, tables: Sequence[Table], rng: random.Random) -> str:
    lines = context.split("\n")
    for table in tables:
        rows = {tuple(cell.text for cell in row.cells) for row in table.rows}
        rows = {row for row in rows if all(row)}
        found = [(i, rest) for i, line in enumerate(lines) if (rest := _row_in(line, rows))]
        others = [rest for _, rest in found]
        rng.shuffle(others)
        for (i, rest), other in zip(found, others, strict=True):
            start = lines[i].rindex(rest)
            lines[i] = lines[i][:start] + other
    return "\n".join(lines)


def _row_in(line: str, rows: Iterable[tuple[str, ...]]) -> str:
    """Return the part of a line that holds a whole row of a table, without its label."""
    for row in rows:
        start = line.find(row[0])
        place = start
        for cell in row:
            place = line.find(cell, place) if place >= 0 else -1
        if place >= 0 and line.rstrip().endswith(row[-1]) and len(line[:start].strip()) < 6:
            return line[start:]
    return ""


# --- other letters --------------------------------------------------------------------------


def _renaming(
    sheet: Sheet, keys: Sequence[TaskKey | None], rng: random.Random, *, within_kind: bool
) -> Rename:
    """Return a substitution of the letters of forms, one for one, within script and case."""
    texts = [text for read in sheet.tasks for text in _forms(read)]
    for read, key in zip(sheet.tasks, keys, strict=True):
        texts += [text for i, text in _form_references(key, read) if i >= 0]
    parts = (part for text in texts for letter in text for part in letter_parts(letter))
    letters = sorted({part.lower() for part in parts if _is_letter(part)})
    letters = [letter for letter in letters if len(letter) == 1]
    groups: dict[tuple[str, str], list[str]] = {}
    for letter in letters:
        group = kind(letter) if within_kind else ""
        groups.setdefault((script(letter), group), []).append(letter)
    table: dict[str, str] = {}
    for members in groups.values():
        others = members[:]
        rng.shuffle(others)
        table.update(zip(members, others, strict=True))

    def exchanged(letter: str) -> str:
        if letter in table:
            return table[letter]
        return table[letter.lower()].upper() if letter.lower() in table else letter

    def rename(text: str) -> str:
        parts = _GLOSSED.split(text)
        return "".join(
            part if place % 2 else nfc("".join(map(exchanged, _apart(part))))
            for place, part in enumerate(parts)
        )

    return rename


def _apart(text: str) -> list[str]:
    return [part for letter in text for part in letter_parts(letter)]


def _is_letter(letter: str) -> bool:
    """Marks are no letters and stay: on a letter (a, ā) or by themselves, as a sign of length."""
    return letter.isalpha() and unicodedata.category(letter) != "Lm"


def _forms(read: TaskSheet) -> Iterator[str]:
    """Yield the texts of a task that are in the language."""
    for table in read.tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                if column.role in _FORMS and cell.text:
                    yield cell.text
    for lists in (*read.lists, *read.matching):
        yield from (entry.text for entry in lists.forms if entry.text)
        if _are_transcriptions(lists.glosses, read.tables):
            yield from (entry.text for entry in lists.glosses)
    for text in (*(e.text for e in read.equations), *(item.text for item in read.items)):
        equation = equation_of(text)
        names = [term.name for term in equation.terms()] if equation else []
        # Prose that speaks of signs looks like an equation of very long names.
        yield from (name for name in names if name and len(name.split()) <= _LONGEST_NAME)
    yield from (note.form for note in read.notes)
    for item in read.items:
        if item.source in _FORMS or item.text.startswith("["):
            yield from (item.text,) if item.text else ()


def _are_transcriptions(entries: Sequence[Entry], tables: Sequence[Table]) -> bool:
    """Say whether options are words of the language, written as a column of a table is."""
    texts = [_GLOSSED.sub("", entry.text) for entry in entries]
    known: dict[bool, list[str]] = {True: [], False: []}
    for table in tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                known[column.role in _FORMS].append(cell.text)
    return similarity(texts, known[True]) > similarity(texts, known[False])


def _renamed(task: Task, read: TaskSheet, rename: Rename) -> Task:
    forms = sorted(set(_forms(read)), key=len, reverse=True)
    glosses = {text.strip().lower() for text in _glosses(read)}
    forms = [form for form in forms if form.strip().lower() not in glosses]
    return replace(
        task,
        context=_in_lines(task.context, forms, rename),
        query=_in_lines(task.query, forms, rename),
    )


def _glosses(read: TaskSheet) -> Iterator[str]:
    for table in read.tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                if column.role == "gloss" and cell.text:
                    yield cell.text
    for lists in (*read.lists, *read.matching):
        if not _are_transcriptions(lists.glosses, read.tables):
            yield from (entry.text for entry in lists.glosses)


def _in_lines(text: str, forms: Sequence[str], rename: Rename) -> str:
    """Rename the forms that stand in the lines of a text as whole words, each place once."""
    return "\n".join(_in_line(line, forms, rename) for line in text.split("\n"))


def _in_line(line: str, forms: Sequence[str], rename: Rename) -> str:
    for form in forms:
        start = line.find(form)
        while start >= 0:
            end = start + len(form)
            before, after = line[start - 1 : start], line[end : end + 1]
            if not before.isalnum() and not after.isalnum():
                rest = _in_line(line[end:], forms, rename)
                return _in_line(line[:start], forms, rename) + rename(form) + rest
            start = line.find(form, start + 1)
    return line


def _form_references(key: TaskKey | None, read: TaskSheet) -> Iterator[tuple[int, str]]:
    """Yield (place of the item, text) of the references that are in the language."""
    if key is None or len(key.references) != len(read.items):
        return
    for i, (item, reference) in enumerate(zip(read.items, key.references, strict=True)):
        if item.target in _FORMS and item.layout != "match":
            yield from ((i, text) for text in reference.alternatives)


def _renamed_key(key: TaskKey, read: TaskSheet, rename: Rename) -> TaskKey:
    places = {i for i, _ in _form_references(key, read)}
    return replace(
        key,
        references=tuple(
            Reference(tuple(map(rename, r.alternatives)), r.as_list) if i in places else r
            for i, r in enumerate(key.references)
        ),
    )
