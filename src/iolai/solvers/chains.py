"""Several problems with one solver and one clock: side by side, one step each in turn.

A solver that holds a model answers all problems in one process. Run one after the other, the last
problem would have nothing when the time is up early. Here every problem has the answers of a stage
before any problem begins the next stage.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from iolai.records import Problem
from iolai.solvers.base import Budget, ModelSolver, ProblemAnswer, Step

__all__ = ["Turn", "interleave"]

#: How a problem stands after a turn; all but ``going on`` are ends.
TurnState = Literal["going on", "solved", "out of time", "failed"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of one problem: its place among the problems, and its best answers so far.

    ``error`` is what a failed solver raised, ``stage`` the number of the stage that it is in.
    """

    index: int
    answer: ProblemAnswer
    state: TurnState
    error: Exception | None = None
    stage: int = 0


@dataclass(slots=True)
class _ChainClock:
    """A clock that begins at 0 and stands while other problems are worked on.

    ``share`` is how many of its seconds the problem has; it is late, too, where ``end``, in real
    time, leaves less than that.
    """

    real: Callable[[], float]
    share: float
    end: float
    elapsed: float = 0.0
    resumed: float | None = None

    def __call__(self) -> float:
        now = self.real()
        own = self.elapsed + (now - self.resumed if self.resumed is not None else 0.0)
        if self.end == float("inf"):
            return own
        return max(own, self.share - (self.end - now))

    def resume(self) -> None:
        self.resumed = self.real()

    def pause(self) -> None:
        if self.resumed is not None:
            self.elapsed += self.real() - self.resumed
            self.resumed = None


@dataclass(slots=True)
class _Chain:
    """One problem under way."""

    index: int
    clock: _ChainClock
    budget: Budget
    steps: Iterator[Step]
    stage: int = 0
    answer: ProblemAnswer = field(default=())

    def advance(self) -> Turn:
        """Take one step on this problem's time."""
        self.clock.resume()
        try:
            step = next(self.steps, None)
        except Exception as error:  # whatever a solver does wrong, the other problems go on
            return Turn(self.index, self.answer, "failed", error, self.stage)
        finally:
            self.clock.pause()
        if step is not None:
            self.stage, self.answer = step.stage, step.answer
        state: TurnState = "solved" if step is None else "going on"
        if self.budget.seconds_left == 0:
            state = "out of time"
        return Turn(self.index, self.answer, state, stage=self.stage)


def interleave(
    solver: ModelSolver,
    problems: Sequence[Problem],
    seeds: Sequence[int],
    *,
    end: float = float("inf"),
    hand_on: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Turn]:
    """Yield a turn for every step of every problem, until all are over.

    The problems share the time until ``end``, a reading of ``clock``, evenly. What a problem
    leaves of its share is lost, so that its answers depend on it alone; with ``hand_on`` it goes
    to the problems that are still under way. The next step is always one of a problem that is in
    the earliest stage, and among those of the one that has had the least time.
    """
    share = (end - clock()) / max(1, len(problems))
    chains = []
    for index, (problem, seed) in enumerate(zip(problems, seeds, strict=True)):
        own = _ChainClock(clock, share, end)
        budget = Budget(seed, share, own)
        chains.append(_Chain(index, own, budget, solver.steps(problem, budget)))
    while chains:
        chain = min(chains, key=lambda c: (c.stage, c.clock.elapsed, c.index))
        turn = chain.advance()
        if turn.state != "going on":
            chains.remove(chain)
            if hand_on and chains and share != float("inf"):
                _hand_on(chain.budget.seconds_left, chains)
        yield turn


def _hand_on(seconds: float, chains: Sequence[_Chain]) -> None:
    """Set back the clocks of the problems under way, by even parts of what one has left."""
    for chain in chains:
        chain.clock.elapsed -= seconds / len(chains)
