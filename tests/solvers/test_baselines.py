"""The baselines, on a problem small enough to see what they must answer."""

from __future__ import annotations

import pytest

from iolai.solvers import Budget, get_solver
from iolai.solvers.examples import example_pairs, similarity
from sample import PROBLEMS


def answers(name: str) -> list[list[str]]:
    solver = get_solver(name)
    return [
        [item.text for item in task.items]
        for problem in PROBLEMS
        for last in [list(solver.solve(problem, Budget()))[-1]]
        for task in last
    ]


def test_echo_repeats_the_items() -> None:
    assert answers("echo") == [["katin", "pelo"], ["dogs"], ["sa", "sasa", "ri"]]


def test_identity_gives_letters_in_order_and_echoes_elsewhere() -> None:
    assert answers("identity") == [["katin", "pelo"], ["dogs"], ["A", "B", "C"]]


def test_nearest_gives_the_other_side_of_the_nearest_example() -> None:
    assert answers("nearest") == [["houses", "dog"], ["pelon"], ["A", "B", "C"]]


@pytest.mark.parametrize(
    "context",
    [
        "ka – one\npo – two",
        "1. ka = one\n2. po = two",
        "ka\tone\npo\ttwo",
        "ka | one\npo | two",
        "ka   one\npo   two",
        "(1) ka: one\n(2) po: two",
        "Look at this:\n\nka - one\npo - two\n",
    ],
)
def test_example_pairs_of_many_layouts(context: str) -> None:
    assert example_pairs(context)[-2:] == (("ka", "one"), ("po", "two"))


def test_lines_without_a_separator_are_paired_with_their_neighbours() -> None:
    assert example_pairs("ka\none\npo") == (("ka", "one"), ("one", "po"))


def test_similarity_is_one_for_equal_and_none_for_unlike() -> None:
    assert similarity("Kati", "kati") == 1
    assert similarity("kati", "pelo") == 0
