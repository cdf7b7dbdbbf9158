"""One's own team: registering, joining, handing in, selecting."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from iolai.challenge import boards, challenges, submissions, teams
from iolai.challenge.clock import moment
from iolai.challenge.service import Service
from iolai.errors import ForbiddenError, NotFoundError
from iolai.records import Phase, Role
from iolai.web.asking import Asker, PageAsker, Svc
from iolai.web.cutting import team_shape
from iolai.web.frame import challenge_frame
from iolai.web.headers import ARCHIVE_BYTES
from iolai.web.receiving import receive_file
from iolai.web.rendering import render
from iolai.web.shapes import SubmissionShape, TeamShape
from iolai.web.words import outcome_word

__all__ = ["router"]

router = APIRouter(prefix="/challenges/{slug}")
Text = Annotated[str, Form()]
_RUNNING = (Phase.OPEN, Phase.FROZEN)


@router.get("/team")
def my_team(request: Request, service: Svc, asker: PageAsker, slug: str) -> Response:
    """Show one's own team, or the forms for getting into one."""
    view = challenges.get(service, asker.actor, slug)
    shape = _own(service, asker, slug)
    frame = challenge_frame(asker.actor, view, "team")
    context: dict[str, Any] = {"team": shape}
    if shape is not None:
        running = view.phase in _RUNNING
        context |= {
            "may_submit": running and not shape.disqualified,
            "may_select": running,
            "may_leave": view.phase is not Phase.FINAL,
            "may_remove": _after(shape.members, asker.actor.name),
            "seconds_to_reset": _seconds_left(service, shape.quota.resets_at),
            "best": _best(shape),
            "final_run": _final_run(shape),
            "shares": _shares(shape),
            "form_room": ARCHIVE_BYTES,
        }
    return render(request, "team.html.j2", asker, {**frame, **context})


def _after(members: list[str], own: str) -> list[str]:
    """Return who joined after oneself, and can be taken out."""
    return members[members.index(own) + 1 :] if own in members else []


def _own(service: Service, asker: Asker, slug: str) -> TeamShape | None:
    """Return one's own team; None for a participant who has none yet."""
    try:
        found = teams.my_team(service, asker.actor, slug)
        return team_shape(found, boards.final_standing(service, asker.actor, slug))
    except NotFoundError:
        if asker.actor.role is not Role.PARTICIPANT:
            raise ForbiddenError(
                "only participants have teams", hint="Log in with a participant's account."
            ) from None
        return None


def _seconds_left(service: Service, at: str) -> int:
    return max(0, int((moment(at) - service.now()).total_seconds()))


def _final_run(shape: TeamShape) -> SubmissionShape | None:
    """Return the submission that stands for the team on the published board."""
    if shape.final is None:
        return None
    wanted = shape.final.submission
    return next((one for one in shape.submissions if one.id == wanted), None)


def _best(shape: TeamShape) -> float | None:
    found = [one.public.score for one in shape.submissions if one.public is not None]
    return max((score for score in found if score is not None), default=None)


def _shares(shape: TeamShape) -> str:
    """Say how many runs succeeded, and why the others did not."""
    n_done = sum(shape.outcomes.values())
    if not n_done:
        return ""
    said = f"{shape.outcomes.get('ok', 0)} of {n_done} runs succeeded"
    reasons = [
        f"{n} {outcome_word(outcome, '').text}"
        for outcome, n in sorted(shape.outcomes.items(), key=lambda pair: -pair[1])
        if outcome != "ok"
    ]
    return f"{said}; the others: {', '.join(reasons)}." if reasons else f"{said}."


@router.post("/team/create")
def create(service: Svc, asker: PageAsker, slug: str, name: Text) -> Response:
    """Register a team."""
    teams.create_team(service, asker.actor, slug, name)
    return RedirectResponse(f"/challenges/{slug}/team?done=team", 303)


@router.post("/team/join")
def join(service: Svc, asker: PageAsker, slug: str, code: Text) -> Response:
    """Join a team by its code."""
    teams.join(service, asker.actor, slug, code)
    return RedirectResponse(f"/challenges/{slug}/team?done=joined", 303)


@router.post("/team/leave")
def leave(service: Svc, asker: PageAsker, slug: str) -> Response:
    """Leave one's team."""
    teams.leave(service, asker.actor, slug)
    return RedirectResponse(f"/challenges/{slug}/team?done=left", 303)


@router.post("/team/join-code")
def new_join_code(service: Svc, asker: PageAsker, slug: str) -> Response:
    """Give one's team another join code."""
    teams.new_join_code(service, asker.actor, slug)
    return RedirectResponse(f"/challenges/{slug}/team?done=new-code", 303)


@router.post("/team/remove")
def remove_member(service: Svc, asker: PageAsker, slug: str, name: Text) -> Response:
    """Take out a member who joined later."""
    teams.remove_member(service, asker.actor, slug, name)
    return RedirectResponse(f"/challenges/{slug}/team?done=removed", 303)


@router.post("/team/select")
def select(
    service: Svc,
    asker: PageAsker,
    slug: str,
    submission: Annotated[list[str] | None, Form()] = None,
) -> Response:
    """Choose the submissions that count."""
    teams.select(service, asker.actor, slug, submission or [])
    return RedirectResponse(f"/challenges/{slug}/team?done=selected", 303)


@router.get("/team/selection-receipt")
def selection_receipt(service: Svc, asker: PageAsker, slug: str) -> Response:
    """Hand out the receipt of the locked selection."""
    found = teams.my_team(service, asker.actor, slug)
    return Response(found.selection.receipt, media_type="application/json")


@router.post("/submit/predictions")
def submit_predictions(
    service: Svc, asker: PageAsker, slug: str, file: UploadFile, note: Text = ""
) -> Response:
    """Hand in a predictions file."""
    data = file.file.read()
    made = submissions.submit_predictions(service, asker.actor, slug, data, note)
    return _accepted(made)


@router.post("/submit/archive")
def submit_archive(
    service: Svc, asker: PageAsker, slug: str, file: UploadFile, note: Text = ""
) -> Response:
    """Hand in an entry as an archive."""
    upload = receive_file(service, asker.actor, file)
    made = submissions.submit_upload(service, asker.actor, slug, upload.id, note)
    return _accepted(made)


@router.post("/submit/repository")
def submit_repository(
    service: Svc,
    asker: PageAsker,
    slug: str,
    repository: Text,
    revision: Text = "main",
    note: Text = "",
) -> Response:
    """Hand in a repository at a revision."""
    made = submissions.submit_repository(service, asker.actor, slug, repository, revision, note)
    return _accepted(made)


def _accepted(view: submissions.SubmissionView) -> Response:
    return RedirectResponse(f"/submissions/{view.submission.id}?done=submitted", 303)
