"""A solver's answers for people: what is shown beside each label."""

from __future__ import annotations

from rich.console import Console

from iolai.records import ItemAnswer, Problem, ProblemSet, Task, TaskAnswer
from iolai.reports.answers import answer_tables


def test_a_blank_in_an_equation_is_shown_in_its_line() -> None:
    query = "Fill in the blanks:\n(1) × sa = vek\nvek − (2) = sa\n(3) 'a fox'"
    task = Task("t", "", query)
    answer = TaskAnswer("t", tuple(ItemAnswer(text) for text in ("one", "two", "three")))
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        for part in answer_tables(ProblemSet((Problem("p", (task,)),)), [answer]):
            console.print(part)
    shown = [" ".join(line.split()) for line in capture.get().splitlines()]
    assert "1 (1) × sa = vek one" in shown
    assert "2 vek − (2) = sa two" in shown
    assert "3 'a fox' three" in shown
