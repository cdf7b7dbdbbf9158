"""From a table of marks to marked papers, by the rules of the marking desk, and back.

A table made on paper or in a spreadsheet holds less than the service's own record. Where a paper
has no hand-over, both jurors are taken to have handed over after their own marks; ``agreed`` is
taken as proposed by the first juror and accepted by the second; a third's mark, as escalated
before. Every row is then held to the same rules as a mark that is saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from iolai.errors import InputError, IolaiError
from iolai.jury.consensus import differences, require_saveable
from iolai.jury.marking import own_marks
from iolai.records import (
    Assignment,
    Mark,
    MarkedPaper,
    MarkKind,
    MarkRow,
    Paper,
    Rubric,
)

__all__ = ["mark_rows", "marked_papers"]

_AGREED = "agreed"


def marked_papers(
    rows: Sequence[MarkRow], rubrics: Mapping[str, Rubric]
) -> tuple[MarkedPaper, ...]:
    """Return the papers that the rows mark, in the order in which they first appear.

    Raises InputError naming the row where a paper has no rubric, not exactly two jurors with
    marks of their own, more than one third, or a row that the rules do not allow.
    """
    by_paper: dict[tuple[str, str], list[MarkRow]] = {}
    for row in rows:
        by_paper.setdefault((row.contestant, row.problem), []).append(row)
    return tuple(
        _marked_paper(contestant, problem, own, rubrics)
        for (contestant, problem), own in by_paper.items()
    )


def mark_rows(papers: Iterable[MarkedPaper]) -> tuple[MarkRow, ...]:
    """Return the marks of papers as the rows of a table, with the contestants' ids."""
    return tuple(
        MarkRow(
            contestant=one.paper.contestant,
            problem=one.paper.problem,
            juror=mark.juror,
            criterion=mark.criterion,
            kind=str(mark.kind),
            points=mark.points,
            note=mark.note,
            at=mark.at,
        )
        for one in papers
        for mark in one.marks
    )


def _marked_paper(
    contestant: str, problem: str, rows: list[MarkRow], rubrics: Mapping[str, Rubric]
) -> MarkedPaper:
    if problem not in rubrics:
        raise InputError(
            f"row {rows[0].row}: there is no rubric of problem {problem!r}",
            hint=f"Hand it in too. There are those of: {', '.join(rubrics) or 'none'}.",
        )
    paper = Paper(f"{contestant}/{problem}", problem, contestant)
    assignment = Assignment(paper.id, _pair(paper, rows), _third(paper, rows))
    marks: list[Mark] = []
    for row in _in_order(rows, assignment):
        for mark in _marks(row, rubrics[problem], assignment, marks):
            try:
                require_saveable(rubrics[problem], assignment, marks, mark)
            except IolaiError as error:
                raise InputError(
                    f"paper {paper.id}, {_where(row)}: {error.message}", hint=error.hint
                ) from error
            marks.append(mark)
    return MarkedPaper(paper, assignment, tuple(marks))


def _where(row: MarkRow) -> str:
    return f"row {row.row}" if row.row else f"the hand-over of {row.juror}"


def _pair(paper: Paper, rows: list[MarkRow]) -> tuple[str, str]:
    jurors = list(dict.fromkeys(row.juror for row in rows if row.kind == MarkKind.OWN))
    if len(jurors) != 2:
        raise InputError(
            f"paper {paper.id}, from row {rows[0].row}: two jurors must have marks of their own; "
            f"those who have are: {', '.join(jurors) or 'none'}",
            hint="Two jurors mark each paper; a third's decision has the kind third.",
        )
    return jurors[0], jurors[1]


def _third(paper: Paper, rows: list[MarkRow]) -> str:
    thirds = list(dict.fromkeys(row.juror for row in rows if row.kind == MarkKind.THIRD))
    if len(thirds) > 1:
        raise InputError(
            f"paper {paper.id}, from row {rows[0].row}: there are {len(thirds)} thirds "
            f"({', '.join(thirds)})",
            hint="One third decides all that was escalated on a paper.",
        )
    return thirds[0] if thirds else ""


def _in_order(rows: list[MarkRow], assignment: Assignment) -> list[MarkRow]:
    """Return the rows as they are; without a hand-over, own marks first, then two hand-overs."""
    if any(row.kind == MarkKind.HANDED_OVER for row in rows):
        return rows
    own = [row for row in rows if row.kind == MarkKind.OWN]
    closing = [
        replace(own[0], juror=juror, criterion="", kind=str(MarkKind.HANDED_OVER), points=None,
                note="", row=0)
        for juror in assignment.pair
    ]  # fmt: skip
    return [*own, *closing, *(row for row in rows if row.kind != MarkKind.OWN)]


def _marks(
    row: MarkRow, rubric: Rubric, assignment: Assignment, marks: Sequence[Mark]
) -> tuple[Mark, ...]:
    first, second = assignment.pair
    if row.kind == _AGREED:
        if _already_equal(row, assignment, marks):
            return ()
        proposed = _mark(row, assignment, MarkKind.PROPOSED, first)
        if not proposed.note.strip():
            proposed = replace(proposed, note="agreed")
        return proposed, _mark(row, assignment, MarkKind.ACCEPTED, second)
    mark = _mark(row, assignment, MarkKind(row.kind), row.juror)
    if mark.kind != MarkKind.THIRD:
        return (mark,)
    if not mark.note.strip():
        mark = replace(mark, note="decided by the third")
    escalated = {one.criterion for one in differences(rubric, assignment, marks) if one.escalated}
    if row.criterion in escalated:
        return (mark,)
    asked = _mark(row, assignment, MarkKind.ESCALATED, first)
    return replace(asked, points=None, note=""), mark


def _already_equal(row: MarkRow, assignment: Assignment, marks: Sequence[Mark]) -> bool:
    """Say whether both gave just what the row says they agreed on."""
    given = [own_marks(marks, juror).get(row.criterion) for juror in assignment.pair]
    return all(mark is not None and mark.points == row.points for mark in given)


def _mark(row: MarkRow, assignment: Assignment, kind: MarkKind, juror: str) -> Mark:
    return Mark(
        paper=assignment.paper,
        juror=juror,
        criterion=row.criterion,
        kind=kind,
        points=row.points,
        note=row.note,
        at=row.at,
    )
