"""Solvers that understand nothing: the bar that every entry on a board should clear."""

from __future__ import annotations

from collections.abc import Iterator

from iolai.reading import read_items, read_options
from iolai.records import Item, Problem, Task, TaskAnswer
from iolai.solvers.base import Budget, ProblemAnswer
from iolai.solvers.examples import example_pairs, similarity

__all__ = ["Echo", "Identity", "Nearest"]


def _slots(task: Task) -> tuple[Item, ...]:
    """Return the task's items; a task in which none is found still has one slot to fill."""
    return read_items(task) or (Item(label="", text=task.query),)


def _echo(item: Item) -> str:
    return item.text or item.label


class Echo:
    """Answers each item with its own text."""

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield the echo of every item."""
        yield tuple(
            TaskAnswer.of_texts(task.id, map(_echo, _slots(task))) for task in problem.tasks
        )


class Identity:
    """Answers a matching task with its letters in order, one-to-one; else it echoes."""

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield letters in identity order, echoes elsewhere."""
        yield tuple(TaskAnswer.of_texts(task.id, _in_order(task)) for task in problem.tasks)


class Nearest:
    """Answers with the other side of the example whose one side is most like the item.

    Matching tasks get their letters in identity order.
    """

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield the nearest example's other side for every item."""
        yield tuple(
            TaskAnswer.of_texts(task.id, _in_order(task) if read_options(task) else _nearest(task))
            for task in problem.tasks
        )


def _in_order(task: Task) -> list[str]:
    options = read_options(task)
    items = _slots(task)
    if not options:
        return [_echo(item) for item in items]
    return [options[i % len(options)] for i in range(len(items))]


def _nearest(task: Task) -> list[str]:
    pairs = example_pairs(task.context)
    return [_other_side(item, pairs) for item in _slots(task)]


def _other_side(item: Item, pairs: tuple[tuple[str, str], ...]) -> str:
    """Return what stands beside the side most like the item; the item itself where nothing is."""
    sides = [(one, other) for pair in pairs for one, other in (pair, pair[::-1])]
    best = max(sides, key=lambda side: similarity(item.text, side[0]), default=("", ""))
    return best[1] if similarity(item.text, best[0]) > 0 else _echo(item)
