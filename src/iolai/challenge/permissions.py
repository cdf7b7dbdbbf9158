"""Who may do what: one table, asked by every function of the door before anything else.

A rule says which roles may whatever the object, whether the members of the object's team may,
and a flag of the object under which everybody may. Where ``hidden`` is set, whoever may not is
told that there is no such thing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from iolai.challenge.service import Actor
from iolai.errors import ConflictError, ForbiddenError, NotFoundError
from iolai.records import Phase, Role

__all__ = ["RULES", "Action", "Rule", "Scope", "may", "require"]


class Action(StrEnum):
    """Everything that can be asked of the service."""

    VIEW_CHALLENGE = "view_challenge"
    VIEW_PROBLEMS = "view_problems"
    VIEW_BOARD = "view_board"
    VIEW_FINAL_BOARD = "view_final_board"
    REGISTER_TEAM = "register_team"
    LEAVE_TEAM = "leave_team"
    VIEW_TEAM = "view_team"
    UPLOAD = "upload"
    SUBMIT = "submit"
    SELECT_RUNS = "select_runs"
    VIEW_SUBMISSION = "view_submission"
    VIEW_LOG = "view_log"
    OWN_ACCOUNT = "own_account"
    VIEW_MARKING = "view_marking"
    VIEW_PAPER = "view_paper"
    MARK = "mark"
    MANAGE_JURY = "manage_jury"
    UNSEAL = "unseal"
    OPEN_EARLY = "open_early"
    VIEW_JURY_RESULT = "view_jury_result"
    CREATE_CHALLENGE = "create_challenge"
    MANAGE_CHALLENGE = "manage_challenge"
    MANAGE_TEAMS = "manage_teams"
    VIEW_PRIVATE_SCORES = "view_private_scores"
    REJUDGE = "rejudge"
    SET_KEY = "set_key"
    VIEW_QUEUE = "view_queue"
    VIEW_AUDIT = "view_audit"
    REVEAL_KEY = "reveal_key"
    MANAGE_ACCOUNTS = "manage_accounts"
    BACK_UP = "back_up"


@dataclass(frozen=True, slots=True)
class Scope:
    """What an action is on: where its challenge stands, and whether it is the actor's own team's.

    The flags say what the challenge's settings show in this phase. Of a paper of the jury,
    ``is_member`` says that the actor is one of those who mark it.
    """

    phase: Phase | None = None
    is_member: bool = False
    problems_shown: bool = False
    board_shown: bool = False
    log_shown: bool = False
    published: bool = False
    jury_released: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may: ``roles`` always (None: who has not logged in), the members of the team, everybody
    where the scope's ``flag`` is set. ``member_flag`` must be set too for members. ``phases``
    hold for whoever may."""

    roles: frozenset[Role | None] = frozenset()
    members: bool = False
    flag: str = ""
    member_flag: str = ""
    phases: frozenset[Phase] = frozenset(Phase)
    hidden: bool = False


_DESK = frozenset({Role.ORGANISER, Role.ADMIN})
_ADMIN = frozenset({Role.ADMIN})
_ALL = frozenset({None, *Role})
_RUNNING = frozenset({Phase.OPEN, Phase.FROZEN})
_BEFORE_END = frozenset({Phase.REGISTRATION, Phase.OPEN, Phase.FROZEN})
_OWN = Rule(_DESK, members=True, hidden=True)

RULES: dict[Action, Rule] = {
    Action.VIEW_CHALLENGE: Rule(_ALL),
    Action.VIEW_PROBLEMS: Rule(_DESK | {Role.JUROR}, flag="problems_shown"),
    Action.VIEW_BOARD: Rule(_DESK | {Role.JUROR}, flag="board_shown"),
    Action.VIEW_FINAL_BOARD: Rule(_DESK, flag="published", hidden=True),
    Action.REGISTER_TEAM: Rule(frozenset({Role.PARTICIPANT}), phases=_BEFORE_END),
    Action.LEAVE_TEAM: Rule(members=True, hidden=True, phases=_BEFORE_END),
    Action.VIEW_TEAM: _OWN,
    Action.UPLOAD: Rule(frozenset({Role.PARTICIPANT})),
    Action.SUBMIT: Rule(members=True, phases=_RUNNING),
    Action.SELECT_RUNS: Rule(members=True, phases=_RUNNING),
    Action.VIEW_SUBMISSION: _OWN,
    Action.VIEW_LOG: replace(_OWN, member_flag="log_shown"),
    Action.OWN_ACCOUNT: Rule(frozenset(Role)),
    Action.VIEW_MARKING: Rule(_DESK | {Role.JUROR}),
    # Of papers, members are the jurors who mark them: a desk's role alone opens none.
    Action.VIEW_PAPER: Rule(members=True, hidden=True),
    Action.MARK: Rule(members=True, hidden=True),
    Action.MANAGE_JURY: Rule(_DESK),
    Action.UNSEAL: Rule(_DESK),
    Action.OPEN_EARLY: Rule(_ADMIN),
    Action.VIEW_JURY_RESULT: Rule(_DESK | {Role.JUROR}, flag="jury_released", hidden=True),
    Action.CREATE_CHALLENGE: Rule(_DESK),
    Action.MANAGE_CHALLENGE: Rule(_DESK),
    Action.MANAGE_TEAMS: Rule(_DESK),
    Action.VIEW_PRIVATE_SCORES: Rule(_DESK, hidden=True),
    Action.REJUDGE: Rule(_DESK),
    Action.SET_KEY: Rule(_DESK),
    Action.VIEW_QUEUE: Rule(_DESK),
    Action.VIEW_AUDIT: Rule(_DESK),
    Action.REVEAL_KEY: Rule(_ADMIN),
    Action.MANAGE_ACCOUNTS: Rule(_ADMIN),
    Action.BACK_UP: Rule(_ADMIN),
}
_NOWHERE = Scope()


def may(actor: Actor, action: Action, scope: Scope = _NOWHERE) -> bool:
    """Say whether the actor may do this now."""
    rule = RULES[action]
    return _has_right(actor, rule, scope) and _is_time(rule, scope)


def require(actor: Actor, action: Action, scope: Scope = _NOWHERE, *, what: str = "page") -> None:
    """Raise unless the actor may do this now.

    NotFoundError where even the existence of ``what`` is hidden, ForbiddenError where it is not
    for this actor, ConflictError where it is not for this phase.
    """
    rule = RULES[action]
    if not _has_right(actor, rule, scope):
        if rule.hidden:
            raise NotFoundError(f"there is no such {what}", hint="Check the address.")
        raise _refused(actor, action)
    if not _is_time(rule, scope):
        named = ", ".join(phase for phase in Phase if phase in rule.phases)
        raise ConflictError(
            f"this is not possible while the challenge is in the phase {scope.phase}",
            hint=f"It is possible in the phases: {named}.",
        )


def _has_right(actor: Actor, rule: Rule, scope: Scope) -> bool:
    if actor.role in rule.roles:
        return True
    if rule.members and scope.is_member:
        return not rule.member_flag or bool(getattr(scope, rule.member_flag))
    return bool(rule.flag) and bool(getattr(scope, rule.flag))


def _is_time(rule: Rule, scope: Scope) -> bool:
    return scope.phase is None or scope.phase in rule.phases


def _refused(actor: Actor, action: Action) -> ForbiddenError:
    asked = action.replace("_", " ")
    if actor.role is None:
        return ForbiddenError(f"this needs an account: {asked}", hint="Log in first.")
    return ForbiddenError(
        f"this is not for the role {actor.role}: {asked}", hint="Ask an organiser if it should be."
    )
