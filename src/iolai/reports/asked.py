"""What each item of a task asked, to stand beside its answer, where the query says it on a line.

A blank inside a sentence or a table has no line of its own: cut out, what stands around it says
nothing, or something false. Such a query is shown whole instead, as it was set.
"""

from __future__ import annotations

from collections.abc import Sequence

from iolai.reading import read_items
from iolai.records import Item, Task

__all__ = ["asked_items", "label_at"]

_AROUND_A_LABEL = " \t.:()[]"


def asked_items(task: Task) -> tuple[tuple[Item, ...], bool]:
    """Return the items of a task, and whether its query must be shown whole.

    Where it must, the items have labels alone. It need not where each item is a line of the query,
    its label before it and nothing else.
    """
    items = tuple(read_items(task))
    lines = [line.strip() for line in task.query.splitlines()]
    if all(_is_a_line(item, lines) for item in items):
        return items, False
    return tuple(Item(item.label) for item in items), True


def label_at(items: Sequence[Item], place: int) -> str:
    """Return what the sheet calls the item at a place, counted from 0; else its number from 1."""
    return (items[place].label if place < len(items) else "") or str(place + 1)


def _is_a_line(item: Item, lines: list[str]) -> bool:
    text = item.text.strip()
    return bool(text) and any(
        line.endswith(text)
        and line[: -len(text)].strip(_AROUND_A_LABEL) == item.label.strip(_AROUND_A_LABEL)
        for line in lines
    )
