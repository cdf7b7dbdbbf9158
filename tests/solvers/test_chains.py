"""Several problems side by side: who is next, whose time it is, what a failure costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest

from iolai.records import Problem, Task, TaskAnswer, group_tasks
from iolai.solvers import Budget, ModelSolver, ProblemAnswer, Step, Turn, interleave

PROBLEMS = group_tasks(
    Task(f"100000{n}0100", f"c{n}", "1. x", "translation", "single", "eng_Latn", ("art_Latn",))
    for n in range(3)
)


@dataclass
class Stages:
    """Goes through stages of given lengths; every step takes a second of a clock of our own."""

    lengths: Mapping[str, tuple[int, ...]]
    now: float = 0.0
    broken: str = ""
    log: list[tuple[str, int]] = field(default_factory=list)
    left: dict[str, float] = field(default_factory=dict)
    records: dict[str, dict[str, object]] = field(default_factory=dict)

    def open(self, deadline: float = float("inf")) -> None: ...

    def close(self) -> None: ...

    def describe(self) -> dict[str, object]:
        return {}

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        yield from (step.answer for step in self.steps(problem, budget))

    def steps(self, problem: Problem, budget: Budget) -> Iterator[Step]:
        name = problem.tasks[0].context

        def step(stage: int) -> Step:
            answer = TaskAnswer.of_texts(problem.tasks[0].id, [f"{stage}"])
            return Step(stage, (answer,))

        yield step(0)
        for stage, length in enumerate(self.lengths[name], 1):
            yield step(stage)
            for _ in range(length):
                if name == self.broken:
                    raise ZeroDivisionError(name)
                if budget.seconds_left == 0:
                    return
                self.now += 1.0
                self.log.append((name, stage))
                self.left[name] = budget.seconds_left
                yield step(stage)


def run(solver: Stages, **more: object) -> list[Turn]:
    assert isinstance(solver, ModelSolver)
    clock = lambda: solver.now  # noqa: E731
    return list(interleave(solver, PROBLEMS, [1, 2, 3], clock=clock, **more))  # type: ignore[arg-type]


def last_states(turns: list[Turn]) -> dict[int, str]:
    return {turn.index: turn.state for turn in turns}


def test_every_problem_has_a_stage_before_any_begins_the_next() -> None:
    solver = Stages({"c0": (3, 2), "c1": (1, 2), "c2": (2, 2)})
    turns = run(solver)
    stages = [stage for _, stage in solver.log]
    assert stages == sorted(stages)
    assert [name for name, stage in solver.log if stage == 1] == [
        "c0",
        "c1",
        "c2",
        "c0",
        "c2",
        "c0",
    ]
    assert last_states(turns) == dict.fromkeys(range(3), "solved")
    assert all(turn.answer for turn in turns)


def test_a_clock_stands_while_others_work() -> None:
    solver = Stages({"c0": (1, 1), "c1": (5, 5), "c2": (1, 1)})
    run(solver, end=60.0)
    assert solver.left == {"c0": 18.0, "c1": 10.0, "c2": 18.0}


def test_the_time_is_shared_evenly_and_what_is_left_is_lost() -> None:
    solver = Stages({"c0": (99,), "c1": (2,), "c2": (99,)})
    turns = run(solver, end=15.0)
    spent = [name for name, _ in solver.log]
    assert [spent.count(name) for name in ("c0", "c1", "c2")] == [5, 2, 5]
    assert last_states(turns) == {0: "out of time", 1: "solved", 2: "out of time"}


def test_what_is_left_can_be_handed_on() -> None:
    solver = Stages({"c0": (99,), "c1": (1,), "c2": (99,)})
    run(solver, end=15.0, hand_on=True)
    spent = [name for name, _ in solver.log]
    assert [spent.count(name) for name in ("c0", "c1", "c2")] == [7, 1, 7]


def test_nobody_works_past_the_end_though_time_was_lost_between() -> None:
    solver = Stages({"c0": (99,), "c1": (99,), "c2": (99,)})
    n_turns = 0
    for _ in interleave(solver, PROBLEMS, [1, 2, 3], end=12.0, clock=lambda: solver.now):
        n_turns += 1
        solver.now += 0.25  # as writing a file takes time
    assert n_turns > 10
    assert solver.now <= 13.0 + 3


def test_a_failure_costs_its_own_problem_alone() -> None:
    solver = Stages({"c0": (2,), "c1": (2,), "c2": (2,)}, broken="c1")
    turns = run(solver)
    assert last_states(turns) == {0: "solved", 1: "failed", 2: "solved"}
    (failed,) = (turn for turn in turns if turn.state == "failed")
    assert isinstance(failed.error, ZeroDivisionError)
    assert failed.answer[0].items[0].text == "1"


@pytest.mark.parametrize("end", [float("inf"), 100.0])
def test_no_problems_are_no_trouble(end: float) -> None:
    assert list(interleave(Stages({}), (), [], end=end)) == []
