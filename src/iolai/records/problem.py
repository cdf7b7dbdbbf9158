"""A problem, its tasks and their items, as a solver sees them: no references anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = [
    "TASK_TYPES",
    "Item",
    "Problem",
    "ProblemSet",
    "Task",
    "canonical_id",
    "group_tasks",
    "problem_id",
    "same_id",
]

#: The task types of the challenge's files. The layout of a task decides how it is solved, not this.
TASK_TYPES = ("translation", "fill_blanks", "match_letters", "text_to_num", "num_to_text")

_CHALLENGE_ID = re.compile(r"\d{10,12}")
_TASK_DIGITS = 4  # two for the task, then 00


@dataclass(frozen=True, slots=True)
class Item:
    """One answer slot of a task: its label in the query (``"16"``, ``"BB"``, ``""``) and its text.

    ``text`` is what stands beside the label (a form to translate); it is empty where the slot is
    a blank inside a text or a table.
    """

    label: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One row of a test set: a query over a context."""

    id: str
    context: str
    query: str
    task_type: str = ""
    eval_type: str = ""
    work_lang: str = ""
    task_lang: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """One olympiad problem: the tasks that share a context, in the order of the sheet.

    A later task may have a context of its own, so the context belongs to the task.
    """

    id: str
    tasks: tuple[Task, ...]
    title: str = ""
    language: str = ""

    @property
    def context(self) -> str:
        """The context of the first task: what the sheet shows above all tasks."""
        return self.tasks[0].context if self.tasks else ""


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """Problems in the order of their file, and the name of where they came from."""

    problems: tuple[Problem, ...]
    name: str = field(default="", compare=False)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks, problem by problem."""
        return tuple(task for problem in self.problems for task in problem.tasks)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __len__(self) -> int:
        return len(self.problems)


def canonical_id(task_id: str) -> str:
    """Return the id by which rows are matched: without blanks around it and leading zeros."""
    stripped = task_id.strip()
    return stripped.lstrip("0") or stripped[:1]


def same_id(one: str, other: str) -> bool:
    """Say whether two ids name the same task (spreadsheets lose leading zeros)."""
    return canonical_id(one) == canonical_id(other)


def problem_id(task_id: str) -> str | None:
    """Return the part of a challenge id up to the problem number, or None for ids of another shape.

    ``12026050200`` is 1, year 2026, problem 05, task 02, 00: the problem is ``1202605``.
    """
    return task_id[:-_TASK_DIGITS] if _CHALLENGE_ID.fullmatch(task_id) else None


def group_tasks(tasks: Iterable[Task]) -> tuple[Problem, ...]:
    """Group the rows of a test set into problems, in order of first appearance.

    Tasks with challenge ids go by the id's problem part; others by their context, and the problem
    then takes the id of its first task.
    """
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        number = problem_id(task.id)
        key = ("id", number) if number is not None else ("context", task.context)
        groups.setdefault(key, []).append(task)
    return tuple(
        Problem(id=name if kind == "id" else members[0].id, tasks=tuple(members))
        for (kind, name), members in groups.items()
    )
