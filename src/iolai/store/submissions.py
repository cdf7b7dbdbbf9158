"""Submissions: facts, never changed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from iolai.records import Submission, SubmissionKind
from iolai.store import tables
from iolai.store.rows import add, record_of

__all__ = [
    "add_submission",
    "count_submissions",
    "count_that_cost",
    "get_submission",
    "is_submitted",
    "list_submissions",
]

_SUBMISSION, _RUN, _VERDICT = tables.submission, tables.run, tables.verdict


def add_submission(connection: Connection, submission: Submission) -> None:
    """Insert a submission."""
    add(connection, _SUBMISSION, submission)


def get_submission(connection: Connection, submission_id: str) -> Submission | None:
    """Return a submission by its id."""
    query = select(_SUBMISSION).where(_SUBMISSION.c.id == submission_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else _submission(row)


def list_submissions(
    connection: Connection, challenge_id: str, *, team_id: str | None = None
) -> tuple[Submission, ...]:
    """Return the submissions of a challenge, or of one of its teams, the oldest first."""
    query: Select[Any] = select(_SUBMISSION).where(_SUBMISSION.c.challenge == challenge_id)
    if team_id is not None:
        query = query.where(_SUBMISSION.c.team == team_id)
    query = query.order_by(_SUBMISSION.c.received_at, _SUBMISSION.c.id)
    return tuple(map(_submission, connection.execute(query)))


def is_submitted(connection: Connection, blob: str) -> bool:
    """Say whether a blob was handed in as a submission."""
    query = select(_SUBMISSION.c.id).where(_SUBMISSION.c.blob == blob).limit(1)
    return connection.execute(query).first() is not None


def count_submissions(connection: Connection, challenge_id: str) -> int:
    """Count the submissions of a challenge."""
    query = select(func.count()).where(_SUBMISSION.c.challenge == challenge_id)
    return int(connection.execute(query).scalar_one())


def count_that_cost(connection: Connection, team_id: str, day: str) -> int:
    """Count a team's submissions of a UTC day (``2026-07-01``) that cost quota.

    Those whose own run ended by a fault of the platform cost nothing, whatever a rejudgement
    made of them later.
    """
    free = (
        select(_RUN.c.submission)
        .join(_VERDICT, _VERDICT.c.run == _RUN.c.id)
        .where(_RUN.c.team == team_id, _RUN.c.proposal == "", _VERDICT.c.owner == "platform")
    )
    query = select(func.count()).where(
        _SUBMISSION.c.team == team_id,
        _SUBMISSION.c.received_at >= day,
        _SUBMISSION.c.received_at < f"{day}U",  # "U" follows the "T" of every time of that day
        _SUBMISSION.c.id.not_in(free),
    )
    return int(connection.execute(query).scalar_one())


def _submission(row: Row[Any]) -> Submission:
    return record_of(Submission, row, kind=SubmissionKind(row.kind))
