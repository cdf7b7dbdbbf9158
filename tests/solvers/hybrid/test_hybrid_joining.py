"""The vote between engine and model: by probabilities, the engine's where they are equal."""

from __future__ import annotations

from typing import Any

import pytest

from iolai.records import Candidate, ItemAnswer, Problem
from iolai.solvers.hybrid.joining import FLOOR, GUESS, Opinion, engine_ballots, joined
from iolai.solvers.llm.draft import TaskDraft, begin
from iolai.solvers.llm.voting import Ballot
from sample import TASKS

ENGINE = ItemAnswer("kata", 0.4, (Candidate("kata", 0.4), Candidate("katu", 0.38)))


def draft(others: Any, anchor: tuple[str, ...], *samples: tuple[str, ...]) -> TaskDraft:
    (task,) = begin(Problem("p", (TASKS[1],))).tasks
    return TaskDraft(
        task.task, task.items, (), ("kata",), anchor=anchor, samples=samples, others=others
    )


def one(trust: float, anchor: str, *samples: str, opinions: Any = None) -> tuple[str, float]:
    task = draft((engine_ballots(ENGINE),), (anchor,), *((text,) for text in samples))
    item = joined(task, trust, opinions or {}).answer("").items[0]
    assert item.confidence is not None
    return item.text, item.confidence


def test_a_model_that_failed_the_examples_replaces_nothing() -> None:
    assert one(0.01, "wrong", "wrong", "wrong") == ("kata", 0.4)


def test_it_decides_between_two_candidates_that_the_engine_holds_nearly_equal() -> None:
    text, confidence = one(0.05, "katu", "katu")
    assert text == "katu"
    assert confidence == pytest.approx(1 - 0.62 * 0.95)
    assert one(0.02, "katu", "katu")[0] == "kata"


def test_a_model_that_is_mostly_right_replaces_what_the_engine_half_believes() -> None:
    assert one(0.8, "katin", "katin", "katin")[0] == "katin"
    assert one(0.8, "katin", "b", "c")[0] == "kata", "its passes disagree"


def test_agreement_raises_confidence_above_either() -> None:
    text, confidence = one(0.5, "Kata.", "kata")
    assert text == "kata"
    assert confidence == pytest.approx(1 - 0.6 * 0.5)


def test_a_form_that_contradicts_the_sheet_hardly_counts_and_a_regenerated_one_counts_more() -> (
    None
):
    failed = {(0, "katin"): Opinion(("it has letters that the language does not use",))}
    assert one(0.8, "katin", "katin", opinions=failed)[0] == "kata"
    assert one(0.3, "katin", "katin")[0] == "kata"
    returns = {(0, "katin"): Opinion(regenerates=True)}
    text, confidence = one(0.3, "katin", "katin", opinions=returns)
    assert text == "katin"
    assert confidence == pytest.approx(0.6 / 1.3, abs=1e-4), "twice the odds"


def test_candidates_are_ranked_and_weigh_at_most_one() -> None:
    task = draft((engine_ballots(ENGINE),), ("katin",))
    item = joined(task, 0.9, {}).answer("").items[0]
    assert [candidate.text for candidate in item.candidates] == ["katin", "kata", "katu"]
    assert sum(candidate.weight for candidate in item.candidates) <= 1 + 1e-9


def test_a_guess_of_the_engine_gives_way_and_a_weak_answer_does_not() -> None:
    assert engine_ballots(ItemAnswer("x", 0.0)) == (Ballot("x", GUESS),)
    assert engine_ballots(ItemAnswer("A", 0.0), 4) == (Ballot("A", 0.25),), "chance"
    assert engine_ballots(ItemAnswer("x", 0.001)) == (Ballot("x", FLOOR),)
    for confidence, answered in ((0.0, "y"), (0.001, "x")):
        task = draft((engine_ballots(ItemAnswer("x", confidence)),), ("y",))
        assert joined(task, 0.01, {}).answer("").items[0].text == answered
        failed = {(0, "y"): Opinion(("it contradicts the data",))}
        assert joined(task, 0.01, failed).answer("").items[0].text == "x"


def test_nobody_but_the_model_turns_the_engines_answer_down() -> None:
    item = ItemAnswer("x", 0.2, (Candidate("x", 0.2), Candidate("y", 0.6)))
    task = draft((engine_ballots(item),), ("z",))
    assert joined(task, 0.01, {}).answer("").items[0].text == "x"


@pytest.mark.parametrize("form", ["...", "-", "!"])
@pytest.mark.parametrize("said", ["", "...", "\u2026"])
def test_answers_of_marks_alone_leave_the_engines_as_it_is(form: str, said: str) -> None:
    task = draft((engine_ballots(ItemAnswer(form)),), (said,), (said,))
    (item,) = joined(task, 0.5, {}).answer("").items
    assert item.text in (form, said)
    assert item.text


def letters(shares: list[dict[str, float]], anchor: str, trust: float) -> list[str]:
    (task,) = begin(Problem("p", (TASKS[2],))).tasks
    others = tuple(tuple(Ballot(letter, share) for letter, share in row.items()) for row in shares)
    task = TaskDraft(
        task.task, task.items, task.options, ("A",) * 3, anchor=tuple(anchor), others=others
    )
    return [item.text for item in joined(task, trust, {}).answer("").items]


def test_letters_stay_one_to_one() -> None:
    shares = [{"A": 0.5, "B": 0.45}, {"B": 0.5, "A": 0.45}, {"C": 0.9}]
    assert letters(shares, "BBB", 0.01) == ["A", "B", "C"]
    assert letters(shares, "BAC", 0.2) == ["B", "A", "C"], "two letters change places"
    assert sorted(letters(shares, "BBB", 0.3)) == ["A", "B", "C"]


def test_letters_that_are_no_options_have_no_vote() -> None:
    shares = [{"A": 0.5}, {"B": 0.5}, {"C": 0.9}]
    assert letters(shares, "XYZ", 0.9) == ["A", "B", "C"]
