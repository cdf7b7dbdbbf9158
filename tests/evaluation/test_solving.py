"""Solving a set: complete at every moment, the same for any number of jobs, within its time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import iolai.solvers.registry as registry
from iolai.errors import UnknownNameError
from iolai.evaluation import evaluate, solve
from iolai.records import Problem, TaskAnswer
from iolai.solvers import SOLVERS, Budget, ProblemAnswer
from sample import KEY, PROBLEMS


class Slow:
    """Improves for ever, one step a call of the clock."""

    steps = 0

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        while True:
            Slow.steps += 1
            texts = [f"step {Slow.steps}", f"seed {budget.seed}"]
            yield tuple(TaskAnswer.of_texts(task.id, texts) for task in problem.tasks)


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


def test_the_time_limit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SOLVERS, "slow", Slow)
    result = evaluate(PROBLEMS, KEY, "slow", time_limit=0.2)
    assert 0.15 < result.seconds < 2
    assert result.predictions.predictions[0].text.startswith('["step ')


def test_each_problem_has_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.SOLVERS, "slow", Slow)

    def seeds(seed: int) -> list[str]:
        *_, last = solve(PROBLEMS, "slow", seed=seed, time_limit=0.01)
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
