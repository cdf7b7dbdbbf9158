"""What a check is, and what it looks at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from iolai.reading import read_items, read_official, read_options
from iolai.records import PredictionSet, ProblemSet, Task, problem_id
from iolai.text import fold_apostrophes, fold_case_and_form, fold_colons, nfc, squeeze

__all__ = ["Check", "Explained", "ExplainedEntry", "Found", "Whole", "folded", "quoted"]

_QUOTES = re.compile(
    r"“([^“”\n]{1,80})”|«([^«»\n]{1,80})»|„([^„“”\n]{1,80})[“”]|(?<!\w)\"([^\"\n]{1,80})\"(?!\w)"
    r"|(?<!\w)'([^'\n]{1,80})'(?!\w)|‘([^‘’\n]{1,80})’|(?<!\w)`([^`\n]{1,80})`(?!\w)"
)


def folded(text: str) -> str:
    """Return ``text`` for finding forms in it: one case, one form, one apostrophe, one colon."""
    return fold_case_and_form(fold_colons(fold_apostrophes(text)))[0]


def quoted(text: str) -> Iterator[tuple[int, str]]:
    """Yield what stands in quotes of any kind on one line, and where it begins."""
    for found in _QUOTES.finditer(text):
        number = found.lastindex or 1
        yield found.start(number), found[number]


@dataclass(frozen=True)
class ExplainedEntry:
    """An entry with explanations: its name, the team it is of, its predictions."""

    name: str
    team: str
    predictions: PredictionSet


@dataclass(frozen=True)
class Explained:
    """The explanation of one task by one entry. ``task`` is None where there are no problems.

    ``problem`` is the id of the problem; without problems, as far as the task's id tells it.
    """

    entry: str
    team: str
    task_id: str
    text: str
    prediction: str = ""
    task: Task | None = None
    sheet: str = field(default="", repr=False)
    problem: str = ""

    @cached_property
    def plain(self) -> str:
        """The text in one form with single spaces: two that are equal here are the same text."""
        return squeeze(nfc(self.text))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of the task's items, "" for an item without one."""
        return tuple(item.label for item in read_items(self.task)) if self.task else ()

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The entry's own answers, one an item, by the official reading."""
        return read_official(self.prediction, len(self.labels)).items if self.labels else ()

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The letters that a matching task allows."""
        return read_options(self.task) if self.task else ()

    @cached_property
    def known(self) -> str:
        """Everything in which a form may stand, folded: the sheet and the entry's own answers."""
        return folded(f"{self.sheet}\n{self.prediction}")


@dataclass(frozen=True)
class Whole:
    """All explanations that are looked at together, in the order of entries and tasks."""

    rows: tuple[Explained, ...]

    @cached_property
    def by_text(self) -> dict[str, list[Explained]]:
        """The explanations by their text, blank ones left out."""
        found: dict[str, list[Explained]] = {}
        for row in self.rows:
            if row.plain:
                found.setdefault(row.plain, []).append(row)
        return found

    @cached_property
    def by_entry(self) -> dict[str, list[Explained]]:
        """The explanations of each entry."""
        found: dict[str, list[Explained]] = {}
        for row in self.rows:
            found.setdefault(row.entry, []).append(row)
        return found

    def of_problem(self, one: Explained) -> list[Explained]:
        """Return the entry's other explanations within the same problem, other texts only."""
        return [
            row
            for row in self.by_entry[one.entry]
            if row.problem == one.problem and row is not one and row.plain != one.plain
        ]

    @classmethod
    def of(
        cls,
        entries: Sequence[ExplainedEntry],
        problems: ProblemSet | None = None,
        task_ids: Sequence[str] = (),
    ) -> Whole:
        """Collect the explanations of some entries to the tasks of some problems.

        Without problems the tasks are ``task_ids``; without these, those of each entry's rows.
        """
        tasks = {task.id: task for task in problems.tasks} if problems else {}
        problem_of = {task.id: one.id for one in problems or () for task in one.tasks}
        sheets = {
            task.id: "\n".join(f"{one.context}\n{one.query}" for one in problem.tasks)
            for problem in problems or ()
            for task in problem.tasks
        }
        rows = []
        for entry in entries:
            names = list(tasks) or list(task_ids) or [row.id for row in entry.predictions]
            for name in dict.fromkeys(names):
                row = entry.predictions.get(name)
                rows.append(
                    Explained(
                        entry=entry.name,
                        team=entry.team,
                        task_id=name,
                        text=row.explanation if row else "",
                        prediction=row.text if row else "",
                        task=tasks.get(name),
                        sheet=sheets.get(name, ""),
                        problem=problem_of.get(name) or problem_id(name) or name,
                    )
                )
        return cls(tuple(rows))


@dataclass(frozen=True)
class Found:
    """What a check found in one explanation. ``start`` is -1 where it is of no one place."""

    message: str
    quotation: str = ""
    start: int = -1


@dataclass(frozen=True)
class Check:
    """One line of the registry. ``needs_context``: without the problem's sheet it says nothing."""

    kind: str
    meaning: str
    find: Callable[[Explained, Whole], Iterator[Found]]
    needs_context: bool = False
