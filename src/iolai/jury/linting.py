"""Looking at a rubric before it is used: what is wrong, and what may well be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from iolai.jury.marking import MAX_CRITERION_POINTS, points_text
from iolai.records import Criterion, ProblemSet, Rubric, same_id

__all__ = ["PROBLEM_POINTS", "RubricFinding", "lint_rubric"]

PROBLEM_POINTS = 20.0


@dataclass(frozen=True, slots=True)
class RubricFinding:
    """Something in a rubric to look at: a ``fault``, or a ``note`` where it may be meant."""

    problem: str
    criterion: str
    level: str
    message: str
    hint: str


def lint_rubric(
    rubric: Rubric, problems: ProblemSet | None = None, *, points: float = PROBLEM_POINTS
) -> tuple[RubricFinding, ...]:
    """Look at a rubric: its sum, its ids, its steps, and, with the problems, its tasks.

    ``points`` is what the problem should be worth.
    """
    return (*_sum(rubric, points), *_criteria(rubric), *_tasks(rubric, problems))


def _sum(rubric: Rubric, points: float) -> Iterator[RubricFinding]:
    if abs(rubric.points - points) > 1e-9:
        yield RubricFinding(
            rubric.problem,
            "",
            "fault",
            f"the criteria sum to {points_text(rubric.points)} points, not {points_text(points)}",
            "Change the points of a criterion, or say what the problem is worth.",
        )
    if not any(one.kind == "theory" for one in rubric.criteria):
        yield RubricFinding(
            rubric.problem,
            "",
            "note",
            "there is no criterion of kind theory",
            "An explanation is worth nothing by this rubric: add a criterion for each main rule.",
        )


def _criteria(rubric: Rubric) -> Iterator[RubricFinding]:
    for name, n in Counter(one.id for one in rubric.criteria).items():
        if n > 1:
            yield RubricFinding(
                rubric.problem, name, "fault", "two criteria have this id", "Give each its own."
            )
    for one in rubric.criteria:
        yield from _criterion(rubric, one)


def _criterion(rubric: Rubric, one: Criterion) -> Iterator[RubricFinding]:
    if one.points > MAX_CRITERION_POINTS:
        yield RubricFinding(
            rubric.problem,
            one.id,
            "fault",
            f"it is worth {points_text(one.points)} points",
            f"No criterion may be worth more than {points_text(MAX_CRITERION_POINTS)}.",
        )
    values = [step.points for step in one.steps]
    if values and max(values) < one.points:
        yield RubricFinding(
            rubric.problem,
            one.id,
            "note",
            f"no step says what gets the full {points_text(one.points)} points",
            "Add a step with the full points.",
        )
    if not one.steps and one.points * 2 != int(one.points * 2):
        yield RubricFinding(
            rubric.problem,
            one.id,
            "note",
            f"{points_text(one.points)} points are no multiple of a half, and there are no steps",
            "Round the points, or give the steps.",
        )
    if not one.steps and not one.notes.strip():
        yield RubricFinding(
            rubric.problem,
            one.id,
            "note",
            "neither steps nor notes say what it is for",
            "Say in its notes what gets the points.",
        )


def _tasks(rubric: Rubric, problems: ProblemSet | None) -> Iterator[RubricFinding]:
    if problems is None:
        return
    own = next((one for one in problems if same_id(one.id, rubric.problem)), None)
    if own is None:
        yield RubricFinding(
            rubric.problem,
            "",
            "fault",
            "the problem set has no such problem",
            f"Its problems: {', '.join(one.id for one in problems)}.",
        )
        return
    for one in rubric.criteria:
        if one.task and not any(same_id(one.task, task.id) for task in own.tasks):
            yield RubricFinding(
                rubric.problem,
                one.id,
                "fault",
                f"the problem has no task {one.task}",
                f"Its tasks: {', '.join(task.id for task in own.tasks)}.",
            )
    marked = {one.task for one in rubric.criteria}
    for task in own.tasks:
        if not any(same_id(name, task.id) for name in marked):
            yield RubricFinding(
                rubric.problem,
                "",
                "note",
                f"no criterion marks the answers of task {task.id}",
                "Add a criterion for it, unless its answers are marked under another.",
            )
