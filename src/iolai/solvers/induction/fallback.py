"""Answers before anything is understood: letters one-to-one, the nearest example's other side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import islice

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.examples import letter_pairs, likeness
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot
from iolai.solvers.induction.reader import Sheet, SheetItem, Table, TaskSheet

__all__ = ["Fallback"]


#: How many pairs of an item and an example are compared on a sheet: more take seconds.
_MOST_COMPARED = 500_000
#: What is compared of an example, and what stands beside it.
_Beside = list[tuple[Set[str], str]]


class Fallback:
    """Never leaves an item blank; its weight is 0, so that any other proposal is preferred."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal with an answer for every item."""
        answers: dict[Slot, tuple[Candidate, ...]] = {}
        n_items = sum(len(task.items) for task in sheet.tasks)
        for t, task in enumerate(sheet.tasks):
            letters = [entry.label for pair in task.matching for entry in pair.glosses]
            nearest = _Nearest(sheet, task, _MOST_COMPARED // max(1, n_items))
            for i, item in enumerate(task.items):
                text = letters[i % len(letters)] if letters else nearest.answer(item)
                answers[t, i] = (Candidate(text, 0.0),)
        yield Proposal(Grammar("fallback", ()), answers)


class _Nearest:
    """Finds what stands beside the text most like an item, of the first ``n_compared`` examples."""

    def __init__(self, sheet: Sheet, task: TaskSheet, n_compared: int) -> None:
        self._sheet, self._task, self._n_compared = sheet, task, n_compared
        self._beside: dict[tuple[str, str], _Beside] = {}

    def answer(self, item: SheetItem) -> str:
        """Return what stands beside the text most like an item; its own text where nothing does."""
        if item.place is not None:
            t, r, _ = item.place
            texts = [cell.text for cell in self._task.tables[t].rows[r].cells if cell.text]
            return texts[0] if texts else item.label or "-"
        best, answer = 0.0, ""
        asked = letter_pairs(item.text)
        for text, other in self._examples(item):
            if (alike := likeness(asked, text)) > best:
                best, answer = alike, other
        return answer or self._listed(item) or item.text or item.label or "-"

    def _examples(self, item: SheetItem) -> _Beside:
        key = (item.source, item.target)
        if key not in self._beside:
            found = islice(_examples(self._task.tables or self._sheet.tables, *key),
                           self._n_compared)  # fmt: skip
            self._beside[key] = [(letter_pairs(text), other) for text, other in found]
        return self._beside[key]

    def _listed(self, item: SheetItem) -> str:
        """Return the entry of the unordered lists that is about as long as an item."""
        texts = [
            e.text
            for pair in self._sheet.lists
            for e in (pair.glosses if item.target == "gloss" else pair.forms)
        ]
        return min(texts, key=lambda text: (abs(len(text) - len(item.text)), text), default="")


def _examples(tables: Iterable[Table], source: str, target: str) -> Iterator[tuple[str, str]]:
    """Yield each text of the columns in question, and what stands beside it in the other."""
    for table in tables:
        sources = table.places(source) or range(len(table.columns))
        targets = table.places(target) or range(len(table.columns))
        for row in table.rows:
            for place in sources:
                other = next((row.cells[k].text for k in targets if k != place), "")
                if other:
                    yield row.cells[place].text, other
