"""What every solver is: a problem in, answers out, better ones as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from iolai.records import Problem, TaskAnswer

__all__ = ["Budget", "ProblemAnswer", "Solver"]

#: The answers to all tasks of a problem, in the order of its tasks.
ProblemAnswer = tuple[TaskAnswer, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """What a solver may spend on one problem, and the seed of whatever it draws at random.

    ``deadline`` is a reading of ``clock`` in seconds; infinity where there is no limit.
    """

    seed: int = 0
    deadline: float = float("inf")
    clock: Callable[[], float] = time.monotonic

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, never below 0."""
        return max(0.0, self.deadline - self.clock())


class Solver(Protocol):
    """A solver never sees an answer key.

    ``solve`` yields complete answers to the whole problem, the first at once and each later one
    to be preferred to those before it; it stops by itself before the budget's deadline. With the
    same seed and no deadline it yields the same answers.
    """

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        """Yield complete answers, each better than the last."""
        ...
