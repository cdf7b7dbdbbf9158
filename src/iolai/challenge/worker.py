"""A worker process: takes runs from the queue, and what dead workers held.

Its loop does four things: it takes over from dead workers, puts back what its own workflows left
undone, claims as many entries as it has free slots, and scores predictions in batches. A second
thread notes every few seconds that it lives. A worker that was taken for dead, or cannot tell the
database that it lives, ends at once, and its sandboxes with it, so that no run is in two hands.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from sqlalchemy.exc import SQLAlchemyError

from iolai.challenge.batches import score_batch
from iolai.challenge.fetching import HubSource, RepositorySource
from iolai.challenge.folders import sweep_folders
from iolai.challenge.logs import described, get_log
from iolai.challenge.processes import own_host, own_process
from iolai.challenge.secrets import new_id
from iolai.challenge.selections import lock_selections
from iolai.challenge.service import Service, open_service
from iolai.challenge.takeover import LEASE_S, take_over
from iolai.challenge.uploads import forget_old
from iolai.challenge.workflow import Engine, workflow_id
from iolai.challenge.workplace import LostRunError, Workplace, fail, new_runner, note, nothing
from iolai.challenge.workplace import requeue as put_back
from iolai.errors import DamagedError, NoRoomError
from iolai.records import EventKind, Run, RunState, SubmissionKind, WorkerRow
from iolai.runners import Runner
from iolai.store import challenges, claims, submissions, workers

__all__ = ["LOST_EXIT", "WorkerOptions", "run_worker", "work_for"]

log = get_log("worker")

_ENTRIES = (SubmissionKind.ARCHIVE, SubmissionKind.REPOSITORY)
#: The exit status of a worker that was taken for dead; it can be started again.
LOST_EXIT = 75
#: A worker that could not note that it lives for this part of its lease ends itself, before
#: others think it dead.
_LEASE_PART = 0.6
_BEATS = 6
#: How often selections are locked that came due, and old uploads forgotten, in seconds.
_HOUSE_S = 60.0
_AWAY_S = 1.0
_NO_VERDICT = "the workflow ended without a verdict"


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker works.

    ``slots`` is how many entries it runs at once. A worker on another host is taken for dead when
    it has not been heard of for ``lease_s`` seconds. It looks for work every ``tick_s`` seconds.
    ``drain`` ends it when nothing waits and nothing runs. The others are the seams of
    ``Workplace``.
    """

    slots: int = 1
    lease_s: float = LEASE_S
    tick_s: float = 0.2
    retry_s: float = 10.0
    drain: bool = False
    source: RepositorySource | None = None
    runner: Callable[[str, Mapping[str, Any]], Runner] = new_runner
    reached: Callable[[str, str], None] = nothing


def run_worker(home: Path, options: WorkerOptions | None = None) -> None:
    """Work for the service of a home until a signal says to stop, or the queue is drained.

    SIGTERM or SIGINT: no run is begun any more, and it ends when its own have ended. A second
    one ends it at once; what it ran is run again by another worker.
    """
    service = open_service(home)
    try:
        work_for(service, options or WorkerOptions())
    finally:
        service.close()


def work_for(service: Service, options: WorkerOptions) -> None:
    """Work for a service that is open; see ``run_worker``."""
    _Worker(service, options).work()


class _Worker:
    def __init__(self, service: Service, options: WorkerOptions) -> None:
        self._service, self._options = service, options
        self._id = new_id()
        self._place = Workplace(
            service,
            self._id,
            source=options.source or HubSource(),
            runner=options.runner,
            reached=options.reached,
            lost=self._lost,
            retry_s=options.retry_s,
        )
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._kept_house = float("-inf")

    def work(self) -> None:
        """Register, work, and say good-bye."""
        self._register()
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()
        self._listen()
        with Engine(self._place, _workflows_url(self._service)) as engine:
            log.info("worker ready", worker=self._id, slots=self._options.slots)
            while self._goes_on(engine):
                self._keep_house()
        self._sweep_up()
        self._ended.set()
        with self._service.store.write() as connection:
            workers.end_worker(connection, self._id, self._service.stamp())
        log.info("worker ended", worker=self._id)

    def _register(self) -> None:
        now = self._service.stamp()
        row = WorkerRow(self._id, own_host(), own_process(), now, now, self._options.slots)
        with self._service.store.write() as connection:
            workers.add_worker(connection, row)

    def _goes_on(self, engine: Engine) -> bool:
        """Look around once, and have patience with a database that is away, or full, for a while.

        The heartbeat decides when that was too long.
        """
        try:
            return self._go_on(engine)
        except (SQLAlchemyError, NoRoomError) as error:
            log.warning("no database", worker=self._id, reason=described(error))
            time.sleep(_AWAY_S)
            return True

    def _go_on(self, engine: Engine) -> bool:
        """Look around once; False when there is nothing left to stay for."""
        for gone in take_over(self._place, self._options.lease_s):
            engine.forget(gone)
        held = self._sweep(engine)
        n_scored = 0
        if not self._stopping.is_set():
            held += self._claim(engine, self._options.slots - held)
            n_scored = score_batch(self._place)
        if self._stopping.is_set() and not held:
            return False
        if not n_scored and not held and self._options.drain and self._is_queue_empty():
            return False
        if not n_scored:
            self._stopping.wait(self._options.tick_s)
            if self._stopping.is_set():
                time.sleep(self._options.tick_s)
        return True

    def _keep_house(self) -> None:
        """Do now and then what nobody waits for; that it fails is no reason to stop."""
        if time.monotonic() - self._kept_house < _HOUSE_S:
            return
        self._kept_house = time.monotonic()
        try:
            with self._service.store.read() as connection:
                known = challenges.list_challenges(connection)
            for row in known:
                with suppress(DamagedError):  # the others go on
                    lock_selections(self._service, row.slug)
            forget_old(self._service)
        except Exception as error:
            log.warning("housekeeping failed", worker=self._id, reason=described(error))
        self._sweep_up()

    def _sweep_up(self) -> None:
        """Delete what runs that ended, and processes that died, have left behind."""
        try:
            sweep_folders(self._service)
            self._service.blobs.sweep()
        except Exception as error:
            log.warning("sweeping failed", worker=self._id, reason=described(error))

    def _is_queue_empty(self) -> bool:
        with self._service.store.read() as connection:
            return claims.oldest_wait_since(connection) is None

    def _sweep(self, engine: Engine) -> int:
        """Put back what is held without being worked on; return how many are worked on."""
        with self._service.store.read() as connection:
            held = claims.held_runs(connection, self._id)
        active = engine.active()
        for run in held:
            if workflow_id(run.id, run.attempt) not in active:
                self._put_back(run)
        return sum(workflow_id(run.id, run.attempt) in active for run in held)

    def _put_back(self, run: Run) -> None:
        with suppress(LostRunError):  # it ended between the two looks
            if run.state is RunState.COLLECTING and not self._is_entry(run):
                self._requeue(run)
            else:
                fail(self._place, run.id, run.attempt, _NO_VERDICT)

    def _is_entry(self, run: Run) -> bool:
        with self._service.store.read() as connection:
            submission = submissions.get_submission(connection, run.submission)
        return submission is not None and submission.kind in _ENTRIES

    def _requeue(self, run: Run) -> None:
        with self._service.store.write() as connection:
            put_back(
                self._place,
                connection,
                run,
                attempt=run.attempt,
                queued_at=run.queued_at,
                reason="the batch was broken off",
            )

    def _claim(self, engine: Engine, n_free: int) -> int:
        """Take the next entries into free slots; return how many."""
        if n_free <= 0:
            return 0
        store, now = self._service.store, self._service.stamp()
        due: dict[str, Any] = {"now": now, "latest": self._place.latest_retry(now)}
        with store.read() as connection:
            if not claims.claimable_runs(connection, kinds=_ENTRIES, limit=1, **due):
                return 0
        with store.write() as connection:
            found = claims.claimable_runs(connection, kinds=_ENTRIES, limit=n_free, **due)
            state = RunState.FETCHING
            claims.hold_runs(connection, found, worker=self._id, state=state, at=now)
            for run in found:
                data = {"state": state.value, "worker": self._id, "attempt": run.attempt}
                note(self._place, connection, EventKind.RUN_STEP, run, data=data)
        for run in found:
            self._place.reached("claimed", run.id)
            if not engine.hand_over(run):
                with suppress(LostRunError):
                    fail(self._place, run.id, run.attempt, _NO_VERDICT)
        return len(found)

    def _beat(self) -> None:
        """Note that the worker lives, until it was taken for dead."""
        lease = self._options.lease_s
        last = time.monotonic()
        while not self._ended.wait(lease / _BEATS):
            try:
                with self._service.store.write() as connection:
                    row = workers.get_worker(connection, self._id)
                    workers.beat(connection, self._id, self._service.stamp())
                last = time.monotonic()
            except Exception as error:
                log.warning("no heartbeat", worker=self._id, reason=described(error))
                if time.monotonic() - last > _LEASE_PART * lease:
                    self._end_now("the database cannot be reached")
                continue
            if (row is None or row.ended_at) and not self._ended.is_set():
                self._end_now("it was taken for dead")

    def _lost(self, run_id: str) -> None:
        """End, where a run was taken out of this worker's hands: others think it dead."""
        with self._service.store.read() as connection:
            row = workers.get_worker(connection, self._id)
        if row is None or row.ended_at:
            self._end_now(f"run {run_id} is in other hands")

    def _end_now(self, reason: str) -> NoReturn:
        log.error("worker stops", worker=self._id, reason=reason)
        os._exit(LOST_EXIT)

    def _listen(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._stopping.is_set():
            os._exit(128 + number)
        self._stopping.set()


def _workflows_url(service: Service) -> str:
    if not service.store.is_sqlite:
        return service.store.url
    path = (service.home / "workflows.sqlite").absolute()
    path.touch(mode=0o600)
    return f"sqlite:///{path}"
