"""What is known of an entry before it is ranked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from iolai.records import BASELINE, BoardLine, Difference, PredictionSet, Score

__all__ = ["BoardEntry", "submission_time"]


@dataclass(frozen=True)
class BoardEntry:
    """One entry: its score where it was scored, its published line where there is one.

    ``differences`` is what ``verify`` found, None where nothing was compared. ``selected`` says
    whether the team chose this run to count, None where that is not known. ``arrival`` numbers
    entries in the order in which they came, where that is known better than by ``submitted_at``:
    of equal scores the lower number stands first.
    """

    team: str
    submitted_at: str = ""
    account_type: str = ""
    model: str = ""
    score: Score | None = None
    predictions: PredictionSet | None = None
    published: BoardLine | None = None
    differences: tuple[Difference, ...] | None = None
    selected: bool | None = None
    arrival: int = 0

    @property
    def is_scored(self) -> bool:
        """Whether it was scored here against a key with points."""
        return self.score is not None and self.score.overall.score is not None

    @property
    def is_baseline(self) -> bool:
        """Whether it stands between the ranks: a baseline that was not published with a rank."""
        is_ranked = self.published is not None and self.published.rank is not None
        return self.account_type == BASELINE and not is_ranked

    @property
    def state(self) -> str:
        """The entry's state, one of ``records.board.STATES``."""
        if not self.is_scored:
            return "unscored" if self.published is None else "published"
        if self.differences is None:
            return "scored"
        return "differs" if self.differences else "recomputed"

    @property
    def ranked_score(self) -> float | None:
        """The score it is ranked by, in [0, 1], or None."""
        if self.score is not None and self.score.overall.score is not None:
            return self.score.overall.score
        return None if self.published is None else self.published.score


def submission_time(text: str) -> tuple[bool, float, str]:
    """Return a sort key for a time of submission: the earlier first, unreadable ones last.

    Reads ISO 8601 with a space or a ``T``; a time without a zone is UTC, as on the board.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return (True, 0.0, text)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (False, aware.timestamp(), "")
