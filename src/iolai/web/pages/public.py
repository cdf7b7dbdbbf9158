"""What everybody may see: the challenges, their rules, problems and boards, and the API's page."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from iolai.challenge import challenges, receipts
from iolai.challenge.clock import moment
from iolai.challenge.service import Service
from iolai.errors import ForbiddenError, NotFoundError
from iolai.records import Phase
from iolai.web.asking import API, PageAsker, Svc
from iolai.web.cutting import challenge_shape, problem_shapes
from iolai.web.frame import challenge_frame
from iolai.web.rendering import render, size, span
from iolai.web.shapes import ChallengeShape
from iolai.web.words import NEXT, phase_word

__all__ = ["router"]

router = APIRouter()


@router.get("/")
def index(request: Request, service: Svc, asker: PageAsker) -> Response:
    """List the challenges."""
    shown = []
    for view in challenges.list_challenges(service, asker.actor):
        shape = challenge_shape(view)
        shown.append(
            {
                **shape.model_dump(),
                "word": phase_word(shape.phase, published=shape.published),
                "next_word": NEXT.get(shape.next_phase or "", "") if shape.next_change_at else "",
            }
        )
    return render(request, "challenges.html.j2", asker, {"challenges": shown})


@router.get("/challenges/{slug}")
def challenge(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """Show a challenge: where it stands, its figures, its rules."""
    view = challenges.get(service, asker.actor, slug)
    shape = challenge_shape(view)
    context = {
        "phases": _phases(shape),
        "next": _next(service, shape),
        "terms": _terms(shape),
    }
    frame = challenge_frame(asker.actor, view, "challenge")
    return render(request, "challenge.html.j2", asker, {**frame, **context})


def _phases(shape: ChallengeShape) -> list[dict[str, Any]]:
    """Return the phases as steps: those that are past, the one that is, those to come."""
    times = [
        (Phase.REGISTRATION, "Registration", shape.registration),
        (Phase.OPEN, "Submissions", shape.open),
        (Phase.FROZEN, "Board frozen", shape.freeze),
        (Phase.FINAL, "Close", shape.close),
    ]
    if shape.freeze == shape.close:
        del times[2]
    order = list(Phase)
    now = order.index(Phase(shape.phase))

    def css(phase: Phase) -> str:
        place = order.index(phase)
        return "now" if place == now else "past" if place < now else "coming"

    return [{"name": name, "at": at, "css": css(phase)} for phase, name, at in times]


def _next(service: Service, shape: ChallengeShape) -> dict[str, Any] | None:
    if shape.next_change_at is None or shape.next_phase is None:
        return None
    left = moment(shape.next_change_at) - service.now()
    return {
        "word": NEXT[shape.next_phase],
        "at": shape.next_change_at,
        "seconds": max(0, int(left.total_seconds())),
    }


def _terms(shape: ChallengeShape) -> list[tuple[str, str]]:
    limits = shape.limits
    return [
        ("Teams", str(shape.n_teams)),
        ("Members of a team", f"up to {shape.team_size}"),
        ("Submissions", f"{shape.quota_per_day} a day (UTC)"),
        ("Runs that count", f"the best of {shape.n_selections} selected"),
        ("Explanations", shape.explanations),
        ("Time of a run", span(limits.wall_s)),
        ("Memory", size(limits.memory_mib * (1 << 20))),
        ("An entry's size", f"up to {size(shape.max_submission_mib * (1 << 20))}"),
    ]


@router.get("/challenges/{slug}/problems")
def problems(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """List the problems."""
    view = challenges.get(service, asker.actor, slug)
    _require_shown(view)
    frame = challenge_frame(asker.actor, view, "problems")
    context = {"problems": problem_shapes(view)}
    return render(request, "problems.html.j2", asker, {**frame, **context})


@router.get("/challenges/{slug}/problems/{number}")
def problem(request: Request, service: Svc, asker: PageAsker, slug: str, number: int) -> Response:
    """Show one problem as a sheet."""
    view = challenges.get(service, asker.actor, slug)
    _require_shown(view)
    shapes = problem_shapes(view)
    if not 1 <= number <= len(shapes):
        raise NotFoundError("there is no such problem", hint="Look at the list of problems.")
    context = {
        "problem": shapes[number - 1],
        "before": shapes[number - 2] if number > 1 else None,
        "after": shapes[number] if number < len(shapes) else None,
        "points": {task.id: f"{task.points:g}" for task in view.tasks},
    }
    frame = challenge_frame(asker.actor, view, "problems")
    return render(request, "problem.html.j2", asker, {**frame, **context})


def _require_shown(view: challenges.ChallengeView) -> None:
    if view.problems is None:
        raise ForbiddenError(
            "the problems are not to be seen now",
            hint="The rules of the challenge say when they are shown.",
        )


@router.get("/api")
def api_page(request: Request, service: Svc, asker: PageAsker) -> Response:
    """List the operations of the API."""
    paths = request.app.openapi()["paths"]
    operations = [
        {"method": method.upper(), "path": path, "summary": _summary(found)}
        for path, methods in paths.items()
        for method, found in methods.items()
    ]
    context = {
        "operations": operations,
        "openapi": f"{API}/openapi.json",
        "address": str(request.base_url),
        "public_key": receipts.public_key(service),
    }
    return render(request, "api.html.j2", asker, context)


def _summary(operation: dict[str, str]) -> str:
    """Return the first line of what an operation does, without the marks of code."""
    return operation["description"].split("\n")[0].replace("``", "")
