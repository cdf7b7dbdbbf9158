"""Unordered lists: which form goes with which gloss, value or transcription."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iolai.records import Candidate
from iolai.solvers.base import Budget
from iolai.solvers.induction.grammar import Grammar, Proposal, Slot
from iolai.solvers.induction.matching.assignment import heaviest_assignment
from iolai.solvers.induction.matching.clues import (
    anchors,
    are_two_spellings,
    direct_clues,
    spelt_pairs,
    without_remark,
)
from iolai.solvers.induction.matching.forms import Morph, morph_table, shared_morphs
from iolai.solvers.induction.matching.glosses import Trait, shared_traits, trait_table
from iolai.solvers.induction.matching.scripts import Letters
from iolai.solvers.induction.matching.search import N_REPLICAS, Association, Evidence, search
from iolai.solvers.induction.printed import Section
from iolai.solvers.induction.printed.making import pairing_section
from iolai.solvers.induction.reader import Lists, Sheet, TaskSheet

__all__ = ["Matched", "Matching", "match_lists"]

Floats = NDArray[np.float64]
Found = dict[tuple[int, ...], float]

_BOTH_WAYS = (0.3, 1.0)
# Work of a search in cells looked up, about 4 ns each: a few seconds for two unordered lists.
_MAX_WORK = 6e8
_LEAST_MOVES, _MOST_MOVES = 500, 6000
_N_STARTS = 60
_TOLERANCE = 1.5
_LETTER_TOLERANCE = 0.5
_MAX_LENGTH = 48
_N_BEST = 5


@dataclass(frozen=True, slots=True)
class Matched:
    """Two lists put together.

    ``gloss_of`` gives each form the place of its gloss; ``shares`` (forms, glosses) is the vote,
    each row summing to at most 1; ``rules`` say which morph or letter goes with which trait or
    letter.
    """

    lists: Lists
    gloss_of: tuple[int, ...]
    shares: Floats
    rules: tuple[str, ...]

    def pairs(self, at_least: float = 0.0) -> tuple[tuple[str, str], ...]:
        """Return the pairs of texts that had at least a share of the vote."""
        return tuple(
            (form.text, self.lists.glosses[gloss].text)
            for row, (form, gloss) in enumerate(zip(self.lists.forms, self.gloss_of, strict=True))
            if self.shares[row, gloss] >= at_least
        )


class Matching:
    """Answers matching tasks by the letters of the second list."""

    def propose(self, sheet: Sheet, budget: Budget) -> Iterator[Proposal]:
        """Yield one proposal for each task that matches lists."""
        for t, task in enumerate(sheet.tasks):
            answers: dict[Slot, tuple[Candidate, ...]] = {}
            rules: list[str] = []
            sections: list[Section] = []
            shares: list[float] = []
            for lists, items in _blocks(task):
                matched = match_lists(lists, sheet, budget)
                if matched is None:
                    continue
                rules += matched.rules
                sections.append(_section(matched, lists))
                for row, item in enumerate(items):
                    answers[t, item] = _candidates(matched, row)
                    shares.append(answers[t, item][0].weight)
            if answers:
                trust = float(np.mean(shares))
                grammar = Grammar("matching", tuple(rules), 0.0, trust, trust, tuple(sections))
                yield Proposal(grammar, answers)


def _blocks(task: TaskSheet) -> Iterator[tuple[Lists, list[int]]]:
    """Yield the pairs of lists of a matching task with the places of their items."""
    if task.layout != "match":
        return
    n_forms = sum(len(lists.forms) for lists in task.matching)
    if n_forms != len(task.items):
        return
    start = 0
    for lists in task.matching:
        yield lists, list(range(start, start + len(lists.forms)))
        start += len(lists.forms)


def _section(matched: Matched, lists: Lists) -> Section:
    ends = [f"{entries[0].label}–{entries[-1].label}" for entries in (lists.forms, lists.glosses)]
    return pairing_section(" with ".join(ends), matched.rules, matched.pairs(), ())


def _candidates(matched: Matched, row: int) -> tuple[Candidate, ...]:
    """Return the letter that the assignment gives, then the others by their share of the vote."""
    chosen = matched.gloss_of[row]
    labels = [entry.label for entry in matched.lists.glosses]
    order = sorted(range(len(labels)), key=lambda k: (k != chosen, -matched.shares[row, k], k))
    kept = [k for k in order[:_N_BEST] if k == chosen or matched.shares[row, k] > 0]
    return tuple(Candidate(labels[k], float(matched.shares[row, k])) for k in kept)


def match_lists(lists: Lists, sheet: Sheet, budget: Budget) -> Matched | None:
    """Put two unordered lists together; None where they show nothing to go by.

    A list that is shorter is filled up with empty lines; a form that falls to one of them takes
    the gloss with the greatest share.
    """
    n = max(len(lists.forms), len(lists.glosses))
    if not 2 <= n <= _MAX_LENGTH or not lists.forms or not lists.glosses:
        return None
    forms = [entry.text for entry in lists.forms] + [""] * (n - len(lists.forms))
    glosses = [entry.text for entry in lists.glosses] + [""] * (n - len(lists.glosses))
    if are_two_spellings(forms[: len(lists.forms)], glosses[: len(lists.glosses)]):
        glosses = [without_remark(gloss) for gloss in glosses]
        result = _by_letters(forms, glosses, spelt_pairs(sheet, forms, glosses), budget)
    else:
        result = _by_traits(forms, glosses, anchors(sheet, lists), budget)
    if result is None:
        return None
    votes, rules = result
    shares = votes[: len(lists.forms), : len(lists.glosses)]
    assigned = heaviest_assignment(votes)[: len(lists.forms)]
    best = shares.argmax(1)
    gloss_of = (int(g) if g < len(lists.glosses) else int(best[i]) for i, g in enumerate(assigned))
    return Matched(lists, tuple(gloss_of), shares, rules)


def _by_letters(
    forms: Sequence[str], glosses: Sequence[str], known: Sequence[tuple[str, str]], budget: Budget
) -> tuple[Floats, tuple[str, ...]] | None:
    """Vote over the assignments that letter for letter fits best; anchors come first."""
    n_fixed = len(known)
    letters = Letters(
        [one for one, _ in known] + list(forms), [two for _, two in known] + list(glosses), n_fixed
    )
    if not letters.signs or not letters.letters:
        return None
    found = letters.search(np.random.default_rng(budget.seed), _N_STARTS, budget)
    best = max(found, key=lambda key: (found[key], key))
    odds = letters.odds(np.array(best))
    rules = tuple(
        f"{sign} = {letters.letters[int(row.argmax())]}"
        for sign, row in zip(letters.signs, odds, strict=True)
        if row.max() > 0
    )
    votes = _votes([found], n_fixed + len(forms), _LETTER_TOLERANCE)
    return votes[n_fixed:, n_fixed:], rules


def _by_traits(
    forms: Sequence[str], glosses: Sequence[str], known: Sequence[tuple[str, str]], budget: Budget
) -> tuple[Floats, tuple[str, ...]] | None:
    """Vote over the assignments found; anchors come first and stay where they are."""
    n_fixed = len(known)
    all_forms = [one for one, _ in known] + list(forms)
    all_glosses = [other for _, other in known] + list(glosses)
    morphs, traits = shared_morphs(all_forms), shared_traits(all_glosses)
    linear = direct_clues(all_forms, all_glosses)
    if not (morphs and traits):
        return (linear, ()) if linear[n_fixed:, n_fixed:].any() and not n_fixed else None
    evidence = Evidence(
        morph_table(morphs, len(all_forms)),
        trait_table(traits, len(all_glosses)),
        np.array([morph.weight for morph in morphs]),
        np.array([trait.weight for trait in traits]),
        linear,
        n_fixed,
    )
    rng = np.random.default_rng(budget.seed)
    n_moves = _n_moves(evidence)
    pools = [search(evidence, ways, rng, n_moves, budget) for ways in _BOTH_WAYS]
    votes = _votes(pools, len(all_forms), _TOLERANCE)
    gloss_of = heaviest_assignment(votes)
    values = Association(evidence, _BOTH_WAYS[0]).values(gloss_of)
    rules = _lexicon(morphs, traits, values, gloss_of)
    return votes[n_fixed:, n_fixed:], rules


def _n_moves(evidence: Evidence) -> int:
    """Return how many moves of search keep within the time that lists of their size may take."""
    work = N_REPLICAS * evidence.morphs.shape[1] * evidence.traits.shape[1]
    return max(_LEAST_MOVES, min(_MOST_MOVES, int(_MAX_WORK / work)))


def _votes(pools: Sequence[Found], n: int, tolerance: float) -> Floats:
    """Return the share of each pair among the assignments found, the best ones weighing most."""
    votes = np.zeros((n, n))
    for found in pools:
        best = max(found.values())
        weights = {key: np.exp((score - best) / tolerance) for key, score in found.items()}
        total = sum(weights.values())
        for key, weight in weights.items():
            votes[np.arange(n), list(key)] += weight / total / len(pools)
    return votes


def _lexicon(
    morphs: Sequence[Morph], traits: Sequence[Trait], values: Floats, gloss_of: NDArray[np.intp]
) -> tuple[str, ...]:
    """Return each trait with its best morph, each morph once, the surest first."""
    cells = sorted(
        ((float(values[p, q]), p, q) for p in range(len(morphs)) for q in range(len(traits))),
        key=lambda cell: (-cell[0], cell[1], cell[2]),
    )
    rules: list[str] = []
    used: tuple[set[int], set[int]] = (set(), set())
    for value, p, q in cells:
        if value <= 0:
            break
        if p in used[0] or q in used[1]:
            continue
        used[0].add(p)
        used[1].add(q)
        met = sum(1 for form in morphs[p].places if int(gloss_of[form]) in traits[q].places)
        if met >= 2:
            of_all = (met, met) == (len(morphs[p].places), len(traits[q].places))
            seen = f"{met} times" if of_all else f"{met} of {len(traits[q].places)} times"
            rules.append(f"{morphs[p]}: {traits[q].name} ({seen})")
    return tuple(rules)
