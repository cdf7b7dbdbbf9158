"""A solver's answers for people: what is shown beside each label."""

from __future__ import annotations

from rich.console import Console

from iolai.records import ItemAnswer, Problem, ProblemSet, Task, TaskAnswer
from iolai.reports.answers import answer_tables


def _shown(task: Task, answer: TaskAnswer) -> list[str]:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        for part in answer_tables(ProblemSet((Problem("p", (task,)),)), [answer]):
            console.print(part)
    return [" ".join(line.split()) for line in capture.get().splitlines()]


def test_a_cell_without_a_text_is_shown_by_its_row_and_column() -> None:
    rows = "one | many\nsul | sulet\npari | {}\n{} | gomet"
    cells = ItemAnswer("pariet", asked="pari: many"), ItemAnswer("gom", asked="gomet: one")
    for blanks, query in (("??", "Fill in the blanks."), (("(1)", "(2)"), "Fill in (1)-(2).")):
        shown = _shown(Task("t", rows.format(*blanks), query), TaskAnswer("t", cells))
        assert "1 pari: many pariet" in shown
        assert "2 gomet: one gom" in shown
    own = Task("t", "sul - sulet", "Fill in the blanks:\n1. pari - ____\n2. ____ - gomet")
    assert "1 pari - ____ pariet" in _shown(own, TaskAnswer("t", cells))


def test_a_blank_in_an_equation_is_shown_in_its_line() -> None:
    query = "Fill in the blanks:\n(1) × sa = vek\nvek − (2) = sa\n(3) 'a fox'"
    task = Task("t", "", query)
    answer = TaskAnswer("t", tuple(ItemAnswer(text) for text in ("one", "two", "three")))
    shown = _shown(task, answer)
    assert "1 (1) × sa = vek one" in shown
    assert "2 vek − (2) = sa two" in shown
    assert "3 'a fox' three" in shown
