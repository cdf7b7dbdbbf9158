"""Talk about differences: both marks and notes, proposals, agreement, and the third who decides.

Nothing of this exists before both of a pair have handed over: until then nobody's marks are told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from iolai.challenge.jury.content import PaperContent, load_content
from iolai.challenge.jury.desk import Desk, NewMark, Part, append, paper_of, sheet_of
from iolai.challenge.jury.jurors import add_third, names_of
from iolai.challenge.jury.state import require_state
from iolai.challenge.permissions import Action, Scope, require
from iolai.challenge.service import Actor, Service
from iolai.errors import ConflictError
from iolai.jury.consensus import differences
from iolai.jury.marking import allowed_points, criterion_of
from iolai.records import Criterion, Problem
from iolai.records.jury import Counted, Mark, MarkDifference, MarkKind, PaperState
from iolai.store.marks import find_mark

__all__ = [
    "DifferenceView",
    "Talk",
    "TalkMark",
    "accept",
    "decide",
    "escalate",
    "propose",
    "view",
]


@dataclass(frozen=True, slots=True)
class TalkMark:
    """A mark as it is shown in talk. ``whose`` is ``you``, the other's name, or a neutral word."""

    whose: str
    is_mine: bool
    points: float
    note: str
    id: int = 0


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """A criterion on which the two differ, with both marks, the standing proposal, the outcome."""

    criterion: Criterion
    allowed: tuple[float, ...]
    marks: tuple[TalkMark, TalkMark]
    proposal: TalkMark | None
    escalated: bool
    counted: Counted | None
    asked_for: str = ""


@dataclass(frozen=True)
class Talk:
    """The differences of a paper, as the one who asks may see them."""

    number: int
    problem: Problem
    sheet: int
    content: PaperContent
    part: Part
    state: PaperState
    differences: tuple[DifferenceView, ...]
    n_equal: int


def view(service: Service, actor: Actor, slug: str, number: int) -> Talk:
    """Return the differences of a paper.

    Raises NotFoundError where the paper is not the juror's, ConflictError before both have handed
    over. The third sees what was escalated alone, without names.
    """
    with service.store.read() as connection:
        desk = paper_of(service, connection, actor, slug, number)
        _require_both(desk)
        names = _names(connection, desk, actor)
    found = differences(desk.rubric, desk.assignment, desk.marks)
    shown = [one for one in found if desk.part is Part.PAIR or one.escalated]
    problem, sheet = sheet_of(service, desk)
    return Talk(
        number=number,
        problem=problem,
        sheet=sheet,
        content=load_content(service, desk.paper.content),
        part=desk.part,
        state=desk.rows.state_of(desk.jury, desk.paper.id),
        differences=tuple(_shown(desk, one, names, actor) for one in shown),
        n_equal=len(desk.rubric.criteria) - len(found),
    )


def _require_both(desk: Desk) -> None:
    if not desk.both:
        raise ConflictError(
            "this paper is not handed over by both of its jurors",
            hint="Hand it over when every criterion is marked, and wait for the other.",
        )


def _names(connection: Connection, desk: Desk, actor: Actor) -> Mapping[str, str]:
    """Return what the pair is called: by names among themselves where the setting says so."""
    pair = desk.assignment.pair
    if desk.part is Part.THIRD:
        return dict(zip(pair, ("one juror", "the other juror"), strict=True))
    if desk.jury.settings.names_shown:
        return {**names_of(connection, pair), actor.account: "you"}
    return {juror: "you" if juror == actor.account else "the other juror" for juror in pair}


def _shown(
    desk: Desk, one: MarkDifference, names: Mapping[str, str], actor: Actor
) -> DifferenceView:
    criterion = criterion_of(desk.rubric, one.criterion)
    pair = [one.first, one.second]
    pair.sort(key=lambda mark: mark.juror != actor.account)
    first, second = (_talk_mark(mark, names, actor) for mark in pair)
    return DifferenceView(
        criterion=criterion,
        allowed=allowed_points(criterion),
        marks=(first, second),
        proposal=_talk_mark(one.proposal, names, actor) if one.proposal else None,
        escalated=one.escalated,
        counted=one.counted,
        asked_for=one.asked_for,
    )


def _talk_mark(mark: Mark, names: Mapping[str, str], actor: Actor) -> TalkMark:
    whose = names.get(mark.juror, "a juror")
    return TalkMark(whose, mark.juror == actor.account, mark.points or 0.0, mark.note, mark.id)


def propose(
    service: Service,
    actor: Actor,
    slug: str,
    number: int,
    criterion: str,
    points: float,
    reason: str,
    client_id: str,
) -> None:
    """Propose a mark for a difference, with a reason.

    Where the other's standing proposal has these points, this accepts it: two people want the same.
    """
    new = NewMark(client_id, criterion, points, reason, kind=MarkKind.PROPOSED)
    _say(service, actor, slug, number, new, Part.PAIR)


def accept(
    service: Service,
    actor: Actor,
    slug: str,
    number: int,
    criterion: str,
    proposal: int,
    client_id: str,
) -> None:
    """Accept the other's proposal; ``proposal`` is its id.

    Raises ConflictError where another proposal stands by now.
    """
    new = NewMark(client_id, criterion, kind=MarkKind.ACCEPTED)
    _say(service, actor, slug, number, new, Part.PAIR, proposal=proposal)


def escalate(
    service: Service,
    actor: Actor,
    slug: str,
    number: int,
    criterion: str,
    reason: str,
    client_id: str,
) -> None:
    """Hand a difference to a third, who is chosen at once where the paper has none.

    Raises InputError where the group has nobody left for it.
    """
    new = NewMark(client_id, criterion, note=reason, kind=MarkKind.ESCALATED)
    _say(service, actor, slug, number, new, Part.PAIR)


def decide(
    service: Service,
    actor: Actor,
    slug: str,
    number: int,
    criterion: str,
    points: float,
    reason: str,
    client_id: str,
) -> None:
    """Decide an escalated difference, as its third, with a reason."""
    new = NewMark(client_id, criterion, points, reason, kind=MarkKind.THIRD)
    _say(service, actor, slug, number, new, Part.THIRD)


def _say(
    service: Service,
    actor: Actor,
    slug: str,
    number: int,
    new: NewMark,
    part: Part,
    *,
    proposal: int = 0,
) -> None:
    with service.store.write() as connection:
        desk = paper_of(service, connection, actor, slug, number)
        require(actor, Action.MARK, Scope(is_member=desk.part is part), what="paper")
        if _was_said(connection, desk, actor, new):
            return
        require_state(desk.jury, begun=True)
        _require_both(desk)
        after = append(connection, actor, desk, _meant(desk, actor, new, proposal))
        if new.kind is MarkKind.ESCALATED:
            add_third(service, connection, after.jury, after.rows, after.paper)


def _was_said(connection: Connection, desk: Desk, actor: Actor, new: NewMark) -> bool:
    """Say whether this very thing was kept before, so that a form sent twice is harmless."""
    known = find_mark(connection, new.client_id)
    if known is None:
        return False
    is_same = known.kind is new.kind or (
        # a proposal of what the other proposes is kept as its acceptance
        known.kind is MarkKind.ACCEPTED and new.kind is MarkKind.PROPOSED
    )
    place = (known.juror, known.paper, known.criterion)
    if not is_same or place != (actor.account, desk.paper.id, new.criterion):
        raise ConflictError("this was sent before, for something else", hint="Load it again.")
    return True


def _meant(desk: Desk, actor: Actor, new: NewMark, proposal: int) -> NewMark:
    """Return what is added: accepting names the points, and equal proposals are an agreement."""
    found = differences(desk.rubric, desk.assignment, desk.marks)
    standing = next((one.proposal for one in found if one.criterion == new.criterion), None)
    if new.kind is MarkKind.ACCEPTED:
        if standing is None or standing.id != proposal:
            raise ConflictError(
                "another proposal stands by now", hint="Look at it; load the paper again."
            )
        return replace(new, points=standing.points)
    if new.kind is MarkKind.PROPOSED and standing is not None:
        is_same = standing.points == new.points and standing.juror != actor.account
        return replace(new, kind=MarkKind.ACCEPTED) if is_same else new
    return new
