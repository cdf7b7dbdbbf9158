"""The answer key: references, points and split of every task. No solver is ever handed one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from iolai.records.problem import canonical_id

__all__ = ["EVAL_TYPES", "SPLITS", "AnswerKey", "Reference", "TaskKey"]

#: ``simple`` is written in 22 rows of the Linguini set and means the same as ``single``.
EVAL_TYPES = ("single", "simple", "multi")
SPLITS = ("public", "private")


@dataclass(frozen=True, slots=True)
class Reference:
    """The accepted answers of one item; any of the ``alternatives`` is right.

    ``as_list`` keeps how the file wrote it (a list or a bare text), so that it is written back the
    same way and a lint can see it; it does not count in comparisons.
    """

    alternatives: tuple[str, ...]
    as_list: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class TaskKey:
    """The key of one task: one reference an item, in the order of the query."""

    id: str
    references: tuple[Reference, ...]
    split: str = ""
    points: float = 1.0
    task_type: str = ""
    eval_type: str = "single"
    explanation: str = ""

    @property
    def n_items(self) -> int:
        return len(self.references)


@dataclass(frozen=True)
class AnswerKey:
    """The keys of all tasks of a problem set, in the order of the file."""

    tasks: tuple[TaskKey, ...]
    name: str = field(default="", compare=False)

    @cached_property
    def _by_id(self) -> dict[str, TaskKey]:
        return {canonical_id(task.id): task for task in self.tasks}

    def get(self, task_id: str) -> TaskKey | None:
        """Return the key of a task (leading zeros of the id do not count), or None."""
        return self._by_id.get(canonical_id(task_id))

    def split(self, name: str) -> AnswerKey:
        """Return the key of one split, or all of it for ``"all"``."""
        if name == "all":
            return self
        return replace(self, tasks=tuple(task for task in self.tasks if task.split == name))

    def __iter__(self) -> Iterator[TaskKey]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)
