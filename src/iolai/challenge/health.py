"""Whether the service is well, and figures for those who watch it.

Everything is read from the store at the moment of asking, so that any process can answer for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from iolai.challenge.clock import moment
from iolai.challenge.room import LEAST_ROOM, free_bytes
from iolai.challenge.service import Service
from iolai.challenge.takeover import LEASE_S, is_dead
from iolai.records import EventKind, RunState, WorkerRow
from iolai.store import claims, counts, runs, workers
from iolai.version import __version__

if TYPE_CHECKING:
    from prometheus_client.core import Metric

__all__ = ["Health", "check_health", "metrics_text"]

#: Below this, in bytes, the home's disk is said to become full.
_LITTLE_DISK = 1 << 30
_COUNTED = (EventKind.RUN_RETRIED, EventKind.WORKER_LOST, EventKind.LOGIN_FAILED)


@dataclass(frozen=True, slots=True)
class Health:
    """How the service is. ``faults`` say in words what is not well; empty where all is.

    ``state`` is ``up`` where all is well, ``degraded`` where something is not, ``down`` where the
    database does not answer. ``is_up`` says that submissions can be taken: with a full disk they
    cannot, without a worker they only wait.
    ``oldest_wait_s`` is how long the run that waits longest has waited, in seconds.
    """

    state: str
    is_up: bool
    faults: tuple[str, ...]
    n_workers: int = 0
    n_slots: int = 0
    n_waiting: int = 0
    n_running: int = 0
    oldest_wait_s: float = 0.0


def check_health(service: Service) -> Health:
    """Look at the database, the workers, the queue and the disk; never raises."""
    try:
        with service.store.read() as connection:
            by_state = runs.count_by_state(connection)
            alive = _alive(service, workers.list_workers(connection))
            since = claims.oldest_wait_since(connection)
    except SQLAlchemyError as error:
        return Health("down", False, (f"the database does not answer: {type(error).__name__}",))
    n_waiting = by_state.get(RunState.QUEUED, 0)
    free = free_bytes(service)
    faults = []
    if not alive:
        faults.append(f"no worker lives; {n_waiting} runs wait")
    if free < LEAST_ROOM:
        faults.append("the disk of the home is full; nothing is taken in until there is room")
    elif free < _LITTLE_DISK:
        faults.append(f"only {free >> 20} MiB are left on the disk of the home")
    return Health(
        state="degraded" if faults else "up",
        is_up=free >= LEAST_ROOM,
        faults=tuple(faults),
        n_workers=len(alive),
        n_slots=sum(worker.slots for worker in alive),
        n_waiting=n_waiting,
        n_running=sum(by_state.values()) - n_waiting - by_state.get(RunState.DONE, 0),
        oldest_wait_s=_seconds_since(service, since),
    )


def _alive(service: Service, known: tuple[WorkerRow, ...]) -> list[WorkerRow]:
    now = service.stamp()
    return [row for row in known if not is_dead(row, now=now, lease_s=LEASE_S)]


def _seconds_since(service: Service, since: str | None) -> float:
    if since is None:
        return 0.0
    return max(0.0, (service.now() - moment(since)).total_seconds())


def metrics_text(service: Service) -> bytes:
    """Return the service's figures in Prometheus's text format (0.0.4)."""
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.registry import Collector

    class _Figures(Collector):
        def collect(self) -> Iterator[Metric]:
            return _figures(service)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Figures())
    text: bytes = generate_latest(registry)
    return text


def _figures(service: Service) -> Iterator[Metric]:
    health = check_health(service)
    yield _gauge("up", "Whether the database answers.", float(health.state != "down"))
    yield _gauge("takes_submissions", "Whether submissions are taken.", float(health.is_up))
    yield _labelled("build_info", "The version that answers.", "version", {__version__: 1})
    yield _gauge("disk_free_bytes", "Room on the home's disk.", free_bytes(service))
    if health.state == "down":
        return
    yield _gauge("workers", "Workers that live.", health.n_workers)
    yield _gauge("worker_slots", "Entries that can run at once.", health.n_slots)
    yield _gauge("oldest_wait_seconds", "The longest wait in the queue.", health.oldest_wait_s)
    with service.store.read() as connection:
        by_state = runs.count_by_state(connection)
        outcomes = counts.count_outcomes(connection)
        kinds = counts.count_submissions(connection)
        happened = counts.count_events(connection, _COUNTED)
        last = counts.last_event_id(connection)
    states = {state.value: by_state.get(state, 0) for state in RunState}
    yield _labelled("runs", "Runs in each state.", "state", states)
    yield _labelled("verdicts", "Verdicts by outcome, ever.", "outcome", outcomes)
    yield _labelled("submissions", "Submissions by kind, ever.", "kind", kinds)
    events = {kind.value: number for kind, number in happened.items()}
    yield _labelled("events", "Things worth a look, ever.", "kind", events)
    yield _gauge("last_event_id", "The id of the last event.", last)


def _gauge(name: str, text: str, value: float) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    return GaugeMetricFamily(f"iolai_{name}", text, value=value)


def _labelled(name: str, text: str, label: str, values: dict[str, int]) -> Metric:
    from prometheus_client.core import GaugeMetricFamily

    family = GaugeMetricFamily(f"iolai_{name}", text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family
