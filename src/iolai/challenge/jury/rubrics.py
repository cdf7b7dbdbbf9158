"""Rubrics: edited while drafting, amended afterwards, each change a version with a reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import Connection

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
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.formats import render_rubric
from iolai.formats.rubric_toml import parse_rubric
from iolai.jury.amending import preview, reopening_marks
from iolai.jury.marking import points_text
from iolai.records import EventKind, Problem, Rubric
from iolai.records.jury import Amendment, Assignment, Mark
from iolai.store.marks import add_marks

__all__ = [
    "FULL_POINTS",
    "AmendmentPreview",
    "RubricView",
    "amend",
    "get_rubric",
    "list_rubrics",
    "preview_amendment",
    "set_rubric",
    "task_ids",
]

#: What a problem of the olympiad is worth.
FULL_POINTS = 20.0


@dataclass(frozen=True, slots=True)
class RubricView:
    """The rubric of a problem: its text, and what is odd about it. ``rubric`` None: there is none.

    ``notes`` say what may well be meant: other points than 20 in sum, a task without a criterion.
    """

    problem: str
    title: str
    text: str
    rubric: Rubric | None
    notes: tuple[str, ...] = ()
    at: str = ""


@dataclass(frozen=True, slots=True)
class AmendmentPreview:
    """What an amendment would do. ``numbers`` are the papers' numbers by id.

    ``text`` is the rubric as it would stand, ``base`` the version that it amends; ``notes`` are as
    in ``RubricView``, of the rubric as it would stand.
    """

    amendment: Amendment
    numbers: dict[str, int]
    text: str
    base: int
    notes: tuple[str, ...] = ()


def list_rubrics(service: Service, actor: Actor, slug: str) -> tuple[RubricView, ...]:
    """Return the rubric of every problem, or its lack, in the challenge's order."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
    return tuple(_view(jury, problem) for problem in problems_of(service, jury).values())


def get_rubric(service: Service, actor: Actor, slug: str, problem: str) -> RubricView:
    """Return the rubric of a problem; raises NotFoundError where there is no such problem."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
    return _view(jury, _problem(service, jury, problem))


def task_ids(service: Service, actor: Actor, slug: str, problem: str) -> tuple[str, ...]:
    """Return the ids of a problem's tasks; raises NotFoundError where there is no such problem."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
    return tuple(task.id for task in _problem(service, jury, problem).tasks)


def _asked(service: Service, connection: Connection, actor: Actor, slug: str) -> JuryState:
    jury = find_jury(service, connection, slug)
    require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
    return jury


def _problem(service: Service, jury: JuryState, problem: str) -> Problem:
    found = problems_of(service, jury).get(problem)
    if found is None:
        raise NotFoundError(
            f"the challenge has no problem {problem[:40]!r}", hint="Look at the list of rubrics."
        )
    return found


def _view(jury: JuryState, problem: Problem) -> RubricView:
    held = jury.rubrics.get(problem.id)
    if held is None:
        return RubricView(problem.id, problem.title, "", None)
    notes = _notes(held.rubric, problem)
    return RubricView(problem.id, problem.title, held.text, held.rubric, notes, held.at)


def _notes(rubric: Rubric, problem: Problem) -> tuple[str, ...]:
    found = []
    if rubric.points != FULL_POINTS:
        found.append(
            f"its points sum to {points_text(rubric.points)}, not {points_text(FULL_POINTS)}"
        )
    covered = {one.task for one in rubric.criteria}
    found += [
        f"no criterion for task {task.id}" for task in problem.tasks if task.id not in covered
    ]
    return tuple(found)


def set_rubric(
    service: Service, actor: Actor, slug: str, problem: str, text: str, reason: str = ""
) -> RubricView:
    """Set the rubric of a problem by its TOML, while drafting; the version is given here.

    Raises FormatError naming the line where the text is not right, InputError where it is of
    another problem or names a task that the problem does not have, ConflictError once marking has
    begun.
    """
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
    read = _read(_problem(service, jury, problem), text)
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=False)
        held = jury.rubrics.get(problem)
        rubric = replace(read, version=held.rubric.version + 1 if held else 1)
        _keep(service, connection, jury, actor, EventKind.RUBRIC_SET, rubric, reason)
    return get_rubric(service, actor, slug, problem)


def _read(problem: Problem, text: str) -> Rubric:
    rubric = parse_rubric(text, f"the rubric of {problem.id}")
    if rubric.problem != problem.id:
        raise InputError(
            f"this rubric is of problem {rubric.problem!r}",
            hint=f'Write problem = "{problem.id}", or hand it in for the other problem.',
        )
    known = {task.id for task in problem.tasks}
    for criterion in rubric.criteria:
        if criterion.task and criterion.task not in known:
            raise InputError(
                f"criterion {criterion.id} names the task {criterion.task!r}, which the problem "
                "does not have",
                hint=f"Its tasks: {', '.join(sorted(known))}.",
            )
    return rubric


def _keep(
    service: Service,
    connection: Connection,
    jury: JuryState,
    actor: Actor,
    kind: EventKind,
    rubric: Rubric,
    reason: str,
) -> None:
    blob = service.blobs.put(render_rubric(rubric).encode())
    data = {"problem": rubric.problem, "version": rubric.version, "rubric": blob}
    note(connection, jury, actor, kind, reason, **data)


def preview_amendment(
    service: Service, actor: Actor, slug: str, problem: str, text: str
) -> AmendmentPreview:
    """Say what amending a rubric would do to the papers; nothing is changed."""
    with service.store.read() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=True)
        return _previewed(service, connection, jury, problem, text)[0]


def _previewed(
    service: Service, connection: Connection, jury: JuryState, problem: str, text: str
) -> tuple[AmendmentPreview, JuryRows, Rubric]:
    old = _marked_rubric(jury, problem)
    sheet = _problem(service, jury, problem)
    new = replace(_read(sheet, text), version=old.version + 1)
    notes = _notes(new, sheet)
    rows = load_rows(connection, jury)
    amendment = preview(old, new, _marked(rows, problem))
    numbers = {paper.id: paper.number for paper in rows.papers.values()}
    seen = AmendmentPreview(amendment, numbers, render_rubric(new), old.version, notes)
    return seen, rows, new


def _marked_rubric(jury: JuryState, problem: str) -> Rubric:
    if problem not in jury.rubrics:
        raise NotFoundError(
            f"problem {problem[:40]!r} is not marked", hint="Look at the list of rubrics."
        )
    return jury.rubric(problem)


def _marked(rows: JuryRows, problem: str) -> dict[str, tuple[Assignment, tuple[Mark, ...]]]:
    return {
        paper.id: (rows.assignments[paper.id], rows.marks.get(paper.id, ()))
        for paper in rows.papers.values()
        if paper.problem == problem
    }


def amend(
    service: Service, actor: Actor, slug: str, problem: str, text: str, *, base: int, reason: str
) -> Amendment:
    """Amend a rubric after marking has begun: what its preview says is done in one go.

    ``base`` is the version that was looked at. Raises ConflictError where another amendment came
    between, or nothing would change.
    """
    require_reason(reason)
    with service.store.write() as connection:
        jury = _asked(service, connection, actor, slug)
        require_state(jury, begun=True)
        seen, rows, rubric = _previewed(service, connection, jury, problem, text)
        if seen.base != base:
            raise ConflictError(
                f"the rubric has version {seen.base} by now",
                hint="Look at the preview again before you amend it.",
            )
        if not seen.amendment.changes:
            raise ConflictError("nothing would change", hint="Edit the rubric first.")
        _keep(service, connection, jury, actor, EventKind.RUBRIC_AMENDED, rubric, reason)
        reopened = reopening_marks(seen.amendment, _marked(rows, problem), reason)
        at = jury.challenge.at
        add_marks(connection, [replace(one, at=at, client_id=new_id()) for one in reopened])
    return seen.amendment
