"""From a table of marks to marked papers, by the rules of the marking desk, and back.

A table made on paper or in a spreadsheet holds less than the service's own record. Where a paper
has no hand-over, both jurors are taken to have handed over after their own marks; ``agreed`` is
taken as proposed by the first juror and accepted by the second; a third's mark, as escalated
before. Every row is then held to the same rules as a mark that is saved.

A table with roles is the service's own record: it says who the pair was in the end, who stood down,
and by which version of the rubric each mark was given. A row is held to that version. Where
somebody stood in, the rows were saved under other pairs than the one that counts, and each is held
to its rubric alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from iolai.errors import InputError, IolaiError
from iolai.jury.consensus import differences, require_saveable
from iolai.jury.marking import criterion_of, own_marks, require_points
from iolai.records import (
    Assignment,
    JurorRole,
    Mark,
    MarkedPaper,
    MarkKind,
    MarkRow,
    Paper,
    Rubric,
)

__all__ = ["mark_rows", "marked_papers", "rubrics_hint"]

_AGREED = "agreed"


#: Rubrics that were amended since, by problem and version.
Earlier = Mapping[tuple[str, int], Rubric]


def marked_papers(
    rows: Sequence[MarkRow], rubrics: Mapping[str, Rubric], earlier: Earlier | None = None
) -> tuple[MarkedPaper, ...]:
    """Return the papers that the rows mark, in the order in which they first appear.

    ``rubrics`` count in the end, by problem; ``earlier`` are versions that rows may name.

    Raises InputError naming the row where a paper has no rubric, or not that version; not exactly
    two jurors with marks of their own, or by their roles; more than one third where there are no
    roles; or a row that the rules do not allow.
    """
    versions = {(one.problem, one.version): one for one in rubrics.values()}
    versions |= dict(earlier or {})
    by_paper: dict[tuple[str, str], list[MarkRow]] = {}
    for row in rows:
        by_paper.setdefault((row.contestant, row.problem), []).append(row)
    return tuple(
        _marked_paper(contestant, problem, own, rubrics, versions)
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
            role=str(_role(one.assignment, mark.juror)),
            rubric_version=mark.rubric_version,
        )
        for one in papers
        for mark in one.marks
    )


def _role(assignment: Assignment, juror: str) -> JurorRole:
    if juror in assignment.pair:
        return (JurorRole.FIRST, JurorRole.SECOND)[assignment.pair.index(juror)]
    return JurorRole.THIRD if juror == assignment.third else JurorRole.REPLACED


def _marked_paper(
    contestant: str,
    problem: str,
    rows: list[MarkRow],
    rubrics: Mapping[str, Rubric],
    versions: Earlier,
) -> MarkedPaper:
    if problem not in rubrics:
        raise InputError(
            f"row {rows[0].row}: there is no rubric of problem {problem!r}",
            hint=rubrics_hint(rubrics),
        )
    paper = Paper(f"{contestant}/{problem}", problem, contestant)
    roles = _roles(paper, rows)
    if roles:
        assignment = Assignment(paper.id, _pair_of(paper, rows, roles), _third_of(roles))
    else:
        assignment = Assignment(paper.id, _pair(paper, rows), _third(paper, rows))
    is_replayed = not _had_stand_in(rows, roles)
    marks: list[Mark] = []
    for row in _in_order(rows, assignment):
        rubric = _rubric_of(row, rubrics[problem], versions)
        for mark in _marks(row, rubric, assignment, marks):
            try:
                if is_replayed:
                    require_saveable(rubric, assignment, marks, mark)
                else:
                    _require_of_rubric(rubric, mark)
            except IolaiError as error:
                raise InputError(
                    f"paper {paper.id}, {_where(row)}: {error.message}", hint=error.hint
                ) from error
            marks.append(mark)
    return MarkedPaper(paper, assignment, tuple(marks))


def _had_stand_in(rows: Iterable[MarkRow], roles: Mapping[str, str]) -> bool:
    """Say whether a juror of the pair was replaced; such a one may be the third afterwards."""
    of_pair = {MarkKind.OWN, MarkKind.HANDED_OVER, MarkKind.LATE}
    return JurorRole.REPLACED in roles.values() or any(
        roles.get(row.juror) == JurorRole.THIRD and row.kind in of_pair for row in rows
    )


def rubrics_hint(rubrics: Mapping[str, Rubric]) -> str:
    """Say what to do where the rubric of a problem that was marked is not among these."""
    if not rubrics:
        return "Hand it in too: no rubric was handed in of any problem that was marked."
    return f"Hand it in too. There are rubrics of: {', '.join(rubrics)}."


def _rubric_of(row: MarkRow, now: Rubric, versions: Earlier) -> Rubric:
    if not row.rubric_version:
        return now
    found = versions.get((row.problem, row.rubric_version))
    if found is None:
        known = sorted(version for problem, version in versions if problem == row.problem)
        raise InputError(
            f"row {row.row}: the mark was given by version {row.rubric_version} of the rubric of "
            f"problem {row.problem!r}, which was not handed in",
            hint=f"Hand in every version. There are: {', '.join(map(str, known))}.",
        )
    return found


def _require_of_rubric(rubric: Rubric, mark: Mark) -> None:
    """Refuse a mark on a criterion, or of points, that its rubric does not have."""
    if mark.kind == MarkKind.REOPENED or not mark.criterion:
        return
    criterion = criterion_of(rubric, mark.criterion)
    if mark.points is not None:
        require_points(criterion, mark.points)


def _roles(paper: Paper, rows: list[MarkRow]) -> dict[str, str]:
    """Return the roles of a paper's jurors, none where the table has none."""
    roles: dict[str, str] = {}
    for row in rows:
        if row.juror and roles.setdefault(row.juror, row.role) != row.role:
            raise InputError(
                f"paper {paper.id}, row {row.row}: {row.juror} has the role {row.role or 'none'}, "
                f"and {roles[row.juror] or 'none'} in a row above",
                hint="A juror has one role on a paper, the one in the end.",
            )
    return roles if any(roles.values()) else {}


def _pair_of(paper: Paper, rows: list[MarkRow], roles: Mapping[str, str]) -> tuple[str, str]:
    pair = []
    for role in (JurorRole.FIRST, JurorRole.SECOND):
        have = [juror for juror, one in roles.items() if one == role]
        if len(have) != 1:
            raise InputError(
                f"paper {paper.id}, from row {rows[0].row}: one juror must have the role {role}; "
                f"{_those_who(have)}",
                hint="Give every row of a paper its juror's role, or leave the column out.",
            )
        pair += have
    return pair[0], pair[1]


def _third_of(roles: Mapping[str, str]) -> str:
    return next((juror for juror, role in roles.items() if role == JurorRole.THIRD), "")


def _those_who(jurors: Sequence[str]) -> str:
    return f"those who have are: {', '.join(jurors)}" if jurors else "nobody has"


def _where(row: MarkRow) -> str:
    return f"row {row.row}" if row.row else f"the hand-over of {row.juror}"


def _pair(paper: Paper, rows: list[MarkRow]) -> tuple[str, str]:
    jurors = list(dict.fromkeys(row.juror for row in rows if row.kind == MarkKind.OWN))
    if len(jurors) != 2:
        raise InputError(
            f"paper {paper.id}, from row {rows[0].row}: two jurors must have marks of their own; "
            f"{_those_who(jurors)}",
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
        proposed = _mark(row, rubric, assignment, MarkKind.PROPOSED, first)
        if not proposed.note.strip():
            proposed = replace(proposed, note="agreed")
        return proposed, _mark(row, rubric, assignment, MarkKind.ACCEPTED, second)
    mark = _mark(row, rubric, assignment, MarkKind(row.kind), row.juror)
    if mark.kind != MarkKind.THIRD or row.role:
        return (mark,)
    if not mark.note.strip():
        mark = replace(mark, note="decided by the third")
    escalated = {one.criterion for one in differences(rubric, assignment, marks) if one.escalated}
    if row.criterion in escalated:
        return (mark,)
    asked = _mark(row, rubric, assignment, MarkKind.ESCALATED, first)
    return replace(asked, points=None, note=""), mark


def _already_equal(row: MarkRow, assignment: Assignment, marks: Sequence[Mark]) -> bool:
    """Say whether both gave just what the row says they agreed on."""
    given = [own_marks(marks, juror).get(row.criterion) for juror in assignment.pair]
    return all(mark is not None and mark.points == row.points for mark in given)


def _mark(row: MarkRow, rubric: Rubric, assignment: Assignment, kind: MarkKind, juror: str) -> Mark:
    return Mark(
        paper=assignment.paper,
        juror=juror,
        criterion=row.criterion,
        kind=kind,
        points=row.points,
        note=row.note,
        rubric_version=rubric.version,
        at=row.at,
    )
