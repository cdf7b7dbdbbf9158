"""Handing in, and following what was handed in."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse, Response

from iolai.challenge import submissions
from iolai.web.api.raw import RAW, RawBody
from iolai.web.asking import ApiActor, Svc
from iolai.web.cutting import submission_shape
from iolai.web.shapes import ArchiveAsked, RepositoryAsked, SubmissionShape

__all__ = ["router"]

router = APIRouter(tags=["submissions"])


def _may_submit(service: Svc, actor: ApiActor, slug: str) -> None:
    submissions.require_may_submit(service, actor, slug)


@router.post(
    "/challenges/{slug}/submissions/predictions",
    status_code=201,
    openapi_extra=RAW,
    dependencies=[Depends(_may_submit)],
)
def submit_predictions(
    service: Svc, actor: ApiActor, slug: str, body: RawBody, note: str = ""
) -> SubmissionShape:
    """Hand in a predictions file: the body is its bytes."""
    return submission_shape(submissions.submit_predictions(service, actor, slug, body, note))


@router.post("/challenges/{slug}/submissions/archive", status_code=201)
def submit_archive(service: Svc, actor: ApiActor, slug: str, body: ArchiveAsked) -> SubmissionShape:
    """Hand in an entry that was uploaded."""
    made = submissions.submit_upload(service, actor, slug, body.upload, body.note)
    return submission_shape(made)


@router.post("/challenges/{slug}/submissions/repository", status_code=201)
def submit_repository(
    service: Svc, actor: ApiActor, slug: str, body: RepositoryAsked
) -> SubmissionShape:
    """Hand in a repository at a revision, which is pinned to its commit."""
    made = submissions.submit_repository(
        service, actor, slug, body.repository, body.revision, body.note
    )
    return submission_shape(made)


@router.get("/submissions/{submission_id}")
def submission(service: Svc, actor: ApiActor, submission_id: str) -> SubmissionShape:
    """Return a submission: its state, place, expected time, public score by task."""
    return submission_shape(submissions.submission_view(service, actor, submission_id))


@router.get("/submissions/{submission_id}/log", response_class=PlainTextResponse)
def log(service: Svc, actor: ApiActor, submission_id: str) -> Response:
    """Return the end of the log, with what is secret blotted out."""
    found = submissions.submission_view(service, actor, submission_id)
    return PlainTextResponse(found.log_tail)


@router.get("/submissions/{submission_id}/receipt")
def receipt(service: Svc, actor: ApiActor, submission_id: str) -> Response:
    """Return the signed receipt, byte for byte."""
    found = submissions.submission_view(service, actor, submission_id)
    return Response(found.receipt, media_type="application/json")
