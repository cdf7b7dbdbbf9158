"""Number names of invented systems: arithmetic, equations, segmentation, and whole problems."""

from __future__ import annotations

import numpy as np
import pytest
from invented_numerals import System, numeral_problem

from iolai.records import Problem, Task
from iolai.solvers.base import Budget
from iolai.solvers.induction.numerals import Numerals
from iolai.solvers.induction.numerals.arithmetic import Construction, State, readings, solve
from iolai.solvers.induction.numerals.equations import (
    Fact,
    Term,
    equation_of,
    facts_of,
    number_in_words,
    number_of,
    solved_for,
    value_of,
)
from iolai.solvers.induction.numerals.grammar import NumberGrammar
from iolai.solvers.induction.numerals.meter import Meter
from iolai.solvers.induction.numerals.reach import numbers_section
from iolai.solvers.induction.numerals.roles import role_patterns
from iolai.solvers.induction.numerals.seeds import seeds
from iolai.solvers.induction.numerals.valuation import (
    IDLE,
    MINUS,
    PLUS,
    names_worth,
    short_of,
    toward,
)
from iolai.solvers.induction.numerals.words import segmentations
from iolai.solvers.induction.printed import Section, parse_sections
from iolai.solvers.induction.printed.numbers import Joint, Numbers
from iolai.solvers.induction.reader import Sheet, read_sheet

LEXICON: dict[str, int | str] = {
    "pe": 1,
    "ka": 2,
    "su": 3,
    "hano": 12,
    "zeri": 144,
    "ut": "+",
    "fa": "-",
    "li": ">",
}


def values(name: str) -> set[int]:
    return {reading.value for reading in readings(tuple(name.split()), State(dict(LEXICON)))}


@pytest.mark.parametrize(
    ("name", "value"),
    [("su hano", 36), ("hano ut su", 15), ("su fa hano", 9), ("ka zeri ut su hano", 324)],
)
def test_names_are_worth_products_sums_and_differences(name: str, value: int) -> None:
    assert value in values(name)


def test_a_count_toward_the_next_step_is_read_from_the_step_before() -> None:
    assert 26 in values("ka li su hano")


def test_a_rest_is_no_bigger_than_one_and_a_half_units_it_is_added_to() -> None:
    assert values("su ut hano") == {15}
    assert 36 in values("ka hano ut hano")
    assert 48 not in values("ka hano ut ka hano")


def test_a_morph_takes_what_follows_it_from_a_whole() -> None:
    state = State({**LEXICON, "gi": "12-"})
    assert {r.value for r in readings(("gi", "su"), state)} == {9}
    assert 33 in {r.value for r in readings(("ka", "hano", "ut", "gi", "su"), state)}


def test_unknown_morphs_are_solved_for() -> None:
    state = State({"ka": 2})
    lexicons = [made.lexicon for _, made in solve(("ka", "hano"), 24, state)]
    assert {"ka": 2, "hano": 12} in lexicons
    assert {"ka": 2, "hano": 22} in lexicons
    assert all(lexicon["hano"] in (12, 22) for lexicon in lexicons)


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("ka² + pe = su", (5, 3)),
        ("ka^{su} = pe", (8, 1)),
        ("su × (ka + pe) = pe", (9, 1)),
        ("su − ka = pe", (1, 1)),
    ],
)
def test_equations_are_read_with_their_signs(text: str, worth: tuple[int, int]) -> None:
    equation = equation_of(text)
    assert equation is not None
    known = {Term("pe"): 1, Term("ka"): 2, Term("su"): 3}
    assert (value_of(equation.left, known), value_of(equation.right, known)) == worth


def test_a_comparison_says_which_name_is_the_smaller() -> None:
    equation = equation_of("su > pe")
    assert equation is not None
    assert equation.sign == "<"
    assert equation.holds({Term("pe"): 1, Term("su"): 3})
    assert not equation.holds({Term("pe"): 3, Term("su"): 1})


@pytest.mark.parametrize("text", ["pe ka", "pe = ka = su", "+ = pe", "pe × = ka", "", "= = ="])
def test_what_is_no_equation_is_none(text: str) -> None:
    assert equation_of(text) is None


def test_blanks_keep_their_labels() -> None:
    equation = equation_of("pe + (12) = ka")
    assert equation is not None
    assert [term.blank for term in equation.terms()] == [None, "12", None]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("___ + ka = su", 1),
        ("su − ___ = ka", 1),
        ("(12) × ka = su × ka", 3),
        ("ka^___ = 16", 4),
        ("___² = 49", 7),
        ("(su + ___) × ka = 20", 7),
        ("? : ka = su", 6),
        ("___ × ___ = 36", 6),
        ("___ × ka = 5", None),
        ("___ + su = ka", None),
        ("___ + rin = ka", None),
    ],
)
def test_the_number_in_a_blank_is_what_makes_the_equation_true(
    text: str, found: int | None
) -> None:
    equation = equation_of(text)
    assert equation is not None
    blank = next(term for term in equation.terms() if term.blank is not None)
    assert solved_for(equation, blank, {Term("ka"): 2, Term("su"): 3}) == found


SYSTEM = "\n".join(
    ("sa = 1", "vek = 2", "mur = 3", "tin = 10", "tin sa = 11", "vek tin = 20", "mur tin vek = 32")
)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("(1) + sa = mur tin sa\nvek × tin sa = (2)", ["mur tin", "vek tin vek"]),
        ("1. tin + vek\n2. mur tin − tin", ["tin vek", "vek tin"]),
        ("1. tin vek = ___\n2. 31 = ___", ["12", "mur tin sa"]),
        ("tin + (1) = (2)\n(1) − sa = sa", ["vek", "tin vek"]),
    ],
)
def test_blanks_in_equations_are_filled_with_names_or_figures(
    query: str, wanted: list[str]
) -> None:
    task = Task("t", SYSTEM, f"Fill in the missing numbers:\n\n{query}")
    *_, proposal = Numerals().propose(read_sheet(Problem("p", (task,))), Budget())
    assert [proposal.answers[0, i][0].text for i in range(len(wanted))] == wanted


@pytest.mark.parametrize(("text", "value"), [("1,200", 1200), ("7.", 7), ("x", None), ("٣", None)])
def test_figures(text: str, value: int | None) -> None:
    assert number_of(text) == value


def test_shared_edges_are_cut_off_words() -> None:
    cuts = [s.morphs("takapunga") for s in segmentations(["takapu", "malapunga", "takapunga"])]
    assert ("takapunga",) in cuts
    assert ("takapu", "nga") in cuts


def worth(name: str, lexicon: dict[str, int]) -> set[float]:
    morphs = name.split()
    columns = {morph: i for i, morph in enumerate(dict.fromkeys(morphs))}
    codes = np.array([[lexicon[morph] for morph in columns]], dtype=np.int32)
    found = names_worth([columns[morph] for morph in morphs], codes, Meter(1e6))
    return {float(each.value[0]) for each in found if each.valid[0]}


def test_many_lexicons_at_once_read_a_name_as_one_does() -> None:
    codes = {"ka": 2, "su": 3, "hano": 12, "ut": PLUS, "an": IDLE, "fa": MINUS}
    codes |= {"li": toward(12), "gi": short_of(12)}
    assert 39 in worth("su hano ut su", codes)
    assert 24 in worth("hano an ka", codes)
    assert 33 in worth("su fa su hano", codes)
    assert 27 in worth("su li su hano", codes)
    assert worth("gi su", codes) == {9.0}
    assert worth("ut su", codes) == set()


@pytest.mark.parametrize("exact", [np.int16, np.int32])
def test_lexicons_alike_in_a_name_are_read_once(exact: type[np.signedinteger]) -> None:
    draw = np.random.default_rng(3)
    meanings = np.array([2, 3, 12, 144, PLUS, MINUS, IDLE, toward(12), short_of(20)])
    few = meanings[draw.integers(0, len(meanings), (2000, 3))]
    codes = np.column_stack([few, draw.integers(1, 500, 2000)]).astype(exact)
    name, meter = [0, 1, 2, 1], Meter(1e9)
    found = names_worth(name, codes, meter)
    alone, n_values = Meter(1e9), 0
    for row in range(0, 2000, 10):
        one = names_worth(name, codes[row : row + 1], alone)
        values = {float(each.value[0]) for each in one if each.valid[0]}
        assert {float(each.value[row]) for each in found if each.valid[row]} == values, codes[row]
        n_values += len(values)
    assert n_values > 100
    assert 1e9 - meter.left < 0.5 * (1e9 - alone.left), "work was done for each of them"


def test_numbers_of_any_size_are_told_apart() -> None:
    lines = ["40001 = ka", "80002 = ka mo", "80003 = ka mo ut pe", "1 = pe"]
    facts = [Fact(e) for line in lines if (e := equation_of(line)) is not None]
    options = segmentations([name for fact in facts for name in fact.names()])
    found = seeds(facts, options[0], {"ut": (PLUS,)}, (500, 100_000), Meter(1e7))
    assert found[0].lexicon == {"ka": 40001, "mo": 2, "ut": "+", "pe": 1}


def test_lexicons_are_enumerated_from_facts_and_roles() -> None:
    lines = ["7 = ka", "12 = hano", "24 = hano mo", "31 = hano mo ut ka", "38 = hano su ut mo"]
    facts = [Fact(e) for line in lines if (e := equation_of(line)) is not None]
    names = [name for fact in facts for name in fact.names()]
    options = segmentations(names)
    found = seeds(facts, options[0], {"ut": (PLUS,)}, (500, 1000), Meter(1e7))
    assert found[0].n_missed == 0
    assert found[0].lexicon == {"ka": 7, "hano": 12, "mo": 2, "ut": "+", "su": 3}


def test_work_is_counted_for_the_whole_and_ends_with_the_deadline() -> None:
    meter = Meter(100.0)
    part = meter.part(60.0)
    assert part.take(50.0)
    assert (meter.left, part.left) == (50.0, 10.0)
    assert not part.take(10.0)
    assert part.is_spent
    assert not meter.is_spent
    assert meter.part(1000.0).left == 40.0
    late = Meter(1e9, Budget(deadline=0.0))
    assert not late.part(1e6).take(1.0)
    assert late.is_spent


def test_no_lexicon_comes_of_work_that_was_cut_short() -> None:
    lines = ["7 = ka", "12 = hano", "24 = hano mo", "38 = hano su ut mo"]
    facts = [Fact(e) for line in lines if (e := equation_of(line)) is not None]
    options = segmentations([name for fact in facts for name in fact.names()])
    meter = Meter(1e7)
    assert seeds(facts, options[0], {"ut": (PLUS,)}, (500, 1000), meter)
    assert not seeds(facts, options[0], {"ut": (PLUS,)}, (500, 1000), Meter(1e7 - meter.left))


def test_a_morph_among_many_neighbours_is_a_link_first() -> None:
    names = [tuple(name.split()) for name in ("a ut b", "b ut c", "c ut d", "d ut a", "a b")]
    assert next(role_patterns(names, 5)) == {"ut": (PLUS,)}


def unordered_list() -> Sheet:
    forms = "ka\nhano\nhano mo\nhano mo ut ka\nmo\nhano ut mo\nhano ut ka"
    context = (
        f"The names and their values, in arbitrary order:\n\n{forms}\n\n7, 12, 24, 31, 2, 14, 19"
    )
    task = Task("t", context, "Write in numerals:\n\n1. hano mo ut mo\n2. ka")
    return read_sheet(Problem("p", (task,)))


def test_values_of_an_unordered_list_are_found_with_their_names() -> None:
    *_, proposal = Numerals().propose(unordered_list(), Budget())
    assert [proposal.answers[0, i][0].text for i in range(2)] == ["26", "7"]


def test_where_little_work_falls_short_more_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    from iolai.solvers.induction.numerals import solver

    for name in ("_TRIED_STEPS", "_SEARCH_STEPS", "_LONG_STEPS"):
        monkeypatch.setattr(solver, name, 100.0)
    assert not any(one.answers for one in Numerals().propose(unordered_list(), Budget()))
    monkeypatch.setattr(solver, "_LONG_STEPS", 7e6)
    *_, proposal = Numerals().propose(unordered_list(), Budget())
    assert [proposal.answers[0, i][0].text for i in range(2)] == ["26", "7"]


def test_stems_are_the_same_whatever_vowel_they_end_in_before_an_ending() -> None:
    names = ["takako", "sulako", "mefeko", "takapim", "sulepim", "mefupim", "take"]
    joints = [s for s in segmentations(names) if s.alike]
    stems = {s.morphs("takako")[0] for s in joints} & {s.morphs("takapim")[0] for s in joints}
    assert stems
    assert any(s.morphs("sulako")[0] == s.morphs("sulepim")[0] for s in joints)


DIGITS = ("tas", "gis", "han", "vodu", "fip", "solu", "mek", "sen", "kir")


def system(kind: str, base: int) -> System:
    return System(base, DIGITS[: base - 1], ("ruva", "bomo"), kind, True, True, "ok", "li", " ")


# To words is the harder way where numbers are counted toward a step: 2 of 5 is what it does now.
@pytest.mark.parametrize(("kind", "base", "n_words"), [("+", 5, 5), (">", 6, 2)])
def test_an_invented_system_is_found_and_both_ways_answered(
    kind: str, base: int, n_words: int
) -> None:
    problem, answers = numeral_problem(system(kind, base), seed=3)
    *_, proposal = Numerals().propose(read_sheet(problem), Budget(seed=1))
    figures, words = (
        sum(1 for i, x in enumerate(texts) if proposal.answers[t, i][0].text == x)
        for t, texts in enumerate(answers)
    )
    assert figures == len(answers[0])
    assert words >= n_words
    assert any("ruva" in rule for rule in proposal.grammar.rules)
    assert len(set(proposal.grammar.rules)) == len(proposal.grammar.rules)


def test_nothing_is_proposed_without_numbers() -> None:
    task = Task("t", "mako | dog\ntiri | cat\nsulo | bird", "Translate into English:\n\n1. mako")
    assert not list(Numerals().propose(read_sheet(Problem("p", (task,))), Budget()))


def test_the_same_seed_gives_the_same_answers() -> None:
    problem, _ = numeral_problem(system("+", 4), seed=5)
    sheet = read_sheet(problem)
    one, other = (list(Numerals().propose(sheet, Budget(seed=2))) for _ in range(2))
    assert one == other


def test_no_time_left_still_ends() -> None:
    problem, _ = numeral_problem(system("+", 5), seed=3)
    assert len(list(Numerals().propose(read_sheet(problem), Budget(deadline=0.0)))) <= 2


def printed(context: str) -> Section:
    """Return the section printed for a sheet, as it is read back from its text."""
    task = Task("t", context, "Write in figures:\n\n1. tin vek")
    *_, proposal = Numerals().propose(read_sheet(Problem("p", (task,))), Budget())
    (section,) = proposal.grammar.sections
    (reread,) = parse_sections(str(section))
    assert (reread.lines, reread.n_examples) == (section.lines, section.n_examples)
    assert reread.unexplained == section.unexplained
    return section


def test_what_the_rules_give_is_counted_over_all_lines_of_the_sheet() -> None:
    section = printed(f"{SYSTEM}\nsa + vek = mur\nmur × tin = mur tin\nmur + mur = vek × mur\n")
    assert str(section).endswith("These rules give 10 of 10 examples.")


def test_lines_that_contradict_each_other_are_named() -> None:
    section = printed(f"{SYSTEM}\ntin + mur = 14\nsa + mur = vek\nmur tin = 40\n")
    assert section.n_examples == 10
    assert set(section.unexplained) == {"tin + mur = 14", "sa + mur = vek", "mur tin"}
    text = str(section)
    assert "At odds with these rules (3)" in text
    assert "“mur tin = 40”, where mur tin is 30" in text
    assert "“sa + mur = vek” and “sa = 1”, “mur = 3”, “vek = 2”" in text


def test_values_given_twice_are_at_odds_and_words_of_no_value_left_open() -> None:
    lines = ["ta = 1", "ki = 2", "ta = 3", "ki + ta = 3", "bo + ta = ki", "ta + ki = ___"]
    facts = [Fact(e) for line in lines if (e := equation_of(line)) is not None]
    text = str(numbers_section(["number words: ta 1, ki 2"], facts, ()))
    assert "These rules give 3 of 5 examples; not explained: “ta”, “bo + ta = ki”." in text
    assert "At odds with these rules (1): “ta = 3”, where ta is 1." in text
    assert "At odds with each other (1): “ta = 1” and “ta = 3”." in text
    assert text.endswith("Left open (1): “bo + ta = ki”.")


def test_answers_that_use_a_rule_beyond_the_parts_seen_are_named() -> None:
    rules = ["number words: ta 1, ki 2, bo 3, po 5, dak 10", "bases: 10 (dak)",
             '"N base" = N × base (seen with N from 2 to 3)',
             '"B la A" = B + A (seen with A from 1 to 3)']  # fmt: skip
    answered = [("1", "ki dak", "20"), ("2", "po dak la ta", "51"), ("3", "po dak la po", "55"),
                ("4", "ki dak", "21")]  # fmt: skip
    section = numbers_section(rules, (), (), answered)
    beyond = "“N base” with N = 5 (answers 2, 3); “B la A” with A = 5 (answer 3)"
    assert section.remarks == (f"Used beyond what is seen: {beyond}.",)
    (again,) = parse_sections(str(section))
    assert again.lines == tuple(rules)
    unit = Joint("+", small_first=False, spans={10: (1, 3), 100: (10, 30)})
    assert unit.said_beyond(5, 10) == "“B A” with A = 5 before multiples of 10"


DOZENS: dict[str, int | str] = {
    "pe": 1, "ka": 2, "su": 3, "do": 4, "rin": 5, "mik": 8, "hano": 12, "zeri": 144,
    "ut": "+", "fa": "-", "li": ">",
}  # fmt: skip
GIVEN = [
    ("pe", 1), ("su fa hano", 9), ("ka li ka hano", 14), ("mik li ka hano", 20), ("rin hano", 60),
    ("ka fa su hano", 34), ("pe fa do hano", 47), ("do li mik hano", 88),
    ("do li su hano fa zeri", 100),
    ("su hano fa zeri", 108), ("ka hano fa zeri", 120), ("zeri ut rin", 149),
    ("zeri ut su fa zeri", 285), ("ka zeri ut hano", 300),
]  # fmt: skip


def dozens() -> NumberGrammar:
    step = Construction(">", small_first=True, link="li", step=12)
    state = State(dict(DOZENS), frozenset((step,)))
    return NumberGrammar(state, segmentations([name for name, _ in GIVEN])[0], GIVEN)


@pytest.mark.parametrize(
    ("name", "value"),
    [("su fa mik hano", 93), ("ka fa ka hano fa zeri", 118), ("su zeri ut ka li zeri", 566)],
)
def test_parts_are_nested_as_in_the_known_names(name: str, value: int) -> None:
    assert dozens().values(name)[0] == value


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (93, "su fa mik hano"),  # by way of a bigger number, which has ways by itself
        (28, "do li su hano"),
        (25, "pe li su hano"),
        (132, "hano fa zeri"),
        (285, "zeri ut su fa zeri"),
    ],
)
def test_what_is_taken_away_is_as_big_as_from_such_units(value: int, name: str) -> None:
    assert dozens().names(value)[0] == name


def test_a_known_name_is_a_part_of_others_as_it_stands() -> None:
    lexicon: dict[str, int | str] = {"pa": 1, "ki": 2, "te": 4, "han": 5, "foot": 5, "man": 20}
    lexicon["ne"] = "+"
    given = [
        ("han ne pa", 6), ("ki han", 10), ("ki han ne ki", 12), ("ki han pa foot", 15), ("te", 4),
        ("ki han pa foot ne ki", 17), ("pa man", 20), ("pa man ne te", 24),
        ("ki man ne ki han", 50),
    ]  # fmt: skip
    cut = segmentations([name for name, _ in given])[0]
    grammar = NumberGrammar(State(lexicon), cut, given)
    assert grammar.names(15)[0] == "ki han pa foot"
    assert grammar.names(19)[0] == "ki han pa foot ne te"
    assert grammar.names(55)[0] == "ki man ne ki han pa foot"
    assert grammar.n_unsaid() > 0, "known by heart is not said by rule"


def test_printed_rules_are_read_back_with_their_order_bases_and_spans() -> None:
    rules = dozens().rules()
    names = [name for name, _ in GIVEN]
    said = Numbers.parse(rules).regenerate([*names, "su fa mik hano", "hano mik"], ())
    assert said == [*(str(value) for _, value in GIVEN), "93", ""]
    assert any(rule.endswith("(seen with A from 1 to 3 before multiples of 12, from 3 to 36 before "
                             "multiples of 144)") for rule in rules)  # fmt: skip
    joints = [joint for rule in rules if (joint := Joint.parse(rule))]
    assert [str(joint) for joint in joints] == [rule for rule in rules if rule.startswith('"')]


def test_the_range_that_a_rule_was_seen_with_is_no_limit() -> None:
    rules = ["number words: pe 1, kani 2, sul 3, hano 12", "bases: 12 (hano)",
             '"N base" = N × base (seen with N = 2)']  # fmt: skip
    assert [str(joint) for rule in rules if (joint := Joint.parse(rule))] == rules[2:]
    assert Numbers.parse(rules).regenerate(["kani hano", "sul hano"], ()) == ["24", "36"]


def test_printed_rules_read_what_is_taken_from_a_whole() -> None:
    rules = ["number words: su 3, hano 12", 'bases: 12 (hano)', '"gi A" = 12 − A',
             '"B A" = B + A (A from 1 to 11)']  # fmt: skip
    assert Numbers.parse(rules).regenerate(["gi su", "hano gi su"], ()) == ["9", "21"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seven", 7),
        ("twenty-four", 24),
        ("one hundred and five", 105),
        ("a thousand", 1000),
        ("three thousand two hundred eleven", 3211),
        ("a", None),
        ("seven dogs", None),
        ("", None),
    ],
)
def test_numbers_in_words(text: str, value: int | None) -> None:
    assert number_in_words(text) == value


@pytest.mark.parametrize(
    ("glosses", "n_facts"),
    [
        (["one", "two", "ten", "twelve"], 4),
        (["in the year 1", "in the year 2", "in the year 10", "in the year 12"], 4),
        (["1 dog", "2 dogs", "10 dogs", "12 dogs"], 0),
        (["dog", "one", "cat", "house"], 0),
    ],
)
def test_values_may_be_told_in_words_or_in_the_same_words(glosses: list[str], n_facts: int) -> None:
    names = ("sa", "vek", "tin", "tin vek")
    context = "\n".join(f"{name} | {gloss}" for name, gloss in zip(names, glosses, strict=True))
    sheet = read_sheet(Problem("p", (Task("t", context, "Write in figures:\n\n1. tin sa"),)))
    assert len(facts_of(sheet)) == n_facts


def test_a_morph_without_letters_is_spelt_as_nothing() -> None:
    assert dozens().spell(("",)) == dozens().spell(()) == ""
