"""A model's answers against the problem's own examples: what cannot be right, and what returns.

Nothing here knows the right answers. A failure is a sentence that the model can be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from iolai.solvers.base import Budget
from iolai.solvers.hybrid.joining import Opinion
from iolai.solvers.induction.reader import Sheet, SheetItem
from iolai.solvers.induction.settings import Settings
from iolai.solvers.induction.translation.corpus import Corpus, bare_form
from iolai.solvers.induction.translation.into_english import IntoEnglish
from iolai.solvers.induction.translation.into_form import IntoForm
from iolai.solvers.induction.translation.pairs import example_pairs
from iolai.text import fold_punctuation, normalise_answer

__all__ = ["Checker"]

_N_FITS = 2
_MAX_EXAMPLES = 60
_FEWEST_PAIRS = 3
#: A word of the language shares at least this part of itself with some word of the data.
_KNOWN_SHARE = 0.5
_MAX_SHOWN = 3


@dataclass
class Checker:
    """Checks forms against one problem's sheet; what it learns of the sheet is learnt once."""

    sheet: Sheet
    budget: Budget
    _opinions: dict[tuple[int, int, str], Opinion] = field(default_factory=dict)

    def opinion(self, task_place: int, place: int, form: str) -> Opinion:
        """Say what the sheet and the engine's grammar say of a form as the answer to an item."""
        items = self.sheet.tasks[task_place].items
        if place >= len(items) or not form.strip():
            return Opinion()
        key = task_place, place, form
        if key not in self._opinions:
            failures = tuple(self._failures(items[place], form))
            returns = not failures and self._regenerates(items[place], form)
            self._opinions[key] = Opinion(failures, returns)
        return self._opinions[key]

    def _failures(self, item: SheetItem, form: str) -> list[str]:
        found = []
        key = normalise_answer(form)
        if item.layout == "translate" and key == normalise_answer(item.text):
            return [f"“{form}” is what was to be translated, not its translation"]
        others = self._known_sides(item).get(key, set()) - {normalise_answer(item.text)}
        if item.layout == "translate" and others:
            found.append(f"by the data “{form}” belongs to “{min(others)}”, which differs")
        if item.target == "form":
            found += self._strange(item, form)
        if item.target == "value" and not any(character.isdigit() for character in form):
            found.append(f"“{form}” is no number in figures")
        if item.target == "gloss" and self._is_of_the_language(form):
            found.append(f"“{form}” is in the language of the data, not a translation")
        return found

    # --- the sheet --------------------------------------------------------------------------

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        """All texts in the language: cells, lists, words explained in prose."""
        sheet = self.sheet
        cells = (
            row.cells[k].text
            for table in sheet.tables
            for k in table.places("form")
            for row in table.rows
        )
        listed = (entry.text for lists in sheet.lists for entry in lists.forms)
        noted = (note.form for note in sheet.notes)
        asked = (i.text for task in sheet.tasks for i in task.items if i.source == "form")
        equal = (entry.text for entry in sheet.equations)
        return tuple(bare_form(t) for t in (*cells, *listed, *noted, *asked, *equal) if t.strip())

    @cached_property
    def _glosses(self) -> frozenset[str]:
        """All words of the translations."""
        sheet = self.sheet
        cells = (
            row.cells[k].text
            for table in sheet.tables
            for k in table.places("gloss")
            for row in table.rows
        )
        listed = (entry.text for lists in sheet.lists for entry in lists.glosses)
        noted = (note.gloss for note in sheet.notes)
        asked = (i.text for task in sheet.tasks for i in task.items if i.source == "gloss")
        return frozenset(
            word for text in (*cells, *listed, *noted, *asked) for word in _words(text)
        )

    @cached_property
    def _letters(self) -> frozenset[str]:
        return frozenset(c for form in self._forms for c in form.lower() if c.isalpha())

    @cached_property
    def _language_words(self) -> frozenset[str]:
        return frozenset(word for form in self._forms for word in _words(form))

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return example_pairs(self.sheet)

    def _known_sides(self, item: SheetItem) -> dict[str, set[str]]:
        """Return for each text on the item's target side what stands on the other."""
        known: dict[str, set[str]] = {}
        for form, gloss in self._pairs:
            side, other = (gloss, form) if item.target == "gloss" else (form, gloss)
            known.setdefault(normalise_answer(side), set()).add(normalise_answer(other))
        return known

    def _strange(self, item: SheetItem, form: str) -> list[str]:
        """Name letters and words that nothing in the language resembles."""
        if not self._forms:
            return []
        found = []
        own = set(item.text.lower())
        letters = [c for c in form.lower() if c.isalpha() and c not in self._letters | own]
        if letters:
            shown = ", ".join(dict.fromkeys(letters[:_MAX_SHOWN]))
            found.append(f"“{form}” has letters that the language does not use: {shown}")
        words = [word for word in _words(form) if not self._is_known(word)]
        if words and not letters:
            found.append(f"nothing in the data is like “{words[0]}” in “{form}”")
        return found

    def _is_known(self, word: str) -> bool:
        """Say whether some word of the data shares a long enough piece with this one."""
        needed = max(2, round(_KNOWN_SHARE * len(word))) if len(word) > 1 else 1
        pieces = {word[i : i + needed] for i in range(len(word) - needed + 1)}
        return any(piece in known for known in self._language_words for piece in pieces)

    def _is_of_the_language(self, text: str) -> bool:
        words = set(_words(text))
        return bool(words) and words <= self._language_words and not words & self._glosses

    # --- the grammar ------------------------------------------------------------------------

    @cached_property
    def _ways(self) -> tuple[IntoEnglish, IntoForm] | None:
        """The engine's translators in both directions; None where there are too few examples."""
        if len(self._pairs) < _FEWEST_PAIRS or self.budget.seconds_left <= 0:
            return None
        asked = [i.text for task in self.sheet.tasks for i in task.items if i.source == "gloss"]
        seeds = [self.budget.seed + k for k in range(_N_FITS)]
        corpus = Corpus(self._pairs[:_MAX_EXAMPLES], asked, Settings().fit, seeds)
        return (IntoEnglish(corpus), IntoForm(corpus)) if corpus.examples else None

    def _regenerates(self, item: SheetItem, form: str) -> bool:
        """Say whether the engine, given the form as data, comes back to the item."""
        if item.layout != "translate" or {item.source, item.target} != {"form", "gloss"}:
            return False
        if self._ways is None or self.budget.seconds_left <= 0:
            return False
        into_english, into_form = self._ways
        if item.target == "form":
            back = into_english.translate(form, self.budget, n_best=1)
            return bool(back) and normalise_answer(back[0][0]) == normalise_answer(item.text)
        back = into_form.translate(form, self.budget, n_best=1)
        return bool(back) and bare_form(back[0][0]) == bare_form(item.text)


def _words(text: str) -> Sequence[str]:
    return fold_punctuation(text).lower().split()
