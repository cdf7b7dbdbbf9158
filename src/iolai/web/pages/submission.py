"""A submission's life."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response

from iolai.challenge import challenges, submissions
from iolai.challenge.desk import slug_of
from iolai.records import RunState
from iolai.web.asking import PageAsker, Svc
from iolai.web.cutting import submission_shape
from iolai.web.frame import challenge_frame
from iolai.web.rendering import render
from iolai.web.shapes import SubmissionShape
from iolai.web.words import STEPS

__all__ = ["router"]

router = APIRouter(prefix="/submissions/{submission_id}")


@router.get("")
def submission(request: Request, service: Svc, asker: PageAsker, submission_id: str) -> Response:
    """Show a submission: its state, its public score by task, its log, its receipt."""
    found = submissions.submission_view(service, asker.actor, submission_id)
    slug = slug_of(service, found.submission.challenge)
    view = challenges.get(service, asker.actor, slug)
    frame = challenge_frame(asker.actor, view, "team")
    return render(request, "submission.html.j2", asker, {**frame, **_context(found)})


@router.get("/live")
def live(request: Request, service: Svc, asker: PageAsker, submission_id: str) -> Response:
    """Return the part of the page that changes."""
    found = submissions.submission_view(service, asker.actor, submission_id)
    return render(request, "submission_live.html.j2", asker, _context(found))


@router.get("/receipt")
def receipt(service: Svc, asker: PageAsker, submission_id: str) -> Response:
    """Hand out the receipt."""
    found = submissions.submission_view(service, asker.actor, submission_id)
    return Response(found.receipt, media_type="application/json")


@router.get("/log")
def log(service: Svc, asker: PageAsker, submission_id: str) -> Response:
    """Hand out the end of the log."""
    found = submissions.submission_view(service, asker.actor, submission_id)
    return PlainTextResponse(found.log_tail)


def _context(view: submissions.SubmissionView) -> dict[str, Any]:
    shape = submission_shape(view)
    return {
        "item": shape,
        "steps": _steps(shape),
        "log": view.log_tail,
        "receipt": view.receipt,
    }


def _steps(shape: SubmissionShape) -> list[dict[str, Any]]:
    order = [state for state, _ in STEPS]
    now = order.index(RunState(shape.state))
    failed = " failed" if shape.outcome not in ("", "ok") else ""

    def css(place: int) -> str:
        return f"now{failed}" if place == now else "past" if place < now else "coming"

    return [
        {"name": name, "css": css(place), "now": place == now}
        for place, (_, name) in enumerate(STEPS)
    ]
