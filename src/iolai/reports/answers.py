"""A solver's answers for people: task by task, item by item, with confidence and explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from iolai.reading import read_items
from iolai.records import Item, ItemAnswer, ProblemSet, Task, TaskAnswer

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

__all__ = ["answer_tables"]

#: What the text behind the label of a blank within an equation begins with, or "".
_SIGNS = ("", *"=+−-–×*·/:÷^")


def answer_tables(problems: ProblemSet, answers: Iterable[TaskAnswer]) -> Iterator[RenderableType]:
    """Yield what to print, in order, for each problem.

    What the solver understood of the sheet, a table of answers with confidence for each task, and
    the explanation, once where the tasks share it.
    """
    from rich.text import Text

    by_id = {answer.id: answer for answer in answers}
    for problem in problems:
        given = [by_id[task.id] for task in problem.tasks]
        heading = " – ".join(part for part in (problem.title, problem.language) if part)
        yield Text(heading or f"Problem {problem.id}", style="bold")
        yield from _said_once("What was understood of the sheet", [a.understood for a in given])
        for task, answer in zip(problem.tasks, given, strict=True):
            yield Text(f"\nTask {task.id}", style="cyan")
            yield _table(task, answer)
        yield from _said_once("Why", [answer.explanation for answer in given])
        yield Text("")


def _said_once(title: str, texts: Iterable[str]) -> Iterator[RenderableType]:
    """Yield a heading and each text once, however many tasks share it."""
    from rich.text import Text

    for text in dict.fromkeys(filter(None, texts)):
        yield Text(f"\n{title}", style="cyan")
        yield Text(text)


def _table(task: Task, answer: TaskAnswer) -> Table:
    from rich.table import Table
    from rich.text import Text

    with_confidence = any(
        item.confidence is not None or item.is_placeholder for item in answer.items
    )
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    items = _labelled(task, len(answer.items))
    for place, (item, given) in enumerate(zip(items, answer.items, strict=True), start=1):
        shown = _asked_in(task, item, given.asked)
        label = item.label or (str(place) if len(items) > 1 else "")
        cells = [Text(label, style="dim"), Text(shown), Text(given.text, style="bold")]
        if with_confidence:
            cells.append(Text(_said_of(given), style="dim"))
        table.add_row(*cells)
    return table


def _asked_in(task: Task, item: Item, cell: str) -> str:
    """Return the text of an item; of a blank within a line, the whole line.

    What stands behind the label of such a blank is nothing, or begins with a sign. Of an item
    without a text, or with that of the instruction, ``cell`` is returned: the row and column that
    are filled.
    """
    if cell and item.text in ("", task.query.partition("\n")[0].strip()):
        return cell
    if not item.label or item.text[:1] not in _SIGNS:
        return item.text
    lines = (line.strip() for line in task.query.split("\n"))
    return next((line for line in lines if f"({item.label})" in line), item.text)


def _said_of(given: ItemAnswer) -> str:
    if given.is_placeholder:
        return "placeholder"
    return "–" if given.confidence is None else f"{given.confidence:.0%} sure"


def _labelled(task: Task, n_items: int) -> list[Item]:
    items = list(read_items(task))
    return items if len(items) == n_items else [Item(str(i + 1)) for i in range(n_items)]
