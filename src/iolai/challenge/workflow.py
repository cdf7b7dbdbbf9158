"""The durable workflow of a run, on DBOS: its steps in their order, each done once.

A run's workflow has the run's id (``<id>.<attempt>`` from the second attempt on), so that handing
it over twice is harmless. Each worker listens to a queue of its own, on which it puts only what it
holds in the store; a workflow whose worker died is resumed onto the queue of the worker that took
the run over, and goes on at the first step that did not end. What the dead one may still be doing
is refused twice: by DBOS, which knows that the workflow has another owner, and by the steps.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from dbos import DBOS, SetWorkflowID

from iolai.challenge.fetching import FetchError
from iolai.challenge.logs import described, get_log
from iolai.challenge.steps import STEPS
from iolai.challenge.workplace import LostRunError, Workplace, fail
from iolai.records import Run

__all__ = ["Engine", "workflow_id"]

#: Changes when the steps or their order do: a workflow goes on only in the version it began in.
_VERSION = "1"
_POLL_S = 0.1
_RECORD_S = 10.0
log = get_log("workflow")
#: What the workflows of this process work with: DBOS knows one application in a process.
_place: Workplace | None = None
#: The workflows that were handed to this process and have not ended in it.
_active: set[str] = set()


def workflow_id(run_id: str, attempt: int) -> str:
    """Return the id of the workflow for a run's attempt."""
    return run_id if attempt == 1 else f"{run_id}.{attempt}"


@DBOS.step(name="iolai.step", retries_allowed=True, interval_seconds=0.5, max_attempts=8)
def _do(name: str, run_id: str, attempt: int) -> bool:
    """Do one step; False where the run is out of this worker's hands.

    It raises only where the store cannot be reached even to say so; DBOS then tries again, for
    about a minute.
    """
    place = _place
    if place is None:
        raise RuntimeError("no workplace")
    try:
        STEPS[name](place, run_id, attempt)
    except LostRunError:
        place.lost(run_id)
        return False
    except Exception as error:
        reason = f"{name}: {described(error)}"
        log.warning("step failed", run=run_id, attempt=attempt, reason=reason)
        with suppress(LostRunError):
            # Another machine fetches in the middle of a run: that is the hub's fault too.
            failed = "fetch" if isinstance(error, FetchError) else name
            fail(place, run_id, attempt, reason, step=failed)
        return False
    return True


@DBOS.workflow(name="iolai.run")
def _workflow(run_id: str, attempt: int) -> None:
    try:
        for name in STEPS:
            if not _do(name, run_id, attempt):
                return
            if _place is not None:
                _place.reached(f"{name}:recorded", run_id)
    finally:
        _active.discard(workflow_id(run_id, attempt))


class Engine:
    """DBOS in this process, for one worker; a context."""

    def __init__(self, place: Workplace, url: str) -> None:
        self._place = place
        self._queue = f"runs-{place.worker}"
        self._url = url

    def __enter__(self) -> Engine:
        global _place  # noqa: PLW0603 -- see there
        _place = self._place
        _active.clear()
        config: dict[str, Any] = {
            "name": "iolai",
            "system_database_url": self._url,
            "executor_id": self._place.worker,
            "application_version": _VERSION,
            "log_level": "WARNING",
            "enable_otlp": False,
        }
        DBOS(config=config)  # type: ignore[arg-type]
        DBOS.listen_queues([self._queue])
        DBOS.launch()
        DBOS.register_queue(self._queue, polling_interval_sec=_POLL_S)
        return self

    def __exit__(self, *_reason: object) -> None:
        global _place  # noqa: PLW0603
        self._wait()
        DBOS.delete_queue(self._queue)
        DBOS.destroy(workflow_completion_timeout_sec=0)
        _place = None

    def _wait(self) -> None:
        """Wait until what has ended here is recorded as ended, but not for long."""
        end = time.monotonic() + _RECORD_S
        while time.monotonic() < end:
            if not DBOS.list_workflows(
                executor_id=self._place.worker, status="PENDING", load_input=False, limit=1
            ):
                return
            time.sleep(_POLL_S)

    def hand_over(self, run: Run) -> bool:
        """Begin the workflow of a run that this worker holds, or go on with it.

        False where that workflow has ended, though the run has not: it needs another attempt.
        """
        name = workflow_id(run.id, run.attempt)
        status = DBOS.get_workflow_status(name)
        if status is not None and status.status in ("SUCCESS", "ERROR"):
            return False
        _active.add(name)
        if status is None:
            with SetWorkflowID(name):
                DBOS.enqueue_workflow(self._queue, _workflow, run.id, run.attempt)
        else:
            DBOS.resume_workflow(name, queue_name=self._queue)
        return True

    def active(self) -> frozenset[str]:
        """Return the workflows that were handed over and are not through."""
        return frozenset(_active)

    def forget(self, worker: str) -> None:
        """Delete the queue of a worker that is gone; nothing on it is ours any more."""
        DBOS.delete_queue(f"runs-{worker}")
