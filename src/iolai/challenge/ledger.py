"""What is written together when something is decided: the row, what is looked up, the event."""

from __future__ import annotations

from sqlalchemy import Connection

from iolai.challenge.queue import enqueue
from iolai.challenge.secrets import new_id
from iolai.records import (
    EventKind,
    Run,
    RunState,
    Submission,
    SubmissionKind,
    Team,
    Verdict,
)
from iolai.store import runs, submissions
from iolai.store.events import add_event

__all__ = ["add_scored_submission", "note_acceptance", "record_verdict"]


def add_scored_submission(
    connection: Connection,
    team: Team,
    blob: str,
    *,
    size: int,
    at: str,
    source: str = "",
    received_at: str = "",
) -> tuple[Submission, Run]:
    """Insert predictions of a baseline or an archived entry, with their verdict."""
    submission = Submission(
        id=new_id(),
        challenge=team.challenge,
        team=team.id,
        account="",
        kind=SubmissionKind.PREDICTIONS,
        received_at=received_at or at,
        blob=blob,
        size=size,
        source=source,
    )
    submissions.add_submission(connection, submission)
    note_acceptance(connection, submission, author="service", at=at)
    run = enqueue(connection, submission, at=at, author="service")
    verdict = Verdict(run.id, at, "ok", "entry", detail="predictions", output=blob)
    record_verdict(connection, run, verdict, author="service")
    return submission, run


def note_acceptance(
    connection: Connection, submission: Submission, *, author: str, at: str
) -> None:
    """Append the event that a submission was accepted."""
    add_event(
        connection,
        EventKind.SUBMISSION_ACCEPTED,
        at=at,
        author=author,
        challenge=submission.challenge,
        team=submission.team,
        submission=submission.id,
        data={
            "kind": submission.kind.value,
            "blob": submission.blob,
            "source": submission.source,
            "revision": submission.revision,
        },
    )


def record_verdict(
    connection: Connection, run: Run, verdict: Verdict, *, author: str, reason: str = ""
) -> bool:
    """Write a run's verdict, its end and the event, once; False where it already has a verdict."""
    if not runs.add_verdict(connection, verdict):
        return False
    runs.update_run(connection, run.id, state=RunState.DONE, ended_at=verdict.at)
    add_event(
        connection,
        EventKind.VERDICT,
        at=verdict.at,
        author=author,
        challenge=run.challenge,
        team=run.team,
        submission=run.submission,
        run=run.id,
        reason=reason,
        data={"outcome": verdict.outcome, "owner": verdict.owner},
    )
    return True
