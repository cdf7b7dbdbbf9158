"""What the organiser's desk looks up beside the queue: the audit log, faults of the platform."""

from __future__ import annotations

from datetime import timedelta

from iolai.challenge.clock import stamp
from iolai.challenge.permissions import Action, require
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import find_state, scope_of, state_of_id
from iolai.challenge.telling import with_names
from iolai.records import Event, EventKind
from iolai.store.events import list_events

__all__ = ["audit_log", "recent_faults", "slug_of"]

_FAULT_KINDS = (EventKind.RUN_RETRIED, EventKind.VERDICT, EventKind.WORKER_LOST)
_MOST_FAULTS = 500


def audit_log(
    service: Service, actor: Actor, slug: str, *, before: int | None = None, limit: int = 100
) -> tuple[Event, ...]:
    """Return events of a challenge, the newest first, with names in place of accounts' ids.

    ``before`` is an id that all are smaller than: that of the last event of the page before.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.VIEW_AUDIT, scope_of(state))
        found = list_events(
            connection, challenge=state.id, before_id=before, limit=limit, newest_first=True
        )
        return with_names(connection, found)


def recent_faults(service: Service, actor: Actor, slug: str) -> tuple[Event, ...]:
    """Return the faults of the platform in the last 24 hours, the newest first."""
    since = stamp(service.now() - timedelta(days=1))
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.VIEW_QUEUE, scope_of(state))
        found = list_events(
            connection,
            challenge=state.id,
            kinds=_FAULT_KINDS,
            limit=_MOST_FAULTS,
            newest_first=True,
        )
    return tuple(event for event in found if event.at >= since and _is_fault(event))


def _is_fault(event: Event) -> bool:
    is_verdict = event.kind is EventKind.VERDICT
    return not is_verdict or event.data.get("outcome") == "platform_fault"


def slug_of(service: Service, challenge_id: str) -> str:
    """Return the slug of a challenge by its id; raises NotFoundError where there is none."""
    with service.store.read() as connection:
        return state_of_id(service, connection, challenge_id).settings.slug
