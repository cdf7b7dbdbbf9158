"""The result of a marking: totals, ranks, medals, agreement, comparison and difficulty together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iolai.errors import InputError
from iolai.jury.agreement import problem_agreement
from iolai.jury.comparison import compare
from iolai.jury.consensus import counted, is_settled
from iolai.jury.difficulty import difficulty
from iolai.jury.resampling import Resampler
from iolai.jury.tables import rubrics_hint
from iolai.jury.totals import (
    medal_clashes,
    medals,
    rank_among,
    require_falling,
    sensitivity,
    sum_points,
)
from iolai.records import (
    Comparison,
    Contestant,
    ContestantKind,
    ContestantResult,
    ContestantTable,
    JuryResult,
    MarkedPaper,
    NoFigure,
    Rubric,
)

__all__ = ["jury_result"]


def jury_result(
    rubrics: Mapping[str, Rubric],
    papers: Sequence[MarkedPaper],
    contestants: Sequence[Contestant],
    table: ContestantTable,
    *,
    name: str = "",
    resampler: Resampler | None = None,
) -> JuryResult:
    """Find out everything from a marking.

    ``rubrics`` are by problem. A contestant's people are those of the table, or, where it has
    none, the people who were marked. ``table.automatic`` is by the contestants' ids. Contestants
    come by falling total, then by name. Raises InputError where a paper's rubric or contestant is
    not there, or the thresholds do not fall.
    """
    resampler = resampler or Resampler()
    _require_known(rubrics, papers, contestants)
    require_falling(table.thresholds)
    totals = {one.id: _by_problem(rubrics, papers, one.id) for one in contestants}
    rows = tuple(_result(one, totals, rubrics, papers, contestants, table) for one in contestants)
    kinds = {one.id: one.kind for one in contestants}
    return JuryResult(
        name=name,
        contestants=tuple(sorted(rows, key=lambda row: (-row.total, row.contestant.name))),
        agreement=tuple(
            problem_agreement(
                rubric, [one for one in papers if one.paper.problem == problem], resampler
            )
            for problem, rubric in rubrics.items()
        ),
        comparison=_comparison(rubrics, totals, kinds, table, resampler),
        difficulty=difficulty(rubrics.values(), papers, kinds, resampler),
        thresholds=table.thresholds,
        clashes=medal_clashes(table.people, table.thresholds),
        notes=(*_notes(rubrics, papers, contestants, table), *_other_totals(rows, table)),
        level=resampler.level,
        n_resamples=resampler.n_resamples,
        seed=resampler.seed,
        titles={problem: rubric.title for problem, rubric in rubrics.items() if rubric.title},
    )


def _require_known(
    rubrics: Mapping[str, Rubric],
    papers: Sequence[MarkedPaper],
    contestants: Sequence[Contestant],
) -> None:
    known = {one.id for one in contestants}
    for one in papers:
        if one.paper.problem not in rubrics:
            raise InputError(
                f"there is no rubric of problem {one.paper.problem!r}, which was marked",
                hint=rubrics_hint(rubrics),
            )
        if one.paper.contestant not in known:
            raise InputError(
                f"the contestant {one.paper.contestant!r}, whose paper was marked, is not listed",
                hint="Add the contestant to the table of contestants.",
            )


def _by_problem(
    rubrics: Mapping[str, Rubric], papers: Sequence[MarkedPaper], contestant: str
) -> dict[str, float]:
    own = {one.paper.problem: one for one in papers if one.paper.contestant == contestant}
    return {
        problem: sum_points(
            mark.points for mark in counted(rubric, own[problem].assignment, own[problem].marks)
        )
        for problem, rubric in rubrics.items()
        if problem in own
    }


def _result(
    one: Contestant,
    totals: Mapping[str, Mapping[str, float]],
    rubrics: Mapping[str, Rubric],
    papers: Sequence[MarkedPaper],
    contestants: Sequence[Contestant],
    table: ContestantTable,
) -> ContestantResult:
    total = sum_points(totals[one.id].values())
    people = [person.total for person in table.people] or [
        sum_points(totals[other.id].values())
        for other in contestants
        if other.kind == ContestantKind.PERSON
    ]
    own = [paper for paper in papers if paper.paper.contestant == one.id]
    known = any(value is not None for value in table.thresholds.by_medal.values())
    return ContestantResult(
        contestant=one,
        total=total,
        by_problem=totals[one.id],
        rank=rank_among(total, people) if people else None,
        n_people=len(people),
        medals=medals(total, table.thresholds) if known else (),
        sensitivity=sensitivity(rubrics, own, table.thresholds) if known else None,
        automatic=table.automatic.get(one.id),
    )


def _comparison(
    rubrics: Mapping[str, Rubric],
    totals: Mapping[str, Mapping[str, float]],
    kinds: Mapping[str, ContestantKind],
    table: ContestantTable,
    resampler: Resampler,
) -> Comparison | NoFigure:
    worth = {problem: rubric.points for problem, rubric in rubrics.items()}
    marked = {
        name: points
        for name, points in totals.items()
        if points and kinds[name] == ContestantKind.SYSTEM
    }
    jury = {
        name: 100 * sum_points(points.values()) / sum(worth[problem] for problem in points)
        for name, points in marked.items()
    }
    jury_by_problem = {
        problem: {
            name: 100 * points[problem] / worth[problem]
            for name, points in marked.items()
            if problem in points
        }
        for problem in rubrics
    }
    given = {
        problem: {
            name: scores[problem]
            for name, scores in table.automatic_by_problem.items()
            if problem in scores
        }
        for problem in rubrics
    }
    return compare(table.automatic, jury, resampler, given, jury_by_problem)


def _other_totals(rows: Sequence[ContestantResult], table: ContestantTable) -> tuple[str, ...]:
    """Say how many people's totals here are not those that the table has."""
    given = {one.name: one.total for one in table.people}
    n_other = sum(
        row.contestant.kind == ContestantKind.PERSON
        and given.get(row.contestant.name, row.total) != row.total
        for row in rows
    )
    return (f"people with another total here than in the table: {n_other}",) if n_other else ()


def _notes(
    rubrics: Mapping[str, Rubric],
    papers: Sequence[MarkedPaper],
    contestants: Sequence[Contestant],
    table: ContestantTable,
) -> tuple[str, ...]:
    """Say what a reader must know before the figures."""
    notes = []
    n_open = sum(
        not is_settled(rubrics[one.paper.problem], one.assignment, one.marks) for one in papers
    )
    if n_open:
        notes.append(
            f"{n_open} of {len(papers)} papers are not settled: what is open on them counts nothing"
        )
    have = {(one.paper.contestant, one.paper.problem) for one in papers}
    n_lacking = len(contestants) * len(rubrics) - len(have)
    if n_lacking:
        notes.append(f"{n_lacking} papers are missing: a contestant has nothing for that problem")
    odd = [rubric.title or problem for problem, rubric in rubrics.items() if rubric.points != 20]
    if odd:
        notes.append(f"not worth 20 points: {', '.join(odd)}")
    unknown = [name for name, value in table.thresholds.by_medal.items() if value is None]
    if len(unknown) < len(table.thresholds.by_medal) and unknown:
        notes.append(f"the threshold is not known: {', '.join(unknown)}")
    if not table.people and any(one.kind == ContestantKind.PERSON for one in contestants):
        notes.append("ranks are among the people marked here, no table of people was given")
    return tuple(notes)
