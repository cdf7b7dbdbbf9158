"""The organiser's desk."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from iolai.challenge import challenges, proposals, queue, teams
from iolai.challenge import desk as lookups
from iolai.challenge.permissions import Action, require
from iolai.challenge.service import Service
from iolai.records import Phase
from iolai.web.asking import Asker, PageAsker, Svc
from iolai.web.choices import choice
from iolai.web.cutting import event_shapes, preview_shape, proposal_shape, queue_shape, team_line
from iolai.web.frame import challenge_frame
from iolai.web.rendering import render
from iolai.web.words import NEXT

__all__ = ["router"]

router = APIRouter(prefix="/challenges/{slug}/desk")
Text = Annotated[str, Form()]
Ticked = Annotated[bool, Form()]
_LINES, _EVENTS = 25, 100


@router.get("")
def desk(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """Show the desk of a challenge."""
    require(asker.actor, Action.VIEW_QUEUE)
    view = challenges.get(service, asker.actor, slug)
    change = view.next_change
    context = {
        **_queue(service, asker, slug),
        "next": {"word": NEXT[change[1]], "at": change[0]} if change else None,
        "all_phases": [phase.value for phase in Phase],
        "proposals": [
            proposal_shape(one) for one in proposals.list_proposals(service, asker.actor, slug)
        ],
        "teams": [team_line(one) for one in teams.list_teams(service, asker.actor, slug)],
    }
    frame = challenge_frame(asker.actor, view, "desk")
    return render(request, "desk.html.j2", asker, {**frame, **context})


@router.get("/live")
def live(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """Return the part of the desk that changes."""
    context = {**_queue(service, asker, slug), "base": f"/challenges/{slug}"}
    return render(request, "desk_live.html.j2", asker, context)


def _queue(service: Service, asker: Asker, slug: str) -> dict[str, Any]:
    shape = queue_shape(queue.queue_view(service, asker.actor))
    lines = [*shape.running, *shape.waiting]
    return {
        "queue": shape,
        "lines": lines[:_LINES],
        "n_more": max(0, len(lines) - _LINES),
        "faults": event_shapes(lookups.recent_faults(service, asker.actor, slug)),
    }


@router.get("/audit")
def audit(
    request: Request,
    service: Svc,
    asker: PageAsker,
    slug: str,
    before: Annotated[int | None, Query(ge=1, le=1 << 62)] = None,
) -> Response:
    """Show the audit log, the newest event first."""
    view = challenges.get(service, asker.actor, slug)
    found = lookups.audit_log(service, asker.actor, slug, before=before, limit=_EVENTS)
    context = {
        "events": event_shapes(found),
        "older": found[-1].id if len(found) == _EVENTS else None,
    }
    frame = challenge_frame(asker.actor, view, "desk")
    return render(request, "audit.html.j2", asker, {**frame, **context})


@router.post("/phase")
def set_phase(service: Svc, asker: PageAsker, slug: str, phase: Text, reason: Text) -> Response:
    """Set the phase."""
    wanted = choice(Phase, phase, "phase")
    challenges.set_phase(service, asker.actor, slug, wanted, reason)
    return _back(slug, "phase")


@router.post("/publish")
def publish(service: Svc, asker: PageAsker, slug: str, reason: Text = "") -> Response:
    """Publish the results."""
    challenges.publish(service, asker.actor, slug, reason)
    return _back(slug, "published")


@router.post("/rejudge")
def rejudge(
    service: Svc, asker: PageAsker, slug: str, reason: Text, submissions: Text = ""
) -> Response:
    """Propose to judge some submissions again, or all."""
    ids = submissions.split() or None
    made = proposals.propose_rejudge(service, asker.actor, slug, ids, reason)
    return _to_proposal(slug, made.id, "proposed")


@router.post("/key")
def correct_key(
    service: Svc, asker: PageAsker, slug: str, file: UploadFile, reason: Text
) -> Response:
    """Propose a corrected key; a form of this size is read in memory (see ``web.app``)."""
    made = proposals.propose_key(service, asker.actor, slug, file.file.read(), reason)
    return _to_proposal(slug, made.id, "proposed")


@router.get("/proposals/{proposal_id}")
def proposal(
    request: Request, service: Svc, asker: PageAsker, slug: str, proposal_id: str
) -> Response:
    """Show what a proposal would change."""
    shape = preview_shape(proposals.preview(service, asker.actor, proposal_id))
    view = challenges.get(service, asker.actor, slug)
    frame = challenge_frame(asker.actor, view, "desk")
    return render(request, "proposal.html.j2", asker, {**frame, "preview": shape})


@router.post("/proposals/{proposal_id}/apply")
def apply(
    service: Svc, asker: PageAsker, slug: str, proposal_id: str, show_reason: Ticked = False
) -> Response:
    """Make a proposal count."""
    proposals.apply(service, asker.actor, proposal_id, show_reason=show_reason)
    return _to_proposal(slug, proposal_id, "applied")


@router.post("/proposals/{proposal_id}/cancel")
def cancel(
    service: Svc, asker: PageAsker, slug: str, proposal_id: str, reason: Text = ""
) -> Response:
    """Drop a proposal."""
    proposals.cancel(service, asker.actor, proposal_id, reason)
    return _to_proposal(slug, proposal_id, "cancelled")


@router.post("/teams/{team_id}/disqualify")
def disqualify(
    service: Svc,
    asker: PageAsker,
    slug: str,
    team_id: str,
    reason: Text,
    show_reason: Ticked = False,
) -> Response:
    """Disqualify a team."""
    teams.disqualify(service, asker.actor, slug, team_id, reason, show_reason=show_reason)
    return _back(slug, "disqualified")


@router.post("/teams/{team_id}/reinstate")
def reinstate(
    service: Svc,
    asker: PageAsker,
    slug: str,
    team_id: str,
    reason: Text,
    show_reason: Ticked = False,
) -> Response:
    """Reinstate a team."""
    teams.reinstate(service, asker.actor, slug, team_id, reason, show_reason=show_reason)
    return _back(slug, "reinstated")


def _back(slug: str, done: str) -> Response:
    return RedirectResponse(f"/challenges/{slug}/desk?done={done}", 303)


def _to_proposal(slug: str, proposal_id: str, done: str) -> Response:
    target = f"/challenges/{slug}/desk/proposals/{proposal_id}?done={done}"
    return RedirectResponse(target, 303)
