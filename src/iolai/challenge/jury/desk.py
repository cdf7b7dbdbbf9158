"""The marking desk: what a juror sees of a paper, and what they save.

Everything here is built from the blinded paper, the rubric and the juror's own marks. The other's
marks come from ``discussing`` alone, and only when both have handed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from sqlalchemy import Connection

from iolai.challenge.clock import moment, stamp
from iolai.challenge.jury.content import PaperContent, load_content
from iolai.challenge.jury.jurors import ask_thirds
from iolai.challenge.jury.state import (
    JuryRows,
    JuryState,
    find_jury,
    load_rows,
    problems_of,
    require_state,
)
from iolai.challenge.permissions import Action, Scope, require
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError, InputError, IolaiError, NotFoundError
from iolai.jury.consensus import differences, require_saveable
from iolai.jury.marking import desk_state, has_handed_over, own_marks, points_text
from iolai.records import Problem, Role, Rubric
from iolai.records.jury import Assignment, DeskState, Mark, MarkKind, PaperState
from iolai.store import papers
from iolai.store.marks import add_mark, find_mark
from iolai.store.papers import PaperRow
from iolai.text import visible

__all__ = [
    "MAX_AT_ONCE",
    "MAX_NOTE",
    "Desk",
    "DeskPaper",
    "NewMark",
    "Part",
    "QueueLine",
    "Saved",
    "append",
    "fingerprint",
    "open_desk",
    "page_image",
    "paper_of",
    "queue",
    "save",
    "sheet_of",
]

MAX_NOTE = 4_000
MAX_AT_ONCE = 500
_MAX_ID = 64
#: What a browser kept longer than this is as old as this: a year.
_MAX_AGE_S = 366 * 86_400.0


class Part(StrEnum):
    """Why a paper is a juror's: one of its pair, or the third who decides."""

    PAIR = "pair"
    THIRD = "third"


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A paper in a juror's queue.

    ``state`` is what it waits for, in the juror's eyes; ``n_marked`` of ``n_criteria`` are marked.
    ``n_open`` counts differences to talk about, or to decide for the third.
    """

    number: int
    problem: str
    title: str
    part: Part
    desk: DeskState
    state: PaperState
    n_marked: int
    n_criteria: int
    n_open: int = 0


@dataclass(frozen=True)
class DeskPaper:
    """A paper on a juror's desk: what was handed in, the rubric, the juror's own marks that stand.

    ``sheet`` is the place of the problem in the challenge, counted from 1.
    ``both`` says that both of the pair have handed over, so that differences can be looked at.
    """

    number: int
    problem: Problem
    sheet: int
    content: PaperContent
    rubric: Rubric
    part: Part
    desk: DeskState
    both: bool
    own: Mapping[str, Mark]


@dataclass(frozen=True, slots=True)
class NewMark:
    """What a juror's page sends: a mark on a criterion, or (``kind`` handed_over) that it is done.

    ``client_id`` is a random text that the page made; sending it again is harmless. ``age_s`` is
    how many seconds ago the mark was made, ``after`` the client_id of the mark on this criterion
    that the page made before it, "" where there is none.
    """

    client_id: str
    criterion: str = ""
    points: float | None = None
    note: str = ""
    rubric_version: int = 0
    kind: MarkKind = MarkKind.OWN
    age_s: float = 0.0
    after: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a mark: kept (for good, when this is answered), or refused and why.

    A mark that is kept and older than another of the juror's counts nothing; the message says so.
    """

    client_id: str
    kept: bool
    message: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Desk:
    """A paper as it was found for one who marks it: inside a transaction."""

    jury: JuryState
    paper: PaperRow
    rows: JuryRows
    part: Part

    @property
    def assignment(self) -> Assignment:
        """Who marks it."""
        return self.rows.assignments[self.paper.id]

    @property
    def marks(self) -> tuple[Mark, ...]:
        """All marks on it, in order."""
        return self.rows.marks[self.paper.id]

    @property
    def rubric(self) -> Rubric:
        """The rubric that counts now."""
        return self.jury.rubric(self.paper.problem)

    @property
    def both(self) -> bool:
        """Whether both of the pair have handed over."""
        return all(has_handed_over(self.marks, juror) for juror in self.assignment.pair)


def paper_of(
    service: Service, connection: Connection, actor: Actor, slug: str, number: int
) -> Desk:
    """Find a paper that the actor marks; to all others of the jury there is no such paper."""
    jury = find_jury(service, connection, slug)
    require(actor, Action.VIEW_MARKING, scope_of(jury.challenge))
    paper = papers.find_paper(connection, jury.id, number)
    found = None if paper is None or paper.withdrawn_at else paper
    rows = load_rows(connection, jury, paper=found) if found is not None else None
    part = _part(jury, rows, found, actor) if rows is not None and found is not None else None
    require(actor, Action.VIEW_PAPER, Scope(is_member=part is not None), what="paper")
    if found is None or rows is None or part is None:  # pragma: no cover -- just refused
        raise NotFoundError("there is no such paper", hint="Look at your queue.")
    return Desk(jury, found, rows, part)


def _part(jury: JuryState, rows: JuryRows, paper: PaperRow, actor: Actor) -> Part | None:
    """Say why the actor may see a paper; a third may once something of it was escalated."""
    if actor.role is not Role.JUROR:
        return None
    assignment = rows.assignments[paper.id]
    if actor.account in assignment.pair:
        return Part.PAIR
    if actor.account != assignment.third:
        return None
    found = differences(jury.rubric(paper.problem), assignment, rows.marks[paper.id])
    return Part.THIRD if any(one.escalated for one in found) else None


def queue(service: Service, actor: Actor, slug: str) -> tuple[QueueLine, ...]:
    """Return the juror's papers: those to mark first, then talk, then what is done.

    Raises NotFoundError for anybody who is no juror.
    """
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.VIEW_MARKING, scope_of(jury.challenge))
        if jury.begun is None:
            return ()
        rows = load_rows(connection, jury)
        problems = problems_of(service, jury)
        parts = {p.id: _part(jury, rows, p, actor) for p in rows.papers.values()}
    lines = [
        _line(Desk(jury, rows.papers[paper], rows, part), problems, actor)
        for paper, part in parts.items()
        if part is not None
    ]
    return tuple(sorted(lines, key=lambda line: (_urgency(line), line.problem, line.number)))


def _line(desk: Desk, problems: Mapping[str, Problem], actor: Actor) -> QueueLine:
    rubric, marks = desk.rubric, desk.marks
    problem = problems.get(desk.paper.problem)
    open_ = [one for one in differences(rubric, desk.assignment, marks) if one.counted is None]
    mine = [one for one in open_ if one.escalated == (desk.part is Part.THIRD)]
    # Until both have handed over a paper is "marking": nothing tells whether the other has.
    return QueueLine(
        number=desk.paper.number,
        problem=desk.paper.problem,
        title=(problem.title if problem else "") or rubric.title or desk.paper.problem,
        part=desk.part,
        desk=desk_state(marks, actor.account),
        state=desk.rows.state_of(desk.jury, desk.paper.id),
        n_marked=len(own_marks(marks, actor.account)),
        n_criteria=len(rubric.criteria),
        n_open=len(mine),
    )


def _urgency(line: QueueLine) -> int:
    if line.n_open:
        return 0
    order = (DeskState.BEGUN, DeskState.WAITING, DeskState.HANDED_OVER)
    return 1 + order.index(line.desk) if line.part is Part.PAIR else 3


def open_desk(service: Service, actor: Actor, slug: str, number: int) -> DeskPaper:
    """Return a paper as the juror marks it; raises NotFoundError where it is not theirs."""
    with service.store.read() as connection:
        desk = paper_of(service, connection, actor, slug, number)
    problem, sheet = sheet_of(service, desk)
    return DeskPaper(
        number=desk.paper.number,
        problem=problem,
        sheet=sheet,
        content=load_content(service, desk.paper.content),
        rubric=desk.rubric,
        part=desk.part,
        desk=desk_state(desk.marks, actor.account),
        both=desk.both,
        own=own_marks(desk.marks, actor.account),
    )


def sheet_of(service: Service, desk: Desk) -> tuple[Problem, int]:
    """Return the problem of a paper, and its place in the challenge, counted from 1."""
    problems = problems_of(service, desk.jury)
    return problems[desk.paper.problem], list(problems).index(desk.paper.problem) + 1


def page_image(service: Service, actor: Actor, slug: str, number: int, page: int) -> bytes:
    """Return a page of a paper, the first being 1; raises NotFoundError where there is none."""
    with service.store.read() as connection:
        desk = paper_of(service, connection, actor, slug, number)
    pages = load_content(service, desk.paper.content).pages
    if not 1 <= page <= len(pages):
        raise NotFoundError("there is no such page", hint="Look at the paper.")
    return service.blobs.read(pages[page - 1])


def save(
    service: Service, actor: Actor, slug: str, number: int, new: Sequence[NewMark]
) -> tuple[Saved, ...]:
    """Save marks in their order, each kept or refused for itself; a kept one is on the disk.

    A ``client_id`` that was kept before is answered as the first time and changes nothing. Raises
    NotFoundError where the paper is not the juror's, ConflictError where the marking is unsealed,
    InputError where more than ``MAX_AT_ONCE`` come at once.
    """
    if len(new) > MAX_AT_ONCE:
        raise InputError(f"more than {MAX_AT_ONCE} marks at once", hint="Send fewer at a time.")
    with service.store.write() as connection:
        desk = paper_of(service, connection, actor, slug, number)
        require(actor, Action.MARK, Scope(is_member=desk.part is Part.PAIR), what="paper")
        answers = []
        for one in new:
            known = find_mark(connection, one.client_id)
            if known is None:
                answer, desk = _tried(service, connection, actor, desk, one)
            else:
                answer = _known(known, desk, actor, one)
            answers.append(answer)
    return tuple(answers)


def _known(known: Mark, desk: Desk, actor: Actor, new: NewMark) -> Saved:
    """Answer for an id that is known: kept where all of it is what was kept then."""
    sent = (actor.account, desk.paper.id, new.kind, new.criterion, new.points)
    kind = MarkKind.OWN if known.kind is MarkKind.LATE else known.kind
    is_same = sent == (known.juror, known.paper, kind, known.criterion, known.points)
    if is_same and known.note == visible(new.note.strip()):
        return _kept(desk, known)
    return Saved(
        *(new.client_id, False, "this was not saved: its id was used for something else"),
        hint="Load the paper again.",
    )


def _tried(
    service: Service, connection: Connection, actor: Actor, desk: Desk, new: NewMark
) -> tuple[Saved, Desk]:
    """Keep a mark where the rules allow it; return with it the desk as it is after."""
    try:
        require_state(desk.jury, begun=True)
        if new.kind not in (MarkKind.OWN, MarkKind.HANDED_OVER):
            raise InputError("this is no mark of one's own", hint="Load the paper again.")
        _require_same_criterion(desk, new)
        kept = append(connection, actor, desk, new)
    except IolaiError as error:
        return Saved(new.client_id, False, error.message, error.hint), desk
    if new.kind is MarkKind.HANDED_OVER:
        # What was escalated before the paper was given back may have lost its third meanwhile.
        ask_thirds(service, connection, kept.jury, kept.rows, [kept.paper])
    return _kept(kept, kept.marks[-1]), kept


def _kept(desk: Desk, mark: Mark) -> Saved:
    """Answer for a mark that is kept, and say where a newer one counts."""
    if mark.kind is not MarkKind.LATE:
        return Saved(mark.client_id, kept=True)
    counts = own_marks(desk.marks, mark.juror).get(mark.criterion)
    now = "no mark" if counts is None or counts.points is None else points_text(counts.points)
    return Saved(
        *(mark.client_id, True, f"older than what you marked elsewhere: {now} counts"),
        hint="Load the paper again to see it.",
    )


def _require_same_criterion(desk: Desk, new: NewMark) -> None:
    """Refuse what was meant for an older rubric, where that criterion, or the whole, changed."""
    now = desk.rubric
    if new.rubric_version == now.version:
        return
    seen = desk.jury.versions.get((desk.paper.problem, new.rubric_version))
    if seen is not None and new.kind is MarkKind.OWN:
        before = {one.id: one for one in seen.criteria}
        after = {one.id: one for one in now.criteria}
        same = before.get(new.criterion)
        if same is not None and same == after.get(new.criterion):
            return
    raise ConflictError(
        f"the rubric was amended meanwhile: it has version {now.version}",
        hint="Load the paper again and look at what changed.",
    )


def append(connection: Connection, actor: Actor, desk: Desk, new: NewMark) -> Desk:
    """Add a row of any kind where the rules of marking and of talk allow it."""
    mark = Mark(
        paper=desk.paper.id,
        juror=actor.account,
        criterion=new.criterion if new.kind is not MarkKind.HANDED_OVER else "",
        kind=new.kind,
        points=new.points,
        note=_checked_note(new.note),
        rubric_version=desk.rubric.version,
        at=desk.jury.challenge.at,
        client_id=_checked_id(new.client_id),
    )
    require_saveable(desk.rubric, desk.assignment, desk.marks, mark)
    kept = add_mark(connection, _timed(desk, mark, new))
    marks = {**desk.rows.marks, desk.paper.id: (*desk.marks, kept)}
    rows = JuryRows(desk.rows.papers, desk.rows.assignments, marks)
    return Desk(desk.jury, desk.paper, rows, desk.part)


def _timed(desk: Desk, mark: Mark, new: NewMark) -> Mark:
    """Say when an own mark was made; it is late where a newer one came from elsewhere before it.

    What the same page made is in its order already, whatever the line did to the times.
    """
    if mark.kind is not MarkKind.OWN:
        return mark
    age = timedelta(seconds=min(max(new.age_s, 0.0), _MAX_AGE_S))
    made_at = stamp(moment(mark.at) - age)
    given = [
        one
        for one in desk.marks
        if (one.juror, one.criterion) == (mark.juror, mark.criterion) and one.kind is MarkKind.OWN
    ]
    newest = max(given, key=lambda one: one.id, default=None)
    is_late = (
        newest is not None
        and newest.client_id != new.after
        and (newest.made_at or newest.at) > made_at
    )
    return replace(mark, made_at=made_at, kind=MarkKind.LATE if is_late else mark.kind)


def _checked_note(note: str) -> str:
    kept = visible(note.strip())
    if len(kept) > MAX_NOTE:
        raise InputError(f"a note has at most {MAX_NOTE} characters", hint="Shorten it.")
    return kept


def _checked_id(client_id: str) -> str:
    is_plain = client_id.isascii() and client_id.replace("-", "").isalnum()
    if not is_plain or not 8 <= len(client_id) <= _MAX_ID:
        raise InputError(
            "a mark needs an id of its own, of 8 to 64 letters and digits",
            hint="Load the paper again.",
        )
    return client_id


def fingerprint(marks: Iterable[Mark]) -> int:
    """Return a number that grows with each row on a paper: for telling whether anything came."""
    return max((mark.id for mark in marks), default=0)
