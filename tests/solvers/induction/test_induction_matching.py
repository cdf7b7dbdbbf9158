"""Matching: the assignment problem against brute force; lists of an invented language."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from iolai.solvers.base import Budget
from iolai.solvers.induction.matching.assignment import best_assignment
from iolai.solvers.induction.matching.features import form_pieces, gloss_units
from iolai.solvers.induction.matching.search import match_marginals
from iolai.solvers.induction.matching.solver import matched_pairs
from iolai.solvers.induction.reader import Entry, Lists

NOUNS = {"dog": "mako", "cat": "sulo", "bird": "tiri", "house": "penu"}
COLOURS = {"red": "gashe", "black": "vorim", "white": "luna"}
PAIRS = [
    (f"{NOUNS[noun]} {COLOURS[colour]}", f"{colour} {noun}")
    for noun, colour in [
        ("dog", "red"), ("dog", "black"), ("cat", "red"), ("bird", "white"), ("bird", "black"),
        ("bird", "red"), ("house", "red"),
    ]
]  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5)])
def test_best_assignment_is_the_best_of_all(seed: int, shape: tuple[int, int]) -> None:
    weights = np.random.default_rng(seed).normal(size=shape)
    columns = best_assignment(weights)
    assert len(set(columns.tolist())) == shape[0]
    best = max(
        sum(weights[i, j] for i, j in enumerate(chosen))
        for chosen in permutations(range(shape[1]), shape[0])
    )
    assert weights[np.arange(shape[0]), columns].sum() == pytest.approx(best)


def test_more_rows_than_columns_is_an_error() -> None:
    with pytest.raises(ValueError, match="more rows"):
        best_assignment(np.zeros((3, 2)))


def test_shared_pieces_and_compounds() -> None:
    pieces = form_pieces(["mako luna", "mako", "tiri"])
    assert "#mako#" in pieces[0] & pieces[1]
    assert not pieces[2]
    assert "eye" in gloss_units(["eyeball", "eye", "roof"])[0]


def test_phrases_are_matched_by_what_they_share() -> None:
    order = np.random.default_rng(5).permutation(len(PAIRS))
    shares = match_marginals(
        [form for form, _ in PAIRS], [PAIRS[i][1] for i in order], Budget(seed=1)
    )
    assert shares.sum(axis=1) == pytest.approx(1.0)
    right = sum(order[int(row.argmax())] == i for i, row in enumerate(shares))
    assert right >= len(PAIRS) - 2


def test_lists_of_unlike_length_leave_no_form_without_a_gloss() -> None:
    forms = tuple(Entry(str(i), form) for i, (form, _) in enumerate(PAIRS))
    glosses = tuple(Entry(chr(65 + i), gloss) for i, (_, gloss) in enumerate(PAIRS[:-1]))
    pairs = matched_pairs(Lists(forms, glosses), Budget())
    assert [form for form, _, _ in pairs] == [form for form, _ in PAIRS]
    assert {gloss for _, gloss, _ in pairs} == {gloss for _, gloss in PAIRS[:-1]}
