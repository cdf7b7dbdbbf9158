"""Worker processes and their heartbeats."""

from __future__ import annotations

from sqlalchemy import Connection, select

from iolai.records import WorkerRow
from iolai.store import tables
from iolai.store.rows import add, all_of, one_of

__all__ = ["add_worker", "beat", "end_worker", "get_worker", "list_workers"]

_WORKER = tables.worker


def add_worker(connection: Connection, worker: WorkerRow) -> None:
    """Insert a worker."""
    add(connection, _WORKER, worker)


def get_worker(connection: Connection, worker_id: str) -> WorkerRow | None:
    """Return a worker by its id."""
    return one_of(connection, WorkerRow, select(_WORKER).where(_WORKER.c.id == worker_id))


def beat(connection: Connection, worker_id: str, at: str) -> None:
    """Note that a worker is alive."""
    connection.execute(_WORKER.update().where(_WORKER.c.id == worker_id).values(heartbeat_at=at))


def end_worker(connection: Connection, worker_id: str, at: str) -> None:
    """Note that a worker is gone, by itself or found dead."""
    connection.execute(_WORKER.update().where(_WORKER.c.id == worker_id).values(ended_at=at))


def list_workers(connection: Connection, *, ended: bool = False) -> tuple[WorkerRow, ...]:
    """Return the workers that have not ended, or all of them, the oldest first."""
    query = select(_WORKER).order_by(_WORKER.c.started_at, _WORKER.c.id)
    if not ended:
        query = query.where(_WORKER.c.ended_at == "")
    return all_of(connection, WorkerRow, query)
