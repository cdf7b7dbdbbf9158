"""Where a challenge stands, derived from its events and the time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.permissions import Scope
from iolai.challenge.service import Actor, Service
from iolai.challenge.settings import ChallengeSettings, settings_from_json
from iolai.errors import NotFoundError
from iolai.records import ChallengeRow, Event, EventKind, Phase, Team
from iolai.store import challenges, teams
from iolai.store.events import list_events

__all__ = [
    "ChallengeState",
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


@dataclass(frozen=True)
class ChallengeState:
    """A challenge at one moment.

    ``key`` is the id of the key that counts, ``problems`` the blob of the problem set (``""``
    where there are none), ``frozen_at`` since when the public board stands (``""``: it moves),
    ``closed_at`` since when the phase is final. ``next_change`` is the time and phase that come
    next, ``published_at`` is ``""`` before. ``is_set`` says that the organiser set the phase.
    """

    row: ChallengeRow
    settings: ChallengeSettings
    at: str
    phase: Phase
    key: str
    problems: str
    frozen_at: str = ""
    closed_at: str = ""
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
    """Derive where a challenge stands at a time from its events."""
    events = list_events(connection, challenge=row.id, kinds=_KINDS)
    defined = _last(events, EventKind.CHALLENGE_DEFINED)
    key = _last(events, EventKind.KEY_SET)
    published = _last(events, EventKind.PUBLISHED)
    if defined is None:
        raise NotFoundError("there is no such challenge", hint="Look at the list of challenges.")
    settings = settings_from_json(defined.data["settings"])  # type: ignore[arg-type]
    changes = phase_changes(settings, [e for e in events if e.kind is EventKind.PHASE_SET])
    past = [change for change in changes if change[0] <= at]
    phase = past[-1][1] if past else Phase.PLANNED
    coming = next((change for change in changes if change[0] > at), None)
    return ChallengeState(
        row=row,
        settings=settings,
        at=at,
        phase=phase,
        key=str(key.data["key"]) if key else "",
        problems=str(defined.data.get("problems", "")),
        frozen_at=_since(past, Phase.FROZEN),
        closed_at=_since(past, Phase.FINAL),
        published_at=published.at if published and published.data.get("public", True) else "",
        next_change=coming,
        is_set=any(
            e.at <= at and e.data["phase"] == phase for e in events if e.kind is EventKind.PHASE_SET
        ),
    )


def phase_changes(
    settings: ChallengeSettings, sets: Iterable[Event]
) -> tuple[tuple[str, Phase], ...]:
    """Return when which phase begins, in the order of time.

    Phases begin at the times of the settings, unless the organiser set one: that holds until the
    time of a later phase comes.
    """
    planned = [
        (settings.registration, Phase.REGISTRATION),
        (settings.open, Phase.OPEN),
        (settings.freeze, Phase.FROZEN),
        (settings.close, Phase.FINAL),
    ]
    if settings.freeze == settings.close:
        del planned[2]
    moments = [(at, 0, phase) for at, phase in planned]
    moments += [(event.at, 1, Phase(str(event.data["phase"]))) for event in sets]
    changes: list[tuple[str, Phase]] = []
    for at, is_set, phase in sorted(moments, key=lambda moment: moment[:2]):
        here = changes[-1][1] if changes else Phase.PLANNED
        if is_set or _ORDER.index(phase) > _ORDER.index(here):
            changes.append((at, phase))
    return tuple(changes)


def _since(past: list[tuple[str, Phase]], first: Phase) -> str:
    """Return since when the phase has been ``first`` or a later one without a break."""
    since = ""
    for at, phase in past:
        is_on = _ORDER.index(phase) >= _ORDER.index(first)
        since = (since or at) if is_on else ""
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
