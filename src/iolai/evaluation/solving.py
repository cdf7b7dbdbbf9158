"""Solve a problem set with a solver: in parallel, within a time limit, the same for any --jobs."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing.process import BaseProcess

from iolai.records import PredictionSet, Problem, ProblemSet, TaskAnswer
from iolai.solvers import Budget, ProblemAnswer, get_solver

__all__ = ["PLACEHOLDER_SOLVER", "Solving", "solve"]

#: Gives every item an answer at once; what it gives is replaced as problems are solved.
PLACEHOLDER_SOLVER = "identity"


@dataclass(frozen=True, slots=True)
class Solving:
    """How far a run has come: an answer for every task, and how many problems are solved.

    ``timed_out`` says that the time limit ended the run: the other problems keep placeholders.
    """

    answers: tuple[TaskAnswer, ...]
    n_solved: int
    n_problems: int
    timed_out: bool = False

    @property
    def predictions(self) -> PredictionSet:
        """The answers as a prediction set, complete at any moment."""
        return PredictionSet(tuple(answer.prediction for answer in self.answers))


def solve(
    problems: ProblemSet,
    solver: str,
    *,
    seed: int = 0,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Iterator[Solving]:
    """Solve every problem, yielding after each; the last value is the result.

    The first value holds placeholders, so that an answer for every item exists at any moment.
    ``time_limit`` is in seconds for the whole set, shared evenly among its problems. The result
    depends on ``seed``, not on ``jobs``. Raises UnknownNameError for an unknown solver.
    """
    get_solver(solver)  # an unknown name is an error before anything is written
    end = float("inf") if time_limit is None else time.monotonic() + time_limit
    answers = [_answer(problem, PLACEHOLDER_SOLVER, seed, None) for problem in problems]
    yield _state(answers, 0)
    share = None if time_limit is None else time_limit * min(jobs, len(problems)) / len(problems)
    solved = _solved(tuple(problems), solver, seed, share, jobs)
    for n_solved, (index, answer) in enumerate(solved, start=1):
        answers[index] = answer
        # A solver may not look at its budget often enough, so the clock is watched here too.
        timed_out = n_solved < len(problems) and time.monotonic() > end
        yield _state(answers, n_solved, timed_out=timed_out)
        if timed_out:
            solved.close()
            return


def _state(answers: list[ProblemAnswer], n_solved: int, *, timed_out: bool = False) -> Solving:
    tasks = tuple(task for answer in answers for task in answer)
    return Solving(tasks, n_solved, len(answers), timed_out)


def _solved(
    problems: tuple[Problem, ...], solver: str, seed: int, share: float | None, jobs: int
) -> Generator[tuple[int, ProblemAnswer], None, None]:
    """Yield (index, answer) of each problem as it is solved."""
    if jobs == 1 or len(problems) == 1:
        for index, problem in enumerate(problems):
            yield index, _answer(problem, solver, seed, share)
        return
    context = multiprocessing.get_context("spawn")
    n_workers = min(jobs, len(problems))
    with ProcessPoolExecutor(n_workers, context, _begin_worker) as pool:
        pending: dict[Future[ProblemAnswer], int] = {
            pool.submit(_answer, problem, solver, seed, share): index
            for index, problem in enumerate(problems)
        }
        try:
            while pending:
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=pending.__getitem__):
                    yield pending.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin_worker() -> None:
    """Leave interrupts to the parent, and do not outlive it: a killed parent cannot tell us."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _answer(problem: Problem, solver: str, seed: int, share: float | None) -> ProblemAnswer:
    """Return the last, best answer a solver gives to one problem within its share of the time."""
    deadline = float("inf") if share is None else time.monotonic() + share
    budget = Budget(seed=_seed_of(problem, seed), deadline=deadline)
    best: ProblemAnswer = ()
    for better in get_solver(solver).solve(problem, budget):
        best = better
        if budget.seconds_left == 0:
            break
    return best


def _seed_of(problem: Problem, seed: int) -> int:
    """Give each problem a seed of its own, the same whatever stands before it in the set."""
    digest = hashlib.sha256(f"{seed}/{problem.id}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
