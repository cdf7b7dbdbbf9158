"""The result of a marking, once it is unsealed: everything that ``iolai.jury`` finds out.

Jurors are called by numbers in it, never by name. What the public gets after the release is made
from a result whose contestants were renamed first, never by leaving out fields afterwards.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from iolai.challenge.jury.jurors import names_of
from iolai.challenge.jury.sealing import contestants_of_papers
from iolai.challenge.jury.settings import people_of
from iolai.challenge.jury.state import (
    JuryRows,
    JuryState,
    find_jury,
    load_rows,
    note,
    problems_of,
    require_reason,
    require_state,
)
from iolai.challenge.permissions import Action, require
from iolai.challenge.scorebook import read_score
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError
from iolai.jury.results import jury_result
from iolai.metrics import summarise
from iolai.records import EventKind, Role, TaskScore
from iolai.records.jury import (
    Assignment,
    Contestant,
    ContestantKind,
    ContestantTable,
    JuryResult,
    Mark,
    MarkedPaper,
    Paper,
    PersonScore,
)
from iolai.store import challenges, contestants, scores
from iolai.store.contestants import ContestantRow
from iolai.store.events import last_id

__all__ = [
    "Anonymity",
    "Marked",
    "MarkingResult",
    "marked",
    "named_result",
    "release",
    "result",
]

_CACHED = 16
_cache: dict[tuple[object, ...], JuryResult] = {}
_making = threading.Lock()
_DECIDING = (EventKind.UNSEALED, EventKind.JURY_SET, EventKind.JURY_RELEASED, EventKind.KEY_SET)


@dataclass(frozen=True, slots=True)
class Anonymity:
    """Which contestants are called by numbers instead of their names."""

    systems: bool = False
    people: bool = True


@dataclass(frozen=True)
class MarkingResult:
    """A result, who unsealed the marking when and why, and which papers were opened early.

    ``n_early`` counts early looks into the seal; ``is_public`` says that this is what was released.
    """

    result: JuryResult
    unsealed_at: str
    reason: str
    n_early: int
    is_public: bool


@dataclass(frozen=True)
class Marked:
    """A marking that is unsealed, with contestants as they may be named and jurors by number.

    ``hidden_names`` are the names of accounts and contestants that are called otherwise here, with
    what they are called: people also write names into notes.
    """

    jury: JuryState
    papers: tuple[MarkedPaper, ...]
    contestants: tuple[Contestant, ...]
    table: ContestantTable
    hidden_names: Mapping[str, str]


def result(service: Service, actor: Actor, slug: str) -> MarkingResult:
    """Return the result: for the jury once it is unsealed, for everybody as it was released.

    Raises NotFoundError where there is none for the actor, ConflictError while it is sealed.
    """
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        scope = replace(scope_of(jury.challenge), jury_released=jury.released is not None)
        require(actor, Action.VIEW_JURY_RESULT, scope, what="result")
        require_state(jury, begun=True, unsealed=True)
        hidden = _anonymity(jury, actor)
        made = _cached(service, connection, jury, hidden)
    unsealed = jury.unsealed
    assert unsealed is not None  # noqa: S101 -- required above
    return MarkingResult(
        result=made,
        unsealed_at=unsealed.at,
        reason=unsealed.reason,
        n_early=len(jury.opened),
        is_public=hidden is not None,
    )


def _anonymity(jury: JuryState, actor: Actor) -> Anonymity | None:
    """Return what is hidden from the actor: nothing from the jury, what was decided from others."""
    if actor.role in (Role.JUROR, Role.ORGANISER, Role.ADMIN) or jury.released is None:
        return None
    data = jury.released.data
    return Anonymity(bool(data["hide_systems"]), bool(data["hide_people"]))


def _cached(
    service: Service, connection: Connection, jury: JuryState, hidden: Anonymity | None
) -> JuryResult:
    place = (service.store.url, jury.id, last_id(connection, jury.id, _DECIDING), hidden)
    with _making:
        if place not in _cache:
            while len(_cache) >= _CACHED:
                _cache.pop(next(iter(_cache)))
            _cache[place] = named_result(marked(service, connection, jury, hidden))
        return _cache[place]


def named_result(given: Marked) -> JuryResult:
    """Work out the result of a marking, its contestants called as they are there."""
    rubrics = {problem: one.rubric for problem, one in given.jury.rubrics.items()}
    used = {one.paper.problem for one in given.papers}
    return jury_result(
        {problem: rubric for problem, rubric in rubrics.items() if problem in used},
        given.papers,
        given.contestants,
        given.table,
        name=given.jury.challenge.settings.title,
    )


def marked(
    service: Service, connection: Connection, jury: JuryState, hidden: Anonymity | None
) -> Marked:
    """Return an unsealed marking as ``iolai.jury`` takes it; whether it may be seen was asked."""
    owners = contestants_of_papers(service, jury)
    rows = load_rows(connection, jury)
    shows = hidden or Anonymity(people=False)
    # Whose papers were all withdrawn was not marked, and is not among those placed.
    present = {owners[paper] for paper in rows.papers}
    everybody = contestants.list_contestants(connection, jury.id)
    found = _in_order([row for row in everybody if row.id in present], shows)
    names = _names(found, shows)
    called = _jurors_called(rows)
    accounts = names_of(connection, called)
    renamed = {row.name: names[row.id] for row in found if names[row.id] != row.name}
    return Marked(
        jury=jury,
        papers=_marked_papers(rows, owners, called),
        contestants=tuple(Contestant(row.id, names[row.id], row.kind) for row in found),
        table=_table(service, connection, jury, found, shows),
        hidden_names={**renamed, **{accounts[one]: name for one, name in called.items()}},
    )


def _is_hidden(kind: ContestantKind, hidden: Anonymity) -> bool:
    return hidden.systems if kind is ContestantKind.SYSTEM else hidden.people


def _in_order(found: Sequence[ContestantRow], hidden: Anonymity) -> list[ContestantRow]:
    """Return contestants by kind and name, those of a hidden kind by their ids.

    Ids are random. An order of names would tell whom a number stands for, as an order of rows too.
    """
    kinds = [ContestantKind.SYSTEM, ContestantKind.PERSON]

    def place(row: ContestantRow) -> tuple[int, str]:
        own = row.id if _is_hidden(row.kind, hidden) else row.name.casefold()
        return kinds.index(row.kind), own

    return sorted(found, key=place)


def _names(found: Sequence[ContestantRow], hidden: Anonymity) -> dict[str, str]:
    """Return what contestants are called, numbered in the order in which they are given."""
    names: dict[str, str] = {}
    counts = dict.fromkeys(ContestantKind, 0)
    for row in found:
        counts[row.kind] += 1
        is_hidden = _is_hidden(row.kind, hidden)
        names[row.id] = f"{row.kind} {counts[row.kind]}" if is_hidden else row.name
    return names


def _jurors_called(rows: JuryRows) -> dict[str, str]:
    everybody = {one for a in rows.assignments.values() for one in (*a.pair, a.third) if one}
    everybody |= {mark.juror for some in rows.marks.values() for mark in some}
    return {juror: f"juror {place}" for place, juror in enumerate(sorted(everybody), 1)}


def _marked_papers(
    rows: JuryRows, owners: Mapping[str, str], called: Mapping[str, str]
) -> tuple[MarkedPaper, ...]:
    def renamed(mark: Mark) -> Mark:
        return replace(mark, juror=called[mark.juror])

    made = []
    for row in rows.papers.values():
        one = rows.assignments[row.id]
        pair = (called[one.pair[0]], called[one.pair[1]])
        assignment = Assignment(row.id, pair, called.get(one.third, ""))
        paper = Paper(row.id, row.problem, owners[row.id], str(row.number))
        made.append(MarkedPaper(paper, assignment, tuple(map(renamed, rows.marks[row.id]))))
    return tuple(made)


def _table(
    service: Service,
    connection: Connection,
    jury: JuryState,
    found: Sequence[ContestantRow],
    hidden: Anonymity,
) -> ContestantTable:
    overall: dict[str, float] = {}
    by_problem: dict[str, dict[str, float]] = {}
    key = challenges.get_key(connection, jury.challenge.key)
    tasks_of = {
        problem.id: {task.id for task in problem.tasks}
        for problem in problems_of(service, jury).values()
    }
    for row in found:
        score = scores.get_score(connection, row.run, key.id) if key and row.run else None
        if score is None or key is None:
            continue
        tasks = read_score(score, key).tasks
        overall[row.id] = _percent(tasks)
        by_problem[row.id] = {
            problem: _percent([task for task in tasks if task.id in own])
            for problem, own in tasks_of.items()
        }
    return ContestantTable(
        kinds={row.id: row.kind for row in found},
        people=_people(service, jury, hidden),
        thresholds=jury.settings.thresholds,
        automatic=overall,
        automatic_by_problem=by_problem,
    )


def _people(service: Service, jury: JuryState, hidden: Anonymity) -> tuple[PersonScore, ...]:
    """Return the people of the table among whom contestants are placed, by number where hidden."""
    found = people_of(service, jury.settings)
    if not hidden.people:
        return found
    order = sorted(found, key=lambda one: -one.total)
    return tuple(
        replace(one, name=f"person {place} of the table") for place, one in enumerate(order, 1)
    )


def _percent(tasks: Sequence[TaskScore]) -> float:
    value = summarise(tasks).score
    return 100 * value if value is not None else 0.0


def release(service: Service, actor: Actor, slug: str, reason: str, hidden: Anonymity) -> None:
    """Make the result public, contestants named or by numbers as said here; jurors never named.

    Raises ConflictError while it is sealed, or where it is released already.
    """
    require_reason(reason)
    with service.store.write() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
        require_state(jury, begun=True, unsealed=True)
        if jury.released is not None:
            raise ConflictError("the result is released already", hint="It stays as it is.")
        data = {"hide_systems": hidden.systems, "hide_people": hidden.people}
        note(connection, jury, actor, EventKind.JURY_RELEASED, reason, **data)
