"""The engine: always an answer, better with time, the same for the same seed, and explained."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iolai.reading import read_items
from iolai.records import Problem, Task
from iolai.solvers import DEFAULT_SOLVER, Budget, get_solver
from iolai.solvers.base import ProblemAnswer
from iolai.solvers.induction import engine
from iolai.solvers.induction.grammar import Grammar, Proposal, ranked
from iolai.solvers.induction.printed import Section
from iolai.solvers.induction.reader import Sheet

CONTEXT = "\n".join(
    f"{n}. {form} | {gloss}"
    for n, (form, gloss) in enumerate(
        [("mako sulota", "the dog slept"), ("tiri sulota", "the bird slept"),
         ("mako penuta", "the dog sang"), ("tiri penuvu", "the bird will sing"),
         ("kesh suluvu", "the cat will sleep")],
        start=1,
    )
)  # fmt: skip
PROBLEM = Problem(
    "p",
    (
        Task("t1", CONTEXT, "Translate into English:\n\n6. kesh penuta\n7. mako penuvu"),
        Task("t2", CONTEXT, "Translate into Ewkish:\n\n8. the cat sang"),
        Task("t3", "", "Match:\n1. a\n2. b\nA. x\nB. y", "match_letters"),
        Task(
            "t4",
            "singular | plural\nmako | makos\npal | pals\ntirin | tirins\nkesh | (1)",
            "Fill in (1).",
            "fill_blanks",
        ),
    ),
)


def answers(problem: Problem, budget: Budget | None = None) -> list[ProblemAnswer]:
    return list(get_solver("induction").solve(problem, budget or Budget()))


@cache
def solved() -> tuple[ProblemAnswer, ...]:
    """All answers to the sheet above, which most tests look at."""
    return tuple(answers(PROBLEM))


def test_it_is_the_default() -> None:
    assert DEFAULT_SOLVER == "induction"


def test_every_answer_is_complete() -> None:
    for answer in solved():
        assert [task.id for task in answer] == ["t1", "t2", "t3", "t4"]
        for task, given_answer in zip(PROBLEM.tasks, answer, strict=True):
            assert len(given_answer.items) == len(read_items(task))
            assert all(item.text.strip() for item in given_answer.items)
            assert all(0 <= (item.confidence or 0) <= 1 for item in given_answer.items)
            weights = [sum(c.weight for c in item.candidates) for item in given_answer.items]
            assert all(weight <= 1 + 1e-9 for weight in weights)


def test_an_answer_says_what_share_of_the_examples_its_rules_give() -> None:
    by_id = {task.id: task for task in solved()[-1]}
    assert by_id["t4"].verified == 1, "the rule gives all three plurals again"
    assert by_id["t1"].verified is not None
    assert 0 <= by_id["t1"].verified < 1, "what rules a task has says nothing of another's"
    assert by_id["t3"].verified is None, "nothing was measured: no rule stands behind the letters"


def test_answers_get_better() -> None:
    first, *_, last = solved()
    assert [item.text for item in last[0].items] == ["the cat sang", "the dog will sing"]
    assert [item.text for item in first[0].items] != [item.text for item in last[0].items]
    assert [item.text for item in last[3].items] == ["keshs"]


def test_letters_are_used_once() -> None:
    last = solved()[-1]
    assert sorted(item.text for item in last[2].items) == ["A", "B"]


def test_the_explanation_names_each_rule_once() -> None:
    lines = solved()[-1][0].explanation.split("\n")
    assert len(lines) == len(set(lines)) > 3
    assert any("“dog”: mako" in line for line in lines)


class Two:
    """Answers the first item by rules that give no example, the second by rules that give all."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        none = Section("Word by word, meaning to form", ("“son”: aru",), 2, ("a", "b"))
        full = Section("Kinship", ("aru: child, male (son)",), 2)
        for i, (kind, section) in enumerate((("translation", none), ("kinship", full))):
            yield Proposal(Grammar(kind, (), sections=(section,)), {(0, i): ranked({"x": 0.5})})


def test_rules_that_give_no_example_are_not_printed_beside_rules_that_give_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "PART_SOLVERS", {"two": Two})
    first, last = answers(Problem("p", PROBLEM.tasks[:1]))
    assert "give 0 of 2" in first[0].explanation, "the only rules there are by then"
    assert "give 2 of 2" in last[0].explanation
    assert "give 0 of" not in last[0].explanation


def test_the_same_seed_gives_the_same_answers() -> None:
    assert answers(PROBLEM, Budget(seed=3))[-1] == answers(PROBLEM, Budget(seed=3))[-1]


def test_past_its_deadline_it_still_answers() -> None:
    found = answers(PROBLEM, Budget(deadline=time.monotonic() - 1))
    assert found
    assert all(item.text for task in found[-1] for item in task.items)


@pytest.mark.parametrize(
    "context", ["", "one page of prose. " * 300, "a | b\n" * 3000, "\u202e|\x00"]
)
def test_what_cannot_be_read_is_answered_all_the_same(context: str) -> None:
    problem = Problem("p", (Task("t", context, "Translate:\n1. x\n2. y"),))
    (task,) = answers(problem, Budget(deadline=time.monotonic() + 5))[-1]
    assert len(task.items) == 2
    assert all(item.text for item in task.items)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.text(alphabet="ab |\n12.()=-[]:", max_size=120), st.text(alphabet="ab\n12.)|_ ", max_size=60)
)
def test_no_text_breaks_it(context: str, query: str) -> None:
    problem = Problem("p", (Task("t", context, query),))
    (task,) = answers(problem, Budget(deadline=time.monotonic() + 2))[-1]
    assert all(item.text for item in task.items)
