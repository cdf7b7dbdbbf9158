"""What every solver is: a problem in, answers out, better ones as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from iolai.records import Problem, TaskAnswer

__all__ = ["Budget", "ModelSolver", "ProblemAnswer", "Solver", "Step"]

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


@dataclass(frozen=True, slots=True)
class Step:
    """Complete answers, and the number of the stage that the solver is in (0: placeholders)."""

    stage: int
    answer: ProblemAnswer


@runtime_checkable
class ModelSolver(Solver, Protocol):
    """A solver that holds a model: opened once, used for all problems of a set, then closed.

    It is never copied into other processes. ``records`` says of each problem begun, by its id,
    what it has cost so far: ``n_tokens`` and ``seconds`` are among its fields.
    """

    @property
    def records(self) -> Mapping[str, Mapping[str, object]]:
        """What each problem has cost, by the problem's id."""
        ...

    def open(self, deadline: float = float("inf")) -> None:
        """Load the model and see that it obeys its settings; raises an IolaiError otherwise.

        ``deadline`` is a reading of ``time.monotonic`` after which nothing is asked any more.
        """
        ...

    def describe(self) -> Mapping[str, object]:
        """Return the configuration and the settings in effect, for the run's record."""
        ...

    def steps(self, problem: Problem, budget: Budget) -> Iterator[Step]:
        """Yield what ``solve`` yields with the stage that follows, at the latest as it begins."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...
