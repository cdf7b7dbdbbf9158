"""Papers, and who marks them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, select

from iolai.store import tables
from iolai.store.rows import all_of, one_of, values_of

__all__ = [
    "AssignmentRow",
    "PaperRow",
    "add_assignments",
    "add_papers",
    "end_assignment",
    "find_paper",
    "list_assignments",
    "list_papers",
    "withdraw_paper",
]

_PAPER, _ASSIGNMENT = tables.paper, tables.assignment


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A paper: its number, and the blob that holds its blinded content."""

    id: str
    challenge: str
    problem: str
    number: int
    content: str = ""
    withdrawn_at: str = ""


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """A juror who marks a paper, from ``at`` on, until ``ended_at`` (``""``: still)."""

    paper: str
    juror: str
    at: str
    is_third: bool = False
    ended_at: str = ""
    id: int = 0


def add_papers(connection: Connection, papers: Iterable[PaperRow]) -> None:
    """Insert papers, in the order given."""
    rows = [values_of(paper) for paper in papers]
    if rows:
        connection.execute(_PAPER.insert(), rows)


def find_paper(connection: Connection, challenge_id: str, number: int) -> PaperRow | None:
    """Return the paper of a number, a withdrawn one too."""
    query = select(_PAPER).where(_PAPER.c.challenge == challenge_id, _PAPER.c.number == number)
    return one_of(connection, PaperRow, query)


def list_papers(
    connection: Connection, challenge_id: str, *, withdrawn: bool = False
) -> tuple[PaperRow, ...]:
    """Return the papers of a challenge by number; ``withdrawn`` ones only where asked for."""
    query: Select[Any] = select(_PAPER).where(_PAPER.c.challenge == challenge_id)
    if not withdrawn:
        query = query.where(_PAPER.c.withdrawn_at == "")
    return all_of(connection, PaperRow, query.order_by(_PAPER.c.number))


def withdraw_paper(connection: Connection, paper_id: str, at: str) -> None:
    """Take a paper out of the marking; its marks stay."""
    connection.execute(_PAPER.update().where(_PAPER.c.id == paper_id).values(withdrawn_at=at))


def add_assignments(connection: Connection, assignments: Iterable[AssignmentRow]) -> None:
    """Insert assignments, in the order given; their ids are given anew."""
    rows = [values_of(one) for one in assignments]
    for row in rows:
        del row["id"]
    if rows:
        connection.execute(_ASSIGNMENT.insert(), rows)


def list_assignments(
    connection: Connection, challenge_id: str, *, paper_id: str | None = None
) -> tuple[AssignmentRow, ...]:
    """Return the assignments that hold, of a challenge or of one of its papers, oldest first."""
    query: Select[Any] = (
        select(_ASSIGNMENT)
        .join(_PAPER, _PAPER.c.id == _ASSIGNMENT.c.paper)
        .where(_PAPER.c.challenge == challenge_id, _ASSIGNMENT.c.ended_at == "")
        .order_by(_ASSIGNMENT.c.id)
    )
    if paper_id is not None:
        query = query.where(_ASSIGNMENT.c.paper == paper_id)
    return all_of(connection, AssignmentRow, query)


def end_assignment(connection: Connection, assignment_id: int, at: str) -> None:
    """Say that a juror marks a paper no longer."""
    connection.execute(
        _ASSIGNMENT.update().where(_ASSIGNMENT.c.id == assignment_id).values(ended_at=at)
    )
