"""Which runs a team has chosen for its final result, and when the choice is locked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from iolai.challenge.permissions import Action, require
from iolai.challenge.receipts import sign
from iolai.challenge.service import Actor, Service
from iolai.challenge.standings import Candidate, candidates
from iolai.challenge.state import ChallengeState, find_state, own_team, scope_of
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.records import Event, EventKind, Phase, RunState, Team, TeamKind
from iolai.store import runs, submissions, teams
from iolai.store.events import add_event, list_events

__all__ = [
    "SelectionView",
    "chosen_by_team",
    "default_selection",
    "lock_selections",
    "select",
    "selection_of",
]


@dataclass(frozen=True, slots=True)
class SelectionView:
    """A team's choice: submissions it chose, those that count where it chose none.

    ``counts`` is what counts now. ``locked`` is set from the close on; ``receipt`` is its signed
    text, ``""`` before.
    """

    chosen: tuple[str, ...]
    default: tuple[str, ...]
    n_selections: int
    locked: bool
    receipt: str = field(default="", repr=False)

    @property
    def counts(self) -> tuple[str, ...]:
        """The submissions of which the best is the team's final result."""
        return self.chosen or self.default


def select(
    service: Service, actor: Actor, slug: str, submission_ids: list[str] | tuple[str, ...]
) -> SelectionView:
    """Choose the runs for one's team's final result; choosing none goes back to the default.

    Raises InputError where there are too many, one is named twice or none of the team's, and
    ConflictError after the close or where one has no score yet.
    """
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        team = own_team(connection, actor, state.id)
        require(actor, Action.SELECT_RUNS, scope_of(state, is_member=team is not None))
        if team is None:  # pragma: no cover -- require has refused who has no team
            raise NotFoundError("you have no team here", hint="Register or join one first.")
        _check(connection, state, team, submission_ids)
        add_event(
            connection,
            EventKind.SELECTED,
            at=service.stamp(),
            author=actor.author,
            challenge=state.id,
            team=team.id,
            data={"submissions": list(submission_ids)},
        )
        return selection_of(connection, state, team)


def _check(
    connection: Connection,
    state: ChallengeState,
    team: Team,
    chosen: list[str] | tuple[str, ...],
) -> None:
    limit = state.settings.n_selections
    if len(chosen) > limit:
        raise InputError(
            f"{len(chosen)} runs are chosen; at most {limit} may be",
            hint=f"Choose the {limit} that should count.",
        )
    if len(set(chosen)) < len(chosen):
        raise InputError("a run is chosen twice", hint="Name each once.")
    own = {one.id for one in submissions.list_submissions(connection, state.id, team_id=team.id)}
    for submission_id in chosen:
        if submission_id not in own:
            raise NotFoundError(
                f"your team has no submission {submission_id[:40]!r}", hint="Check the id."
            )
    scored = {one.submission for one in candidates(connection, state, "public", team_id=team.id)}
    for submission_id in chosen:
        if submission_id not in scored:
            raise ConflictError(
                f"the submission {submission_id} has no score",
                hint="Choose among the submissions that were scored.",
            )


def selection_of(connection: Connection, state: ChallengeState, team: Team) -> SelectionView:
    """Return a team's choice as it stands."""
    mine = candidates(connection, state, "public", team_id=team.id)
    events = list_events(connection, challenge=state.id, team=team.id, kinds=_KINDS)
    picked = [event for event in events if event.kind is EventKind.SELECTED]
    locked = [event for event in events if _is_lock(state, event, picked)]
    return SelectionView(
        chosen=tuple(_texts(picked[-1].data["submissions"])) if picked else (),
        default=default_selection(mine, state.settings.n_selections),
        n_selections=state.settings.n_selections,
        locked=state.phase is Phase.FINAL,
        receipt=str(locked[-1].data["receipt"]) if locked else "",
    )


def _is_lock(state: ChallengeState, event: Event, picked: Sequence[Event]) -> bool:
    """Say whether an event locked what counts now.

    A close that was undone locks no more, and neither does a lock that a choice came after, as
    where the clock stepped back over the close. ``picked`` are the choices of the team.
    """
    if event.kind is not EventKind.SELECTION_LOCKED or state.closed is None:
        return False
    if any(choice.id > event.id for choice in picked):
        return False
    return event.id > state.closed.event if state.closed.event else event.at >= state.closed.at


_KINDS = (EventKind.SELECTED, EventKind.SELECTION_LOCKED)
_UNDECIDED = tuple(state for state in RunState if state is not RunState.DONE)


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def default_selection(mine: Sequence[Candidate], n_selections: int) -> tuple[str, ...]:
    """Return the best submissions by the public score, the earlier first where they tie."""
    scored = [one for one in mine if one.score is not None]
    best = sorted(scored, key=lambda one: (-round(one.score or 0, 4), one.arrival))
    return tuple(one.submission for one in best[:n_selections])


def chosen_by_team(connection: Connection, challenge_id: str) -> dict[str, tuple[str, ...]]:
    """Return what each team that chose has chosen last."""
    found = list_events(connection, challenge=challenge_id, kinds=(EventKind.SELECTED,))
    return {event.team: tuple(_texts(event.data["submissions"])) for event in found}


def lock_selections(service: Service, slug: str) -> int:
    """Write the receipts of all choices once the challenge has closed; return how many were new.

    Harmless to call at any time. What is locked is what was chosen before the close: after it no
    choice is taken. A team whose runs are not all decided gets its receipt when they are.
    """
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        if state.phase is not Phase.FINAL or not _unlocked(connection, state):
            return 0
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        waiting = _unlocked(connection, state) if state.phase is Phase.FINAL else []
        chosen = chosen_by_team(connection, state.id)
        by_team: dict[str, list[Candidate]] = {}
        for one in candidates(connection, state, "public"):
            by_team.setdefault(one.team, []).append(one)
        for team in waiting:
            own = chosen.get(team.id, ())
            best = default_selection(by_team.get(team.id, ()), state.settings.n_selections)
            _lock(service, connection, state, team, chosen=own, counts=own or best)
    return len(waiting)


def _unlocked(connection: Connection, state: ChallengeState) -> list[Team]:
    """Return the teams of people without a receipt whose runs are all decided."""
    events = list_events(connection, challenge=state.id, kinds=_KINDS)
    last = {event.team: event for event in events if event.kind is EventKind.SELECTED}
    done = {
        event.team
        for event in events
        if _is_lock(state, event, [last[event.team]] if event.team in last else [])
    }
    under_way = runs.list_runs(connection, challenge_id=state.id, states=_UNDECIDED)
    done |= {run.team for run in under_way}
    found = teams.list_teams(connection, state.id)
    return [team for team in found if team.kind is TeamKind.TEAM and team.id not in done]


def _lock(
    service: Service,
    connection: Connection,
    state: ChallengeState,
    team: Team,
    *,
    chosen: Sequence[str],
    counts: Sequence[str],
) -> None:
    claims = {
        "what": "selection",
        "challenge": state.settings.slug,
        "team": team.id,
        "team_name": team.name,
        "chosen": list(chosen),
        "counts": list(counts),
        "locked_at": state.closed.at if state.closed else "",
    }
    add_event(
        connection,
        EventKind.SELECTION_LOCKED,
        at=service.stamp(),
        author="service",
        challenge=state.id,
        team=team.id,
        data={"receipt": sign(service, claims), "counts": list(counts)},
    )
