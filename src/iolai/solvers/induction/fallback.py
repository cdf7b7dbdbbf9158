"""Answers before anything is understood: letters one-to-one, the nearest example's other side."""

from __future__ import annotations

from collections.abc import Iterator

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.examples import similarity
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot
from iolai.solvers.induction.reader import Sheet, SheetItem, TaskSheet

__all__ = ["Fallback"]


class Fallback:
    """Never leaves an item blank; its weight is 0, so that any other proposal is preferred."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal with an answer for every item."""
        answers: dict[Slot, tuple[Candidate, ...]] = {}
        for t, task in enumerate(sheet.tasks):
            letters = [entry.label for pair in task.matching for entry in pair.glosses]
            for i, item in enumerate(task.items):
                text = letters[i % len(letters)] if letters else _nearest(sheet, task, item)
                answers[t, i] = (Candidate(text, 0.0),)
        yield Proposal(Grammar("fallback", ()), answers)


def _nearest(sheet: Sheet, task: TaskSheet, item: SheetItem) -> str:
    """Return what stands beside the text most like the item; its own text where nothing does."""
    if item.place is not None:
        t, r, _ = item.place
        texts = [cell.text for cell in task.tables[t].rows[r].cells if cell.text]
        return texts[0] if texts else item.label or "-"
    best, answer = 0.0, ""
    for table in task.tables or sheet.tables:
        sources = table.places(item.source) or range(len(table.columns))
        targets = table.places(item.target) or range(len(table.columns))
        for row in table.rows:
            for source in sources:
                likeness = similarity(item.text, row.cells[source].text)
                other = next((row.cells[k].text for k in targets if k != source), "")
                if likeness > best and other:
                    best, answer = likeness, other
    if answer:
        return answer
    glosses = [
        e.text
        for pair in sheet.lists
        for e in (pair.glosses if item.target == "gloss" else pair.forms)
    ]
    if glosses:
        return min(glosses, key=lambda text: (abs(len(text) - len(item.text)), text))
    return item.text or item.label or "-"
