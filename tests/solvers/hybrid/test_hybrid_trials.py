"""Left-out examples: what the model sees of them, and what its answers say of it."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import Scripted, recipe, user_text

from iolai.records import Problem, Task
from iolai.solvers import Budget
from iolai.solvers.hybrid.trials import Rate, run_trials, trials_of, without_example
from iolai.solvers.induction.reader import read_sheet
from iolai.solvers.llm.request import Request
from sample import PROBLEMS

TABLE = "Fill in the blanks (1-2).\n\n"
CELLS = "kata | katana\npelo | pelona\nsira | sirana\nmuto | (1)\nrike | (2)"


def trials(problem: Problem, n: int = 8, seed: int = 0) -> Any:
    return trials_of(problem, read_sheet(problem), n, seed)


def test_a_trial_lacks_its_own_example_and_keeps_the_others() -> None:
    found = trials(PROBLEMS.problems[0])
    assert len(found) == 8, "four examples, two directions"
    for trial in found:
        assert len(trial.task.context.splitlines()) == 4
        given = trial.task.query.splitlines()[-1].removeprefix("1. ")
        assert not [
            line
            for line in trial.task.context.splitlines()
            if given in line.split(" – ") or trial.wanted in line.split(" – ")
        ]


def test_directions_take_turns_and_the_seed_decides_which_examples() -> None:
    queries = [trial.task.query.splitlines()[0] for trial in trials(PROBLEMS.problems[0], 2)]
    assert len(set(queries)) == 2
    seen = {tuple(t.wanted for t in trials(PROBLEMS.problems[0], 2, seed)) for seed in range(8)}
    assert len(seen) > 1
    assert trials(PROBLEMS.problems[0], 2, 5) == trials(PROBLEMS.problems[0], 2, 5)


def test_a_matching_problem_gives_no_examples() -> None:
    assert trials(PROBLEMS.problems[1]) == ()


def test_a_row_of_a_table_with_blanks_is_a_trial_too() -> None:
    problem = Problem("t", (Task("t1", CELLS, TABLE, "fill_blanks"),))
    found = trials(problem)
    assert {trial.wanted for trial in found} == {"katana", "pelona", "sirana"}
    assert all(trial.wanted not in trial.task.context for trial in found)
    assert any("kata | ____" in trial.task.query for trial in found)


@pytest.mark.parametrize(
    ("context", "left"),
    [
        ("a – b\nkati – house\nc – d", "a – b\nc – d"),
        ("1. a\nb\n2. kati\nhouse\n3. c\nd", "1. a\nb\n3. c\nd"),
        ("a – b\nc – d", None),
        ("kati – house\nx – house", None),
        ("kati – house\nx = kati – house\nkatin – houses", "katin – houses"),
    ],
)
def test_an_example_is_taken_out_whole_or_not_at_all(context: str, left: str | None) -> None:
    assert without_example(context, "kati", "house") == left


def test_the_rate_counts_right_answers_and_likeness() -> None:
    answers = {"katin": "houses", "pelo": "a dog"}

    def say(request: Request) -> str | None:
        given = user_text(request).split("\n1. ")[1].split("\n")[0]
        return answers.get(given)

    context = recipe(Scripted(say)).context(Budget())
    found = [
        trial for trial in trials(PROBLEMS.problems[0]) if trial.wanted in ("houses", "dog", "kati")
    ]
    rate = run_trials(tuple(found), context)
    assert (rate.n_trials, rate.n_right) == (3, 1)
    assert 1 / 3 < rate.likeness < 1
    assert context.meter.by_stage["trial"]["n_calls"] == 3
    assert context.meter.by_stage["trial"]["n_failed"] == 1


def test_trust_is_a_rate_held_towards_the_prior() -> None:
    assert Rate().trust(0.05) == 0.05
    assert Rate(4, 0).trust(0.05) == pytest.approx(0.01)
    assert Rate(4, 4).trust(0.05) == pytest.approx(0.81)
    assert Rate(4, 1, 0.2).rank > Rate(4, 0, 0.9).rank
    assert Rate(4, 0, 0.3).rank > Rate(4, 0, 0.2).rank
