"""Papers: what jurors will see of a contestant's work, looked at before it is sealed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from iolai.challenge.jury.content import PaperContent, load_work
from iolai.challenge.jury.state import JurySettings, JuryState, find_jury, problems_of
from iolai.challenge.permissions import Action, require
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import NotFoundError
from iolai.jury.blinding import blind
from iolai.records import Problem
from iolai.records.jury import Blinded
from iolai.store import contestants, submissions, teams
from iolai.store.contestants import ContestantRow

__all__ = ["BlindedPaper", "BlindedText", "blinded_papers", "page_before", "preview_blinding"]

#: A shorter name would be found inside too many words that are none.
_SHORTEST_NAME = 3


@dataclass(frozen=True, slots=True)
class BlindedText:
    """A text of a paper before and after: ``task`` is ``""`` for a person's typed text."""

    task: str
    before: str
    blinded: Blinded


@dataclass(frozen=True, slots=True)
class BlindedPaper:
    """A paper as jurors will see it, and each text that was looked through."""

    problem: str
    content: PaperContent
    texts: tuple[BlindedText, ...]

    @property
    def n_removals(self) -> int:
        """How much was taken out."""
        return sum(len(text.blinded.removals) for text in self.texts)


def preview_blinding(
    service: Service, actor: Actor, slug: str, contestant_id: str
) -> tuple[str, tuple[BlindedPaper, ...]]:
    """Return a contestant's name and papers with what is taken out of them; for an organiser.

    Raises NotFoundError where there is no such contestant. Once marking has begun this shows
    nothing that was not known before: numbers are in the seal.
    """
    with service.store.read() as connection:
        jury, row = _contestant(service, connection, actor, slug, contestant_id)
        return row.name, blinded_papers(service, connection, jury, row)


def page_before(
    service: Service, actor: Actor, slug: str, contestant_id: str, problem: str, page: int
) -> bytes:
    """Return a page of a contestant's work, the first being 1; for an organiser."""
    with service.store.read() as connection:
        row = _contestant(service, connection, actor, slug, contestant_id)[1]
    content = load_work(service, row.work).get(problem)
    pages = content.pages if content is not None else ()
    if not 1 <= page <= len(pages):
        raise NotFoundError("there is no such page", hint="Look at the contestant's papers.")
    return service.blobs.read(pages[page - 1])


def _contestant(
    service: Service, connection: Connection, actor: Actor, slug: str, contestant_id: str
) -> tuple[JuryState, ContestantRow]:
    jury = find_jury(service, connection, slug)
    require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
    row = contestants.get_contestant(connection, contestant_id)
    if row is None or row.challenge != jury.id:
        raise NotFoundError("there is no such contestant", hint="Look at the list.")
    return jury, row


def blinded_papers(
    service: Service, connection: Connection, jury: JuryState, row: ContestantRow
) -> tuple[BlindedPaper, ...]:
    """Return the papers of a contestant as jurors will see them."""
    names = _names(connection, jury.settings, row)
    work = load_work(service, row.work)
    sheets = {one.id: _sheet(one) for one in problems_of(service, jury).values()}
    return tuple(
        _blinded(problem, content, names, sheets.get(problem, ""))
        for problem, content in work.items()
    )


def _sheet(problem: Problem) -> str:
    """Return all that the problem itself says: none of it is ever taken out of a paper."""
    return "\n".join(f"{task.context}\n{task.query}" for task in problem.tasks)


def _names(connection: Connection, settings: JurySettings, row: ContestantRow) -> tuple[str, ...]:
    """Return what a contestant could be known by: team, members, repository, names given."""
    found = [row.name, *settings.blind_names]
    if row.team:
        found += [account.name for account in teams.list_members(connection, row.team)]
        for one in submissions.list_submissions(connection, row.challenge, team_id=row.team):
            found += one.source.split("/") if one.source else []
    kept = {name.casefold() for name in settings.kept_names}
    known = {name for name in found if len(name.strip()) >= _SHORTEST_NAME}
    return tuple(sorted(name for name in known if name.casefold() not in kept))


def _blinded(problem: str, content: PaperContent, names: Iterable[str], sheet: str) -> BlindedPaper:
    texts = []
    answers = []
    for answer in content.answers:
        blinded = blind(answer.explanation, names, problem=sheet)
        texts.append(BlindedText(answer.task, answer.explanation, blinded))
        answers.append(replace(answer, explanation=blinded.text))
    typed = blind(content.text, names, problem=sheet)
    if content.text:
        texts.append(BlindedText("", content.text, typed))
    shown = PaperContent(tuple(answers), typed.text, content.pages)
    return BlindedPaper(problem, shown, tuple(texts))
