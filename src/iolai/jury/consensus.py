"""Consensus: which marks of a pair differ, what became of it, and which mark counts.

Nothing is averaged. Where a pair agrees, its mark counts without talk. An agreed mark has two
people behind it: one proposed it, the other accepted. Either may escalate a difference; then
the third decides. All marks are of one paper, in the order in which they were saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from iolai.errors import ConflictError, ForbiddenError
from iolai.jury.marking import (
    criterion_of,
    has_handed_over,
    own_marks,
    require_complete,
    require_points,
)
from iolai.records import (
    Assignment,
    Counted,
    CountedBy,
    Mark,
    MarkDifference,
    MarkKind,
    PaperState,
    Rubric,
)

__all__ = ["counted", "differences", "is_settled", "paper_state", "require_saveable"]


@dataclass
class _Talk:
    """What was said on one criterion since it was last reopened."""

    proposal: Mark | None = None
    accepted: tuple[Mark, Mark] | None = None
    escalated: Mark | None = None
    third: Mark | None = None


def differences(
    rubric: Rubric, assignment: Assignment, marks: Iterable[Mark]
) -> tuple[MarkDifference, ...]:
    """Return the criteria on which the pair's marks differ, settled ones too, in their order.

    There are none before both have handed over: nobody learns of the other's marks until then.
    """
    given = tuple(marks)
    if not _both_handed_over(assignment, given):
        return ()
    first, second = (own_marks(given, juror) for juror in assignment.pair)
    talks = _talks(assignment, given)
    found = []
    for criterion in rubric.criteria:
        one, other = first.get(criterion.id), second.get(criterion.id)
        if one is None or other is None or one.points == other.points:
            continue
        talk = talks.get(criterion.id, _Talk())
        found.append(
            MarkDifference(
                paper=assignment.paper,
                criterion=criterion.id,
                first=one,
                second=other,
                proposal=talk.proposal,
                escalated=talk.escalated is not None,
                asked_for=talk.escalated.note if talk.escalated else "",
                counted=_decided(assignment.paper, criterion.id, talk),
            )
        )
    return tuple(found)


def counted(rubric: Rubric, assignment: Assignment, marks: Iterable[Mark]) -> tuple[Counted, ...]:
    """Return the marks that count, criterion by criterion; open differences have none.

    There are none before both have handed over.
    """
    given = tuple(marks)
    if not _both_handed_over(assignment, given):
        return ()
    first, second = (own_marks(given, juror) for juror in assignment.pair)
    differing = {one.criterion: one.counted for one in differences(rubric, assignment, given)}
    result = []
    for criterion in rubric.criteria:
        one, other = first.get(criterion.id), second.get(criterion.id)
        if criterion.id in differing:
            decided = differing[criterion.id]
            result += [decided] if decided is not None else []
        elif one is not None and other is not None and one.points is not None:
            result.append(Counted(assignment.paper, criterion.id, one.points, CountedBy.EQUAL))
    return tuple(result)


def paper_state(rubric: Rubric, assignment: Assignment, marks: Iterable[Mark]) -> PaperState:
    """Say where a paper stands as a whole (see ``PaperState``)."""
    given = tuple(marks)
    if not _both_handed_over(assignment, given):
        return PaperState.MARKING
    wanted = {one.id for one in rubric.criteria}
    if not all(wanted <= own_marks(given, juror).keys() for juror in assignment.pair):
        return PaperState.MARKING
    still_open = [one for one in differences(rubric, assignment, given) if one.counted is None]
    if not still_open:
        return PaperState.SETTLED
    if all(one.escalated for one in still_open):
        return PaperState.ESCALATED
    spoken = any(one.escalated or one.proposal is not None for one in still_open)
    return PaperState.DISCUSSING if spoken else PaperState.DIFFERING


def is_settled(rubric: Rubric, assignment: Assignment, marks: Iterable[Mark]) -> bool:
    """Say whether every criterion of the paper has a mark that counts."""
    return paper_state(rubric, assignment, marks) == PaperState.SETTLED


def require_saveable(
    rubric: Rubric, assignment: Assignment, marks: Sequence[Mark], new: Mark
) -> None:
    """Refuse a mark that the rules do not allow after ``marks``.

    Raises ForbiddenError where it is not for this juror to give; ConflictError where the paper
    does not stand so that it can be given; InputError for points outside the criterion's.
    """
    if new.kind == MarkKind.REOPENED:
        return  # made by an amendment, which names criteria and jurors itself
    if new.kind == MarkKind.LATE:
        new = replace(new, kind=MarkKind.OWN)  # held to the same rules, though it counts nothing
    if new.kind == MarkKind.THIRD:
        _require_third(rubric, assignment, marks, new)
        return
    if new.juror not in assignment.pair:
        raise ForbiddenError(
            "this paper is not yours to mark", hint="Open a paper of your own queue."
        )
    if new.kind in (MarkKind.OWN, MarkKind.HANDED_OVER):
        _require_open(rubric, marks, new)
        _require_reopened(assignment, marks, new)
    else:
        _require_talk(rubric, assignment, marks, new)


def _require_open(rubric: Rubric, marks: Sequence[Mark], new: Mark) -> None:
    if has_handed_over(marks, new.juror):
        raise ConflictError(
            "you have handed over this paper, and your marks on it are closed",
            hint="Propose another mark where yours and the other's differ, or ask an organiser to "
            "reopen the paper.",
        )
    if new.kind == MarkKind.HANDED_OVER:
        require_complete(rubric, marks, new.juror)
        return
    criterion = criterion_of(rubric, new.criterion)
    if new.points is not None:
        require_points(criterion, new.points)


def _require_reopened(assignment: Assignment, marks: Sequence[Mark], new: Mark) -> None:
    """Refuse to change what stands once the pair has seen each other's marks.

    After that only what a reopening names can be marked, or what has no mark: else a juror could
    copy the other's mark, and an agreed mark would be gone without a reason. A paper that an
    organiser gave back as a whole is open as a whole; that has a reason of its own.
    """
    if new.kind != MarkKind.OWN or not _have_seen(assignment, marks):
        return
    since: set[str] = set()
    for mark in marks:
        if mark.juror == new.juror and mark.kind == MarkKind.HANDED_OVER:
            since.clear()
        elif mark.juror == new.juror and mark.kind == MarkKind.REOPENED:
            since.add(mark.criterion)
    if not since & {new.criterion, ""} and new.criterion in own_marks(marks, new.juror):
        raise ConflictError(
            f"criterion {new.criterion} was not reopened, and your mark on it is closed",
            hint="You have both seen each other's marks. Mark what was reopened and hand over; "
            "where your marks differ, propose another.",
        )


def _have_seen(assignment: Assignment, marks: Sequence[Mark]) -> bool:
    """Say whether both of the pair had handed over at any moment so far."""
    closed: set[str] = set()
    for mark in marks:
        if mark.kind == MarkKind.HANDED_OVER:
            closed.add(mark.juror)
            if closed.issuperset(assignment.pair):
                return True
        elif mark.kind == MarkKind.REOPENED:
            closed.discard(mark.juror)
    return False


def _require_talk(rubric: Rubric, assignment: Assignment, marks: Sequence[Mark], new: Mark) -> None:
    difference = _open_difference(rubric, assignment, marks, new.criterion)
    if difference.escalated:
        raise ConflictError(
            "this difference was escalated, and the third decides it",
            hint="Wait for the decision.",
        )
    if new.kind == MarkKind.ESCALATED:
        return
    _require_given_points(rubric, new)
    if new.kind == MarkKind.PROPOSED:
        _require_reason(new)
        return
    proposal = difference.proposal
    if proposal is None or proposal.juror == new.juror or proposal.points != new.points:
        raise ConflictError(
            "there is no proposal of the other juror with these points to accept",
            hint="Load the paper again, and accept what is proposed now, or propose a mark.",
        )


def _require_third(
    rubric: Rubric, assignment: Assignment, marks: Sequence[Mark], new: Mark
) -> None:
    if new.juror in assignment.pair or new.juror != assignment.third:
        raise ForbiddenError(
            "this paper is not yours to decide", hint="Open a paper of your own queue."
        )
    difference = _open_difference(rubric, assignment, marks, new.criterion)
    if not difference.escalated:
        raise ConflictError(
            "this difference was not escalated", hint="The pair discusses it; wait for them."
        )
    _require_given_points(rubric, new)
    _require_reason(new)


def _open_difference(
    rubric: Rubric, assignment: Assignment, marks: Sequence[Mark], criterion: str
) -> MarkDifference:
    criterion_of(rubric, criterion)
    for difference in differences(rubric, assignment, marks):
        if difference.criterion == criterion and difference.counted is None:
            return difference
    raise ConflictError(
        f"on criterion {criterion} there is no open difference",
        hint="Load the paper again: both must have handed over, and it may be settled by now.",
    )


def _require_given_points(rubric: Rubric, new: Mark) -> None:
    criterion = criterion_of(rubric, new.criterion)
    if new.points is None:
        raise ConflictError("the mark has no points", hint="Give the points; 0 is a mark.")
    require_points(criterion, new.points)


def _require_reason(new: Mark) -> None:
    if not new.note.strip():
        raise ConflictError(
            "the mark has no reason", hint="Say in a few words why these points are right."
        )


def _both_handed_over(assignment: Assignment, marks: tuple[Mark, ...]) -> bool:
    return all(has_handed_over(marks, juror) for juror in assignment.pair)


def _talks(assignment: Assignment, marks: tuple[Mark, ...]) -> dict[str, _Talk]:
    talks: dict[str, _Talk] = {}
    for mark in marks:
        if mark.kind == MarkKind.REOPENED:
            talks.pop(mark.criterion, None)
        elif mark.criterion:
            _say(talks.setdefault(mark.criterion, _Talk()), mark, assignment)
    return talks


def _say(talk: _Talk, mark: Mark, assignment: Assignment) -> None:
    """Take in what was said; what comes after a decision, or is not theirs to say, is nothing."""
    of_pair = mark.juror in assignment.pair
    if mark.kind == MarkKind.THIRD:
        if talk.escalated and talk.third is None and not of_pair:
            talk.third = mark
    elif not of_pair or talk.accepted is not None or talk.escalated is not None:
        return
    elif mark.kind == MarkKind.PROPOSED:
        talk.proposal = mark
    elif mark.kind == MarkKind.ESCALATED:
        talk.escalated = mark
    elif mark.kind == MarkKind.ACCEPTED:
        offered = talk.proposal
        if offered and offered.juror != mark.juror and offered.points == mark.points:
            talk.accepted = (offered, mark)


def _decided(paper: str, criterion: str, talk: _Talk) -> Counted | None:
    if talk.third is not None and talk.third.points is not None:
        reason = talk.third.note
        return Counted(paper, criterion, talk.third.points, CountedBy.THIRD, reason)
    if talk.accepted is not None and talk.accepted[0].points is not None:
        proposal = talk.accepted[0]
        return Counted(paper, criterion, talk.accepted[0].points, CountedBy.AGREED, proposal.note)
    return None
