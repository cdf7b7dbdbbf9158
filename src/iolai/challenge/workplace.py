"""What a worker has at hand, and how a run in its hands ends, or goes back to the queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from iolai.challenge.clock import later
from iolai.challenge.fetching import HubSource, RepositorySource
from iolai.challenge.folders import clear_folder
from iolai.challenge.ledger import record_verdict
from iolai.challenge.problems import load_problems
from iolai.challenge.scoring import Scorer
from iolai.challenge.service import Service
from iolai.challenge.state import ChallengeState
from iolai.errors import NotFoundError
from iolai.formats import render_test_csv
from iolai.records import EventKind, Run, RunState, Submission, Verdict
from iolai.runners import Outcome, Owner, Runner, get_runner
from iolai.store import challenges, runs
from iolai.store.events import add_event, list_events

__all__ = [
    "MAX_ATTEMPTS",
    "MAX_FETCHES",
    "SERVICE",
    "LostRunError",
    "Task",
    "Workplace",
    "fail",
    "get_held",
    "give_up",
    "new_runner",
    "note",
    "nothing",
    "requeue",
    "settle",
]

#: A run that the platform failed this often gets that as its verdict: in fetching, since a hub that
#: is down comes back (the waits are an hour together), and in any other step. The two are counted
#: apart: an hour without the hub takes nothing from the attempts at running.
MAX_FETCHES, MAX_ATTEMPTS = 7, 3
#: What failed, as the event of a retry names it.
_FETCH_FAULT, _RUN_FAULT = "fetch", "run"
#: What events name as their author where the service acts by itself.
SERVICE = "service"
_TOO_OFTEN = (
    "the platform failed again and again in running this; it costs no quota, and the organiser can "
    "have it run again"
)


class LostRunError(Exception):
    """The run is in other hands, or done: whoever gets this stops at once."""


def nothing(*_what: str) -> None:
    """Go on."""


def new_runner(name: str, options: Mapping[str, Any]) -> Runner:
    """Return a runner by its name; raises UnknownNameError."""
    return get_runner(name, **options)


@dataclass(frozen=True)
class Workplace:
    """What steps work with. ``worker`` is the id of the worker that holds the runs.

    ``source`` and ``runner`` are seams. ``reached`` is told, by name, each point at which the
    process might die, with the run's id; tests let it die there. ``lost`` is told of a run that
    this worker holds no more: it was taken for dead, and has to stop. ``retry_s`` is how long a
    run waits after a first fault of the platform, three times as long after the next. ``heard``
    holds the last heartbeat of each other worker, and when it was first seen here (in seconds of
    this process's own clock, which never steps back).
    """

    service: Service
    worker: str
    source: RepositorySource = field(default_factory=HubSource)
    runner: Callable[[str, Mapping[str, Any]], Runner] = new_runner
    reached: Callable[[str, str], None] = nothing
    lost: Callable[[str], None] = nothing
    retry_s: float = 10.0
    heard: dict[str, tuple[str, float]] = field(default_factory=dict, repr=False)
    _scorers: dict[str, Scorer] = field(default_factory=dict, repr=False)
    _test_sets: dict[str, str] = field(default_factory=dict, repr=False)

    def latest_retry(self, now: str) -> str:
        """Return the latest time until which a run that failed may have to wait."""
        return later(now, self.wait_s(MAX_FETCHES - 1))

    def wait_s(self, n_faults: int) -> float:
        """Return how long a run waits after its nth fault of one kind, in seconds."""
        return float(self.retry_s * 3 ** (n_faults - 1))

    def scorer(self, key_id: str) -> Scorer:
        """Return what scores under a key; it is unsealed once in a process."""
        if key_id not in self._scorers:
            with self.service.store.read() as connection:
                row = challenges.get_key(connection, key_id)
            if row is None:
                raise NotFoundError(f"there is no key {key_id}", hint="Restore the database.")
            self._scorers[key_id] = Scorer(self.service, row)
        return self._scorers[key_id]

    def test_csv(self, challenge: ChallengeState) -> str:
        """Return the text of a challenge's test set; raises NotFoundError where it has none."""
        blob = challenge.problems
        if not blob:
            raise NotFoundError(
                f"the challenge {challenge.row.slug} has no problems",
                hint="Name them in its file and run iolai challenge update.",
            )
        if blob not in self._test_sets:
            self._test_sets[blob] = render_test_csv(load_problems(self.service, blob))
        return self._test_sets[blob]


@dataclass(frozen=True)
class Task:
    """What a step works on: the run, what was handed in, the challenge as it stands.

    ``kept`` holds what earlier steps left.
    """

    run: Run
    submission: Submission
    challenge: ChallengeState
    kept: dict[str, dict[str, Any]]


def get_held(place: Workplace, connection: Connection, run_id: str, attempt: int) -> Run:
    """Return a run that this worker holds; raises LostRunError where it does not."""
    run = runs.get_run(connection, run_id)
    is_held = run is not None and run.state not in (RunState.QUEUED, RunState.DONE)
    if run is None or not is_held or (run.worker, run.attempt) != (place.worker, attempt):
        raise LostRunError(f"run {run_id} is not held by {place.worker} any more")
    return run


def note(
    place: Workplace,
    connection: Connection,
    kind: EventKind,
    run: Run,
    *,
    data: Mapping[str, object],
    reason: str = "",
) -> None:
    """Append an event about a run."""
    add_event(
        connection,
        kind,
        at=place.service.stamp(),
        author=SERVICE,
        challenge=run.challenge,
        team=run.team,
        submission=run.submission,
        run=run.id,
        reason=reason,
        data=data,
    )


def settle(connection: Connection, run: Run, verdict: Verdict, *, reason: str = "") -> None:
    """Give a run its one verdict: row, event and state in the caller's transaction."""
    if not record_verdict(connection, run, verdict, author=SERVICE, reason=reason):
        raise LostRunError(f"run {run.id} has its verdict")


def fail(place: Workplace, run_id: str, attempt: int, reason: str, *, step: str = "") -> None:
    """Take note that the platform failed: the run is queued again, or ends for good.

    ``reason`` is for the organiser; what the team reads says only that it was not its doing.
    ``step`` is where it failed: faults of fetching and all others are counted apart.
    """
    fault = _FETCH_FAULT if step == "fetch" else _RUN_FAULT
    with place.service.store.write() as connection:
        run = get_held(place, connection, run_id, attempt)
        at = place.service.stamp()
        n_faults = _n_faults(connection, run, fault) + 1
        if n_faults < (MAX_FETCHES if fault == _FETCH_FAULT else MAX_ATTEMPTS):
            queued_at = later(at, place.wait_s(n_faults))
            requeue(
                place,
                connection,
                run,
                attempt=attempt + 1,
                queued_at=queued_at,
                reason=reason,
                fault=fault,
            )
            return
        give_up(place, connection, run, reason)
    place.reached("given-up", run_id)
    clear_folder(place.service, run_id)


def _n_faults(connection: Connection, run: Run, fault: str) -> int:
    """Count the faults of a kind that a run was tried again after."""
    retried = list_events(connection, run=run.id, kinds=[EventKind.RUN_RETRIED])
    return sum(event.data.get("fault") == fault for event in retried)


def give_up(place: Workplace, connection: Connection, run: Run, reason: str) -> None:
    """Give a run the verdict that the platform could not run it.

    The caller clears the run's folder when the transaction has ended.
    """
    fault, at = Outcome.PLATFORM_FAULT, place.service.stamp()
    verdict = Verdict(run.id, at, fault.value, Owner.PLATFORM.value, detail=_TOO_OFTEN)
    settle(connection, run, verdict, reason=reason)


def requeue(
    place: Workplace,
    connection: Connection,
    run: Run,
    *,
    attempt: int,
    queued_at: str,
    reason: str,
    fault: str = "",
) -> None:
    """Put a run back into the queue, with its old tag: it stands where it stood.

    ``fault`` is what the platform failed at, ``""`` where it is no fault that counts.
    """
    values: dict[str, Any] = {"state": RunState.QUEUED, "worker": "", "attempt": attempt}
    if attempt != run.attempt:
        values |= {"handle": "", "queued_at": queued_at}
    runs.update_run(connection, run.id, **values)
    data = {"attempt": attempt, "queued_at": values.get("queued_at", run.queued_at)}
    data |= {"fault": fault} if fault else {}
    note(place, connection, EventKind.RUN_RETRIED, run, data=data, reason=reason)
