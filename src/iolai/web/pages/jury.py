"""A juror's pages: the queue, the marking desk, talk about differences, the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from iolai.challenge import challenges
from iolai.challenge.jury import desk, discussing, packets, results, settings
from iolai.challenge.jury.desk import NewMark
from iolai.challenge.jury.images import media_type_of
from iolai.challenge.permissions import Action, may
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Service
from iolai.errors import InputError
from iolai.records.jury import MarkKind
from iolai.reports.jury_tables import facts, jury_tables
from iolai.reports.packet import packet_files, packet_html, packet_pdf
from iolai.web.asking import Asker, PageAsker, Svc
from iolai.web.frame import challenge_frame
from iolai.web.jury_cutting import (
    jury_shape,
    new_marks,
    paper_shape,
    queue_shapes,
    saved_shapes,
    talk_shape,
)
from iolai.web.jury_shapes import MarksAsked, PaperShape
from iolai.web.rendering import render, static_address

__all__ = ["jury_frame", "router"]

router = APIRouter(prefix="/challenges/{slug}/jury")
Text = Annotated[str, Form(max_length=8_000)]
_PRIVATE = {"cache-control": "private, no-store"}
Number = Annotated[int, Path(ge=0, le=1 << 31)]


def jury_frame(service: Service, asker: Asker, slug: str) -> dict[str, Any]:
    """Return what stands on every page of a marking: also who looked into the seal, and when."""
    view = challenges.get(service, asker.actor, slug)
    marking = jury_shape(settings.view_marking(service, asker.actor, slug))
    return {**challenge_frame(asker.actor, view, "jury"), "marking": marking}


@router.get("")
def queue(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """Show a juror's queue; who has the desk is led to the jury's page there."""
    if may(asker.actor, Action.MANAGE_JURY):
        return RedirectResponse(f"/challenges/{slug}/jury/manage", 303)
    frame = jury_frame(service, asker, slug)
    lines = queue_shapes(desk.queue(service, asker.actor, slug))
    sections = [
        ("decide", "To decide", [one for one in lines if one.part == "third" and one.n_open]),
        ("talk", "To talk about", [one for one in lines if one.part == "pair" and one.n_open]),
        ("mark", "To mark", [one for one in lines if _is_to_mark(one.part, one.desk)]),
    ]
    shown = {line.number for _, _, some in sections for line in some}
    done = [one for one in lines if one.number not in shown]
    context = {
        "sections": [*sections, ("done", "Handed over", done)],
        "n_papers": len(lines),
        "packets": sorted({(one.problem, one.title) for one in lines if one.part == "pair"}),
    }
    return render(request, "jury_queue.html.j2", asker, {**frame, **context})


def _is_to_mark(part: str, desk_state: str) -> bool:
    return part == "pair" and desk_state != "handed_over"


@router.get("/papers/{number}")
def paper(request: Request, service: Svc, asker: PageAsker, slug: str, number: Number) -> Response:
    """Show a paper and its rubric side by side."""
    found = desk.open_desk(service, asker.actor, slug, number)
    shape = paper_shape(found)
    if shape.part == "third" or shape.both:
        return RedirectResponse(f"/challenges/{slug}/jury/papers/{number}/talk", 303)
    return _desk_page(request, service, asker, slug, shape)


def _desk_page(
    request: Request,
    service: Service,
    asker: Asker,
    slug: str,
    shape: PaperShape,
    refused: Mapping[str, str] | None = None,
) -> Response:
    lines = queue_shapes(desk.queue(service, asker.actor, slug))
    waiting = [one.number for one in lines if _is_to_mark(one.part, one.desk)]
    context = {
        "paper": shape,
        "closed": shape.desk == "handed_over",
        "refused": refused or {},
        "waiting": [number for number in waiting if number != shape.number],
    }
    frame = jury_frame(service, asker, slug)
    status = 409 if refused else 200
    return render(request, "jury_paper.html.j2", asker, {**frame, **context}, status=status)


@router.get("/papers/{number}/pages/{page}")
def page(service: Svc, asker: PageAsker, slug: str, number: Number, page: Number) -> Response:
    """Hand out a page of a paper as an image."""
    data = desk.page_image(service, asker.actor, slug, number, page)
    return Response(data, media_type=media_type_of(data), headers=_PRIVATE)


@router.post("/papers/{number}/marks")
def save(service: Svc, asker: PageAsker, slug: str, number: Number, body: MarksAsked) -> Response:
    """Save what the desk's script sends: marks one by one, and the hand-over."""
    saved = desk.save(service, asker.actor, slug, number, new_marks(body))
    return JSONResponse([one.model_dump() for one in saved_shapes(saved)])


@router.post("/papers/{number}/save")
async def save_form(
    request: Request, service: Svc, asker: PageAsker, slug: str, number: Number
) -> Response:
    """Save the whole form, for a browser without scripts, and hand over where that was asked."""
    from fastapi.concurrency import run_in_threadpool

    form = await request.form()
    sent = {name: value for name, value in form.items() if isinstance(value, str)}
    return await run_in_threadpool(_saved_form, request, service, asker, slug, number, sent)


def _saved_form(
    request: Request,
    service: Service,
    asker: Asker,
    slug: str,
    number: int,
    sent: Mapping[str, str],
) -> Response:
    shape = paper_shape(desk.open_desk(service, asker.actor, slug, number))
    new = _changed(shape, sent)
    if sent.get("done") == "yes":
        version = _whole(sent.get("version", ""))
        new.append(NewMark(new_id(), rubric_version=version, kind=MarkKind.HANDED_OVER))
    saved = desk.save(service, asker.actor, slug, number, new)
    refused = {
        mark.criterion or "paper": f"{one.message}. {one.hint}"
        for mark, one in zip(new, saved, strict=True)
        if not one.kept
    }
    if refused:
        now = paper_shape(desk.open_desk(service, asker.actor, slug, number))
        return _desk_page(request, service, asker, slug, now, refused)
    if sent.get("done") == "yes":
        return RedirectResponse(f"/challenges/{slug}/jury?done=handed_over", 303)
    return RedirectResponse(f"/challenges/{slug}/jury/papers/{number}?done=marks", 303)


def _changed(shape: PaperShape, sent: Mapping[str, str]) -> list[NewMark]:
    """Return a mark for each criterion on which the form says something new."""
    version = _whole(sent.get("version", ""))
    new = []
    for criterion in shape.criteria:
        given, text = sent.get(f"p-{criterion.id}", ""), sent.get(f"n-{criterion.id}", "").strip()
        if not given:
            continue
        points = _points(given)
        known = shape.marks.get(criterion.id)
        if known is None or (known.points, known.note) != (points, text):
            new.append(NewMark(new_id(), criterion.id, points, text, version))
    return new


def _points(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"{text[:20]!r} is no number of points", hint="Load the paper again."
        ) from None


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@router.get("/results")
def show_result(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """Show the result: to the jury once it is unsealed, to everybody as it was released."""
    found = results.result(service, asker.actor, slug)
    if may(asker.actor, Action.VIEW_MARKING):
        frame = jury_frame(service, asker, slug)
    else:
        view = challenges.get(service, asker.actor, slug)
        frame = {**challenge_frame(asker.actor, view, "jury"), "marking": None}
    context = {
        "facts": list(facts(found.result)),
        "tables": jury_tables(found.result),
        "n_early": found.n_early,
    }
    return render(request, "jury_results.html.j2", asker, {**frame, **context})


@router.get("/packets/{problem}")
def packet(service: Svc, asker: PageAsker, slug: str, problem: str) -> Response:
    """Show one's papers of a problem as one packet."""
    found = packets.get_packet(service, asker.actor, slug, problem)
    styles = [static_address(name) for name in packet_files()]
    html = packet_html(
        *(found.problem, found.rubric, found.papers), notices=found.notices, style_addresses=styles
    )
    return HTMLResponse(html, headers=_PRIVATE)


@router.get("/packets/{problem}/pdf")
def packet_file(service: Svc, asker: PageAsker, slug: str, problem: str) -> Response:
    """Hand out the same packet as a PDF."""
    found = packets.get_packet(service, asker.actor, slug, problem)
    name = f'inline; filename="packet-{found.problem.id}.pdf"'
    data = packet_pdf(found.problem, found.rubric, found.papers, notices=found.notices)
    headers = {**_PRIVATE, "content-disposition": name}
    return Response(data, media_type="application/pdf", headers=headers)


@router.get("/papers/{number}/talk")
def talk(request: Request, service: Svc, asker: PageAsker, slug: str, number: Number) -> Response:
    """Show the differences of a paper, once both have handed over."""
    shape = talk_shape(discussing.view(service, asker.actor, slug, number))
    context = {"talk": shape, "paper": shape, "fresh": {}}
    context["fresh"] = {one.criterion.id: new_id() for one in shape.differences}
    frame = jury_frame(service, asker, slug)
    return render(request, "jury_talk.html.j2", asker, {**frame, **context})


@router.post("/papers/{number}/talk/{step}")
def say(
    service: Svc,
    asker: PageAsker,
    slug: str,
    number: Number,
    step: str,
    criterion: Text,
    client_id: Text,
    points: Text = "",
    reason: Text = "",
    proposal: Annotated[int, Form(ge=0, le=1 << 62)] = 0,
) -> Response:
    """Propose, accept, escalate or decide."""
    place = (service, asker.actor, slug, number, criterion)
    if step == "propose":
        discussing.propose(*place, _points(points), reason, client_id)
    elif step == "accept":
        discussing.accept(*place, proposal, client_id)
    elif step == "escalate":
        discussing.escalate(*place, reason, client_id)
    elif step == "decide":
        discussing.decide(*place, _points(points), reason, client_id)
    else:
        raise InputError(f"there is no step {step[:20]!r}", hint="Load the paper again.")
    return RedirectResponse(f"/challenges/{slug}/jury/papers/{number}/talk?done={step}", 303)
