"""The organiser's pages of the jury: rubrics, contestants, groups, progress, the seal, release."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from iolai.challenge.jury import (
    beginning,
    contestants,
    explaining,
    exporting,
    jurors,
    papers,
    results,
    rubrics,
    sealing,
    settings,
)
from iolai.challenge.jury.images import media_type_of
from iolai.challenge.jury.state import JurySettings
from iolai.challenge.permissions import Action, may
from iolai.challenge.service import Service
from iolai.errors import FormatError, InputError
from iolai.files import decode_utf8
from iolai.formats import render_rubric
from iolai.records import Criterion, Rubric, Thresholds
from iolai.web.asking import Asker, PageAsker, Svc
from iolai.web.jury_cutting import (
    amendment_shape,
    blinded_shapes,
    conflict_shapes,
    contestant_shapes,
    entry_shapes,
    explanations_shape,
    group_shapes,
    jury_settings_shape,
    progress_shape,
    rubric_shape,
)
from iolai.web.jury_shapes import RubricShape
from iolai.web.pages.jury import jury_frame
from iolai.web.rendering import render

__all__ = ["router"]

router = APIRouter(prefix="/challenges/{slug}/jury/manage")
Text = Annotated[str, Form(max_length=20_000)]
Texts = Annotated[list[str] | None, Form()]
_MAX_PEOPLE_FILES = 60


@router.get("")
def manage(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """Show the jury's page of a challenge."""
    actor = asker.actor
    held = settings.get_settings(service, actor, slug)
    frame = jury_frame(service, asker, slug)
    begun = bool(frame["marking"].begun_at)
    entries = () if begun else contestants.list_entries(service, actor, slug)
    context = {
        "settings": jury_settings_shape(held),
        "has_people": bool(held.people),
        "rubrics": [rubric_shape(one) for one in rubrics.list_rubrics(service, actor, slug)],
        "entries": entry_shapes(entries, contestants.task_ids(service, actor, slug)),
        "contestants": contestant_shapes(contestants.list_contestants(service, actor, slug)),
        "groups": group_shapes(jurors.list_groups(service, actor, slug)),
        "all_jurors": jurors.list_jurors(service, actor, slug),
        "conflicts": conflict_shapes(jurors.list_conflicts(service, actor, slug)),
        "progress": progress_shape(jurors.progress(service, actor, slug)),
        "lacks": () if begun else beginning.lacks(service, actor, slug),
        "may_open": may(actor, Action.OPEN_EARLY),
    }
    return render(request, "jury_manage.html.j2", asker, {**frame, **context})


@router.get("/explanations")
def explanations(
    request: Request,
    service: Svc,
    asker: PageAsker,
    slug: str,
    wanted: Annotated[int, Query(ge=1, le=1_000)] = explaining.DEFAULT_WANTED,
    every_task: bool = False,
) -> Response:
    """Show what was found in the entries' explanations, and which entries are proposed."""
    found = explaining.report(service, asker.actor, slug, n_wanted=wanted, require_all=every_task)
    frame = jury_frame(service, asker, slug)
    shape = explanations_shape(found)
    context = {"found": shape, "wanted": wanted, "every_task": every_task}
    return render(request, "jury_explanations.html.j2", asker, {**frame, **context})


@router.get("/export")
def export(
    service: Svc, asker: PageAsker, slug: str, systems: bool = False, people: bool = False
) -> Response:
    """Hand out the jury's work as a zip; ``systems`` and ``people`` say who is named in it."""
    hidden = results.Anonymity(systems=not systems, people=not people)
    data = exporting.export_jury(service, asker.actor, slug, hidden)
    name = f'attachment; filename="jury-{slug}.zip"'
    return Response(data, media_type="application/zip", headers={"content-disposition": name})


@router.get("/rubrics/{problem}")
def rubric(request: Request, service: Svc, asker: PageAsker, slug: str, problem: str) -> Response:
    """Show the rubric of a problem as text to edit."""
    shape = rubric_shape(rubrics.get_rubric(service, asker.actor, slug, problem))
    text = shape.text or _empty_rubric(service, asker, slug, problem)
    return _rubric_page(request, service, asker, slug, shape, text)


def _empty_rubric(service: Service, asker: Asker, slug: str, problem: str) -> str:
    """Return a rubric to begin with: a criterion for each task and one for a rule."""
    tasks = rubrics.task_ids(service, asker.actor, slug, problem)
    criteria = [
        Criterion(f"{problem}-t{place}", problem, "task", 4.0, task=task)
        for place, task in enumerate(tasks, 1)
    ]
    rule = Criterion(f"{problem}-r1", problem, "theory", 2.0, notes="Say the rule here.")
    return render_rubric(Rubric(problem, (*criteria, rule)))


def _rubric_page(
    request: Request,
    service: Service,
    asker: Asker,
    slug: str,
    shape: RubricShape,
    text: str,
    **more: Any,
) -> Response:
    context = {"rubric": shape, "text": text, "fault": None, "preview": None, **more}
    status = 422 if context["fault"] else 200
    frame = jury_frame(service, asker, slug)
    return render(request, "jury_rubric.html.j2", asker, {**frame, **context}, status=status)


@router.post("/rubrics/{problem}")
def edit_rubric(
    request: Request,
    service: Svc,
    asker: PageAsker,
    slug: str,
    problem: str,
    text: Annotated[str, Form(max_length=1 << 20)],
    step: Text = "save",
    reason: Text = "",
    base: Annotated[int, Form(ge=0, le=1 << 31)] = 0,
) -> Response:
    """Save a rubric while drafting; afterwards preview an amendment, then make it."""
    given = text.replace("\r\n", "\n")
    place = (service, asker.actor, slug, problem, given)
    shape = rubric_shape(rubrics.get_rubric(*place[:4]))
    try:
        if step == "preview":
            found = amendment_shape(rubrics.preview_amendment(*place))
            return _rubric_page(request, service, asker, slug, shape, given, preview=found)
        if step == "amend":
            rubrics.amend(*place, base=base, reason=reason)
        else:
            rubrics.set_rubric(*place, reason)
    except FormatError as error:
        line = error.place.row if error.place else None
        return _rubric_page(request, service, asker, slug, shape, given, fault=error, line=line)
    except InputError as error:
        return _rubric_page(request, service, asker, slug, shape, given, fault=error, line=None)
    return _back(slug, "rubric", f"/rubrics/{problem}")


@router.post("/select")
def select(service: Svc, asker: PageAsker, slug: str, reason: Text, team: Texts = None) -> Response:
    """Say which entries are marked."""
    contestants.select(service, asker.actor, slug, team or [], reason)
    return _back(slug, "selection")


@router.post("/people")
def add_person(
    service: Svc,
    asker: PageAsker,
    slug: str,
    name: Text,
    problem: Text,
    files: list[UploadFile],
    text: Text = "",
) -> Response:
    """Take in a person's work for a problem: files, or typed text."""
    if len(files) > _MAX_PEOPLE_FILES:
        raise InputError("too many files at once", hint=f"Send {_MAX_PEOPLE_FILES} at most.")
    given = [(problem, one.filename or "page", one.file.read()) for one in files if one.filename]
    if text.strip():
        given.append((problem, "typed.txt", text.encode("utf-8", "replace")))
    contestants.add_person(service, asker.actor, slug, name, given)
    return _back(slug, "person")


@router.get("/contestants/{contestant_id}")
def contestant(
    request: Request, service: Svc, asker: PageAsker, slug: str, contestant_id: str
) -> Response:
    """Show what is taken out of a contestant's papers, as a difference."""
    name, found = papers.preview_blinding(service, asker.actor, slug, contestant_id)
    shapes = blinded_shapes(found)
    shown = [
        {
            "problem": paper.problem,
            "n_pages": paper.n_pages,
            "texts": [
                {"task": text.task, "pieces": _pieces(text.before, text.after), "shape": text}
                for text in paper.texts
            ],
        }
        for paper in shapes
    ]
    frame = jury_frame(service, asker, slug)
    context = {"name": name, "papers": shown, "contestant": contestant_id}
    return render(request, "jury_contestant.html.j2", asker, {**frame, **context})


@router.get("/contestants/{contestant_id}/pages/{problem}/{page}")
def contestant_page(
    service: Svc, asker: PageAsker, slug: str, contestant_id: str, problem: str, page: int
) -> Response:
    """Hand out a page of a contestant's paper, to be looked at before it is sealed."""
    data = papers.page_before(service, asker.actor, slug, contestant_id, problem, page)
    kept = {"cache-control": "private, no-store"}
    return Response(data, media_type=media_type_of(data), headers=kept)


def _pieces(before: str, after: str) -> list[tuple[str, str]]:
    """Return a text as pieces (``same``, ``out``, ``in``), word by word."""
    one, other = before.split(" "), after.split(" ")
    pieces: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(("same", " ".join(one[a:b]) + " "))
            continue
        if b > a:
            pieces.append(("out", " ".join(one[a:b])))
        if d > c:
            pieces.append(("in", " ".join(other[c:d])))
        pieces.append(("same", " "))
    return pieces


@router.post("/contestants/{contestant_id}/withdraw")
def withdraw(
    service: Svc, asker: PageAsker, slug: str, contestant_id: str, reason: Text
) -> Response:
    """Take a contestant out while drafting."""
    contestants.withdraw(service, asker.actor, slug, contestant_id, reason)
    return _back(slug, "withdrawn")


@router.post("/groups")
def set_group(
    service: Svc, asker: PageAsker, slug: str, problem: Text, juror: Texts = None
) -> Response:
    """Say who the jurors of a problem are."""
    jurors.set_group(service, asker.actor, slug, problem, juror or [])
    return _back(slug, "group")


@router.post("/conflicts")
def set_conflict(
    service: Svc,
    asker: PageAsker,
    slug: str,
    juror: Text,
    contestant: Text,
    reason: Text = "",
    holds: Text = "yes",
) -> Response:
    """Say that a juror must not mark a contestant, or may after all."""
    jurors.set_conflict(
        service, asker.actor, slug, juror, contestant, holds=holds == "yes", reason=reason
    )
    return _back(slug, "conflict")


@router.post("/settings")
def set_settings(
    service: Svc,
    asker: PageAsker,
    slug: str,
    gold: Text = "",
    silver: Text = "",
    bronze: Text = "",
    honourable: Text = "",
    blind_names: Text = "",
    kept_names: Text = "",
    names_shown: Text = "no",
) -> Response:
    """Set thresholds, names to take out, and whether a pair sees names."""
    known = settings.get_settings(service, asker.actor, slug)
    thresholds = Thresholds(*(_figure(text) for text in (gold, silver, bronze, honourable)))
    made = JurySettings(
        names_shown=names_shown == "yes",
        blind_names=_lines(blind_names),
        kept_names=_lines(kept_names),
        thresholds=thresholds,
        people=known.people,
    )
    settings.set_settings(service, asker.actor, slug, made)
    return _back(slug, "settings")


@router.post("/people-table")
def set_people_table(service: Svc, asker: PageAsker, slug: str, file: UploadFile) -> Response:
    """Take in a table of people's scores."""
    text = decode_utf8(file.file.read(), file.filename or "the table")
    settings.set_people_table(service, asker.actor, slug, text)
    return _back(slug, "settings")


def _figure(text: str) -> float | None:
    try:
        value = float(text) if text.strip() else None
    except ValueError:
        value = float("nan")
    if value is not None and not 0 <= value <= 1_000:
        raise InputError(
            f"{text[:20]!r} is no threshold", hint="Write points from 0 to 1000, as 58.4."
        )
    return value


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


@router.post("/begin")
def begin(service: Svc, asker: PageAsker, slug: str, reason: Text) -> Response:
    """Begin marking."""
    beginning.begin(service, asker.actor, slug, reason)
    return _back(slug, "begun")


@router.post("/replace")
def replace_juror(
    service: Svc, asker: PageAsker, slug: str, juror: Text, reason: Text, numbers: Text = ""
) -> Response:
    """Give a juror's papers to others of the group."""
    jurors.replace_juror(service, asker.actor, slug, juror, reason, _numbers(numbers.split()))
    return _back(slug, "replaced")


@router.post("/reopen")
def reopen(
    service: Svc, asker: PageAsker, slug: str, juror: Text, number: Text, reason: Text
) -> Response:
    """Give a paper back to a juror who handed it over."""
    (found,) = _numbers([number.strip()])
    jurors.reopen(service, asker.actor, slug, found, juror, reason)
    return _back(slug, "reopened")


def _numbers(texts: Sequence[str]) -> tuple[int, ...]:
    for text in texts:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise InputError(f"{text[:20]!r} is no number of a paper", hint="Write them as 417.")
    return tuple(int(text) for text in texts)


@router.post("/withdraw-paper")
def withdraw_paper(
    service: Svc, asker: PageAsker, slug: str, number: Text, reason: Text
) -> Response:
    """Take a paper out of the marking."""
    (found,) = _numbers([number.strip()])
    beginning.withdraw_paper(service, asker.actor, slug, found, reason)
    return _back(slug, "paper_withdrawn")


@router.post("/unseal")
def unseal(service: Svc, asker: PageAsker, slug: str, reason: Text) -> Response:
    """Unseal a settled marking."""
    sealing.unseal(service, asker.actor, slug, reason)
    return _back(slug, "unsealed")


@router.post("/open")
def open_early(
    request: Request, service: Svc, asker: PageAsker, slug: str, number: Text, reason: Text
) -> Response:
    """Open the seal for one paper before its time, and tell the admin whose it is, once."""
    (found,) = _numbers([number.strip()])
    name = sealing.open_early(service, asker.actor, slug, found, reason)
    frame = jury_frame(service, asker, slug)
    context = {"number": found, "name": name}
    return render(request, "jury_opened.html.j2", asker, {**frame, **context})


@router.post("/release")
def release(
    service: Svc,
    asker: PageAsker,
    slug: str,
    reason: Text,
    hide_systems: Text = "no",
    hide_people: Text = "no",
) -> Response:
    """Make the result public."""
    hidden = results.Anonymity(hide_systems == "yes", hide_people == "yes")
    results.release(service, asker.actor, slug, reason, hidden)
    return _back(slug, "released")


def _back(slug: str, done: str, place: str = "") -> Response:
    return RedirectResponse(f"/challenges/{slug}/jury/manage{place}?done={done}", 303)
