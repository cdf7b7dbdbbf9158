"""The organiser's desk: queue, teams, phases, rejudging, corrected keys, the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from iolai.challenge import challenges, desk, proposals, queue, teams
from iolai.records import Phase
from iolai.web.api.raw import RAW, RawBody
from iolai.web.asking import ApiActor, Svc
from iolai.web.choices import choice
from iolai.web.cutting import (
    challenge_shape,
    event_shapes,
    preview_shape,
    proposal_shape,
    queue_shape,
    team_line,
)
from iolai.web.shapes import (
    ApplyAsked,
    ChallengeShape,
    EventShape,
    PhaseAsked,
    PreviewShape,
    ProposalShape,
    QueueShape,
    ReasonAsked,
    RejudgeAsked,
    ShownReasonAsked,
    TeamLineShape,
)

__all__ = ["router"]

router = APIRouter(tags=["desk"])
_ONE = "/challenges/{slug}"


@router.get("/queue")
def show_queue(service: Svc, actor: ApiActor) -> QueueShape:
    """Return the queue of all challenges, its workers, its oldest wait."""
    return queue_shape(queue.queue_view(service, actor))


@router.get(_ONE + "/teams")
def list_teams(service: Svc, actor: ApiActor, slug: str) -> list[TeamLineShape]:
    """List the teams with their members and what they used of today's quota."""
    return [team_line(one) for one in teams.list_teams(service, actor, slug)]


@router.get(_ONE + "/events")
def events(
    service: Svc,
    actor: ApiActor,
    slug: str,
    before: Annotated[int | None, Query(ge=1, le=1 << 62)] = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> list[EventShape]:
    """Return the audit log, the newest event first."""
    return event_shapes(desk.audit_log(service, actor, slug, before=before, limit=limit))


@router.put(_ONE + "/phase")
def set_phase(service: Svc, actor: ApiActor, slug: str, body: PhaseAsked) -> ChallengeShape:
    """Set the phase now; it holds until the time of a later phase comes."""
    phase = choice(Phase, body.phase, "phase")
    return challenge_shape(challenges.set_phase(service, actor, slug, phase, body.reason))


@router.post(_ONE + "/publication")
def publish(service: Svc, actor: ApiActor, slug: str, body: ReasonAsked) -> ChallengeShape:
    """Publish the final board, the private scores with it."""
    return challenge_shape(challenges.publish(service, actor, slug, body.reason))


@router.get(_ONE + "/proposals")
def list_proposals(service: Svc, actor: ApiActor, slug: str) -> list[ProposalShape]:
    """List the proposals, the newest first."""
    return [proposal_shape(one) for one in proposals.list_proposals(service, actor, slug)]


@router.post(_ONE + "/proposals/rejudge", status_code=201)
def rejudge(service: Svc, actor: ApiActor, slug: str, body: RejudgeAsked) -> ProposalShape:
    """Judge some submissions again, or all; nothing counts before it is applied."""
    made = proposals.propose_rejudge(service, actor, slug, body.submissions, body.reason)
    return proposal_shape(made)


def _may_correct(service: Svc, actor: ApiActor, slug: str) -> None:
    proposals.require_may_correct(service, actor, slug)


@router.post(
    _ONE + "/proposals/key",
    status_code=201,
    openapi_extra=RAW,
    dependencies=[Depends(_may_correct)],
)
def correct_key(
    service: Svc,
    actor: ApiActor,
    slug: str,
    body: RawBody,
    reason: Annotated[str, Query(max_length=2_000)],
) -> ProposalShape:
    """Propose a corrected key: the body is a ``solution.csv``."""
    return proposal_shape(proposals.propose_key(service, actor, slug, body, reason))


@router.get("/proposals/{proposal_id}")
def preview(service: Svc, actor: ApiActor, proposal_id: str) -> PreviewShape:
    """Return what a proposal would change."""
    return preview_shape(proposals.preview(service, actor, proposal_id))


@router.post("/proposals/{proposal_id}/apply")
def apply(
    service: Svc, actor: ApiActor, proposal_id: str, body: ApplyAsked | None = None
) -> ProposalShape:
    """Make a proposal count."""
    show = body is not None and body.show_reason
    return proposal_shape(proposals.apply(service, actor, proposal_id, show_reason=show))


@router.post("/proposals/{proposal_id}/cancel")
def cancel(service: Svc, actor: ApiActor, proposal_id: str, body: ReasonAsked) -> ProposalShape:
    """Drop a proposal."""
    return proposal_shape(proposals.cancel(service, actor, proposal_id, body.reason))


@router.post(_ONE + "/teams/{team_id}/disqualify", status_code=204)
def disqualify(
    service: Svc, actor: ApiActor, slug: str, team_id: str, body: ShownReasonAsked
) -> None:
    """Disqualify a team: it is taken off the boards, its submissions stay."""
    show = body.show_reason
    teams.disqualify(service, actor, slug, team_id, body.reason, show_reason=show)


@router.post(_ONE + "/teams/{team_id}/reinstate", status_code=204)
def reinstate(
    service: Svc, actor: ApiActor, slug: str, team_id: str, body: ShownReasonAsked
) -> None:
    """Reinstate a team that was disqualified."""
    show = body.show_reason
    teams.reinstate(service, actor, slug, team_id, body.reason, show_reason=show)
