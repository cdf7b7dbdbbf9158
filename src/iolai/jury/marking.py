"""Which points a criterion allows, and where a paper stands for one juror, from its marks.

Marks are given in the order in which they were saved; the newest own mark of a juror for a
criterion is the one that counts, and one with points None takes it back.
"""

from __future__ import annotations

from collections.abc import Iterable

from iolai.errors import ConflictError, InputError
from iolai.records import Criterion, DeskState, Mark, MarkKind, Rubric

__all__ = [
    "HALF",
    "MAX_CRITERION_POINTS",
    "allowed_points",
    "criterion_of",
    "desk_state",
    "has_handed_over",
    "own_marks",
    "points_text",
    "require_complete",
    "require_points",
    "unmarked",
]

#: A criterion without steps takes any multiple of this up to its points.
HALF = 0.5
#: A criterion worth more than this is refused: a whole problem is worth 20 points.
MAX_CRITERION_POINTS = 1000.0


def allowed_points(criterion: Criterion) -> tuple[float, ...]:
    """Return the points that a criterion allows, from 0 up.

    0, its steps and its full points; without steps, every multiple of 0.5 and its full points.
    Raises InputError for a criterion of more than ``MAX_CRITERION_POINTS``.
    """
    if criterion.points > MAX_CRITERION_POINTS:
        raise InputError(
            f"criterion {criterion.id} is worth {criterion.points:g} points",
            hint=f"A criterion may be worth {MAX_CRITERION_POINTS:g} points at most.",
        )
    if criterion.steps:
        values = {step.points for step in criterion.steps}
    else:
        values = {HALF * n for n in range(int(criterion.points / HALF) + 1)}
    return tuple(sorted(values | {0.0, float(criterion.points)}))


def require_points(criterion: Criterion, points: float) -> None:
    """Refuse points that the criterion does not allow, with those that it does; never round."""
    allowed = allowed_points(criterion)
    if points not in allowed:
        raise InputError(
            f"criterion {criterion.id} cannot get {points_text(points)} points",
            hint=f"It allows {', '.join(map(points_text, allowed))}.",
        )


def points_text(points: float) -> str:
    """Write points the short way (``2``, ``0.5``), and never as other points than they are."""
    text = f"{points:.10g}"
    return text if float(text) == points else repr(float(points))


def criterion_of(rubric: Rubric, criterion_id: str) -> Criterion:
    """Return a rubric's criterion; raises InputError where there is none of that id."""
    for criterion in rubric.criteria:
        if criterion.id == criterion_id:
            return criterion
    known = ", ".join(criterion.id for criterion in rubric.criteria)
    raise InputError(
        f"the rubric of problem {rubric.problem} has no criterion {criterion_id!r}",
        hint=f"Its criteria: {known}.",
    )


def own_marks(marks: Iterable[Mark], juror: str) -> dict[str, Mark]:
    """Return a juror's own marks on one paper that stand, by criterion.

    What was given after the hand-over does not count; a reopening takes the hand-over back and,
    where it names a criterion, the mark on it.
    """
    standing: dict[str, Mark] = {}
    closed = False
    for mark in marks:
        if mark.juror != juror:
            continue
        if mark.kind == MarkKind.HANDED_OVER:
            closed = True
        elif mark.kind == MarkKind.REOPENED:
            closed = False
            standing.pop(mark.criterion, None)
        elif mark.kind == MarkKind.OWN and not closed:
            standing.pop(mark.criterion, None)
            if mark.points is not None:
                standing[mark.criterion] = mark
    return standing


def has_handed_over(marks: Iterable[Mark], juror: str) -> bool:
    """Say whether a juror has handed over a paper, and it was not reopened since."""
    closed = False
    for mark in marks:
        if mark.juror == juror and mark.kind in (MarkKind.HANDED_OVER, MarkKind.REOPENED):
            closed = mark.kind == MarkKind.HANDED_OVER
    return closed


def unmarked(rubric: Rubric, marks: Iterable[Mark], juror: str) -> tuple[str, ...]:
    """Return the criteria on which the juror has no mark yet, in the rubric's order."""
    given = own_marks(marks, juror)
    return tuple(one.id for one in rubric.criteria if one.id not in given)


def require_complete(rubric: Rubric, marks: Iterable[Mark], juror: str) -> None:
    """Refuse a hand-over while a criterion is unmarked; raises ConflictError naming them."""
    lacking = unmarked(rubric, marks, juror)
    if lacking:
        raise ConflictError(
            f"the paper cannot be handed over: {len(lacking)} criteria have no mark yet "
            f"({', '.join(lacking[:8])}{', …' if len(lacking) > 8 else ''})",
            hint="Mark every criterion first; 0 is a mark.",
        )


def desk_state(marks: Iterable[Mark], juror: str) -> DeskState:
    """Say where one paper stands for one juror."""
    given = tuple(marks)
    if has_handed_over(given, juror):
        return DeskState.HANDED_OVER
    reopened = any(one.juror == juror and one.kind == MarkKind.REOPENED for one in given)
    return DeskState.BEGUN if reopened or own_marks(given, juror) else DeskState.WAITING
