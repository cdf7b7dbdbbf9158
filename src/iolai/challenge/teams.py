"""Teams: registering, joining, leaving; what a team sees of itself; disqualifying."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.membership import take_out
from iolai.challenge.names import checked_name, fold_name
from iolai.challenge.permissions import Action, require
from iolai.challenge.quota import QuotaView, quota_of
from iolai.challenge.secrets import new_id
from iolai.challenge.selections import SelectionView, lock_selections, select, selection_of
from iolai.challenge.service import Actor, Service
from iolai.challenge.standings import disqualified_teams
from iolai.challenge.state import ChallengeState, find_state, own_team, scope_of
from iolai.challenge.telling import reason_data
from iolai.challenge.views import SubmissionView, views_of
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.records import EventKind, Phase, Team, TeamKind
from iolai.store import teams as rows
from iolai.store.events import add_event
from iolai.store.submissions import list_submissions

__all__ = [
    "MemberView",
    "TeamLine",
    "TeamView",
    "create_team",
    "disqualify",
    "join",
    "leave",
    "list_teams",
    "my_team",
    "new_join_code",
    "reinstate",
    "remove_member",
    "select",
    "view_team",
]


@dataclass(frozen=True, slots=True)
class MemberView:
    """A member of a team."""

    account: str
    name: str


@dataclass(frozen=True)
class TeamView:
    """What a team sees of itself. ``outcomes`` counts its decided runs by outcome.

    ``join_code`` lets others join: it is shown to members alone. ``disqualified`` is the reason,
    ``""`` where it is not.
    """

    team: Team
    join_code: str
    members: tuple[MemberView, ...]
    quota: QuotaView
    submissions: tuple[SubmissionView, ...]
    selection: SelectionView
    outcomes: dict[str, int]
    disqualified: str = ""

    @property
    def n_decided(self) -> int:
        """How many runs have a verdict."""
        return sum(self.outcomes.values())

    @property
    def share_ok(self) -> float | None:
        """The share of decided runs that succeeded, None where none is decided."""
        return self.outcomes.get("ok", 0) / self.n_decided if self.n_decided else None


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A team in the organiser's list."""

    team: Team
    members: tuple[MemberView, ...]
    quota: QuotaView
    n_submissions: int
    disqualified: str


def create_team(service: Service, actor: Actor, slug: str, name: str) -> Team:
    """Register a team and be its first member; its join code lets others in.

    Raises ConflictError where the name is taken, the actor has a team already, or registration
    is not open.
    """
    shown = checked_name(name)
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.REGISTER_TEAM, scope_of(state))
        _require_teamless(connection, actor, state)
        if rows.find_team_named(connection, state.id, fold_name(shown)) is not None:
            raise ConflictError(f"a team is named {shown!r}", hint="Choose another name.")
        team = Team(new_id(), state.id, shown, state.at, new_id())
        rows.add_team(connection, team, fold_name(shown))
        _note(connection, actor, state, team, EventKind.TEAM_REGISTERED, name=shown)
        _enter(connection, actor, state, team)
    return team


def join(service: Service, actor: Actor, slug: str, code: str) -> Team:
    """Join the team whose join code this is.

    Raises NotFoundError for a wrong code, ConflictError where the team is full or the actor has
    one already.
    """
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.REGISTER_TEAM, scope_of(state))
        _require_teamless(connection, actor, state)
        team = rows.find_team_by_code(connection, state.id, code.strip())
        if team is None or team.deleted_at or team.kind is not TeamKind.TEAM:
            raise NotFoundError("no team has this join code", hint="Ask a member of the team.")
        if rows.count_members(connection, team.id) >= state.settings.team_size:
            raise ConflictError(
                f"the team has {state.settings.team_size} members, and no more may join",
                hint="Register a team of your own.",
            )
        _enter(connection, actor, state, team)
    return team


def leave(service: Service, actor: Actor, slug: str) -> None:
    """Leave one's team; what it submitted stays the team's (see ``membership``).

    Raises ConflictError where the team is disqualified: its members would start anew.
    """
    with service.store.write() as connection:
        state, team = _mine(service, connection, actor, slug, Action.LEAVE_TEAM)
        if team.id in disqualified_teams(connection, state.id):
            raise ConflictError(
                "your team is disqualified, and nobody can leave it now",
                hint="Speak with the organiser, who can reinstate it.",
            )
        take_out(connection, team, actor.account, at=state.at, author=actor.author)


def new_join_code(service: Service, actor: Actor, slug: str) -> str:
    """Give one's team another join code; the old one works no more."""
    code = new_id()
    with service.store.write() as connection:
        _, team = _mine(service, connection, actor, slug, Action.LEAVE_TEAM)
        rows.set_join_code(connection, team.id, code)
    return code


def remove_member(service: Service, actor: Actor, slug: str, name: str) -> str:
    """Take somebody who joined after oneself out of one's team, and return its new join code.

    The old code works no more, so that whoever was taken out does not come back with it. Raises
    InputError where nobody of that name is in the team, ConflictError for oneself, for who joined
    earlier, and where the team is disqualified.
    """
    code = new_id()
    with service.store.write() as connection:
        state, team = _mine(service, connection, actor, slug, Action.LEAVE_TEAM)
        order = [(one.id, fold_name(one.name)) for one in rows.list_members(connection, team.id)]
        found = [account for account, folded in order if folded == fold_name(name)]
        if not found:
            raise InputError(
                f"nobody named {name[:60]!r} is in the team", hint="Name one of its members."
            )
        accounts = [account for account, _ in order]
        if accounts.index(found[0]) <= accounts.index(actor.account):
            raise ConflictError(
                "only those who joined after you can be taken out",
                hint="Leave the team yourself, or ask who was in it first.",
            )
        if team.id in disqualified_teams(connection, state.id):
            raise ConflictError(
                "your team is disqualified, and stays as it is",
                hint="Speak with the organiser, who can reinstate it.",
            )
        reason = "taken out by another member"
        take_out(connection, team, found[0], at=state.at, author=actor.author, reason=reason)
        rows.set_join_code(connection, team.id, code)
    return code


def _enter(connection: Connection, actor: Actor, state: ChallengeState, team: Team) -> None:
    rows.add_member(
        connection,
        challenge_id=state.id,
        account_id=actor.account,
        team_id=team.id,
        at=state.at,
    )
    _note(connection, actor, state, team, EventKind.MEMBER_JOINED, account=actor.account)


def _require_teamless(connection: Connection, actor: Actor, state: ChallengeState) -> None:
    if not actor.account:
        raise InputError("this needs an account", hint="Log in with an account first.")
    mine = own_team(connection, actor, state.id)
    if mine is not None:
        raise ConflictError(f"you are in the team {mine.name}", hint="Leave it first.")


def _mine(
    service: Service, connection: Connection, actor: Actor, slug: str, action: Action
) -> tuple[ChallengeState, Team]:
    state = find_state(service, connection, slug)
    team = own_team(connection, actor, state.id)
    require(actor, action, scope_of(state, is_member=team is not None), what="team of yours")
    if team is None:
        raise NotFoundError(
            "you have no team in this challenge", hint="Register a team, or join one by its code."
        )
    return state, team


def my_team(service: Service, actor: Actor, slug: str) -> TeamView:
    """Return one's team; raises NotFoundError where one has none."""
    if _is_final(service, slug):
        lock_selections(service, slug)
    with service.store.read() as connection:
        state, team = _mine(service, connection, actor, slug, Action.VIEW_TEAM)
        return _view(service, connection, actor, state, team)


def view_team(service: Service, actor: Actor, slug: str, team_id: str) -> TeamView:
    """Return any team, for an organiser; for a member their own."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        mine = own_team(connection, actor, state.id)
        is_member = mine is not None and mine.id == team_id
        require(actor, Action.VIEW_TEAM, scope_of(state, is_member=is_member), what="team")
        team = _team(connection, state, team_id)
        return _view(service, connection, actor, state, team)


def _is_final(service: Service, slug: str) -> bool:
    with service.store.read() as connection:
        return find_state(service, connection, slug).phase is Phase.FINAL


def _team(connection: Connection, state: ChallengeState, team_id: str) -> Team:
    team = rows.get_team(connection, team_id)
    if team is None or team.challenge != state.id:
        raise NotFoundError("there is no such team", hint="Check the address.")
    return team


def _view(
    service: Service, connection: Connection, actor: Actor, state: ChallengeState, team: Team
) -> TeamView:
    newest_first = list_submissions(connection, state.id, team_id=team.id)[::-1]
    views = views_of(service, connection, actor, state, team, newest_first)
    outcomes: dict[str, int] = {}
    for view in views:
        if view.verdict is not None:
            outcome = view.verdict.outcome
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return TeamView(
        team=team,
        join_code=team.join_code,
        members=_members(connection, team),
        quota=quota_of(connection, state, team, actor.account),
        submissions=views,
        selection=selection_of(connection, state, team),
        outcomes=outcomes,
        disqualified=disqualified_teams(connection, state.id).get(team.id, ""),
    )


def _members(connection: Connection, team: Team) -> tuple[MemberView, ...]:
    return tuple(MemberView(m.id, m.name) for m in rows.list_members(connection, team.id))


def list_teams(service: Service, actor: Actor, slug: str) -> tuple[TeamLine, ...]:
    """Return all teams with their quotas, for an organiser."""
    with service.store.read() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.MANAGE_TEAMS, scope_of(state))
        out = disqualified_teams(connection, state.id)
        return tuple(
            TeamLine(
                team,
                _members(connection, team),
                quota_of(connection, state, team),
                len(list_submissions(connection, state.id, team_id=team.id)),
                out.get(team.id, ""),
            )
            for team in rows.list_teams(connection, state.id)
        )


def disqualify(
    service: Service,
    actor: Actor,
    slug: str,
    team_id: str,
    reason: str,
    *,
    show_reason: bool = False,
) -> None:
    """Take a team off the boards; its submissions stay, and it may be reinstated."""
    data = reason_data(show=show_reason)
    _set_standing(service, actor, slug, team_id, reason, EventKind.DISQUALIFIED, data)


def reinstate(
    service: Service,
    actor: Actor,
    slug: str,
    team_id: str,
    reason: str,
    *,
    show_reason: bool = False,
) -> None:
    """Put a disqualified team back on the boards."""
    data = reason_data(show=show_reason)
    _set_standing(service, actor, slug, team_id, reason, EventKind.REINSTATED, data)


def _set_standing(
    service: Service,
    actor: Actor,
    slug: str,
    team_id: str,
    reason: str,
    kind: EventKind,
    data: dict[str, object],
) -> None:
    with service.store.write() as connection:
        state = find_state(service, connection, slug)
        require(actor, Action.MANAGE_TEAMS, scope_of(state))
        if not reason.strip():
            raise InputError("a reason is wanted", hint="The team and the audit log will show it.")
        team = _team(connection, state, team_id)
        is_out = team.id in disqualified_teams(connection, state.id)
        if is_out == (kind is EventKind.DISQUALIFIED):
            raise ConflictError(
                f"{team.name} {'is disqualified already' if is_out else 'is not disqualified'}",
                hint="Look at the team's events.",
            )
        _note(connection, actor, state, team, kind, reason=reason, **data)


def _note(
    connection: Connection,
    actor: Actor,
    state: ChallengeState,
    team: Team,
    kind: EventKind,
    *,
    reason: str = "",
    **data: object,
) -> None:
    add_event(
        connection,
        kind,
        at=state.at,
        author=actor.author,
        challenge=state.id,
        team=team.id,
        reason=reason,
        data=data,
    )
