"""Runs, what their steps left, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, tuple_

from iolai.records import Run, RunState, Verdict
from iolai.store import tables
from iolai.store.rows import add, all_of, one_of, record_of, values_of

__all__ = [
    "add_run",
    "add_verdict",
    "add_verdicts",
    "count_ahead",
    "count_by_state",
    "get_run",
    "get_step_result",
    "get_verdict",
    "last_tag_of_team",
    "list_runs",
    "list_verdicts",
    "mean_run_s",
    "outputs_of",
    "queued_runs",
    "set_step_result",
    "update_run",
    "verdicts_of",
    "virtual_time",
]

_RUN, _STEP, _VERDICT = tables.run, tables.step_result, tables.verdict
#: Recent runs that the expected time is the mean of.
_RECENT = 50


def add_run(connection: Connection, run: Run) -> None:
    """Insert a run."""
    add(connection, _RUN, run)


def get_run(connection: Connection, run_id: str) -> Run | None:
    """Return a run by its id."""
    row = connection.execute(select(_RUN).where(_RUN.c.id == run_id)).one_or_none()
    return None if row is None else _run(row)


def list_runs(
    connection: Connection,
    *,
    challenge_id: str | None = None,
    submission_id: str | None = None,
    team_id: str | None = None,
    proposal_id: str | None = None,
    states: Sequence[RunState] = (),
    worker_id: str | None = None,
) -> tuple[Run, ...]:
    """Return the runs that fit all that is given, in the order of queueing."""
    wanted = {
        "challenge": challenge_id,
        "submission": submission_id,
        "team": team_id,
        "proposal": proposal_id,
        "worker": worker_id,
    }
    query: Select[Any] = select(_RUN)
    for column, value in wanted.items():
        if value is not None:
            query = query.where(_RUN.c[column] == value)
    if states:
        query = query.where(_RUN.c.state.in_([state.value for state in states]))
    query = query.order_by(_RUN.c.queued_at, _RUN.c.id)
    return tuple(map(_run, connection.execute(query)))


def queued_runs(connection: Connection, limit: int | None = None) -> tuple[Run, ...]:
    """Return the runs that wait, in the order in which they are to be started."""
    query = (
        select(_RUN)
        .where(_RUN.c.state == RunState.QUEUED.value)
        .order_by(_RUN.c.tag, _RUN.c.queued_at, _RUN.c.id)
        .limit(limit)
    )
    return tuple(map(_run, connection.execute(query)))


def count_ahead(connection: Connection, run: Run) -> int:
    """Count the waiting runs that are to be started before a waiting run."""
    order = tuple_(_RUN.c.tag, _RUN.c.queued_at, _RUN.c.id)
    query = select(func.count()).where(
        _RUN.c.state == RunState.QUEUED.value, order < tuple_(run.tag, run.queued_at, run.id)
    )
    return int(connection.execute(query).scalar_one())


def count_by_state(connection: Connection) -> dict[RunState, int]:
    """Count the runs in each state."""
    query = select(_RUN.c.state, func.count()).group_by(_RUN.c.state)
    return {RunState(state): int(count) for state, count in connection.execute(query)}


def last_tag_of_team(connection: Connection, team_id: str) -> int:
    """Return the highest tag that a run of a team ever had, 0 where there is none."""
    query = select(func.max(_RUN.c.tag)).where(_RUN.c.team == team_id)
    return int(connection.execute(query).scalar_one() or 0)


def virtual_time(connection: Connection) -> int:
    """Return the highest tag of all runs that were started, 0 where there is none."""
    tops = []
    for state in RunState:
        if state is RunState.QUEUED:
            continue
        query = select(func.max(_RUN.c.tag)).where(_RUN.c.state == state.value)
        tops.append(connection.execute(query).scalar_one() or 0)
    return int(max(tops))


def mean_run_s(connection: Connection) -> float | None:
    """Return the mean wall time of the last runs, in seconds; None where there is none."""
    recent = (
        select(_VERDICT.c.wall_s)
        .where(_VERDICT.c.wall_s > 0)
        .order_by(_VERDICT.c.at.desc())
        .limit(_RECENT)
        .subquery()
    )
    value = connection.execute(select(func.avg(recent.c.wall_s))).scalar_one()
    return None if value is None else float(value)


def update_run(connection: Connection, run_id: str, **values: Any) -> None:
    """Change what is looked up of a run: state, attempt, worker, handle, times."""
    plain = {k: v.value if isinstance(v, RunState) else v for k, v in values.items()}
    connection.execute(_RUN.update().where(_RUN.c.id == run_id).values(**plain))


def set_step_result(
    connection: Connection, run_id: str, attempt: int, step: str, *, at: str, body: str
) -> None:
    """Keep what a step left (JSON text); the first value stays, whoever comes later."""
    if get_step_result(connection, run_id, attempt, step) is None:
        values = {"run": run_id, "attempt": attempt, "step": step, "at": at, "body": body}
        connection.execute(_STEP.insert(), values)


def get_step_result(connection: Connection, run_id: str, attempt: int, step: str) -> str | None:
    """Return what a step left, or None where it did not end yet."""
    query = select(_STEP.c.body).where(
        _STEP.c.run == run_id, _STEP.c.attempt == attempt, _STEP.c.step == step
    )
    value = connection.execute(query).scalar_one_or_none()
    return None if value is None else str(value)


def add_verdict(connection: Connection, verdict: Verdict) -> bool:
    """Insert a verdict; False, and nothing changed, where the run already has one."""
    if get_verdict(connection, verdict.run) is not None:
        return False
    add(connection, _VERDICT, verdict)
    return True


def add_verdicts(connection: Connection, verdicts: Iterable[Verdict]) -> None:
    """Insert many verdicts at once; raises where a run already has one."""
    rows = [values_of(verdict) for verdict in verdicts]
    if rows:
        connection.execute(_VERDICT.insert(), rows)


def get_verdict(connection: Connection, run_id: str) -> Verdict | None:
    """Return the verdict of a run, or None."""
    return one_of(connection, Verdict, select(_VERDICT).where(_VERDICT.c.run == run_id))


def outputs_of(connection: Connection, run_ids: Sequence[str]) -> dict[str, str]:
    """Return the blobs of the outputs that some runs left, by run."""
    query = select(_VERDICT.c.run, _VERDICT.c.output).where(
        _VERDICT.c.run.in_(list(run_ids)), _VERDICT.c.output != ""
    )
    return {row.run: row.output for row in connection.execute(query)}


def verdicts_of(connection: Connection, run_ids: Sequence[str]) -> tuple[Verdict, ...]:
    """Return the verdicts of some runs, by run."""
    query = select(_VERDICT).where(_VERDICT.c.run.in_(list(run_ids))).order_by(_VERDICT.c.run)
    return all_of(connection, Verdict, query)


def list_verdicts(
    connection: Connection, challenge_id: str, *, team_id: str | None = None
) -> tuple[Verdict, ...]:
    """Return the verdicts of a challenge's runs, or of one team's, in the order they came."""
    query: Select[Any] = (
        select(_VERDICT)
        .join(_RUN, _RUN.c.id == _VERDICT.c.run)
        .where(_RUN.c.challenge == challenge_id)
    )
    if team_id is not None:
        query = query.where(_RUN.c.team == team_id)
    return all_of(connection, Verdict, query.order_by(_VERDICT.c.at, _VERDICT.c.run))


def _run(row: Row[Any]) -> Run:
    return record_of(Run, row, state=RunState(row.state))
