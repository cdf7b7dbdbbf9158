"""Rosetta stones: translation items answered from the aligned examples of the sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot, ranked
from iolai.solvers.induction.matching import match_lists
from iolai.solvers.induction.printed.making import words_section
from iolai.solvers.induction.printed.words import Words
from iolai.solvers.induction.reader import Sheet, SheetItem
from iolai.solvers.induction.settings import Settings
from iolai.solvers.induction.translation.corpus import Corpus, bare_form
from iolai.solvers.induction.translation.describe import described
from iolai.solvers.induction.translation.into_english import IntoEnglish
from iolai.solvers.induction.translation.into_form import IntoForm
from iolai.solvers.induction.translation.pairs import example_pairs
from iolai.solvers.induction.translation.proving import share_left_out, share_regenerated
from iolai.solvers.induction.translation.ruled import Ruled

__all__ = ["Translation"]

#: What is learnt from at most. The forms of no sheet of the two sets have over 800 letters in all.
_MAX_EXAMPLES, _MAX_LETTERS, _LONGEST = 120, 4000, 300
_ENOUGH_TO_PROVE = 5
_MAX_PROVED = 40
#: A longer item is a page, whose translation would take minutes.
_LONGEST_ASKED = 600
#: What share of the examples, and of how many at least, a printed grammar gives whose answers come
#: before all others; and by how much (log) they do.
_TRUSTED, _ENOUGH_TO_TRUST = 0.8, 4
#: From what share on it decides between answers that the engine has found without it.
_HEARD = 0.5
_SURER = 2.0

_Entries = Sequence[tuple[int, int, SheetItem]]
_Found = dict[Slot, list[tuple[str, float]]]


@dataclass(frozen=True, slots=True)
class Translation:
    """Translates by alignment and substitution into examples."""

    settings: Settings = field(default_factory=Settings)

    def tuned(self, settings: Settings) -> Translation:
        """Return the solver with other settings."""
        return Translation(settings)

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal for all translation items of the sheet."""
        asked = [
            (t, i, item)
            for t, task in enumerate(sheet.tasks)
            for i, item in enumerate(task.items)
            if item.layout == "translate"
            and "phonetic" not in (item.source, item.target)
            and len(item.text) <= _LONGEST_ASKED
        ]
        if not asked:
            return
        groups: dict[str, list[tuple[int, int, SheetItem]]] = {}
        for entry in asked:
            groups.setdefault(_column_of(sheet, entry[2]), []).append(entry)
        for column, entries in groups.items():
            pairs = example_pairs(sheet, column)
            for lists in sheet.lists:
                if matched := match_lists(lists, sheet, budget):
                    pairs += matched.pairs()
            if len(pairs) >= 2:
                yield from _answered(pairs, column, entries, budget, self.settings)


def _answered(
    pairs: Sequence[tuple[str, str]],
    column: str,
    entries: _Entries,
    budget: Budget,
    settings: Settings,
) -> Iterator[Proposal]:
    glosses = [item.text for _, _, item in entries if item.source == "gloss"]
    seeds = [budget.seed + k for k in range(settings.n_fits)]
    corpus = Corpus(_bounded(pairs), glosses, settings.fit, seeds, budget=budget)
    if not corpus.examples:
        return
    into_english, into_form = IntoEnglish(corpus), IntoForm(corpus)
    found: _Found = {}
    for t, i, item in entries:
        if budget.seconds_left <= 0:
            break
        translate = into_english.translate if item.target == "gloss" else into_form.translate
        found[t, i] = translate(item.text, budget)
    _look_up(pairs, entries, found)
    grammar = Grammar("translation", described(corpus))
    answers = {slot: _candidates(scored, 1.0) for slot, scored in found.items()}
    yield Proposal(grammar, answers)
    if budget.seconds_left <= 0:
        return
    section = words_section(corpus, column, _labelled(entries, found), budget)
    if section.share >= _HEARD and section.n_examples >= _ENOUGH_TO_TRUST:
        ruled = Ruled(corpus, cast("Words", section.rules()))
        _by_rules(ruled, entries, found, budget, is_trusted=section.share >= _TRUSTED)
        section = section.with_items(_labelled(entries, found), bare_form)
        answers = {slot: _candidates(scored, 1.0) for slot, scored in found.items()}
    grammar = replace(grammar, sections=(section,))
    yield Proposal(grammar, answers)
    if budget.seconds_left <= 0 or len(pairs) < _ENOUGH_TO_PROVE:
        return
    # The answers stay; only how far they are trusted is worked out.
    trust = {
        target: share_left_out(pairs[:_MAX_PROVED], target, budget)
        for target in sorted({item.target for _, _, item in entries})
    }
    proved = replace(
        grammar, verified=share_regenerated(corpus, budget), left_out=max(trust.values())
    )
    answers = {
        (t, i): _candidates(found[t, i], trust[item.target])
        for t, i, item in entries
        if (t, i) in found
    }
    yield Proposal(proved, answers)


def _bounded(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the first pairs, as many as can be aligned in seconds."""
    kept: list[tuple[str, str]] = []
    n_letters = 0
    for form, gloss in pairs[:_MAX_EXAMPLES]:
        if len(form) <= _LONGEST and len(gloss) <= _LONGEST:
            n_letters += len(form)
            kept.append((form, gloss))
        if n_letters > _MAX_LETTERS:
            break
    return kept


def _look_up(pairs: Sequence[tuple[str, str]], entries: _Entries, found: _Found) -> None:
    """Answer what stands among the examples by what stands beside it there, and by it alone."""
    beside = (_beside(pairs, 0), _beside(pairs, 1))
    for t, i, item in entries:
        side = 0 if item.target == "gloss" else 1
        others = beside[side].get(bare_form(item.text), set())
        if len(others) == 1 and (t, i) in found and "".join(others).strip():
            found[t, i] = [(min(others), 0.0)]


def _beside(pairs: Sequence[tuple[str, str]], side: int) -> dict[str, set[str]]:
    """Return what stands beside each form (side 0) or gloss (1) of the examples."""
    beside: dict[str, set[str]] = {}
    for pair in pairs:
        if bare := bare_form(pair[side]):
            beside.setdefault(bare, set()).add(pair[1 - side])
    return beside


def _by_rules(
    ruled: Ruled, entries: _Entries, found: _Found, budget: Budget, *, is_trusted: bool
) -> None:
    """Put what the rules give before all other answers.

    Rules that are not trusted choose among the answers found: the first that accords with them.
    """
    for t, i, item in entries:
        if budget.seconds_left <= 0:
            return
        if (t, i) in found:
            if is_trusted:
                made = ruled.answer(item, budget)
            else:
                made = next((text for text, _ in found[t, i] if ruled.gives(item, text)), "")
            others = [(text, score) for text, score in found[t, i] if text != made]
            if made:
                first = max((score for _, score in found[t, i]), default=0.0) + _SURER
                found[t, i] = [(made, first), *others]


def _labelled(
    entries: _Entries, found: Mapping[Slot, list[tuple[str, float]]]
) -> list[tuple[str, str, str]]:
    """Return (label, gloss, form) of the answers, whichever of the two was asked for."""
    rows = []
    for t, i, item in entries:
        if scored := found.get((t, i)):
            gloss, form = scored[0][0], item.text
            if item.target != "gloss":
                gloss, form = form, gloss
            rows.append((item.label or str(i + 1), gloss, form))
    return rows


def _candidates(scored: Sequence[tuple[str, float]], trust: float) -> tuple[Candidate, ...]:
    """Return candidates whose weights are their shares, times how far the grammar is trusted."""
    if not scored:
        return ()
    best = scored[0][1]
    shares = ranked({text: math.exp(score - best) for text, score in scored})
    return tuple(Candidate(one.text, one.weight * trust) for one in shares)


def _column_of(sheet: Sheet, item: SheetItem) -> str:
    """Return the name of the form column an item is about, where the sheet has several."""
    wanted = (item.target_name if item.target == "form" else item.source_name).lower()
    names = {c.name for table in sheet.tables for c in table.columns if c.role == "form"}
    return next((name for name in names if name and name.lower() == wanted), "")
