"""The daily quota: how many submissions a team has left on this UTC day."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.clock import day_after
from iolai.challenge.state import ChallengeState
from iolai.errors import QuotaError
from iolai.records import EventKind, Team
from iolai.store import submissions
from iolai.store.events import list_events

__all__ = ["QuotaView", "quota_of", "require_quota"]


@dataclass(frozen=True, slots=True)
class QuotaView:
    """A team's quota on the UTC day ``day``; ``resets_at`` is when the next day begins."""

    used: int
    per_day: int
    day: str
    resets_at: str

    @property
    def left(self) -> int:
        """How many submissions are left today."""
        return max(0, self.per_day - self.used)


def quota_of(
    connection: Connection, state: ChallengeState, team: Team, account: str = ""
) -> QuotaView:
    """Return a team's quota at the time of the state, as it is for a member.

    What was handed in today by teams that the account left today counts too, so that nobody gets
    a fresh quota by leaving a team.
    """
    day = state.at[:10]
    counted = {team.id, *(_left_today(connection, state, account) if account else ())}
    used = submissions.count_that_cost(connection, counted, day)
    return QuotaView(used, state.settings.quota_per_day, day, day_after(state.at))


def _left_today(connection: Connection, state: ChallengeState, account: str) -> set[str]:
    left = list_events(connection, challenge=state.id, kinds=(EventKind.MEMBER_LEFT,))
    day = state.at[:10]
    return {e.team for e in left if e.at >= day and e.data.get("account") == account}


def require_quota(
    connection: Connection, state: ChallengeState, team: Team, account: str
) -> QuotaView:
    """Return the quota as it is with one more submission; raises QuotaError where none is left.

    To be called in the write transaction that accepts the submission.
    """
    quota = quota_of(connection, state, team, account)
    if not quota.left:
        raise QuotaError(
            f"the quota of {quota.per_day} submissions for {quota.day} (UTC) is used up",
            hint=f"The next day begins at {quota.resets_at[:16]}Z.",
            next_at=quota.resets_at,
        )
    return QuotaView(quota.used + 1, quota.per_day, quota.day, quota.resets_at)
