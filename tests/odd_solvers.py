"""Solvers that misbehave, importable by worker processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import count

from iolai.records import Problem, TaskAnswer
from iolai.solvers import Budget, ProblemAnswer


def _all(problem: Problem, *texts: str) -> ProblemAnswer:
    return tuple(TaskAnswer.of_texts(task.id, texts) for task in problem.tasks)


class Slow:
    """Improves for ever, one step a call of the clock."""

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        for step in count(1):
            yield _all(problem, f"step {step}", f"seed {budget.seed}")


class Sleeper:
    """Answers once, and sleeps for ever on the second problem of the sample."""

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        yield _all(problem, "at once")
        while "2" in problem.id:
            time.sleep(3600 + budget.seconds_left)
        yield _all(problem, "awake")


class Broken:
    """Answers once, then fails: by an error, or by the end of its process where told so."""

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        yield _all(problem, "before")
        if budget.deadline != float("inf"):
            os._exit(7)
        raise ZeroDivisionError("of all things")
