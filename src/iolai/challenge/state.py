"""Where a challenge stands, derived from its events and the time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.permissions import Scope
from iolai.challenge.service import Actor, Service
from iolai.challenge.settings import ChallengeSettings, settings_from_json
from iolai.errors import DamagedError, NotFoundError
from iolai.records import ChallengeRow, Event, EventKind, Phase, Team
from iolai.store import challenges, teams
from iolai.store.events import list_events

__all__ = [
    "ChallengeState",
    "PhaseChange",
    "find_state",
    "load_state",
    "own_team",
    "phase_changes",
    "scope_of",
    "state_of_id",
]

_KINDS = (
    EventKind.CHALLENGE_DEFINED,
    EventKind.PHASE_SET,
    EventKind.KEY_SET,
    EventKind.PUBLISHED,
)
_ORDER = tuple(Phase)


@dataclass(frozen=True, slots=True)
class PhaseChange:
    """A phase that begins: by the event of this id, or (0) at its time."""

    at: str
    phase: Phase
    event: int = 0

    def is_before(self, at: str, event: int) -> bool:
        """Say whether something of a time and an event's id came before this change.

        Where an event made the change, the order of events decides: a clock may step back.
        """
        return event < self.event if self.event and event else at <= self.at


@dataclass(frozen=True)
class ChallengeState:
    """A challenge at one moment.

    ``key`` is the id of the key that counts, ``problems`` the blob of the problem set (``""``
    where there are none), ``frozen`` since when the public board stands (None: it moves),
    ``closed`` since when the phase is final. ``next_change`` is the time and phase that come
    next, ``published_at`` is ``""`` before. ``is_set`` says that the organiser set the phase.
    """

    row: ChallengeRow
    settings: ChallengeSettings
    at: str
    phase: Phase
    key: str
    problems: str
    frozen: PhaseChange | None = None
    closed: PhaseChange | None = None
    published_at: str = ""
    next_change: tuple[str, Phase] | None = None
    is_set: bool = False

    @property
    def id(self) -> str:
        """The challenge's id."""
        return self.row.id

    @property
    def is_published(self) -> bool:
        """Whether the final board is public."""
        return bool(self.published_at)


def find_state(service: Service, connection: Connection, slug: str) -> ChallengeState:
    """Return where the challenge of a slug stands now; raises NotFoundError where there is none."""
    row = challenges.find_challenge(connection, slug)
    if row is None or row.deleted_at:
        raise NotFoundError(
            f"there is no challenge {slug[:80]!r}", hint="Look at the list of challenges."
        )
    return load_state(connection, row, service.stamp())


def state_of_id(service: Service, connection: Connection, challenge_id: str) -> ChallengeState:
    """Return where the challenge of an id stands now, a deleted one too."""
    row = challenges.get_challenge(connection, challenge_id)
    if row is None:
        raise NotFoundError("there is no such challenge", hint="Look at the list of challenges.")
    return load_state(connection, row, service.stamp())


def load_state(connection: Connection, row: ChallengeRow, at: str) -> ChallengeState:
    """Derive where a challenge stands at a time from its events.

    Raises DamagedError where the events cannot be read as what they should be.
    """
    try:
        return _derived(connection, row, at)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedError(
            f"what is kept of the challenge {row.slug} cannot be read: it is damaged",
            hint="Restore a backup, or take it out of sight with iolai challenge delete.",
        ) from error


def _derived(connection: Connection, row: ChallengeRow, at: str) -> ChallengeState:
    events = list_events(connection, challenge=row.id, kinds=_KINDS)
    defined = _last(events, EventKind.CHALLENGE_DEFINED)
    key = _last(events, EventKind.KEY_SET)
    published = _last(events, EventKind.PUBLISHED)
    if defined is None:
        raise NotFoundError("there is no such challenge", hint="Look at the list of challenges.")
    settings = settings_from_json(defined.data["settings"])  # type: ignore[arg-type]
    past, coming = phase_changes(settings, [e for e in events if e.kind is EventKind.PHASE_SET], at)
    return ChallengeState(
        row=row,
        settings=settings,
        at=at,
        phase=past[-1].phase if past else Phase.PLANNED,
        key=str(key.data["key"]) if key else "",
        problems=str(defined.data.get("problems", "")),
        frozen=_since(past, Phase.FROZEN),
        closed=_since(past, Phase.FINAL),
        published_at=published.at if published and published.data.get("public", True) else "",
        next_change=(coming[0].at, coming[0].phase) if coming else None,
        is_set=bool(past and past[-1].event),
    )


def phase_changes(
    settings: ChallengeSettings, sets: Iterable[Event], at: str
) -> tuple[tuple[PhaseChange, ...], tuple[PhaseChange, ...]]:
    """Return which phases have begun at a time, in their order, and which are to come.

    Phases begin at the times of the settings, unless the organiser set one: that holds until the
    time of a later phase comes. What was set has begun, whatever the clock says now, and the last
    event counts, not the one with the latest time: a clock may step back.
    """
    planned = [
        PhaseChange(settings.registration, Phase.REGISTRATION),
        PhaseChange(settings.open, Phase.OPEN),
        PhaseChange(settings.freeze, Phase.FROZEN),
        PhaseChange(settings.close, Phase.FINAL),
    ]
    if settings.freeze == settings.close:
        del planned[2]
    past: list[PhaseChange] = []
    since = ""
    for event in sets:
        past += _later(planned, past, since, event.at)
        past.append(PhaseChange(event.at, Phase(str(event.data["phase"])), event.id))
        since = event.at
    past += _later(planned, past, since, at)
    return tuple(past), tuple(_later(planned, past, max(since, at), _NEVER))


#: Later than every time as ``clock.stamp`` writes it.
_NEVER = "9999-12-31T23:59:59.999999Z"


def _later(
    planned: Sequence[PhaseChange], past: Sequence[PhaseChange], since: str, until: str
) -> list[PhaseChange]:
    """Return the planned phases after a time and up to another that come after the present one."""
    here = past[-1].phase if past else Phase.PLANNED
    return [
        one
        for one in planned
        if since < one.at <= until and _ORDER.index(one.phase) > _ORDER.index(here)
    ]


def _since(past: Iterable[PhaseChange], first: Phase) -> PhaseChange | None:
    """Return since when the phase has been ``first`` or a later one without a break."""
    since: PhaseChange | None = None
    for change in past:
        is_on = _ORDER.index(change.phase) >= _ORDER.index(first)
        since = (since or change) if is_on else None
    return since


def _last(events: Iterable[Event], kind: EventKind) -> Event | None:
    found = [event for event in events if event.kind is kind]
    return found[-1] if found else None


def scope_of(state: ChallengeState, *, is_member: bool = False) -> Scope:
    """Return what permissions look at."""
    seen = state.settings.seen
    return Scope(
        phase=state.phase,
        is_member=is_member,
        problems_shown=seen.problems_in(state.phase),
        board_shown=(seen.board and state.phase is not Phase.PLANNED) or state.is_published,
        log_shown=seen.log,
        published=state.is_published,
    )


def own_team(connection: Connection, actor: Actor, challenge_id: str) -> Team | None:
    """Return the actor's team in a challenge, or None."""
    return teams.team_of(connection, challenge_id, actor.account) if actor.account else None
