"""Beginning: rubrics stand, papers are blinded and numbered, assigned, and the seal is closed.

All of it is one transaction. Numbers of papers are drawn by the system's own random numbers and
not by the seed that the event keeps: whoever knows the seed could else draw them again.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.jury.content import store_content
from iolai.challenge.jury.jurors import conflicts_of
from iolai.challenge.jury.papers import blinded_papers
from iolai.challenge.jury.sealing import SealedList, seal
from iolai.challenge.jury.state import (
    JuryState,
    find_jury,
    note,
    problems_of,
    require_reason,
    require_state,
)
from iolai.challenge.permissions import Action, require
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError, NotFoundError
from iolai.jury.assigning import assign_all
from iolai.records import EventKind
from iolai.records.jury import Assignment, Conflict, Paper
from iolai.store import contestants, papers
from iolai.store.papers import AssignmentRow, PaperRow

__all__ = ["Begun", "begin", "lacks", "withdraw_paper"]

_FIRST_NUMBER = 101
#: Numbers are drawn from so many times as many, so that they say nothing of how many there are.
_SPREAD = 5
_MIN_RANGE = 899
_SEED_BITS = 32


@dataclass(frozen=True, slots=True)
class Begun:
    """What beginning made."""

    n_papers: int
    n_contestants: int
    seed: int


def lacks(service: Service, actor: Actor, slug: str) -> tuple[str, ...]:
    """Return what is still missing before marking can begin, in words; for an organiser."""
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
        return _lacks(service, connection, jury)


def _lacks(service: Service, connection: Connection, jury: JuryState) -> tuple[str, ...]:
    found = []
    problems = problems_of(service, jury)
    if not problems:
        found.append("the challenge has no problem sheets")
    if not jury.rubrics:
        found.append("no problem has a rubric; only problems with one are marked")
    if not contestants.list_contestants(connection, jury.id):
        found.append("no contestant is selected or handed in")
    for problem in jury.rubrics:
        n_jurors = len(jury.groups.get(problem, ()))
        title = problems[problem].title or problem
        if n_jurors < 2:
            found.append(f"the group of {title} has {n_jurors} jurors; two are needed")
    return tuple(found)


def begin(
    service: Service, actor: Actor, slug: str, reason: str, *, seed: int | None = None
) -> Begun:
    """Begin marking: rubrics can only be amended from here on, and the seal is closed.

    ``seed`` draws the assignment; by default it is a random one, and the event keeps it. Raises
    ConflictError where something is missing, InputError naming the paper that cannot be assigned.
    """
    require_reason(reason)
    drawn = secrets.randbits(_SEED_BITS) if seed is None else seed
    with service.store.write() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
        require_state(jury, begun=False)
        missing = _lacks(service, connection, jury)
        if missing:
            raise ConflictError(
                f"marking cannot begin: {missing[0]}",
                hint="See to that first; the jury's page lists all that is missing.",
            )
        made, owners = _papers(service, connection, jury)
        held = conflicts_of(connection, jury.id)
        assigned = _assigned(connection, jury, made, owners, held, drawn)
        papers.add_papers(connection, made)
        papers.add_assignments(connection, _rows(assigned, jury.challenge.at))
        sealed = seal(service, jury.id, SealedList(owners, _barred(owners, held)))
        versions = {problem: one.rubric.version for problem, one in jury.rubrics.items()}
        data = {"seal": sealed, "seed": drawn, "rubrics": versions, "n_papers": len(made)}
        note(connection, jury, actor, EventKind.MARKING_BEGUN, reason, **data)
    return Begun(len(made), len(set(owners.values())), drawn)


def _papers(
    service: Service, connection: Connection, jury: JuryState
) -> tuple[list[PaperRow], dict[str, str]]:
    """Return the papers, in an order that says nothing, and the contestant of each."""
    found = [
        (one.id, paper)
        for one in contestants.list_contestants(connection, jury.id)
        for paper in blinded_papers(service, connection, jury, one)
        if paper.problem in jury.rubrics
    ]
    draw = random.SystemRandom()
    draw.shuffle(found)
    span = max(_MIN_RANGE, _SPREAD * len(found))
    numbers = draw.sample(range(_FIRST_NUMBER, _FIRST_NUMBER + span), len(found))
    rows, owners = [], {}
    for (contestant, paper), number in zip(found, numbers, strict=True):
        blob = store_content(service, paper.content)
        rows.append(PaperRow(new_id(), jury.id, paper.problem, number, blob))
        owners[rows[-1].id] = contestant
    return rows, owners


def _assigned(
    connection: Connection,
    jury: JuryState,
    made: Sequence[PaperRow],
    owners: Mapping[str, str],
    held: Sequence[Conflict],
    seed: int,
) -> tuple[Assignment, ...]:
    # Where it cannot be done nothing is numbered yet: the error names the contestant.
    names = {one.id: one.name for one in contestants.list_contestants(connection, jury.id)}
    plain = [
        Paper(row.id, row.problem, owners[row.id], f"of {names[owners[row.id]]}") for row in made
    ]
    return assign_all(plain, jury.groups, held, seed=seed)


def _rows(assigned: Sequence[Assignment], at: str) -> list[AssignmentRow]:
    return [AssignmentRow(one.paper, juror, at) for one in assigned for juror in one.pair]


def _barred(owners: Mapping[str, str], held: Sequence[Conflict]) -> dict[str, tuple[str, ...]]:
    return {
        paper: tuple(sorted(one.juror for one in held if one.contestant == contestant))
        for paper, contestant in owners.items()
    }


def withdraw_paper(service: Service, actor: Actor, slug: str, number: int, reason: str) -> None:
    """Take a paper out of the marking; its marks stay and count no more. The reason is kept."""
    require_reason(reason)
    with service.store.write() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
        require_state(jury, begun=True)
        paper = papers.find_paper(connection, jury.id, number)
        if paper is None:
            raise NotFoundError(f"there is no paper {number}", hint="Check its number.")
        if paper.withdrawn_at:
            raise ConflictError(f"paper {number} is withdrawn", hint="Nothing is left to do.")
        papers.withdraw_paper(connection, paper.id, jury.challenge.at)
        note(connection, jury, actor, EventKind.PAPER_WITHDRAWN, reason, number=number)
