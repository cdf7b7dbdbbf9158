"""Sheets that nobody would hand in: always read, always answered, with a reason, within bounds."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from odd_sheets import extreme_problems, mutated

from iolai.evaluation import read_builtin
from iolai.reading import read_items
from iolai.records import Problem, Task
from iolai.solvers import Budget, ProblemAnswer
from iolai.solvers.induction import Induction
from iolai.solvers.induction.reader import read_sheet

PROBLEMS = read_builtin()[0].problems
EXTREME = extreme_problems()
#: Of processor time, on a slow machine; the longest sheets take seconds.
READING_SECONDS = 15.0
HUGE = [name for name in EXTREME if "5 MB" in name or "10,000" in name or "thousand" in name]


def first_answer(problem: Problem) -> ProblemAnswer:
    """Read a sheet and answer it at once, within the time that reading may take."""
    start = time.process_time()
    sheet = read_sheet(problem)
    answer = next(Induction().solve(problem, Budget(deadline=time.monotonic())))
    assert time.process_time() - start < 2 * READING_SECONDS
    assert sheet.report()
    for task, given_answer in zip(problem.tasks, answer, strict=True):
        assert len(given_answer.items) == max(1, len(read_items(task)))
        assert all(item.text.strip() for item in given_answer.items)
        assert given_answer.explanation.strip()
        assert given_answer.understood.strip()
    return answer


@pytest.mark.parametrize("name", [name for name in EXTREME if name not in HUGE])
def test_odd_sheets_are_answered(name: str) -> None:
    first_answer(EXTREME[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
def test_huge_sheets_are_answered(name: str) -> None:
    first_answer(EXTREME[name])


@pytest.mark.parametrize("name", ["empty context", "nothing at all", "a page of prose"])
def test_where_nothing_is_understood_the_reason_is_said(name: str) -> None:
    answer = first_answer(EXTREME[name])[0]
    assert "No grammar was found (not understood:" in answer.explanation
    assert "not understood: " in answer.understood


def test_what_is_past_the_bounds_is_said() -> None:
    answer = first_answer(EXTREME["a line of 5 MB"])[0]
    assert "past 4000 lines or too long" in answer.understood


@pytest.mark.parametrize("seed", range(12))
def test_spoilt_sheets_are_answered(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a seed is wanted
    first_answer(mutated(rng.choice(PROBLEMS), PROBLEMS, rng))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=300), st.text(max_size=150))
def test_any_text_is_answered(context: str, query: str) -> None:
    first_answer(Problem("p", (Task("t", context, query),)))


def test_a_page_asked_for_among_number_names_ends_in_time() -> None:
    words = [f"word{i}" for i in range(4000)]
    context = "mako = 1\ntiri = 2\nsulo = 3\nmako ka tiri = 7\nsulo ka mako = 10"
    query = "Write in numerals:\n1. tiri ka sulo\n2. " + " ".join(words)
    clock = time.process_time
    start = clock()
    answers = Induction().solve(
        Problem("p", (Task("t", context, query),)), Budget(deadline=start + 0.5, clock=clock)
    )
    *_, last = answers
    assert all(item.text.strip() for item in last[0].items)
    assert clock() - start < 4.0


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.id)
def test_thousands_of_items_end_in_time(problem: Problem) -> None:
    tasks = [replace(task, query=_thousands(task)) for task in problem.tasks[:2]]
    start = time.process_time()
    solving = Induction().solve(
        replace(problem, tasks=tuple(tasks)), Budget(deadline=start + 4, clock=time.process_time)
    )
    next(solving)
    latest = max(start + 4, time.process_time())
    for answer in solving:
        assert all(item.text.strip() for task in answer for item in task.items)
    assert time.process_time() < latest + 4


def _thousands(task: Task) -> str:
    """Ask for the items of a task again and again."""
    texts = [item.text for item in read_items(task) if item.text.strip()] or ["mako"]
    asked = [f"{n}. {texts[n % len(texts)]}" for n in range(1, 3001)]
    return "\n".join([task.query.split("\n")[0], *asked])


def test_a_page_asked_for_is_left_to_the_fallback() -> None:
    context = "mako tiri | dogs sleep\nmako sulo | dogs run\nkelo tiri | cats sleep"
    query = "Translate into Ulani:\n1. cats run\n2. " + "The dogs run and cats sleep. " * 3000
    start = time.process_time()
    *_, last = Induction().solve(
        Problem("p", (Task("t", context, query),)),
        Budget(deadline=start + 0.5, clock=time.process_time),
    )
    assert all(item.text.strip() for item in last[0].items)
    assert time.process_time() - start < 3.0
