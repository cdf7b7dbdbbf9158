"""Packets: the papers of a problem that somebody may see, for reading and printing."""

from __future__ import annotations

from dataclasses import dataclass

from iolai.challenge.jury.content import load_content
from iolai.challenge.jury.images import media_type_of
from iolai.challenge.jury.settings import EarlyLook, early_looks
from iolai.challenge.jury.state import (
    JuryRows,
    JuryState,
    find_jury,
    load_rows,
    problems_of,
    require_state,
)
from iolai.challenge.permissions import Action, may, require
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import NotFoundError
from iolai.records import Problem, Role, Rubric
from iolai.records.jury import Page, Paper
from iolai.store.papers import PaperRow

__all__ = ["Packet", "get_packet"]


@dataclass(frozen=True)
class Packet:
    """The blind papers of a problem, by number, and what was said of early looks into the seal."""

    problem: Problem
    rubric: Rubric
    papers: tuple[Paper, ...]
    notices: tuple[str, ...] = ()


def get_packet(service: Service, actor: Actor, slug: str, problem: str) -> Packet:
    """Return the papers of a problem: a juror's own, all of them for an organiser, by number alone.

    Raises NotFoundError where there are none for the actor, ConflictError before marking begins.
    """
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.VIEW_MARKING, scope_of(jury.challenge))
        require_state(jury, begun=True, unsealed=jury.unsealed is not None)
        rows = load_rows(connection, jury)
        opened = early_looks(connection, jury)
    own = [
        paper
        for paper in rows.papers.values()
        if paper.problem == problem and _may_see(jury, rows, paper, actor)
    ]
    if not own:
        raise NotFoundError("there is no packet of this problem", hint="Look at your queue.")
    sheet = problems_of(service, jury)[problem]
    papers = tuple(_paper(service, row) for row in sorted(own, key=lambda row: row.number))
    return Packet(sheet, jury.rubric(problem), papers, tuple(map(_notice, opened)))


def _notice(look: EarlyLook) -> str:
    at = f"{look.at[:16].replace('T', ' ')} UTC"
    return f"Paper {look.number} was opened early by {look.by}, {at}: {look.why}"


def _may_see(jury: JuryState, rows: JuryRows, paper: PaperRow, actor: Actor) -> bool:
    if may(actor, Action.MANAGE_JURY, scope_of(jury.challenge)):
        return True
    return actor.role is Role.JUROR and actor.account in rows.pair(paper.id)


def _paper(service: Service, row: PaperRow) -> Paper:
    content = load_content(service, row.content)
    pages = []
    for blob in content.pages:
        data = service.blobs.read(blob)
        pages.append(Page(media_type_of(data), data))
    return Paper(
        id=row.id,
        problem=row.problem,
        number=str(row.number),
        answers=content.answers,
        text=content.text,
        pages=tuple(pages),
    )
