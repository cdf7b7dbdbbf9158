"""Taking over what dead workers held: their runs go back to where they stood in the queue."""

from __future__ import annotations

import time

from sqlalchemy import Connection

from iolai.challenge.clock import later
from iolai.challenge.folders import clear_folder
from iolai.challenge.logs import get_log
from iolai.challenge.processes import own_host, process_lives
from iolai.challenge.workplace import (
    MAX_ATTEMPTS,
    SERVICE,
    Workplace,
    give_up,
    requeue,
)
from iolai.records import EventKind, Run, RunState, WorkerRow
from iolai.store import claims, runs, workers
from iolai.store.events import add_event, list_events

__all__ = ["LEASE_S", "is_dead", "take_over"]

log = get_log("takeover")

#: A worker on another host that was not heard of for so many seconds counts as dead.
LEASE_S = 60.0

#: A process of this host that is there, but says nothing for so many leases, is as good as dead.
_PATIENCE = 4
_DIED = "the worker died in the middle of this"


def is_dead(row: WorkerRow, *, now: str, lease_s: float) -> bool:
    """Say whether a worker that has not ended is gone.

    On the same host its process tells; elsewhere, that it did not say for ``lease_s`` seconds
    that it lives.
    """
    if row.host != own_host():
        return later(row.heartbeat_at, lease_s) < now
    return not process_lives(row.process) or later(row.heartbeat_at, _PATIENCE * lease_s) < now


def _is_silent(place: Workplace, row: WorkerRow, lease_s: float) -> bool:
    """Say whether no new heartbeat was seen from here for as long as makes a worker dead.

    That is counted by a clock of this process that never steps back: where the time of day did,
    the heartbeats of the dead lie in the future, and ``is_dead`` would wait for it to come.
    """
    now = time.monotonic()
    heard, since = place.heard.setdefault(row.id, (row.heartbeat_at, now))
    if heard != row.heartbeat_at:
        place.heard[row.id] = (row.heartbeat_at, now)
        return False
    patience = _PATIENCE if row.host == own_host() else 1
    return now - since > patience * lease_s


def take_over(place: Workplace, lease_s: float) -> tuple[str, ...]:
    """Queue again what dead workers held, and return their ids.

    All of it is one transaction for each: whoever takes over second finds nothing.
    """
    now = place.service.stamp()
    with place.service.store.read() as connection:
        living = workers.list_workers(connection)
    others = [row for row in living if row.id != place.worker]
    silent = {row.id: row.heartbeat_at for row in others if _is_silent(place, row, lease_s)}
    dead = [row.id for row in others if is_dead(row, now=now, lease_s=lease_s)]
    gone = []
    for worker in dict.fromkeys([*dead, *silent]):
        with place.service.store.write() as connection:
            row = workers.get_worker(connection, worker)
            if row is None or row.ended_at:
                continue
            still_silent = silent.get(worker) == row.heartbeat_at
            if not still_silent and not is_dead(row, now=now, lease_s=lease_s):
                continue
            held = claims.held_runs(connection, worker)
            ended = [run for run in held if _release(place, connection, run)]
            workers.end_worker(connection, worker, now)
            add_event(
                connection,
                EventKind.WORKER_LOST,
                at=now,
                author=SERVICE,
                data={"worker": worker, "n_runs": len(held)},
            )
        for run in ended:
            clear_folder(place.service, run.id)
        log.warning("worker lost", lost=worker, n_runs=len(held))
        gone.append(worker)
    return tuple(gone)


def _release(place: Workplace, connection: Connection, run: Run) -> bool:
    """Put a dead worker's run back; one in which workers die again and again is given up (True)."""
    kept = runs.get_step_result(connection, run.id, run.attempt, "run")
    was_running = run.state is RunState.RUNNING and kept is None
    if was_running and not run.handle and _n_deaths(connection, run) + 1 >= MAX_ATTEMPTS:
        give_up(place, connection, run, f"{_DIED}, for the third time")
        return True
    reason = _DIED if was_running else f"the worker died while it was {run.state.value}"
    requeue(place, connection, run, attempt=run.attempt, queued_at=run.queued_at, reason=reason)
    return False


def _n_deaths(connection: Connection, run: Run) -> int:
    retried = list_events(connection, run=run.id, kinds=[EventKind.RUN_RETRIED])
    return sum(event.reason == _DIED for event in retried)
