"""Contestants: systems are selected among the teams' final runs, people's work is handed in.

Selection is decided by people, with a reason; the explanation report and its proposal help them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from iolai.challenge.boards import Picked, final_picks
from iolai.challenge.jury.content import (
    PaperContent,
    load_work,
    store_work,
)
from iolai.challenge.jury.images import redrawn_pages
from iolai.challenge.jury.state import (
    JuryState,
    find_jury,
    note,
    problems_of,
    require_reason,
    require_state,
)
from iolai.challenge.names import checked_name, fold_name
from iolai.challenge.permissions import Action, require
from iolai.challenge.scoring import parse_predictions
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.files import decode_utf8
from iolai.reading import read_official
from iolai.records import EventKind, KeyRow, PredictionSet, Problem
from iolai.records.jury import ContestantKind, Paper, PaperAnswer
from iolai.store import challenges, contestants, runs
from iolai.store.contestants import ContestantRow

__all__ = [
    "ContestantView",
    "Entry",
    "add_papers",
    "add_person",
    "entries_of",
    "list_contestants",
    "list_entries",
    "select",
    "task_ids",
    "withdraw",
]

#: The longest typed text of one paper, in bytes.
MAX_TEXT = 1 << 20


@dataclass(frozen=True, slots=True)
class ContestantView:
    """A contestant as an organiser sees it while drafting: name, kind, problems handed in."""

    id: str
    name: str
    kind: ContestantKind
    problems: tuple[str, ...]
    n_pages: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A team's final run, which may be selected: by rank over all tasks, with its predictions."""

    team: str
    name: str
    run: str
    rank: int
    score: float | None
    selected: bool
    predictions: PredictionSet = field(repr=False)


def list_contestants(service: Service, actor: Actor, slug: str) -> tuple[ContestantView, ...]:
    """Return the contestants, people first; for an organiser."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
        found = contestants.list_contestants(connection, jury.id)
    return tuple(_view(service, one) for one in found)


def _asked(service: Service, connection: Connection, actor: Actor, slug: str) -> JuryState:
    jury = find_jury(service, connection, slug)
    require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
    return jury


def _view(service: Service, row: ContestantRow) -> ContestantView:
    work = load_work(service, row.work)
    n_pages = sum(len(one.pages) for one in work.values())
    return ContestantView(row.id, row.name, row.kind, tuple(work), n_pages)


def list_entries(service: Service, actor: Actor, slug: str) -> tuple[Entry, ...]:
    """Return the teams' final runs by rank, with what they predicted; for an organiser."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
        return entries_of(service, connection, jury)


def task_ids(service: Service, actor: Actor, slug: str) -> tuple[str, ...]:
    """Return the ids of all tasks of the challenge's problems."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
    return tuple(task.id for one in problems_of(service, jury).values() for task in one.tasks)


def entries_of(service: Service, connection: Connection, jury: JuryState) -> tuple[Entry, ...]:
    """Return the entries of a marking; whether they may be seen was asked."""
    picks = sorted(final_picks(connection, jury.challenge), key=_order)
    verdicts = runs.verdicts_of(connection, [pick.candidate.run for pick in picks])
    outputs = {verdict.run: verdict.output for verdict in verdicts}
    chosen = {one.team for one in contestants.list_contestants(connection, jury.id) if one.team}
    return tuple(
        Entry(
            team=pick.team.id,
            name=pick.team.name,
            run=pick.candidate.run,
            rank=rank,
            score=pick.candidate.score,
            selected=pick.team.id in chosen,
            predictions=_predictions(service, outputs.get(pick.candidate.run, "")),
        )
        for rank, pick in enumerate(picks, 1)
    )


def _order(pick: Picked) -> tuple[float, str]:
    score = pick.candidate.score
    return (-(score if score is not None else -1.0), pick.candidate.received_at)


def _predictions(service: Service, blob: str) -> PredictionSet:
    try:
        return parse_predictions(service.blobs.read(blob)) if blob else PredictionSet(())
    except InputError:
        return PredictionSet(())


def select(
    service: Service, actor: Actor, slug: str, teams: Sequence[str], reason: str
) -> tuple[ContestantView, ...]:
    """Say which teams' final runs are marked: these, and no others; the reason is kept.

    Raises NotFoundError for a team that has no final run, ConflictError once marking has begun.
    """
    require_reason(reason)
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=False)
        entries = {entry.team: entry for entry in entries_of(service, connection, jury)}
        for team in teams:
            if team not in entries:
                raise NotFoundError(
                    f"no entry of a team {team[:40]!r} can be marked",
                    hint="Look at the list of entries; a team without a scored run has none.",
                )
        wanted = {team: entries[team] for team in teams}
        _replace_systems(service, connection, jury, wanted)
        data = {"runs": [entry.run for entry in wanted.values()]}
        note(connection, jury, actor, EventKind.CONTESTANTS_SELECTED, reason, **data)
    return list_contestants(service, actor, slug)


def _replace_systems(
    service: Service, connection: Connection, jury: JuryState, wanted: Mapping[str, Entry]
) -> None:
    at = jury.challenge.at
    kept = set()
    for one in contestants.list_contestants(connection, jury.id):
        if one.kind is not ContestantKind.SYSTEM:
            continue
        if one.team in wanted and wanted[one.team].run == one.run:
            kept.add(one.team)
        else:
            contestants.withdraw_contestant(connection, one.id, at)
    problems = problems_of(service, jury)
    key = challenges.get_key(connection, jury.challenge.key)
    for team, entry in wanted.items():
        if team not in kept:
            work = store_work(service, _work(entry.predictions, problems, key))
            row = ContestantRow(
                *(new_id(), jury.id, ContestantKind.SYSTEM, entry.name, at, team, entry.run, work)
            )
            contestants.add_contestant(connection, row, fold_name(entry.name))


def _work(
    predictions: PredictionSet, problems: Mapping[str, Problem], key: KeyRow | None
) -> dict[str, PaperContent]:
    """Return what an entry answered and explained, problem by problem."""
    n_items = {task.id: task.n_items for task in key.tasks} if key else {}
    work = {}
    for problem in problems.values():
        answers = []
        for task in problem.tasks:
            row = predictions.get(task.id)
            items = _items(row.text if row else "", n_items.get(task.id, 1))
            answers.append(PaperAnswer(task.id, items, row.explanation if row else ""))
        work[problem.id] = PaperContent(tuple(answers))
    return work


def _items(text: str, n_items: int) -> tuple[str, ...]:
    """Read a prediction as it is scored; what it says beyond that is shown to the jurors too."""
    reading = read_official(text, n_items)
    return read_official(text, max(n_items, reading.n_read)).items


def add_person(
    service: Service,
    actor: Actor,
    slug: str,
    name: str,
    files: Iterable[tuple[str, str, bytes]],
) -> ContestantView:
    """Add a person's work, or add to it: files as (problem, file name, content).

    A file is typed text (UTF-8), a PNG, a JPEG or a PDF; pages are drawn anew without metadata,
    in the order given, and names of files are not kept. Raises InputError where a file is none of
    these, NotFoundError for an unknown problem, ConflictError where the name is a system's.
    """
    shown = checked_name(name)
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
    problems = problems_of(service, jury)
    work = _work_of_files(service, problems, files)
    if not work:
        raise InputError("no file was handed in", hint="Hand in typed text, images or a PDF.")
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=False)
        row = _person(service, connection, jury, shown, work)
        note(connection, jury, actor, EventKind.CONTESTANT_ADDED, contestant=row.id)
    return _view(service, row)


def add_papers(
    service: Service, actor: Actor, slug: str, name: str, papers: Iterable[Paper]
) -> ContestantView:
    """Add a person's papers as ``formats.papers_folder`` reads them."""
    files: list[tuple[str, str, bytes]] = []
    for paper in papers:
        if paper.text.strip():
            files.append((paper.problem, "typed.txt", paper.text.encode("utf-8", "replace")))
        files += [
            (paper.problem, f"page {place} of problem {paper.problem}", page.content)
            for place, page in enumerate(paper.pages, 1)
        ]
    return add_person(service, actor, slug, name, files)


def _work_of_files(
    service: Service, problems: Mapping[str, Problem], files: Iterable[tuple[str, str, bytes]]
) -> dict[str, PaperContent]:
    texts: dict[str, list[str]] = {}
    pages: dict[str, list[str]] = {}
    for problem, name, data in files:
        if problem not in problems:
            raise NotFoundError(
                f"the challenge has no problem {problem[:40]!r}",
                hint=f"Its problems: {', '.join(problems)}.",
            )
        if name.lower().endswith((".txt", ".md")):
            if len(data) > MAX_TEXT:
                raise InputError(f"{name} is longer than 1 MiB", hint="Check which file it is.")
            texts.setdefault(problem, []).append(decode_utf8(data, name).strip())
        else:
            drawn = redrawn_pages(data, name)
            pages.setdefault(problem, []).extend(service.blobs.put(page) for page in drawn)
    return {
        problem: PaperContent(
            text="\n\n".join(texts.get(problem, ())), pages=tuple(pages.get(problem, ()))
        )
        for problem in problems
        if problem in texts or problem in pages
    }


def _person(
    service: Service,
    connection: Connection,
    jury: JuryState,
    name: str,
    work: Mapping[str, PaperContent],
) -> ContestantRow:
    """Insert a person, or replace the problems of their work that are handed in again."""
    known = contestants.list_contestants(connection, jury.id, folded_name=fold_name(name))
    if any(one.kind is ContestantKind.SYSTEM for one in known):
        raise ConflictError(
            f"a system is named {name!r}", hint="Name the person so that they can be told apart."
        )
    if known:
        blob = store_work(service, {**load_work(service, known[0].work), **work})
        contestants.set_work(connection, known[0].id, blob)
        found = contestants.get_contestant(connection, known[0].id)
        assert found is not None  # noqa: S101 -- it was just listed
        return found
    row = ContestantRow(
        id=new_id(),
        challenge=jury.id,
        kind=ContestantKind.PERSON,
        name=name,
        created_at=jury.challenge.at,
        work=store_work(service, work),
    )
    contestants.add_contestant(connection, row, fold_name(name))
    return row


def withdraw(service: Service, actor: Actor, slug: str, contestant_id: str, reason: str) -> None:
    """Take a contestant out while drafting; the reason is kept."""
    require_reason(reason)
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=False)
        known = {one.id for one in contestants.list_contestants(connection, jury.id)}
        if contestant_id not in known:
            raise NotFoundError("there is no such contestant", hint="Look at the list.")
        contestants.withdraw_contestant(connection, contestant_id, jury.challenge.at)
        data = {"contestant": contestant_id}
        note(connection, jury, actor, EventKind.CONTESTANT_WITHDRAWN, reason, **data)
