"""Counted work: what a search may still do, so that what it finds depends on no clock.

A step is about a microsecond of one processor; how many each operation takes was measured roughly.
"""

from __future__ import annotations

from iolai.solvers.base import Budget

__all__ = ["Meter"]

#: The clock is looked at after so many steps.
_LOOK = 50_000.0


class Meter:
    """Steps that may still be taken; none are left once the budget's deadline has passed.

    What a part of a meter takes is taken from the whole as well.
    """

    __slots__ = ("_left", "_unseen", "_whole", "budget")

    def __init__(self, steps: float, budget: Budget | None = None, whole: Meter | None = None):
        self.budget = budget or Budget()
        self._left = steps
        self._unseen = _LOOK
        self._whole = whole

    @property
    def left(self) -> float:
        """Return how many steps may still be taken."""
        return self._left if self._whole is None else min(self._left, self._whole.left)

    @property
    def is_spent(self) -> bool:
        """Say whether nothing is left."""
        return self.left <= 0

    def take(self, steps: float) -> bool:
        """Take some steps; say whether any are left after them."""
        self._left -= steps
        self._unseen += steps
        if self._unseen >= _LOOK:
            self._unseen = 0.0
            if self.budget.seconds_left <= 0:
                self._left = 0.0
        return (self._whole is None or self._whole.take(steps)) and self._left > 0

    def part(self, steps: float, budget: Budget | None = None) -> Meter:
        """Return a meter of so many of these steps, with an earlier deadline where one is given."""
        return Meter(steps, budget or self.budget, self)
