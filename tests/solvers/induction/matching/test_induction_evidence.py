from __future__ import annotations

from math import comb, log

import numpy as np
import pytest

from iolai.solvers.base import Budget
from iolai.solvers.induction.matching.clues import (
    anchors,
    are_two_spellings,
    direct_clues,
    spelt_pairs,
    without_remark,
)
from iolai.solvers.induction.matching.forms import is_reduplicated, shared_morphs
from iolai.solvers.induction.matching.glosses import shared_traits
from iolai.solvers.induction.matching.search import Association, Evidence, search, surprise
from iolai.solvers.induction.reader import Cell, Column, Entry, Lists, Note, Row, Sheet, Table


def _sheet(*rows: tuple[str, str], notes: tuple[Note, ...] = ()) -> Sheet:
    columns = (Column("form"), Column("gloss"))
    table = Table(columns, tuple(Row(tuple(Cell(text) for text in row)) for row in rows))
    return Sheet("x", (), tables=(table,), notes=notes)


def _lists(forms: str, glosses: str) -> Lists:
    sides = (
        tuple(Entry(str(i), text) for i, text in enumerate(side.split("|")))
        for side in (forms, glosses)
    )
    return Lists(*sides)


def test_morphs_name_the_longest_stretch_of_each_set_of_forms() -> None:
    morphs = {m.places: str(m) for m in shared_morphs(["takalu", "takani", "vonalu", "vonani"])}
    assert morphs[frozenset({0, 1})] == "taka-"
    assert morphs[frozenset({0, 2})] == "-alu"
    assert frozenset({0, 1, 2, 3}) not in morphs


def test_words_and_hyphens_part_stretches() -> None:
    names = {str(m) for m in shared_morphs(["ta-ku", "ma ku", "tak"])}
    assert "ku" in names
    assert not any("a-k" in name.strip("-") for name in names)


def test_interleaved_roots_are_found_where_most_forms_have_them() -> None:
    forms = ["kataba", "makutib", "lisana", "malusin", "radama", "marudim"]
    named = {m.places: str(m) for m in shared_morphs(forms)}
    assert named[frozenset({0, 1})] == "root ktb"
    assert named[frozenset({2, 3})] == "root lsn"


def test_reduplication() -> None:
    assert is_reduplicated(tuple("takitaki"))
    assert is_reduplicated(tuple("sobabab"))
    assert not is_reduplicated(tuple("takito"))


def test_traits_are_stems_persons_and_parts_of_compounds() -> None:
    glosses = ["I saw the dogs", "I saw you", "you saw a dog", "doghouse", "the houses"]
    by_name = {trait.name: trait.places for trait in shared_traits(glosses)}
    assert by_name["‘dog’"] == {0, 2, 3}
    assert by_name["‘house’"] == {3, 4}
    assert {0, 1} in by_name.values()


def test_traits_of_numbers_are_their_digits_by_place() -> None:
    by_name = {t.name: t.places for t in shared_traits(["120", "125", "320", "7", "27"])}
    assert by_name["100"] == {0, 1}
    assert {3, 4} in by_name.values()


def test_surprise_is_the_hypergeometric_tail() -> None:
    values = surprise(6, 2, 3)
    exactly_two = comb(2, 2) * comb(4, 1) / comb(6, 3)
    assert values[2] == pytest.approx(-log(exactly_two))
    assert values[1] == 0.0
    assert values[0] == 0.0


def test_climbing_ends_where_no_swap_helps_and_fixed_pairs_stay() -> None:
    table = np.kron(np.eye(3), np.ones((2, 1)))
    ones = np.ones(3)
    evidence = Evidence(table, table, ones, ones, np.zeros((6, 6)), n_fixed=1)
    objective = Association(evidence, 0.5)
    start = np.array([0, 2, 1, 3, 4, 5])
    score, end = objective.climbed(start)
    assert end[0] == 0
    assert score == pytest.approx(objective.score(end))
    assert score == pytest.approx(objective.score(np.arange(6)))
    assert score > objective.score(start)


def test_clues_of_names_digits_and_doubling() -> None:
    clues = direct_clues(["Marina toku", "12 ka", "rumaruma"], ["12 men", "Marina ran", "houses"])
    assert clues[0].argmax() == 1
    assert clues[1].argmax() == 0
    assert clues[2, 0] == 0
    assert direct_clues(["rumaruma"], ["houses", "house"])[0].tolist() == [0.7, 0.0]


def test_anchors_come_from_tables_in_the_same_language_only() -> None:
    lists = _lists("toku maa|sile", "a|b")
    assert anchors(_sheet(("toku", "dog"), ("vero", "cat")), lists) == (("toku", "dog"),)
    assert anchors(_sheet(("vero", "cat")), lists) == ()
    noted = _sheet(notes=(Note("sile", "fish"),))
    assert anchors(noted, lists) == (("sile", "fish"),)


def test_two_spellings_are_told_from_meanings() -> None:
    assert are_two_spellings(["таку", "воли"], ["Taku", "Voli"])
    assert are_two_spellings(["taku", "voli"], ["[taku]", "[voli]"])
    assert are_two_spellings(["таку", "воли", "неша"], ["tākū (dog)", "volī (fish)", "neša (ox)"])
    assert not are_two_spellings(["taku", "voli"], ["dog", "fish"])
    assert not are_two_spellings(["таку ше", "воли ше"], ["my dog", "my fish"])


def test_spelt_pairs_are_cells_in_the_two_scripts() -> None:
    sheet = _sheet(("мару", "maru"), ("big house", "dog"))
    assert spelt_pairs(sheet, ["таку"], ["taku"]) == (("мару", "maru"),)


def test_without_remark() -> None:
    assert without_remark("kadu (ear)") == "kadu"
    assert without_remark("kadu ‘ear’") == "kadu"
    assert without_remark("(ear)") == "(ear)"


def _random_evidence(n_fixed: int = 0) -> Evidence:
    rng = np.random.default_rng(7)
    morphs = (rng.random((12, 9)) < 0.3).astype(float)
    traits = (rng.random((12, 7)) < 0.3).astype(float)
    linear = rng.random((12, 12))
    return Evidence(morphs, traits, rng.random(9), rng.random(7), linear, n_fixed)


def test_scores_that_are_kept_while_swapping_are_those_of_the_assignments() -> None:
    evidence = _random_evidence()
    found = search(evidence, 0.3, np.random.default_rng(0), 300, Budget())
    objective = Association(evidence, 0.3)
    for key, score in found.items():
        assert sorted(key) == list(range(12))
        assert score == pytest.approx(objective.score(np.array(key)), abs=1e-3)


def test_pairs_that_are_known_stay_together() -> None:
    found = search(_random_evidence(3), 0.3, np.random.default_rng(0), 200, Budget())
    assert all(key[:3] == (0, 1, 2) for key in found)


def test_search_finds_what_scores_more_than_the_truth_or_the_truth() -> None:
    rng = np.random.default_rng(4)
    stems, endings = rng.integers(0, 6, 18), rng.integers(0, 4, 18)
    table = np.zeros((18, 10))
    table[np.arange(18), stems] = table[np.arange(18), 6 + endings] = 1.0
    order = rng.permutation(18)
    evidence = Evidence(table, table[order], np.ones(10), np.ones(10), np.zeros((18, 18)))
    found = search(evidence, 0.3, np.random.default_rng(0), 2000, Budget())
    truth = np.argsort(order)
    assert max(found.values()) >= Association(evidence, 0.3).score(truth) - 1e-3


def test_a_word_that_merely_ends_like_another_is_no_compound_of_it() -> None:
    named = {trait.name for trait in shared_traits(["ring", "a spring", "eye", "eyeball", "ball"])}
    assert not any("ring" in name for name in named)
    assert "‘eye’" in named
