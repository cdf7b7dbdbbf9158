"""The queue: fair between teams, with a place and an expected time.

Start-time fair queuing: a run's tag is one more than the later of the virtual time (the highest
tag that was started) and its team's last tag; the lowest tag is started first. A team's flood so
stands behind the first run of each other team.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.clock import moment
from iolai.challenge.permissions import Action, require
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service
from iolai.records import EventKind, Run, RunState, Submission, WorkerRow
from iolai.store import runs, teams, workers
from iolai.store.events import add_event

__all__ = ["Place", "QueueLine", "QueueView", "enqueue", "place_of", "queue_view", "requeue"]

#: What a run is expected to take where none has ended yet, in seconds.
_UNKNOWN_RUN_S = 60.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a waiting run stands: 1 is next. ``expected_s`` is None where no worker lives."""

    place: int
    n_waiting: int
    expected_s: float | None


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One run of the queue, for the organiser; ``waited_s`` since it was queued."""

    run: Run
    team: str
    waited_s: float


@dataclass(frozen=True, slots=True)
class QueueView:
    """The whole queue: what runs, what waits in which order, who works on it."""

    running: tuple[QueueLine, ...]
    waiting: tuple[QueueLine, ...]
    workers: tuple[WorkerRow, ...]
    n_by_state: dict[str, int]
    oldest_wait_s: float
    mean_run_s: float | None


def enqueue(
    connection: Connection, submission: Submission, *, at: str, author: str, proposal: str = ""
) -> Run:
    """Queue a run of a submission, in the transaction that decides it."""
    start = max(runs.virtual_time(connection), runs.last_tag_of_team(connection, submission.team))
    run = Run(
        id=new_id(),
        submission=submission.id,
        challenge=submission.challenge,
        team=submission.team,
        state=RunState.QUEUED,
        queued_at=at,
        tag=start + 1,
        proposal=proposal,
    )
    runs.add_run(connection, run)
    add_event(
        connection,
        EventKind.RUN_QUEUED,
        at=at,
        author=author,
        challenge=run.challenge,
        team=run.team,
        submission=run.submission,
        run=run.id,
        data={"tag": run.tag, "proposal": proposal},
    )
    return run


def requeue(connection: Connection, run: Run, *, at: str, reason: str) -> None:
    """Queue a run that was under way again, as where its worker's machine is gone for good."""
    runs.update_run(connection, run.id, state=RunState.QUEUED, worker="", handle="")
    add_event(
        connection,
        EventKind.RUN_RETRIED,
        at=at,
        author="service",
        challenge=run.challenge,
        team=run.team,
        submission=run.submission,
        run=run.id,
        reason=reason,
        data={"attempt": run.attempt, "queued_at": run.queued_at},
    )


def place_of(connection: Connection, run: Run) -> Place | None:
    """Return where a run stands in the queue, None where it waits no more."""
    if run.state is not RunState.QUEUED:
        return None
    ahead = runs.count_ahead(connection, run)
    counts = runs.count_by_state(connection)
    slots = sum(worker.slots for worker in workers.list_workers(connection))
    mean = runs.mean_run_s(connection) or _UNKNOWN_RUN_S
    n_running = sum(n for state, n in counts.items() if state not in _NOT_RUNNING)
    rounds = (ahead + n_running) / slots if slots else 0.0
    expected = rounds * mean if slots else None
    return Place(ahead + 1, counts.get(RunState.QUEUED, 0), expected)


_NOT_RUNNING = (RunState.QUEUED, RunState.DONE)


def queue_view(service: Service, actor: Actor) -> QueueView:
    """Return the whole queue; for an organiser."""
    require(actor, Action.VIEW_QUEUE)
    now = service.now()
    at_work = [state for state in RunState if state not in _NOT_RUNNING]
    with service.store.read() as connection:
        waiting = runs.queued_runs(connection)
        running = runs.list_runs(connection, states=at_work)
        names: dict[str, str] = {}
        for run in (*waiting, *running):
            if run.team not in names:
                team = teams.get_team(connection, run.team)
                names[run.team] = team.name if team else ""
        counts = runs.count_by_state(connection)
        alive = workers.list_workers(connection)
        mean = runs.mean_run_s(connection)

    def line(run: Run) -> QueueLine:
        return QueueLine(run, names[run.team], (now - moment(run.queued_at)).total_seconds())

    queued = tuple(map(line, waiting))
    return QueueView(
        running=tuple(map(line, running)),
        waiting=queued,
        workers=alive,
        n_by_state={state.value: counts.get(state, 0) for state in RunState},
        oldest_wait_s=max((one.waited_s for one in queued), default=0.0),
        mean_run_s=mean,
    )
