"""Difficulty of each criterion: 1 less the mean share of its points, for systems and for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from iolai.jury.comparison import spearman
from iolai.jury.consensus import counted
from iolai.jury.resampling import Resampler
from iolai.records import (
    ContestantKind,
    Criterion,
    CriterionLine,
    Difficulty,
    Figure,
    MarkedPaper,
    NoFigure,
    Rubric,
)

__all__ = ["difficulty"]


def difficulty(
    rubrics: Iterable[Rubric],
    papers: Sequence[MarkedPaper],
    kinds: Mapping[str, ContestantKind],
    resampler: Resampler,
) -> Difficulty:
    """Measure every criterion. ``kinds`` says of each contestant (by id) what it is.

    Only marks that count are taken. The correlation is Spearman's over the criteria that were
    marked for both systems and people, its interval over the same.
    """
    lines = tuple(line for rubric in rubrics for line in _lines(rubric, papers, kinds))
    both = [
        (1 - one.systems, 1 - one.people)
        for one in lines
        if one.systems is not None and one.people is not None
    ]
    correlation: Figure | NoFigure = spearman(
        [for_systems for for_systems, _ in both],
        [for_people for _, for_people in both],
        resampler,
        ("difficulties for systems", "difficulties for people"),
        "criterion",
    )
    return Difficulty(lines, correlation)


def _lines(
    rubric: Rubric, papers: Sequence[MarkedPaper], kinds: Mapping[str, ContestantKind]
) -> Iterable[CriterionLine]:
    points: dict[tuple[str, ContestantKind], list[float]] = {}
    for one in papers:
        if one.paper.problem == rubric.problem:
            kind = kinds[one.paper.contestant]
            for mark in counted(rubric, one.assignment, one.marks):
                points.setdefault((mark.criterion, kind), []).append(mark.points)
    for criterion in rubric.criteria:
        systems = points.get((criterion.id, ContestantKind.SYSTEM), [])
        people = points.get((criterion.id, ContestantKind.PERSON), [])
        yield CriterionLine(
            problem=rubric.problem,
            criterion=criterion.id,
            kind=criterion.kind,
            points=criterion.points,
            systems=_share(systems, criterion),
            people=_share(people, criterion),
            n_systems=len(systems),
            n_people=len(people),
        )


def _share(points: Sequence[float], criterion: Criterion) -> float | None:
    return math.fsum(points) / len(points) / criterion.points if points else None
