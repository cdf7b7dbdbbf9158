"""Amending: what a change to a rubric does, before it is made.

A criterion whose points, steps or task change, or that is new, must be marked again on every
paper where it had a mark; its talk and decisions go with it. One that is removed just counts no
more. A change of wording (notes, what is accepted) reopens nothing unless that is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from iolai.errors import ConflictError
from iolai.jury.consensus import counted, is_settled
from iolai.jury.marking import has_handed_over, own_marks, points_text
from iolai.records import (
    Amendment,
    Assignment,
    Criterion,
    CriterionChange,
    Mark,
    MarkKind,
    PaperChange,
    Rubric,
)

__all__ = ["preview", "reopening_marks"]

#: What a paper's preview needs: who marks it, and its marks in the order of saving.
Marked = Mapping[str, tuple[Assignment, Sequence[Mark]]]


def preview(old: Rubric, new: Rubric, papers: Marked, *, reopen_wording: bool = False) -> Amendment:
    """Say what replacing a rubric would change; ``papers`` are the problem's, by id.

    Raises ConflictError where the new rubric is of another problem, or its version does not follow
    the old one's.
    """
    if new.problem != old.problem:
        raise ConflictError(
            f"the rubric is of problem {new.problem}, not {old.problem}",
            hint="Hand in the rubric of the problem that is to be amended.",
        )
    if new.version <= old.version:
        raise ConflictError(
            f"the rubric has version {new.version}, and {old.version} is in use",
            hint=f"Write version = {old.version + 1} in it.",
        )
    changes = _changes(old, new, reopen_wording=reopen_wording)
    touched = [change.criterion for change in changes if change.reopens]
    gone = {change.criterion for change in changes if change.what == "removed"}
    looked_at = (_paper_change(old, touched, gone, *papers[paper]) for paper in papers)
    return Amendment(
        problem=old.problem,
        from_version=old.version,
        to_version=new.version,
        changes=changes,
        papers=tuple(change for change in looked_at if change is not None),
    )


def reopening_marks(amendment: Amendment, papers: Marked, reason: str = "") -> tuple[Mark, ...]:
    """Return the marks of kind ``reopened`` that carry out an amendment (no time, no id yet).

    One for each criterion that must be marked again and each juror who had marked it or had handed
    over the paper: the mark on it no longer stands, all other marks of the juror do.
    """
    return tuple(
        Mark(
            paper=change.paper,
            juror=juror,
            criterion=criterion,
            kind=MarkKind.REOPENED,
            note=reason,
            rubric_version=amendment.to_version,
        )
        for change in amendment.papers
        for juror in papers[change.paper][0].pair
        for criterion in change.criteria
        if juror in change.jurors or criterion in own_marks(papers[change.paper][1], juror)
    )


def _changes(old: Rubric, new: Rubric, *, reopen_wording: bool) -> tuple[CriterionChange, ...]:
    before = {one.id: one for one in old.criteria}
    after = {one.id: one for one in new.criteria}
    changes = [
        change
        for name in dict.fromkeys([*before, *after])
        if (change := _change(name, before.get(name), after.get(name), reopen_wording)) is not None
    ]
    return tuple(changes)


def _change(
    name: str, before: Criterion | None, after: Criterion | None, reopen_wording: bool
) -> CriterionChange | None:
    if before is None or after is None:
        what = "added" if before is None else "removed"
        return CriterionChange(name, what, _worth(before), _worth(after), before is None)
    if before.points != after.points:
        return CriterionChange(name, "points", _worth(before), _worth(after), reopens=True)
    if before.steps != after.steps:
        return CriterionChange(name, "steps", _steps(before), _steps(after), reopens=True)
    if (before.kind, before.task) != (after.kind, after.task):
        return CriterionChange(
            name, "task", before.task or before.kind, after.task or after.kind, reopens=True
        )
    if (before.notes, before.accept) != (after.notes, after.accept):
        return CriterionChange(name, "wording", _wording(before), _wording(after), reopen_wording)
    return None


def _worth(criterion: Criterion | None) -> str:
    return "" if criterion is None else f"{points_text(criterion.points)} points"


def _steps(criterion: Criterion) -> str:
    return "; ".join(f"{points_text(step.points)}: {step.when}" for step in criterion.steps)


def _wording(criterion: Criterion) -> str:
    accepted = f"Accept: {'; '.join(criterion.accept)}" if criterion.accept else ""
    return "\n".join(filter(None, (criterion.notes, accepted)))


def _paper_change(
    old: Rubric,
    touched: Sequence[str],
    gone: set[str],
    assignment: Assignment,
    marks: Sequence[Mark],
) -> PaperChange | None:
    given = tuple(marks)
    if not given:
        return None
    done = tuple(juror for juror in assignment.pair if has_handed_over(given, juror))
    marked = {name for juror in assignment.pair for name in own_marks(given, juror)}
    known = {one.id for one in old.criteria}
    again = tuple(name for name in touched if name in marked or (done and name not in known))
    if not again and not gone & marked:
        return None
    counts = counted(old, assignment, given)
    still = [
        one.points for one in counts if one.criterion not in gone and one.criterion not in again
    ]
    total = math.fsum(one.points for one in counts)
    settled = is_settled(old, assignment, given)
    return PaperChange(
        paper=assignment.paper,
        criteria=again,
        jurors=done if again else (),
        before=total if settled else None,
        after=math.fsum(still),
    )
