"""Jurors: the groups of problems, conflicts of interest, and who stands in for whom."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.jury.sealing import barred_jurors
from iolai.challenge.jury.state import (
    JuryRows,
    JuryState,
    find_jury,
    load_rows,
    marking_state,
    note,
    problems_of,
    require_reason,
    require_state,
)
from iolai.challenge.names import fold_name
from iolai.challenge.permissions import Action, require
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.jury.assigning import choose_third, reassign
from iolai.jury.consensus import differences
from iolai.jury.marking import has_handed_over
from iolai.records import Account, EventKind, Role
from iolai.records.jury import (
    Assignment,
    Conflict,
    Mark,
    MarkingState,
    MarkKind,
    Paper,
    PaperState,
)
from iolai.store import accounts, contestants, papers
from iolai.store.events import list_events
from iolai.store.marks import add_mark
from iolai.store.papers import AssignmentRow, PaperRow

__all__ = [
    "ConflictView",
    "GroupView",
    "JurorLine",
    "ProblemLine",
    "Progress",
    "add_third",
    "conflicts_of",
    "list_conflicts",
    "list_groups",
    "list_jurors",
    "names_of",
    "progress",
    "reopen",
    "replace_juror",
    "set_conflict",
    "set_group",
]


@dataclass(frozen=True, slots=True)
class GroupView:
    """The jurors of a problem, by name."""

    problem: str
    title: str
    jurors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConflictView:
    """A juror who must not mark a contestant, by their names."""

    juror: str
    contestant: str
    contestant_id: str


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """How far one problem is: papers by state, criteria on which pairs differ and still must talk.

    ``n_marks`` of ``n_wanted`` own marks are given.
    """

    problem: str
    states: Mapping[PaperState, int]
    n_open: int
    n_marks: int
    n_wanted: int

    @property
    def n_papers(self) -> int:
        """How many papers there are."""
        return sum(self.states.values())


@dataclass(frozen=True, slots=True)
class JurorLine:
    """How far one juror is: papers assigned and handed over, and decisions waited for."""

    juror: str
    n_papers: int
    n_handed_over: int
    n_to_decide: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the marking is: counts, and no mark."""

    state: MarkingState
    problems: tuple[ProblemLine, ...]
    jurors: tuple[JurorLine, ...]


def _asked(service: Service, connection: Connection, actor: Actor, slug: str) -> JuryState:
    jury = find_jury(service, connection, slug)
    require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
    return jury


def names_of(connection: Connection, account_ids: Iterable[str]) -> dict[str, str]:
    """Return the names of accounts by id."""
    found = {one: accounts.find_account(connection, one) for one in set(account_ids)}
    return {one: account.name if account else one for one, account in found.items()}


def list_jurors(service: Service, actor: Actor, slug: str) -> tuple[str, ...]:
    """Return the names of all accounts that may mark."""
    with service.store.read() as connection:
        _asked(service, connection, actor, slug)
        found = accounts.list_accounts(connection)
    return tuple(sorted(one.name for one in found if one.role is Role.JUROR and not one.deleted_at))


def list_groups(service: Service, actor: Actor, slug: str) -> tuple[GroupView, ...]:
    """Return the group of every problem."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
        names = names_of(connection, (one for group in jury.groups.values() for one in group))
    return tuple(
        GroupView(one.id, one.title, tuple(names[j] for j in jury.groups.get(one.id, ())))
        for one in problems_of(service, jury).values()
    )


def set_group(
    service: Service, actor: Actor, slug: str, problem: str, names: Sequence[str]
) -> tuple[GroupView, ...]:
    """Say who the jurors of a problem are, by the names of their accounts.

    Once marking has begun jurors can be added, and decide what waits for a third; one leaves by
    ``replace_juror``. Raises InputError where an account is no juror's, NotFoundError for an
    unknown name or problem.
    """
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=jury.begun is not None)
        if problem not in problems_of(service, jury):
            raise NotFoundError(
                f"the challenge has no problem {problem[:40]!r}", hint="Look at the list of groups."
            )
        wanted = tuple(dict.fromkeys(_juror(connection, name).id for name in names))
        missing = set(jury.groups.get(problem, ())) - set(wanted)
        if jury.begun is not None and missing:
            raise ConflictError(
                "marking has begun, and a juror has papers",
                hint="Leave everybody in the group; let others stand in for who is absent.",
            )
        jurors = list(wanted)
        note(connection, jury, actor, EventKind.GROUP_SET, problem=problem, jurors=jurors)
        if jury.begun is not None:
            now = find_jury(service, connection, slug)
            rows = load_rows(connection, now)
            own = [paper for paper in rows.papers.values() if paper.problem == problem]
            ask_thirds(service, connection, now, rows, own)
    return list_groups(service, actor, slug)


def _juror(connection: Connection, name: str) -> Account:
    account = accounts.find_account_named(connection, fold_name(name))
    if account is None or account.deleted_at:
        raise NotFoundError(f"there is no account {name[:80]!r}", hint="Check the name.")
    if account.role is not Role.JUROR:
        raise InputError(
            f"{account.name} is no juror but has the role {account.role}",
            hint="Only accounts with the role juror mark; an organiser has seen whose work is "
            "whose. An admin gives roles.",
        )
    return account


def conflicts_of(connection: Connection, challenge_id: str) -> tuple[Conflict, ...]:
    """Return the conflicts of interest that hold, by ids of juror and contestant."""
    held: dict[Conflict, None] = {}
    kinds = (EventKind.CONFLICT_SET,)
    for event in list_events(connection, challenge=challenge_id, kinds=kinds):
        conflict = Conflict(str(event.data["juror"]), str(event.data["contestant"]))
        if event.data["holds"]:
            held[conflict] = None
        else:
            held.pop(conflict, None)
    return tuple(held)


def list_conflicts(service: Service, actor: Actor, slug: str) -> tuple[ConflictView, ...]:
    """Return the conflicts of interest, by name; for an organiser."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
        held = conflicts_of(connection, jury.id)
        names = names_of(connection, (one.juror for one in held))
        known = {one.id: one.name for one in contestants.list_contestants(connection, jury.id)}
    return tuple(
        ConflictView(names[one.juror], known[one.contestant], one.contestant)
        for one in held
        if one.contestant in known
    )


def set_conflict(
    service: Service,
    actor: Actor,
    slug: str,
    juror: str,
    contestant_id: str,
    *,
    holds: bool = True,
    reason: str = "",
) -> None:
    """Say that a juror must not mark a contestant, or may after all; only while drafting."""
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=False)
        account = _juror(connection, juror)
        known = {one.id for one in contestants.list_contestants(connection, jury.id)}
        if contestant_id not in known:
            raise NotFoundError("there is no such contestant", hint="Look at the list.")
        data = {"juror": account.id, "contestant": contestant_id, "holds": holds}
        note(connection, jury, actor, EventKind.CONFLICT_SET, reason, **data)


def progress(service: Service, actor: Actor, slug: str) -> Progress:
    """Return how far the marking is; for an organiser."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
        rows = load_rows(connection, jury)
        everybody = {one for group in jury.groups.values() for one in group}
        names = names_of(connection, everybody | _marking(rows))
    problems = tuple(
        _problem_line(jury, rows, problem)
        for problem in jury.rubrics
        if any(paper.problem == problem for paper in rows.papers.values())
    )
    lines = (_juror_line(jury, rows, one, names[one]) for one in names)
    return Progress(
        marking_state(jury, rows), problems, tuple(sorted(lines, key=lambda line: line.juror))
    )


def _marking(rows: JuryRows) -> set[str]:
    return {juror for one in rows.assignments.values() for juror in (*one.pair, one.third) if juror}


def _problem_line(jury: JuryState, rows: JuryRows, problem: str) -> ProblemLine:
    rubric = jury.rubric(problem)
    own = [paper.id for paper in rows.papers.values() if paper.problem == problem]
    states = Counter(rows.state_of(jury, paper) for paper in own)
    n_open = sum(
        one.counted is None
        for paper in own
        for one in differences(rubric, rows.assignments[paper], rows.marks.get(paper, ()))
    )
    n_marks = sum(rows.n_own(paper, juror) for paper in own for juror in rows.pair(paper))
    return ProblemLine(problem, states, n_open, n_marks, 2 * len(own) * len(rubric.criteria))


def _juror_line(jury: JuryState, rows: JuryRows, juror: str, name: str) -> JurorLine:
    own = [paper for paper, one in rows.assignments.items() if juror in one.pair]
    thirds = [paper for paper, one in rows.assignments.items() if juror == one.third]
    return JurorLine(
        juror=name,
        n_papers=len(own),
        n_handed_over=sum(has_handed_over(rows.marks.get(paper, ()), juror) for paper in own),
        n_to_decide=sum(rows.state_of(jury, paper) is not PaperState.SETTLED for paper in thirds),
    )


def add_third(
    service: Service,
    connection: Connection,
    jury: JuryState,
    rows: JuryRows,
    paper: PaperRow,
    *,
    absent: str = "",
) -> None:
    """Choose who decides the escalated differences of a paper, where nobody was chosen yet.

    ``absent`` is the account of a juror who is away. Raises InputError where the group has nobody
    left.
    """
    assignment = rows.assignments[paper.id]
    found = differences(jury.rubric(paper.problem), assignment, rows.marks.get(paper.id, ()))
    if assignment.third or not any(one.escalated and one.counted is None for one in found):
        return
    group = [one for one in jury.groups.get(paper.problem, ()) if one != absent]
    known = papers.list_assignments(connection, jury.id)
    n_thirds = Counter(one.juror for one in known if one.is_third)
    third = choose_third(
        assignment,
        _anonymous(paper),
        _able(connection, group),
        _conflicts_by_paper(service, jury),
        n_thirds,
        seed=jury.seed,
    )
    row = AssignmentRow(paper.id, third, jury.challenge.at, is_third=True)
    papers.add_assignments(connection, [row])


def ask_thirds(
    service: Service,
    connection: Connection,
    jury: JuryState,
    rows: JuryRows,
    wanted: Iterable[PaperRow],
) -> None:
    """Choose a third for each of these papers that needs one, where the group has somebody.

    Where it has nobody, nothing else may fail for it: ``set_group`` asks again.
    """
    for paper in wanted:
        with contextlib.suppress(InputError):
            add_third(service, connection, jury, rows, paper)


def _anonymous(paper: PaperRow) -> Paper:
    """Return a paper for assigning: it stands for its contestant, whom nobody learns of here."""
    return Paper(paper.id, paper.problem, contestant=paper.id, number=str(paper.number))


def _conflicts_by_paper(service: Service, jury: JuryState) -> tuple[Conflict, ...]:
    barred = barred_jurors(service, jury)
    return tuple(Conflict(juror, paper) for paper, some in barred.items() for juror in some)


def _able(connection: Connection, group: Sequence[str]) -> tuple[str, ...]:
    """Return those of a group who still can mark: their accounts are jurors' and not closed."""
    found = [accounts.find_account(connection, one) for one in group]
    return tuple(
        one.id for one in found if one is not None and one.role is Role.JUROR and not one.deleted_at
    )


def reopen(service: Service, actor: Actor, slug: str, number: int, juror: str, reason: str) -> None:
    """Give a paper back to a juror who handed it over; all marks on it stand until they change.

    Raises ConflictError where the juror has not handed it over, NotFoundError for an unknown
    paper or name.
    """
    require_reason(reason)
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=True)
        paper = papers.find_paper(connection, jury.id, number)
        account = accounts.find_account_named(connection, fold_name(juror))
        if paper is None or account is None:
            raise NotFoundError(
                f"there is no paper {number} of {juror[:80]!r}", hint="Check number and name."
            )
        marks = load_rows(connection, jury, paper=paper).marks[paper.id]
        if not has_handed_over(marks, account.id):
            raise ConflictError(
                f"{account.name} has not handed over paper {number}",
                hint="There is nothing to give back.",
            )
        mark = Mark(
            paper=paper.id,
            juror=account.id,
            criterion="",
            kind=MarkKind.REOPENED,
            note=reason,
            rubric_version=jury.rubric(paper.problem).version,
            at=jury.challenge.at,
            client_id=new_id(),
        )
        add_mark(connection, mark)
        data = {"number": number, "juror": account.id}
        note(connection, jury, actor, EventKind.PAPER_REOPENED, reason, **data)


def replace_juror(
    service: Service,
    actor: Actor,
    slug: str,
    juror: str,
    reason: str,
    numbers: Collection[int] = (),
) -> tuple[int, ...]:
    """Give a juror's papers that are not handed over to others of the group; return their numbers.

    ``numbers`` are the papers meant; all where none is named. Marks of the other of a pair stay.
    Raises InputError naming a paper for which the group has nobody.
    """
    require_reason(reason)
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=True)
        account = accounts.find_account_named(connection, fold_name(juror))
        if account is None:
            raise NotFoundError(f"there is no account {juror[:80]!r}", hint="Check the name.")
        rows = load_rows(connection, jury)
        wanted = [p for p in rows.papers.values() if not numbers or p.number in numbers]
        changed = _given_away(service, connection, jury, rows, account.id, wanted)
        if not changed:
            raise ConflictError(
                f"{account.name} has none of these papers to give away",
                hint="Papers that are handed over stay as they are.",
            )
        data = {"juror": account.id, "numbers": list(changed)}
        note(connection, jury, actor, EventKind.PAPER_REASSIGNED, reason, **data)
    return changed


def _given_away(
    service: Service,
    connection: Connection,
    jury: JuryState,
    rows: JuryRows,
    absent: str,
    wanted: Sequence[PaperRow],
) -> tuple[int, ...]:
    conflicts = _conflicts_by_paper(service, jury)
    changed = []
    for problem in sorted({paper.problem for paper in wanted}):
        own = [paper for paper in wanted if paper.problem == problem]
        before = [rows.assignments[paper.id] for paper in own]
        done = {p.id for p in own if has_handed_over(rows.marks.get(p.id, ()), absent)}
        after = reassign(
            before,
            [_anonymous(paper) for paper in own],
            absent,
            _able(connection, jury.groups.get(problem, ())),
            done,
            conflicts,
            seed=jury.seed,
        )
        numbers = {paper.id: paper.number for paper in own}
        for old, new in zip(before, after, strict=True):
            if old != new:
                _write(connection, jury, old, new)
                changed.append(numbers[old.paper])
    for paper in wanted:
        now = load_rows(connection, jury, paper=paper)
        add_third(service, connection, jury, now, paper, absent=absent)
    return tuple(sorted(changed))


def _write(connection: Connection, jury: JuryState, old: Assignment, new: Assignment) -> None:
    """End the assignments that hold no more, and add what is new, so that the pair keeps its order.

    Rows of a pair are read in the order of their ids, so both are written anew.
    """
    at = jury.challenge.at
    for row in papers.list_assignments(connection, jury.id, paper_id=old.paper):
        if row.is_third and old.third == new.third:
            continue
        if row.is_third or old.pair != new.pair:
            papers.end_assignment(connection, row.id, at)
    rows = []
    if old.pair != new.pair:
        rows += [AssignmentRow(new.paper, juror, at) for juror in new.pair]
    if new.third and old.third != new.third:
        rows.append(AssignmentRow(new.paper, new.third, at, is_third=True))
    papers.add_assignments(connection, rows)
