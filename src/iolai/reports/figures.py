"""How figures are written in reports: scores x100 with 2 decimals, a dash where there is none."""

from __future__ import annotations

from iolai.records import canonical_id
from iolai.stats import Interval

__all__ = [
    "DASH",
    "STATE_WORDS",
    "count",
    "hundredfold",
    "interval_text",
    "percent",
    "problem_label",
    "type_label",
]

DASH = "–"
#: What each state is called in reports.
STATE_WORDS = {
    "recomputed": "recomputed",
    "differs": "differs",
    "published": "published only",
    "scored": "scored",
    "unscored": "not scored",
}
_PROBLEM_DIGITS = 2
_CHALLENGE_LENGTH = 5  # 1 or 0, the year: what stands before the problem's number


def hundredfold(value: float | None, missing: str = DASH) -> str:
    """Write a score in [0, 1] x100 with 2 decimals: 0.19787 is ``19.79``."""
    return missing if value is None else f"{100 * value:.2f}"


def percent(value: float | None, missing: str = DASH) -> str:
    """Write a rate that is in percent already, with 2 decimals."""
    return missing if value is None else f"{value:.2f}"


def interval_text(interval: Interval | None, missing: str = DASH) -> str:
    """Write an interval of scores: ``12.12–26.32``."""
    if interval is None:
        return missing
    return f"{hundredfold(interval.low)}{DASH}{hundredfold(interval.high)}"


def count(number: int, singular: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 entry``, ``2 entries``."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"


def type_label(task_type: str) -> str:
    """Write a task type as words."""
    return task_type.replace("_", " ") or "no type"


def problem_label(problem: str) -> str:
    """Write a problem's id as the number on its sheet where it has one (``1202605``: ``5``)."""
    number = canonical_id(problem)[-_PROBLEM_DIGITS:]
    is_challenge_id = problem.isdecimal() and len(canonical_id(problem)) > _CHALLENGE_LENGTH
    return str(int(number)) if is_challenge_id else problem
