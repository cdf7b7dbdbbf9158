"""Submissions: facts, never changed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from iolai.records import Submission, SubmissionKind, TeamKind
from iolai.store import tables
from iolai.store.rows import add, record_of

__all__ = [
    "add_submission",
    "count_submissions",
    "count_that_cost",
    "get_submission",
    "list_submissions",
]

_SUBMISSION, _RUN, _VERDICT = tables.submission, tables.run, tables.verdict
_TEAM = tables.team


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


def count_submissions(connection: Connection, challenge_id: str) -> int:
    """Count the submissions of a challenge; baselines were not handed in."""
    query = (
        select(func.count())
        .select_from(_SUBMISSION)
        .join(_TEAM, _TEAM.c.id == _SUBMISSION.c.team)
        .where(_SUBMISSION.c.challenge == challenge_id, _TEAM.c.kind != TeamKind.BASELINE)
    )
    return int(connection.execute(query).scalar_one())


def count_that_cost(connection: Connection, team_ids: Collection[str], day: str) -> int:
    """Count the submissions of some teams of a UTC day (``2026-07-01``) that cost quota.

    Those whose own run ended by a fault of the platform cost nothing, whatever a rejudgement
    made of them later.
    """
    free = (
        select(_RUN.c.submission)
        .join(_VERDICT, _VERDICT.c.run == _RUN.c.id)
        .where(_RUN.c.team.in_(team_ids), _RUN.c.proposal == "", _VERDICT.c.owner == "platform")
    )
    query = select(func.count()).where(
        _SUBMISSION.c.team.in_(team_ids),
        _SUBMISSION.c.received_at >= day,
        _SUBMISSION.c.received_at < f"{day}U",  # "U" follows the "T" of every time of that day
        _SUBMISSION.c.id.not_in(free),
    )
    return int(connection.execute(query).scalar_one())


def _submission(row: Row[Any]) -> Submission:
    return record_of(Submission, row, kind=SubmissionKind(row.kind))
