"""The part solver for kinship terms: a family and statements in, definitions and answers out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot, ranked
from iolai.solvers.induction.kinship.answers import (
    answers_to,
    is_glossed_item,
    pair_asked,
)
from iolai.solvers.induction.kinship.confidence import Confidence
from iolai.solvers.induction.kinship.data import KinData, kin_examples, read_kin
from iolai.solvers.induction.kinship.statements import BLANK, tokens_of
from iolai.solvers.induction.kinship.theory import Theory, find_theory
from iolai.solvers.induction.printed import Section, make_section
from iolai.solvers.induction.reader import Sheet

__all__ = ["KinTerms"]

_TITLE = "Kinship"
_RANK_SHARE = 0.25
#: How sure a translation by the glosses of the sheet is, before rivals take their share.
_BY_GLOSS = 0.9


class KinTerms:
    """Finds what each kinship term of a sheet means, and answers from the definitions."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal where the sheet tells a family and says things about it."""
        data = read_kin(sheet)
        if data is None:
            return
        theory = find_theory(data, _asked(sheet, data), budget)
        if theory is None:
            return
        confidence = Confidence(theory)
        answers = {
            (t, i): ranked(
                _weights(sheet.tasks[t].items[i].text, found, theory, confidence, budget)
            )
            for (t, i), found in _answered(sheet, theory, budget).items()
        }
        section = _section(theory)
        rules = theory.kinship.lines()
        share = section.share
        yield Proposal(
            Grammar("kinship", rules, theory.choice.bits, share, share, (section,)), answers
        )


def _weights(
    text: str, found: Sequence[str], theory: Theory, confidence: Confidence, budget: Budget
) -> dict[str, float]:
    """Return how likely each answer to an item is right, the best first."""
    if is_glossed_item(text, theory):
        return {answer: _BY_GLOSS * _RANK_SHARE**n for n, answer in enumerate(found)}
    sure = confidence.of(text, found[0], budget)
    rest = min(sure, 1 - sure)
    return {found[0]: sure, **{a: rest * _RANK_SHARE**n for n, a in enumerate(found) if n}}


def _asked(sheet: Sheet, data: KinData) -> list[tuple[str, str]]:
    """Return the pairs whose term is a blank."""
    texts = [item.text for task in sheet.tasks for item in task.items if item.text]
    blank = [text for text in texts if BLANK in tokens_of(text, data.names)]
    pairs = [pair_asked(text, data.names) for text in blank]
    return [pair for pair in pairs if pair is not None]


def _answered(sheet: Sheet, theory: Theory, budget: Budget) -> dict[Slot, list[str]]:
    found: dict[Slot, list[str]] = {}
    for t, task in enumerate(sheet.tasks):
        for i, item in enumerate(task.items):
            if found and budget.seconds_left <= 0:
                return found
            texts = answers_to(item.text, theory) if item.text else []
            if texts:
                found[t, i] = texts[:5]
    return found


def _section(theory: Theory) -> Section:
    examples = kin_examples(theory.data, theory.bearers, theory.is_first)
    return make_section(_TITLE, theory.kinship, examples)
