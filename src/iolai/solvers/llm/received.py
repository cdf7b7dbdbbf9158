"""Numbers that a model, a library or a server says: judged here before anything believes them.

What is no number, not finite or out of its range is as good as not said.
"""

from __future__ import annotations

import math

__all__ = ["count", "log_probability", "number"]

#: A log-probability may exceed 0 by the rounding of 16-bit numbers, and no further.
_ROUNDING = 1e-2


def number(value: object) -> float | None:
    """Return a finite number as a float; None for anything else, truth values among it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:  # a whole number beyond all floats
        return None
    return found if math.isfinite(found) else None


def count(value: object, most: int) -> int:
    """Return how many tokens are said to be there; 0, not said, where that cannot be true.

    ``most`` is how many there can be at all.
    """
    found = number(value)
    return int(found) if found is not None and 0 <= found <= most else 0


def log_probability(value: object) -> float | None:
    """Return a natural log-probability, at most 0 and perhaps minus infinity; None for others."""
    if value == float("-inf"):
        return float("-inf")
    found = number(value)
    return min(0.0, found) if found is not None and found <= _ROUNDING else None
