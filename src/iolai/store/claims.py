"""Runs and the workers that hold them: taking, holding, giving back.

A run is held by one worker at a time: the ``worker`` of its row, set in a write transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, or_, select

from iolai.records import Run, RunState, SubmissionKind
from iolai.store import tables
from iolai.store.rows import record_of

__all__ = [
    "blobs_of",
    "claimable_runs",
    "count_held",
    "finish_runs",
    "held_runs",
    "hold_runs",
    "oldest_wait_since",
]

_RUN, _SUBMISSION = tables.run, tables.submission


def claimable_runs(
    connection: Connection,
    *,
    now: str,
    kinds: Collection[SubmissionKind],
    limit: int,
    latest: str | None = None,
) -> tuple[Run, ...]:
    """Return the next runs to start of submissions of some kinds, in their order.

    A run that was queued again stands with the time when it may be tried, which may be to come.
    No such time is set later than ``latest``: one that is was set before the clock stepped back.
    """
    is_due = [_RUN.c.attempt == 1, _RUN.c.queued_at <= now]
    is_due += [_RUN.c.queued_at > latest] if latest else []
    query: Select[Any] = (
        select(_RUN)
        .join(_SUBMISSION, _SUBMISSION.c.id == _RUN.c.submission)
        .where(
            _RUN.c.state == RunState.QUEUED.value,
            or_(*is_due),
            _SUBMISSION.c.kind.in_([kind.value for kind in kinds]),
        )
        .order_by(_RUN.c.tag, _RUN.c.queued_at, _RUN.c.id)
        .limit(limit)
    )
    return tuple(map(_run, connection.execute(query)))


def hold_runs(
    connection: Connection, runs: Sequence[Run], *, worker: str, state: RunState, at: str
) -> None:
    """Give queued runs to a worker."""
    if not runs:
        return
    query = (
        _RUN.update()
        .where(_RUN.c.id == bindparam("run_id"))
        .values(worker=worker, state=state.value, started_at=at)
    )
    connection.execute(query, [{"run_id": run.id} for run in runs])


def held_runs(connection: Connection, worker: str) -> tuple[Run, ...]:
    """Return the runs that a worker holds."""
    query = select(_RUN).where(
        _RUN.c.worker == worker,
        _RUN.c.state.not_in([RunState.QUEUED.value, RunState.DONE.value]),
    )
    return tuple(map(_run, connection.execute(query.order_by(_RUN.c.id))))


def blobs_of(connection: Connection, submission_ids: Sequence[str]) -> dict[str, str]:
    """Return the blobs of submissions, by their ids."""
    query = select(_SUBMISSION.c.id, _SUBMISSION.c.blob).where(
        _SUBMISSION.c.id.in_(list(submission_ids))
    )
    return {row.id: row.blob for row in connection.execute(query)}


def count_held(connection: Connection) -> int:
    """Count the runs that some worker holds."""
    query = select(func.count()).where(
        _RUN.c.state.not_in([RunState.QUEUED.value, RunState.DONE.value])
    )
    return int(connection.execute(query).scalar_one())


def finish_runs(connection: Connection, run_ids: Sequence[str], *, at: str) -> None:
    """Mark runs as done: their verdicts are in the same transaction."""
    if not run_ids:
        return
    query = (
        _RUN.update()
        .where(_RUN.c.id == bindparam("run_id"))
        .values(state=RunState.DONE.value, ended_at=at)
    )
    connection.execute(query, [{"run_id": run_id} for run_id in run_ids])


def oldest_wait_since(connection: Connection) -> str | None:
    """Return since when the run that waits longest does, or None where none waits."""
    query = select(func.min(_RUN.c.queued_at)).where(_RUN.c.state == RunState.QUEUED.value)
    value = connection.execute(query).scalar_one()
    return None if value is None else str(value)


def _run(row: Row[Any]) -> Run:
    return record_of(Run, row, state=RunState(row.state))
