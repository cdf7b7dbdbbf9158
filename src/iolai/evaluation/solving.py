"""Solve a problem set with a solver: in parallel, within a time limit, the same for any --jobs."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from iolai.evaluation.workers import (
    Ending,
    Job,
    asked_seconds,
    described,
    run_here,
    run_in_workers,
    worker_context,
)
from iolai.records import PredictionSet, Problem, ProblemSet, TaskAnswer
from iolai.solvers import SOLVERS, ModelSolver, ProblemAnswer, get_solver, interleave

__all__ = ["PLACEHOLDER_SOLVER", "Solving", "seed_of", "solve"]

#: Gives every item an answer at once; what it gives is replaced as problems are solved.
PLACEHOLDER_SOLVER = "identity"
#: Of a set's seconds, for a model to end what it is at, to be freed, and for the last answers to
#: be written: this share, and no more than so many.
_CLOSING_SHARE, _CLOSING_S = 0.1, 3.0
#: Of the time limit, for solving, however long the first process takes to begin.
_LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Solving:
    """How far a run has come: an answer for every task, and how many problems are done with.

    ``out_of_time`` are the ids of problems whose time was over before the solver was, which keep
    the best answers until then; ``failed`` are ids with the reason why the solver broke off.
    ``unanswered`` are ids of problems that are over and on which a model has answered no call.
    ``costs`` says of each problem what a model has spent on it, and is empty without a model;
    ``made_by`` describes the model.
    """

    answers: tuple[TaskAnswer, ...]
    n_solved: int
    n_problems: int
    out_of_time: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    unanswered: tuple[str, ...] = ()
    costs: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    made_by: Mapping[str, object] = field(default_factory=dict)

    @property
    def predictions(self) -> PredictionSet:
        """The answers as a prediction set, complete at any moment."""
        return PredictionSet(tuple(answer.prediction for answer in self.answers))

    @property
    def came_to_nothing(self) -> bool:
        """Whether all problems are over and on each the solver failed or no call was answered."""
        lost = {*self.unanswered, *(name for name, _ in self.failed)}
        return 0 < self.n_problems == len(lost)

    @property
    def why_calls_failed(self) -> tuple[tuple[str, int], ...]:
        """Why calls to the model failed, with how many did, the most frequent first."""
        counts: Counter[str] = Counter()
        for cost in self.costs.values():
            failures = cost.get("failures", {})
            if isinstance(failures, Mapping):
                counts.update({str(why): int(n_calls) for why, n_calls in failures.items()})
        return tuple(counts.most_common())

    @property
    def n_placeholders(self) -> int:
        """How many items have a placeholder still."""
        return sum(item.is_placeholder for answer in self.answers for item in answer.items)


def solve(
    problems: ProblemSet,
    solver: str,
    *,
    seed: int = 0,
    jobs: int = 1,
    time_limit: float | None = None,
) -> Iterator[Solving]:
    """Solve every problem, yielding whenever one is over; the last value is the result.

    The first value holds placeholders, so that an answer for every item exists at any moment.
    ``time_limit`` is in seconds for the whole set, shared evenly among its problems; a solver that
    takes longer is ended, and what it answered last is kept. Where time is ample the result
    depends on ``seed`` alone, not on ``jobs``. A solver that holds a model works in this process,
    whatever ``jobs``, keeps its time itself, and yields after every step; loading the model is on
    the set's time, and so is its end. Raises UnknownNameError for an unknown solver, and whatever
    the loading of a model raises.
    """
    begun = time.monotonic()
    first = get_solver(solver)  # an unknown name is an error before anything is written
    answers = [_placeholders(problem) for problem in problems]
    ends: dict[int, Ending] = {}
    yield _state(problems, answers, ends)
    if isinstance(first, ModelSolver):
        end = float("inf")
        if time_limit is not None:
            seconds = asked_seconds(time_limit)
            end = begun + seconds - min(_CLOSING_S, _CLOSING_SHARE * seconds)
        yield from _solve_held(problems, first, answers, seed=seed, end=end)
        return
    share = None
    if time_limit is not None and len(problems):
        worker_context()
        left = max(_LEAST_SHARE * time_limit, time_limit - (time.monotonic() - begun))
        share = left * min(jobs, len(problems)) / len(problems)
    todo = [Job(i, problem, seed_of(problem, seed), share) for i, problem in enumerate(problems)]
    for ending in _endings(todo, solver, jobs):
        ends[ending.index] = ending
        if ending.answer:
            answers[ending.index] = ending.answer
        yield _state(problems, answers, ends)


def _endings(todo: list[Job], name: str, jobs: int) -> Iterator[Ending]:
    has_limit = any(job.seconds is not None for job in todo)
    if not has_limit and (jobs == 1 or len(todo) == 1):
        return run_here(todo, SOLVERS[name])
    return run_in_workers(todo, SOLVERS[name], jobs)


def _solve_held(
    problems: ProblemSet,
    solver: ModelSolver,
    answers: list[ProblemAnswer],
    *,
    seed: int,
    end: float,
) -> Iterator[Solving]:
    """Solve all problems with one loaded model, side by side; see ``solvers.interleave``."""
    ends: dict[int, Ending] = {}
    seeds = [seed_of(problem, seed) for problem in problems]
    try:
        solver.open(end)
        for turn in interleave(solver, tuple(problems), seeds, end=end):
            if turn.answer:
                answers[turn.index] = turn.answer
            if turn.state != "going on":
                reason = described(turn.error) if turn.error else ""
                ends[turn.index] = Ending(turn.index, turn.answer, turn.state, reason)
            costs = dict(solver.records)
            yield replace(
                _state(problems, answers, ends),
                costs=costs,
                made_by=solver.describe(),
                unanswered=tuple(
                    problem.id
                    for i, problem in enumerate(problems)
                    if i in ends and _is_unanswered(costs.get(problem.id, {}), ends[i])
                ),
            )
    finally:
        solver.close()


def _is_unanswered(cost: Mapping[str, object], ending: Ending) -> bool:
    """Say whether a model answered no call on a problem, though some were made or were to be."""
    n_calls, n_failed = (int(str(cost.get(name, 0))) for name in ("n_calls", "n_failed"))
    return n_calls == n_failed and (n_calls > 0 or ending.state != "solved")


def _placeholders(problem: Problem) -> ProblemAnswer:
    (ending,) = run_here([Job(0, problem, 0)], SOLVERS[PLACEHOLDER_SOLVER])
    return tuple(
        replace(answer, items=tuple(replace(item, is_placeholder=True) for item in answer.items))
        for answer in ending.answer
    )


def _state(problems: ProblemSet, answers: list[ProblemAnswer], ends: dict[int, Ending]) -> Solving:
    named = [(problem.id, ends[i]) for i, problem in enumerate(problems) if i in ends]
    return Solving(
        tuple(chain.from_iterable(answers)),
        len(ends),
        len(answers),
        tuple(name for name, ending in named if ending.state == "out of time"),
        tuple((name, ending.reason) for name, ending in named if ending.state == "failed"),
    )


def seed_of(problem: Problem, seed: int) -> int:
    """Give each problem a seed of its own, the same whatever stands before it in the set."""
    digest = hashlib.sha256(f"{seed}/{problem.id}".encode()).digest()
    return int.from_bytes(digest[:4], "big")
