"""Numerals: morphs with meanings found by search, then values computed and words built.

Values are computed from the meanings of a form's morphs. Words are built from the patterns of the
examples: each pattern's morphs are exchanged for others of their kind until the value is the one
asked for; what was built is computed again before it is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Answers, Grammar, Proposal
from iolai.solvers.induction.numerals.arithmetic import Meaning, value_of
from iolai.solvers.induction.numerals.building import build
from iolai.solvers.induction.numerals.cutting import cuttings, words_of
from iolai.solvers.induction.numerals.search import Equation, Search
from iolai.solvers.induction.reader import Sheet, SheetItem

__all__ = ["Numerals"]

_OPERATORS = re.compile(r"\s*([+=×*·−^]|(?<=\s)-(?=\s))\s*")


class Numerals:
    """Solves numerals whose examples have values, in order or not."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal for the numeral items where a consistent grammar is found."""
        asked = [
            (t, i, item)
            for t, task in enumerate(sheet.tasks)
            for i, item in enumerate(task.items)
            if item.layout == "number" and item.text
        ]
        examples, pool = _examples(sheet)
        if not asked or len(examples) < 3:
            return
        model = _find(examples, pool, [item.text for _, _, item in asked], budget)
        if model is None:
            return
        answers: Answers = {
            (t, i): (Candidate(text, 0.8),)
            for t, i, item in asked
            if (text := model.answer(item)) is not None
        }
        yield Proposal(model.grammar(), answers)


def _examples(sheet: Sheet) -> tuple[list[tuple[str, int | None]], list[int]]:
    """Return numerals with their values, and the pool of values that stand unordered."""
    found: list[tuple[str, int | None]] = []
    for table in sheet.tables:
        forms, values = table.places("form"), table.places("value")
        for row in table.rows if forms and values else ():
            form, value = row.cells[forms[0]].text, row.cells[values[0]].text
            if form and value.isdigit():
                found.append((form, int(value)))
    pool: list[int] = []
    for lists in sheet.lists:
        values_of = [entry.text for entry in lists.glosses]
        if values_of and all(value.isdigit() for value in values_of) and not found:
            pool = [int(value) for value in values_of]
            found = [(entry.text, None) for entry in lists.forms]
    return found, pool


def _find(
    examples: Sequence[tuple[str, int | None]],
    pool: Sequence[int],
    asked: Sequence[str],
    budget: Budget,
) -> _Model | None:
    """Try coarser and finer cuts; return the cheapest grammar that makes all examples true."""
    forms = [form for form, _ in examples]
    asked_forms = [
        part for text in asked for part in _OPERATORS.split(text)[::2] if not part.isdigit()
    ]
    best: tuple[float, _Model] | None = None
    for cut in cuttings([*forms, *asked_forms]):
        morphs = [tuple(m for w in words_of(form) for m in cut[w]) for form in forms]
        equations = [Equation(m, value) for m, (_, value) in zip(morphs, examples, strict=True)]
        search = Search(equations, pool, budget)
        for cost, meanings in search.found:
            missing = sum(
                1
                for form in asked_forms
                for w in words_of(form)
                for m in cut[w]
                if m not in meanings
            )
            letters = 0.4 * sum(len(morph) for morph in meanings)
            total = cost + letters + 6.0 * missing
            if best is None or total < best[0]:
                best = total, _Model(meanings, cut, forms, morphs)
    return best[1] if best else None


@dataclass(frozen=True, slots=True)
class _Model:
    meanings: Mapping[str, Meaning]
    cut: Mapping[str, tuple[str, ...]]
    forms: Sequence[str]
    morphs: Sequence[tuple[str, ...]]

    def grammar(self) -> Grammar:
        """Return the meanings as rules; they regenerate every example."""
        rules = tuple(f"{morph}: {meaning}" for morph, meaning in self.meanings.items())
        cost = sum(meaning.cost for meaning in self.meanings.values())
        return Grammar("numerals", rules, cost, 1.0, 0.8)

    def answer(self, item: SheetItem) -> str | None:
        """Return the value of a form, the form of a value, or an equation in numerals."""
        text = item.text.strip()
        if text.isdigit():
            return build(int(text), self.meanings, self.forms, self.morphs)
        parts = _OPERATORS.split(text)
        values = [self._value(part) for part in parts[::2]]
        if any(value is None for value in values):
            return None
        out = str(values[0])
        for operator, value in zip(parts[1::2], values[1:], strict=True):
            out += f"^{value}" if operator == "^" else f" {operator} {value}"
        return out

    def _value(self, form: str) -> int | None:
        morphs = [m for word in words_of(form) for m in self.cut.get(word, ("?",))]
        if not morphs or any(morph not in self.meanings for morph in morphs):
            return None
        return value_of(morphs, self.meanings)
