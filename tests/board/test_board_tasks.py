"""Chance levels: what guessing is expected to reach, and simulation says the same."""

from __future__ import annotations

import random

import pytest

from conftest import MakeScore
from iolai.board import chance_level, count_options, overall_chance, task_lines
from iolai.board.tasks import problem_of
from iolai.metrics import score_task
from iolai.records import AnswerKey, Prediction, Reference, TaskKey


def _task(
    *answers: tuple[str, ...], task_type: str = "match_letters", points: float = 1
) -> TaskKey:
    references = tuple(Reference(alternatives) for alternatives in answers)
    return TaskKey("12026010100", references, points=points, task_type=task_type)


def test_matching_is_one_in_n() -> None:
    task = _task(("A",), ("B",), ("C",), ("D",))
    assert count_options(task) == 4
    assert chance_level(task) == pytest.approx(0.25)


def test_known_options_count_where_they_are_more() -> None:
    task = _task(("A",), ("B",))
    assert chance_level(task, known=8) == pytest.approx(1 / 8)
    # The key itself shows two letters: a smaller number cannot be right.
    assert chance_level(task, known=1) == pytest.approx(1 / 2)


def test_options_are_letters_as_they_are_scored() -> None:
    assert count_options(_task(("A",), ("a.",), ("'B'",))) == 2


def test_two_right_letters_are_two_chances() -> None:
    assert chance_level(_task(("A", "B"), ("C",))) == pytest.approx((2 / 3 + 1 / 3) / 2)


def test_blank_references_cannot_be_guessed() -> None:
    assert chance_level(_task(("A",), ("",), ("B",))) == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert chance_level(_task(("",))) == 0.0
    assert chance_level(_task()) == 0.0


@pytest.mark.parametrize("task_type", ["translation", "fill_blanks", "text_to_num", ""])
def test_free_text_has_no_chance_level(task_type: str) -> None:
    task = _task(("A",), ("B",), task_type=task_type)
    assert (count_options(task, known=5), chance_level(task, known=5)) == (0, 0.0)


def test_a_random_one_to_one_answer_reaches_the_chance_level() -> None:
    letters = list("ABCDEF")
    task = _task(*((letter,) for letter in letters))
    source = random.Random(3)  # noqa: S311
    reached = []
    for _ in range(2000):
        source.shuffle(letters)
        reached.append(score_task(Prediction.of_items(task.id, letters), task).exact_match)
    assert sum(reached) / len(reached) == pytest.approx(chance_level(task), abs=0.02)


def test_task_lines_say_what_was_reached(make_score: MakeScore) -> None:
    key = AnswerKey((_task(("A",), ("B",), points=2),))
    scores = [make_score({"12026010100": (em, 0.0)}) for em in (0.0, 0.5, 1.0)]
    (line,) = task_lines(key, scores, n_options={"012026010100": 4})
    assert (line.mean, line.best, line.n_options) == (0.5, 1.0, 4)
    assert line.chance == pytest.approx(0.25)
    assert line.n_above == 2
    # Exactly at chance is not above it.
    (line,) = task_lines(key, scores)
    assert (line.n_options, line.n_above) == (2, 1)


def test_overall_chance_is_weighted_by_points() -> None:
    key = AnswerKey(
        (_task(("A",), ("B",), points=3), _task(("x",), task_type="translation", points=1),
         _task(("A",), points=0))
    )  # fmt: skip
    assert overall_chance(task_lines(key, [])) == pytest.approx(3 * 0.5 / 4)
    assert overall_chance(()) is None


@pytest.mark.parametrize(
    ("task_id", "problem"),
    [("12026050200", "1202605"), ("012026050200", "1202605"), ("my-task", "my-task")],
)
def test_problem_of_a_task(task_id: str, problem: str) -> None:
    assert problem_of(task_id) == problem
