"""Matching tasks answered from the marginals of many matchings, one option an item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot, ranked
from iolai.solvers.induction.matching.assignment import best_assignment
from iolai.solvers.induction.matching.search import match_marginals
from iolai.solvers.induction.reader import Lists, Sheet
from iolai.solvers.induction.translation.corpus import Corpus, bare_form
from iolai.solvers.induction.translation.pairs import example_pairs
from iolai.solvers.induction.translation.units import units_of

__all__ = ["Matching", "matched_pairs"]

Floats = NDArray[np.float64]
_ENOUGH_EXAMPLES = 6


class Matching:
    """Pairs two unordered lists."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal a matching task."""
        for t, task in enumerate(sheet.tasks):
            if not task.matching:
                continue
            answers: dict[Slot, tuple[Candidate, ...]] = {}
            place = 0
            for pair in task.matching:
                chosen = _letters(sheet, pair, budget)
                for k in range(len(pair.forms)):
                    if place < len(task.items):
                        answers[t, place] = chosen[k]
                    place += 1
            yield Proposal(Grammar("matching", ()), answers)


def _letters(sheet: Sheet, pair: Lists, budget: Budget) -> list[tuple[Candidate, ...]]:
    """Return for each form its letter first, then the next likely ones."""
    shares = _shares(sheet, pair, budget)
    columns = _assigned(shares)
    out = []
    for i, column in enumerate(columns):
        weights = {pair.glosses[j].label: float(shares[i, j]) for j in range(shares.shape[1])}
        first = pair.glosses[column].label
        rest = [c for c in ranked(weights, 4) if c.text != first]
        out.append((Candidate(first, weights[first]), *rest))
    return out


def _shares(sheet: Sheet, pair: Lists, budget: Budget) -> Floats:
    """Return the vote for each gloss (columns) of each form (rows)."""
    forms, glosses = ([e.text for e in side] for side in (pair.forms, pair.glosses))
    known = example_pairs(sheet)
    if len(known) >= _ENOUGH_EXAMPLES:
        return _by_examples(known, forms, glosses, budget)
    return _marginals(tuple(forms), tuple(glosses), budget)


@lru_cache(maxsize=16)
def _marginals(forms: tuple[str, ...], glosses: tuple[str, ...], budget: Budget) -> Floats:
    """Match once what a matching task and translation tasks both need."""
    return match_marginals(forms, glosses, budget)


def _by_examples(
    known: Sequence[tuple[str, str]], forms: Sequence[str], glosses: Sequence[str], budget: Budget
) -> Floats:
    """Match by what aligned examples of the same sheet teach about morphs and units."""
    corpus = Corpus(known, glosses, seeds=[budget.seed + k for k in range(4)])
    units = [[u.name for u in units_of(corpus.english.parse(gloss))] for gloss in glosses]
    scores = np.zeros((len(forms), len(glosses)))
    for i, form in enumerate(forms):
        table = corpus.lexicons.table(bare_form(form), corpus.lexicons.names())
        scores[i] = [table.score(names) for names in units]
    # What a gloss gains with any form says nothing about this one.
    scores -= scores.mean(axis=0, keepdims=True)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _assigned(shares: Floats) -> list[int]:
    """Assign one gloss a form; where forms outnumber glosses, the last ones take the likeliest."""
    n, m = shares.shape
    log = np.log(np.maximum(shares, 1e-9))
    if n <= m:
        return [int(j) for j in best_assignment(log)]
    first = best_assignment(log.T)
    columns = shares.argmax(axis=1)
    for j, i in enumerate(first):
        columns[i] = j
    return [int(j) for j in columns]


def matched_pairs(pair: Lists, budget: Budget) -> list[tuple[str, str, float]]:
    """Return (form, gloss, share of the vote) of the best matching of two lists."""
    forms, glosses = (tuple(e.text for e in side) for side in (pair.forms, pair.glosses))
    shares = _marginals(forms, glosses, budget)
    return [
        (pair.forms[i].text, pair.glosses[j].text, float(shares[i, j]))
        for i, j in enumerate(_assigned(shares))
    ]
