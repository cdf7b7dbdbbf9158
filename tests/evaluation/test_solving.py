"""Solving a set: complete at every moment, the same for any number of jobs, within its time."""

from __future__ import annotations

import time
from typing import Any

import pytest

import iolai.solvers.registry as registry
import odd_solvers
from iolai.errors import UnknownNameError
from iolai.evaluation import Solving, evaluate, solve
from iolai.evaluation.workers import worker_context
from iolai.solvers import SOLVERS, Solver
from sample import KEY, PROBLEMS


def test_every_state_answers_every_task() -> None:
    states = list(solve(PROBLEMS, "nearest"))
    assert [state.n_solved for state in states] == [0, 1, 2]
    for state in states:
        assert [answer.id for answer in state.answers] == [task.id for task in PROBLEMS.tasks]
        assert all(item.text for answer in state.answers for item in answer.items)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_result_does_not_depend_on_jobs(solver: str) -> None:
    *_, alone = solve(PROBLEMS, solver, jobs=1)
    *_, shared = solve(PROBLEMS, solver, jobs=2)
    assert alone == shared


def test_an_unknown_solver_lists_the_known() -> None:
    with pytest.raises(UnknownNameError) as caught:
        next(solve(PROBLEMS, "neerest"))
    assert "Did you mean 'nearest'?" in caught.value.hint
    assert all(name in caught.value.hint for name in SOLVERS)


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Begin the server of worker processes, which takes a second the first time."""
    worker_context()


def _run(
    monkeypatch: pytest.MonkeyPatch, solver: type[Solver], **options: Any
) -> tuple[Solving, float]:
    monkeypatch.setitem(registry.SOLVERS, "odd", solver)
    start = time.monotonic()
    *_, last = solve(PROBLEMS, "odd", **options)
    return last, time.monotonic() - start


def test_the_time_limit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SOLVERS, "slow", odd_solvers.Slow)
    result = evaluate(PROBLEMS, KEY, "slow", time_limit=0.6)
    assert 0.5 < result.seconds < 2.6
    assert result.predictions.predictions[0].text.startswith('["step ')


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_solver_that_sleeps_is_ended_and_its_last_answer_kept(
    monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    last, seconds = _run(monkeypatch, odd_solvers.Sleeper, time_limit=1.0, jobs=jobs)
    assert seconds < 3
    assert [answer.items[0].text for answer in last.answers] == ["awake", "awake", "at once"]
    assert (last.n_solved, last.out_of_time, last.failed) == (2, ("1000002",), ())


@pytest.mark.parametrize(("limit", "reason"), [(None, "of all things"), (5.0, "code 7")])
def test_a_solver_that_fails_costs_no_other_problem(
    monkeypatch: pytest.MonkeyPatch, limit: float | None, reason: str
) -> None:
    last, _ = _run(monkeypatch, odd_solvers.Broken, time_limit=limit)
    assert [answer.items[0].text for answer in last.answers] == ["before"] * 3
    assert [name for name, _ in last.failed] == ["1000001", "1000002"]
    assert all(reason in said for _, said in last.failed)
    assert last.came_to_nothing


def test_each_problem_has_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def seeds(seed: int) -> list[str]:
        last, _ = _run(monkeypatch, odd_solvers.Slow, seed=seed, time_limit=0.6)
        return [answer.items[1].text for answer in last.answers]

    first, again, other = seeds(1), seeds(1), seeds(2)
    assert first == again
    assert first[0] == first[1] != first[2]  # two tasks of one problem share its seed
    assert not set(first) & set(other)


def test_the_score_is_that_of_the_answers() -> None:
    result = evaluate(PROBLEMS, KEY, "identity")
    assert result.score.by_task_type["match_letters"].exact_match == pytest.approx(1 / 3)
    assert result.interval is not None
    assert result.interval[0] <= result.score.overall.score <= result.interval[1]  # type: ignore[operator]
