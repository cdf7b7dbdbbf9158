"""Leaving a team: by oneself, or because one's account is closed."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from iolai.records import EventKind, Team
from iolai.store import submissions, teams
from iolai.store.events import add_event

__all__ = ["take_out", "take_out_of_all"]


def take_out(
    connection: Connection, team: Team, account: str, *, at: str, author: str, reason: str = ""
) -> None:
    """Take an account out of a team, in the caller's transaction.

    A team that is then empty and never handed anything in is closed, and its name is free again;
    one that did stays, with its results, and its join code lets in whoever was given it.
    """
    note = partial(
        add_event, connection, at=at, author=author, challenge=team.challenge, team=team.id
    )
    teams.remove_member(connection, team.challenge, account)
    note(EventKind.MEMBER_LEFT, reason=reason, data={"account": account})
    is_empty = not teams.list_members(connection, team.id)
    if is_empty and not submissions.list_submissions(connection, team.challenge, team_id=team.id):
        teams.close_team(connection, team.id, at)
        note(EventKind.TEAM_CLOSED, reason="nobody is in it")


def take_out_of_all(
    connection: Connection, account: str, *, at: str, author: str, reason: str
) -> None:
    """Take an account out of all its teams, so that others can have its places."""
    for team in teams.teams_of_account(connection, account):
        take_out(connection, team, account, at=at, author=author, reason=reason)
