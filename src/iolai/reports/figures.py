"""How figures are written in reports: scores x100 with 2 decimals, a dash where there is none."""

from __future__ import annotations

import re
from typing import Any

from iolai.records import canonical_id
from iolai.stats import Interval
from iolai.text import visible

__all__ = [
    "DASH",
    "ITEM_DECIMALS",
    "STATE_WORDS",
    "SYNTHETIC",
    "count",
    "hundredfold",
    "interval_text",
    "percent",
    "problem_label",
    "rounded",
    "time_text",
    "type_label",
]

DASH = "–"
SYNTHETIC = (
    "Synthetic: simulated models, whose ability was planted, or made-up files had a part in it."
)
#: Items are published to this many decimals, whole scores to 4.
ITEM_DECIMALS = 6
#: What each state is called in reports.
STATE_WORDS = {
    "recomputed": "recomputed",
    "differs": "differs",
    "published": "published only",
    "scored": "scored",
    "unscored": "not scored",
}
_PROBLEM_DIGITS = 2
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", re.ASCII)
_CHALLENGE_LENGTH = 5  # 1 or 0, the year: what stands before the problem's number


def hundredfold(value: float | None, missing: str = DASH) -> str:
    """Write a score in [0, 1] x100 with 2 decimals: 0.19787 is ``19.79``."""
    return missing if value is None else f"{100 * value:.2f}"


def rounded(value: Any, decimals: int = 4) -> Any:
    """Return JSON data with every fraction rounded, to 4 decimals as the challenge published."""
    if isinstance(value, float):
        return round(value, decimals)
    if isinstance(value, dict):
        return {name: rounded(part, decimals) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part, decimals) for part in value]
    return value


def percent(value: float | None, missing: str = DASH) -> str:
    """Write a rate that is in percent already, with 2 decimals."""
    return missing if value is None else f"{value:.2f}"


def time_text(text: str) -> str:
    """Write a stored time as the challenge published its: ``2026-07-25 14:08:29``, UTC.

    What is no such time stays as it is.
    """
    shown = visible(text)
    return f"{shown[:10]} {shown[11:19]}" if _STAMP.fullmatch(shown) else shown


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
