"""The check that what is looked up is what the events say.

Rows that are cheap to look up (a run's state, who is in which team, an account's role) are derived
from events. ``differences`` derives them anew from the events alone and compares.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import Connection

from iolai.challenge.permissions import Action, require
from iolai.challenge.service import Actor, Service
from iolai.records import Event, EventKind, ProposalState, RunState
from iolai.store.dumping import rows_of
from iolai.store.events import list_events

__all__ = ["Derived", "derive", "differences", "differences_now"]


@dataclass
class Derived:
    """What events say that stands now, by id."""

    roles: dict[str, str] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    members: dict[tuple[str, str], str] = field(default_factory=dict)
    submissions: set[str] = field(default_factory=set)
    runs: dict[str, tuple[str, int, str]] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    decided: dict[str, tuple[str, str]] = field(default_factory=dict)
    proposals: dict[str, str] = field(default_factory=dict)
    closed_teams: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)


def derive(events: Iterable[Event]) -> Derived:
    """Derive what stands from events alone, in their order."""
    made = Derived()
    for event in events:
        _take_account(made, event)
        _take_team(made, event)
        _take_run(made, event)
        _take_proposal(made, event)
    return made


def _take_account(made: Derived, event: Event) -> None:
    account = str(event.data.get("account", ""))
    if event.kind in (EventKind.ACCOUNT_MADE, EventKind.ROLE_SET):
        made.roles[account] = str(event.data["role"])
    elif event.kind is EventKind.ACCOUNT_DELETED:
        made.closed.add(account)


def _take_team(made: Derived, event: Event) -> None:
    place = (event.challenge, str(event.data.get("account", "")))
    if event.kind is EventKind.MEMBER_JOINED:
        made.members[place] = event.team
    elif event.kind is EventKind.MEMBER_LEFT:
        made.members.pop(place, None)
    elif event.kind is EventKind.TEAM_CLOSED:
        made.closed_teams.add(event.team)
    elif event.kind is EventKind.CHALLENGE_DELETED:
        made.deleted.add(event.challenge)


def _take_run(made: Derived, event: Event) -> None:
    if event.kind is EventKind.SUBMISSION_ACCEPTED:
        made.submissions.add(event.submission)
    elif event.kind is EventKind.RUN_QUEUED:
        tag, proposal = event.data["tag"], str(event.data["proposal"])
        made.runs[event.run] = (event.submission, int(str(tag)), proposal)
        made.states[event.run] = RunState.QUEUED.value
    elif event.kind is EventKind.RUN_STEP:
        made.states[event.run] = str(event.data["state"])
    elif event.kind is EventKind.RUN_RETRIED:
        made.states[event.run] = RunState.QUEUED.value
    elif event.kind is EventKind.VERDICT:
        made.states[event.run] = RunState.DONE.value
        made.decided[event.run] = (str(event.data["outcome"]), str(event.data["owner"]))


def _take_proposal(made: Derived, event: Event) -> None:
    states = {
        EventKind.PROPOSAL_MADE: "open",
        EventKind.PROPOSAL_APPLIED: ProposalState.APPLIED.value,
        EventKind.PROPOSAL_CANCELLED: ProposalState.CANCELLED.value,
    }
    if event.kind in states:
        made.proposals[str(event.data["proposal"])] = states[event.kind]


_COMPARED = (
    "members",
    "submissions",
    "runs",
    "states",
    "decided",
    "proposals",
    "closed_teams",
    "deleted",
)


def differences(service: Service, actor: Actor) -> tuple[str, ...]:
    """Return where the rows of this home are not what its events say; nothing where all is well.

    Accounts that came with an import have no event of their making here and are left out.
    """
    require(actor, Action.VIEW_AUDIT)
    with service.store.read() as connection:
        return differences_now(connection)


def differences_now(connection: Connection) -> tuple[str, ...]:
    """Return the differences as they stand inside a transaction."""
    made = derive(list_events(connection))
    stored = _stored(connection)
    found = [
        f"{what}: {_shown(getattr(made, what), getattr(stored, what))}"
        for what in _COMPARED
        if getattr(made, what) != getattr(stored, what)
    ]
    found += [
        f"account {account}: {role} by the events"
        for account, role in made.roles.items()
        if stored.roles.get(account) != role
    ]
    found += [f"account {one}: closed by the events" for one in made.closed - stored.closed]
    return tuple(found)


def _shown(events: object, rows: object) -> str:
    of_events, of_rows = _lines(events), _lines(rows)
    odd = sorted(of_events ^ of_rows)
    where = "the events alone" if odd[0] in of_events else "the rows alone"
    return f"{len(odd)} differ, first {odd[0]} in {where}"


def _lines(value: object) -> set[str]:
    if isinstance(value, dict):
        return {f"{name}={one}" for name, one in value.items()}
    return {str(one) for one in value} if isinstance(value, set) else set()


def _stored(connection: Connection) -> Derived:
    made = Derived()
    for row in rows_of(connection, "account"):
        made.roles[row["id"]] = row["role"]
        if row["deleted_at"]:
            made.closed.add(row["id"])
    for row in rows_of(connection, "member"):
        made.members[row["challenge"], row["account"]] = row["team"]
    made.submissions = {row["id"] for row in rows_of(connection, "submission")}
    for row in rows_of(connection, "run"):
        made.runs[row["id"]] = (row["submission"], row["tag"], row["proposal"])
        made.states[row["id"]] = row["state"]
    for row in rows_of(connection, "verdict"):
        made.decided[row["run"]] = (row["outcome"], row["owner"])
    under_way = (ProposalState.COMPUTING.value, ProposalState.READY.value)
    for row in rows_of(connection, "proposal"):
        made.proposals[row["id"]] = "open" if row["state"] in under_way else row["state"]
    made.closed_teams = {row["id"] for row in rows_of(connection, "team") if row["deleted_at"]}
    made.deleted = {row["id"] for row in rows_of(connection, "challenge") if row["deleted_at"]}
    return made
