"""The tasks of a board: their chance level, and how the entries did on each.

The chance level is the expected exact match of answering at random among the legal answers. In a
matching task every item has one right option of n, so it is 1/n, whether options are drawn with
or without repeating them; in free text it is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from iolai.records import AnswerKey, Score, TaskKey, TaskLine, canonical_id, problem_id
from iolai.text import normalise_answer

__all__ = ["chance_level", "count_options", "overall_chance", "problem_of", "task_lines"]

#: Task types whose legal answers are a closed list.
_CLOSED_TYPES = ("match_letters",)

_ROUNDING = 1e-9


def problem_of(task_id: str) -> str:
    """Return the problem of a task; a task whose id names none is a problem by itself."""
    return problem_id(canonical_id(task_id)) or task_id


def count_options(task: TaskKey, known: int | None = None) -> int:
    """Return how many legal answers the task has, 0 where the answer is free text.

    Where the problem's own number is not ``known``, the distinct letters of the key stand for it:
    letters that nothing matches are then missed and the chance level is a little too high.
    """
    if task.task_type not in _CLOSED_TYPES:
        return 0
    return max(known or 0, len(set().union(*_accepted(task), set())))


def chance_level(task: TaskKey, known: int | None = None) -> float:
    """Return the task's chance level: the mean over its items of accepted / legal answers."""
    n_options = count_options(task, known)
    accepted = _accepted(task)
    if not n_options or not accepted:
        return 0.0
    return sum(len(answers) / n_options for answers in accepted) / len(accepted)


def overall_chance(lines: Iterable[TaskLine]) -> float | None:
    """Return the points-weighted mean chance level, None where no task has points."""
    weighted = [(line.points, line.chance) for line in lines if line.points > 0]
    points = sum(weight for weight, _ in weighted)
    return sum(weight * chance for weight, chance in weighted) / points if points else None


def task_lines(
    key: AnswerKey, scores: Sequence[Score], n_options: Mapping[str, int] | None = None
) -> tuple[TaskLine, ...]:
    """Return one line a task of the key. ``n_options`` gives numbers of options by task id."""
    reached: dict[str, list[float]] = {}
    for score in scores:
        for task in score.tasks:
            reached.setdefault(canonical_id(task.id), []).append(task.exact_match)
    known = {canonical_id(task_id): number for task_id, number in (n_options or {}).items()}
    return tuple(
        _line(task, reached.get(canonical_id(task.id), []), known.get(canonical_id(task.id)))
        for task in key
    )


def _line(task: TaskKey, reached: Sequence[float], known: int | None) -> TaskLine:
    chance = chance_level(task, known)
    return TaskLine(
        id=task.id,
        problem=problem_of(task.id),
        task_type=task.task_type,
        split=task.split,
        points=task.points,
        n_items=task.n_items,
        n_options=count_options(task, known),
        chance=chance,
        mean=sum(reached) / len(reached) if reached else None,
        best=max(reached, default=None),
        n_above=sum(value > chance + _ROUNDING for value in reached),
    )


def _accepted(task: TaskKey) -> list[set[str]]:
    return [
        {normalise_answer(answer) for answer in reference.alternatives} - {""}
        for reference in task.references
    ]
