"""Totals, ranks among people, medals, and how firmly a medal stands.

Totals are sums of the marks that count; nothing is rescaled. A medal is given from a threshold
on; where a threshold is not known, every medal that the total may earn is named.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from iolai.errors import InputError
from iolai.jury.consensus import counted
from iolai.jury.marking import allowed_points, own_marks
from iolai.records import (
    NO_MEDAL,
    Counted,
    MarkedPaper,
    MedalChange,
    MedalClash,
    PersonScore,
    Rubric,
    Sensitivity,
    Thresholds,
)

__all__ = [
    "medal_clashes",
    "medals",
    "rank_among",
    "require_falling",
    "sensitivity",
    "sum_points",
]

#: Sums of steps such as 0.1 are rounded here, far below the least step of any criterion.
_DECIMALS = 6


def sum_points(values: Iterable[float]) -> float:
    """Add points; the last bits, which only come of the way floats add up, are rounded off."""
    return round(math.fsum(values), _DECIMALS)


def require_falling(thresholds: Thresholds) -> None:
    """Refuse thresholds of which a lower medal's is not below a higher one's; InputError."""
    known = [(name, value) for name, value in thresholds.by_medal.items() if value is not None]
    for (higher, above), (lower, below) in itertools.pairwise(known):
        if below >= above:
            raise InputError(
                f"the threshold of {lower} ({below:g}) is not below that of {higher} ({above:g})",
                hint="Thresholds fall from gold to the honourable mention.",
            )


def medals(total: float, thresholds: Thresholds) -> tuple[str, ...]:
    """Return the medals that a total may have earned, the highest first; one if all is known.

    A medal whose threshold is not known is possible where the total is below the next higher
    known threshold. ``NO_MEDAL`` stands for none.
    """
    possible: list[str] = []
    for medal, threshold in thresholds.by_medal.items():
        if threshold is None:
            possible.append(medal)
        elif total >= threshold:
            return (*possible, medal)
        else:
            possible = []
    return (*possible, NO_MEDAL)


def rank_among(total: float, people: Iterable[float]) -> int:
    """Return the rank of a total among people's: 1 + the number of people with a higher one."""
    return 1 + sum(other > total for other in people)


def medal_clashes(people: Iterable[PersonScore], thresholds: Thresholds) -> tuple[MedalClash, ...]:
    """Return the people whose medal in the table is not one that the thresholds give."""
    return tuple(
        MedalClash(one.name, one.total, one.medal, expected)
        for one in people
        if one.medal and one.medal not in (expected := medals(one.total, thresholds))
    )


def sensitivity(
    rubrics: Mapping[str, Rubric], papers: Sequence[MarkedPaper], thresholds: Thresholds
) -> Sensitivity:
    """Say how firmly the medal of one contestant, whose papers these are, stands.

    A step of a criterion is from one of its allowed points to the next.
    """
    counts = [one for paper in papers for one in _counted(rubrics, paper)]
    total = sum_points(one.points for one in counts)
    changes = [
        change
        for paper in papers
        for one in _counted(rubrics, paper)
        for change in _changes(rubrics[paper.paper.problem], one, total, thresholds)
    ]
    n_steps = min((change.n_steps for change in changes), default=None)
    jurors = sorted({juror for paper in papers for juror in paper.assignment.pair})
    return Sensitivity(
        n_steps=n_steps,
        changes=tuple(change for change in changes if change.n_steps == n_steps),
        by_juror={
            juror: medal_text(medals(_total_by(juror, rubrics, papers), thresholds))
            for juror in jurors
        },
    )


def medal_text(possible: tuple[str, ...]) -> str:
    """Write the medals that are possible: ``bronze or honourable mention``."""
    return " or ".join(possible)


def _counted(rubrics: Mapping[str, Rubric], paper: MarkedPaper) -> tuple[Counted, ...]:
    return counted(rubrics[paper.paper.problem], paper.assignment, paper.marks)


def _changes(
    rubric: Rubric, mark: Counted, total: float, thresholds: Thresholds
) -> Iterable[MedalChange]:
    """Yield the nearest change of this one mark, down and up, that changes the medal."""
    (criterion,) = (one for one in rubric.criteria if one.id == mark.criterion)
    allowed = allowed_points(criterion)
    if mark.points not in allowed:
        return
    place, now = allowed.index(mark.points), medals(total, thresholds)
    for values in (allowed[place - 1 :: -1] if place else (), allowed[place + 1 :]):
        for n_steps, points in enumerate(values, 1):
            then = medals(sum_points((total, points, -mark.points)), thresholds)
            if then != now:
                yield MedalChange(
                    rubric.problem, mark.criterion, mark.points, points, n_steps, medal_text(then)
                )
                break


def _total_by(juror: str, rubrics: Mapping[str, Rubric], papers: Sequence[MarkedPaper]) -> float:
    """Return the total with the juror's own marks in the place of those that count."""
    points = []
    for paper in papers:
        own = own_marks(paper.marks, juror) if juror in paper.assignment.pair else {}
        for mark in _counted(rubrics, paper):
            given = own.get(mark.criterion)
            value = given.points if given is not None else mark.points
            points.append(mark.points if value is None else value)
    return sum_points(points)
