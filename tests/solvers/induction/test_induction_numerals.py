"""Numerals of invented languages: arithmetic, cutting, search, building."""

from __future__ import annotations

import pytest

from iolai.records import Problem, Task
from iolai.solvers.base import Budget
from iolai.solvers.induction.numerals import Numerals
from iolai.solvers.induction.numerals.arithmetic import NOTHING, Meaning, value_of
from iolai.solvers.induction.numerals.building import build
from iolai.solvers.induction.numerals.cutting import cuttings
from iolai.solvers.induction.numerals.search import Equation, Search
from iolai.solvers.induction.reader import read_sheet

MEANINGS = {
    "ek": Meaning("digit", 1), "do": Meaning("digit", 2), "tri": Meaning("digit", 3),
    "sab": Meaning("number", 10), "bas": Meaning("base", 20), "na": Meaning("link", 0),
    "ul": Meaning("link", 10), "x": Meaning("times"), "le": NOTHING,
}  # fmt: skip


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("ek", 1), ("sab tri", 13), ("do sab", 20), ("do sab tri", 23), ("bas do", 40),
     ("bas do na sab ek", 51), ("bas do ul tri", 33), ("sab x tri", 30), ("le bas sab", 30)],
)  # fmt: skip
def test_values(numeral: str, value: int) -> None:
    assert value_of(numeral.split(), MEANINGS) == value


@pytest.mark.parametrize("numeral", ["", "na ek", "sab x", "ek na", "le"])
def test_what_makes_no_number(numeral: str) -> None:
    assert value_of(numeral.split(), MEANINGS) is None


def test_words_are_cut_where_they_share_pieces() -> None:
    finest = list(cuttings(["eksabda", "dosabda", "trisabda", "ek", "do"]))[-1]
    assert finest["eksabda"][-1].endswith("sabda")
    assert finest["dosabda"][0] == "do"


def test_the_search_finds_a_decimal_system() -> None:
    examples = {"ek": 1, "do": 2, "sab": 10, "sab ek": 11, "do sab": 20, "do sab do": 22,
                "tri sab ek": 31}  # fmt: skip
    equations = [Equation(tuple(form.split()), value) for form, value in examples.items()]
    meanings = Search(equations, (), Budget()).best()
    assert meanings is not None
    assert {m: meanings[m].size for m in ("ek", "do", "tri", "sab")} == {
        "ek": 1, "do": 2, "tri": 3, "sab": 10,
    }  # fmt: skip


def test_the_search_matches_unordered_values() -> None:
    forms = ["sab", "sab ek", "do sab", "do sab ek", "ek"]
    equations = [Equation(tuple(form.split()), None) for form in forms]
    meanings = Search(equations, (1, 10, 11, 20, 21), Budget()).best()
    assert meanings is not None
    assert sorted(value_of(form.split(), meanings) or 0 for form in forms) == [1, 10, 11, 20, 21]


def test_contradictions_have_no_solution() -> None:
    equations = [Equation(("ek",), 1), Equation(("ek",), 2)]
    assert Search(equations, (), Budget()).best() is None


def test_a_word_is_built_and_has_the_value_asked_for() -> None:
    forms = ["do sab ek", "tri sab"]
    morphs = [tuple(form.split()) for form in forms]
    built = build(32, MEANINGS, forms, morphs)
    assert built == "tri sab do"
    assert build(777, MEANINGS, forms, morphs) is None


def test_both_directions_and_sums_from_a_sheet() -> None:
    context = "1 | ek\n2 | do\n3 | tri\n10 | sab\n13 | sab tri\n20 | do sab\n21 | do sab ek"
    tasks = (
        Task("a", context, "Write in numerals:\n\ntri sab do\nsab ek + do sab = tri sab ek"),
        Task("b", context, "Write out in Ewkish:\n\n12\n33"),
    )
    (proposal,) = Numerals().propose(read_sheet(Problem("p", tasks)), Budget())
    texts = {slot: candidates[0].text for slot, candidates in proposal.answers.items()}
    assert texts == {
        (0, 0): "32", (0, 1): "11 + 20 = 31", (1, 0): "sab do", (1, 1): "tri sab tri",
    }  # fmt: skip
    assert "sab: 10" in proposal.grammar.rules
