"""Each kind of printed rules: printed, read back, applied; what it cannot give is listed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.solvers.base import Budget
from iolai.solvers.induction.english import English
from iolai.solvers.induction.printed import Section, make_section, parse_sections
from iolai.solvers.induction.printed.allomorphs import (
    Alternatives,
    Place,
    conditions,
    find_alternatives,
    first_conditions,
)
from iolai.solvers.induction.printed.changes import Changes, find_changes
from iolai.solvers.induction.printed.letters import Letters
from iolai.solvers.induction.printed.making import words_section
from iolai.solvers.induction.printed.numbers import Numbers
from iolai.solvers.induction.printed.pairing import Pairing, Signs, entry_said, trait_said
from iolai.solvers.induction.printed.words import Analysis, Words, find_words
from iolai.solvers.induction.programs import Program
from iolai.solvers.induction.translation.corpus import Corpus
from iolai.solvers.induction.translation.units import units_of

DEVOICING = Letters(
    {"b": (("p", "", "#"), ("b", "", "")), "c": (("", "", ""),), "a": (("a", "", ""),)}
)


def test_letters_take_the_first_context_that_fits() -> None:
    lines = DEVOICING.lines()
    assert lines[:2] == ("b → p / _#; b", "c → ∅")
    assert Letters.parse(lines).regenerate(["babcob", "x"], ()) == ["babop", "x"]


def test_marks_that_stand_alone_are_printed_on_a_dotted_circle_and_read_back() -> None:
    pairs = [("\u0baa\u0bcd", "p\u0304"), ("\u0ba9", "\u0304"), ("e\u0301", "e\u0300")]
    signs = make_section("Sign by sign, 1–3 with A–C", Signs(dict(pairs)), [])
    assert signs.lines[1:] == ("\u0ba9 = \u25cc\u0304", "e\u0301 = e\u0300")
    raised = Letters({"k": (("\u0301", "a", ""), ("\u0300", "", ""))})
    made = make_section("Letter by letter, a to b", raised, [("ak", "a\u0301"), ("ek", "e\u0300")])
    assert made.lines[0] == "k → \u25cc\u0301 / a_; \u25cc\u0300"
    assert made.share == 1
    (again,) = parse_sections(str(made))
    assert again.theory().regenerate(["ak", "ek"], ()) == ["a\u0301", "e\u0300"]


def test_letters_without_what_changes_nothing() -> None:
    fewer = DEVOICING.without_idle(["bab", "cab"])
    assert fewer.lines()[:2] == ("b → p / _#", "c → ∅")


def test_signs_of_the_notation_are_never_printed_as_letters() -> None:
    odd = Letters({"→": (("x", "", ""),), "k": (("; z", "", ""), ("g", "", ""))})
    assert odd.lines()[0] == "k → g"


HARMONY = [("kip", "kipek"), ("tol", "tolok"), ("bur", "burok"), ("szem", "szemek"),
           ("fal", "falok"), ("kirt", "kirtek")]  # fmt: skip


def test_changes_by_the_last_vowel() -> None:
    found = find_changes(HARMONY)
    assert len(found.lines()) == 2  # one, and the elsewhere case
    assert any("last vowel [" in line for line in found.lines())
    reread = Changes.parse(found.lines())
    assert reread.regenerate([one for one, _ in HARMONY], ()) == [other for _, other in HARMONY]
    assert reread.regenerate(["pirt", "har"], ()) == ["pirtek", "harok"]


def test_reduplication_is_printed_and_read_back() -> None:
    pairs = [(word, word[:2] + word) for word in ("pita", "mora", "suke", "tano")]
    lines = find_changes(pairs).lines()
    assert Changes.parse(lines).regenerate(["rilo"], ()) == ["ririlo"]


def test_a_pair_of_its_own_is_no_rule() -> None:
    pairs = [("kati", "lomu"), ("pelo", "pelon"), ("tari", "tarin")]
    section = make_section("Changes, one to many", find_changes(pairs), pairs)
    assert section.unexplained == ("kati",)
    assert not any("lomu" in line for line in section.lines)


def test_alternatives_by_context_and_by_meaning() -> None:
    seen = [
        ("ek", Place("kep", "", frozenset({"“dog”"}))),
        ("ek", Place("szem", "", frozenset({"“cat”"}))),
        ("ek", Place("kert", "", frozenset({"“bird”"}))),
        ("ok", Place("tol", "", frozenset({"“dog”"}))),
        ("ok", Place("bor", "", frozenset({"“bird”"}))),
        ("∅", Place(None, None, frozenset({"“dog”", "dual"}))),
    ]
    found = Alternatives.parse(str(find_alternatives(seen)))
    assert [found.at(place) for _, place in seen] == ["ek", "ek", "ek", "ok", "ok", ""]


def test_of_equally_good_conditions_a_feature_and_one_that_is_shared_come_first() -> None:
    i_plural = frozenset({"I", "plural"})
    seen = [
        ("harni", Place("", "", i_plural)),
        ("harna", Place("", "", frozenset({"you"}))),
        ("harna", Place("", "", frozenset({"he"}))),
    ]
    assert str(find_alternatives(seen)) == "harni with plural; harna"
    seen = [
        (morph, Place("", "", p.meanings | ({"past"} if morph == "harni" else set())))
        for morph, p in seen
    ]
    assert first_conditions(seen) == {"with I", "with plural", "with past"}
    assert str(find_alternatives(seen, {"with plural": 2})) == "harni with plural; harna"
    assert str(find_alternatives(seen)) == "harni with past; harna"


def test_of_a_silent_unit_only_the_meaning_is_said() -> None:
    assert conditions(Place(None, None, frozenset({"past"}))) == {"with past"}
    assert "before #" in conditions(Place("ko", "", frozenset()))


PAIRS = [("kade su", "the dog slept"), ("kaderi su", "the dogs slept"),
         ("moti su", "the bird slept"), ("motiri la", "the birds sang"),
         ("kade la", "the dog sang")]  # fmt: skip
CUTS = ["kade su", "kade-ri su", "moti su", "moti-ri la", "kade la"]


def analysed() -> list[Analysis]:
    """Return the examples cut by hand: stems and plural."""
    corpus = Corpus(PAIRS)
    rows = []
    for cut, (_, gloss) in zip(CUTS, PAIRS, strict=True):
        units = units_of(corpus.english.parse(gloss))
        noun, verb = (next(u for u in units if u.slot == f"stem:{kind}") for kind in "nv")
        plural = next((u for u in units if u.name == "PL"), None)
        first, second = cut.split()
        morphs = first.split("-")
        word = ((morphs[0], noun), *((m, plural) for m in morphs[1:]))
        rows.append(Analysis((word, ((second, verb),)), units))
    return rows


def test_words_are_built_and_ordered_as_printed() -> None:
    section = make_section(
        "Word by word, meaning to form", find_words(analysed()), [p[::-1] for p in PAIRS],
        items=[("7", "the birds slept", "motiri su"), ("8", "the bird sang", "moti xx")],
    )  # fmt: skip
    assert section.unexplained == ()
    assert section.agreeing == ("7",)
    assert "plural: -ri" in section.lines
    assert "Order of words: subject, verb." in section.lines
    assert Words.parse(section.lines).regenerate(["the cat slept"], ()) == [""]


def test_no_entry_repeats_an_example() -> None:
    words = Words.parse(["“dog”: kadem with possessor I; kadet before #; kade"])
    pairs = [("my dog", "kadem"), ("your dog", "kadet"), ("dog", "kade")]
    assert words.without_wholes(pairs).lines() == ("“dog”: kadet before #; kade",)


def test_a_pronoun_that_agreement_says_needs_no_entry() -> None:
    (line, *others) = ["verb = stem + agreement with the subject", "subject I: -m", "“see”: tos"]
    units = units_of(English(["I see"]).parse("I see"))
    assert Words.parse([line, *others]).form(units) == "tosm"
    assert Words.parse(["“see”: tos"]).form(units) == ""


def test_pairs_that_the_pieces_do_not_decide_are_left_open() -> None:
    forms, glosses = ["kati", "katin", "pelo", "pelon"], ["house", "houses", "dog", "dogs"]
    every = Pairing(("kati-: ‘house’ (2 times)", "-n: plural (2 times)", "pelo-: ‘dog’ (2 times)"))
    assert every.regenerate(forms, sorted(glosses)) == glosses
    some = Pairing(("kati-: ‘house’ (2 times)",))
    assert some.regenerate(forms, sorted(glosses)) == ["", "", "", ""]


def test_signs_find_the_word_spelt_with_them() -> None:
    signs = Signs.parse(Signs({"α": "a", "β": "b", "γ": "g"}).lines())
    assert signs.regenerate(["αβ", "γα"], ["ab", "ga"]) == ["ab", "ga"]


def test_numbers_are_worked_out_by_the_printed_arithmetic() -> None:
    rules = ('number words: es 1, vam 2, toi 3, nur 8, galai 64', 'bases: 8, 64',
             '"N base" = N × base, the smaller part 2 to 6', '"B ka A" = B + A, the smaller part 1',
             '"A ri B" = B − A, the smaller part 1')  # fmt: skip
    values = Numbers.parse(rules).regenerate(["toi nur ka es", "es ri galai", "mu", ""], ())
    assert values == ["25", "63", "", ""]


def test_what_is_not_explained_is_listed_as_it_is_found() -> None:
    pairs = [("bab", "bap"), ("cob", "op"), ("bac", "bak")]
    section = make_section("Letter by letter, spelling to sound", DEVOICING, pairs)
    text = f"Why\n{section}\n\nSomething else:\n  x → y\n"
    (reread,) = parse_sections(text)
    assert (reread.n_examples, reread.unexplained) == (3, ("bac",))
    assert reread.lines == section.lines
    assert "2 of 3 examples" in text


@given(st.text(), st.text())
def test_quotation_marks_in_examples_do_no_harm(one: str, other: str) -> None:
    pairs = [(f"“{one}”", other), ("bab", "bap")]
    section = make_section("Letter by letter, spelling to sound", DEVOICING, pairs)
    (reread,) = parse_sections(str(section))
    assert reread.unexplained == section.unexplained


@pytest.mark.parametrize("text", ["", "Letter by letter", "Numbers:\nx", "  Changes, a to b:"])
def test_other_text_is_passed_over(text: str) -> None:
    assert all(not section.lines for section in parse_sections(text))
    assert isinstance(Section("Numbers", ()).share, float)


def test_an_exchange_is_printed_and_read_back() -> None:
    pairs = [("puka", "puak"), ("tiko", "tiok"), ("sela", "seal"), ("lumi", "luim")]
    changes = find_changes(pairs)
    assert any("change places" in line for line in changes.lines())
    again = Changes.parse(changes.lines())
    assert again.regenerate([one for one, _ in pairs], ()) == [other for _, other in pairs]


#: An invented language: possessors before the stem, a plural after it, but not beside "two".
PLURALS = [
    ("kanata ketek", "their big fish"), ("rulamageb ketek", "my big men"),
    ("mimorogeb", "your dogs"), ("lesmaru kilad", "his old girl"), ("niplamu", "our tree"),
    ("rutipe mol", "my two birds"), ("lesmorogeb gigep", "his black dogs"),
    ("milama kilad", "your old man"), ("kamaru mol", "their two girls"),
    ("kalamageb gigep", "their black men"), ("mirime", "your house"),
    ("lesmoro kilad", "his old dog"), ("leslama mol", "his two men"),
    ("kalamu mol", "their two trees"),
]  # fmt: skip


def test_an_ending_is_parted_from_the_stems_that_it_is_met_with() -> None:
    corpus = Corpus(PLURALS, ["our girls", "my man"], seeds=range(4))
    section = words_section(corpus, "", (), Budget())
    assert section.share == 1
    assert "plural: ∅ with “two”; -geb" in section.lines
    assert section.theory().regenerate(["our girls", "my man"], ()) == ["nipmarugeb", "rulama"]


def test_hyphens_are_the_boundaries_of_the_parts_of_words() -> None:
    pairs = [
        ("ku-ne-doma", "I am reading"), ("su-ne-doma", "you are reading"),
        ("e-ri-doma", "she read"), ("ku-ba-limba", "I will sing"),
        ("e-ne-limba", "she is singing"), ("su-ri-peza", "you danced"),
        ("mu-ne-peza", "we are dancing"), ("mu-ri-limba", "we sang"),
    ]  # fmt: skip
    section = words_section(Corpus(pairs, ["you will read"], seeds=range(4)), "", (), Budget())
    assert section.share == 1
    assert not any("--" in line for line in section.lines)
    assert "“read”: doma" in section.lines
    assert section.theory().regenerate(["you will read"], ()) == ["su-ba-doma"]
    (reread,) = parse_sections(str(section))
    assert reread.lines == section.lines


def test_of_a_grammar_that_gives_hardly_anything_only_what_holds_is_printed() -> None:
    # Words for "dog" and "cat" stand where they are said, all else is noise.
    rest = ["abe fi", "ogu", "ze idu ka", "u", "epo ro lu", "iki"]
    said = ["dog sees a tree", "dog will sleep", "dogs ate", "cat ran", "cats are old", "cat fell"]
    pairs = [
        (f"{one} {'mako' if 'dog' in other else 'tisu'}", other)
        for one, other in zip(rest, said, strict=True)
    ]
    words = Words(
        ("subject", "verb"),
        {"subject": ("stem",), "verb": ("stem",)},
        {name: Alternatives(((morph, ""),))
         for name, morph in (("“dog”", "mako"), ("“cat”", "tisu"), ("“run”", "u"))},
    )  # fmt: skip
    corpus = Corpus(pairs)
    analyses = [
        Analysis(tuple(((word, None),) for word in e.form.split()), e.units)
        for e in corpus.examples
    ]
    lines = words.supported(analyses, ()).lines()
    assert lines == ("“cat”: tisu", "“dog”: mako")
    text = str(Section("Word by word, meaning to form", lines, 6, tuple(said), (), is_partial=True))
    assert "Known in part only" in text
    (reread,) = parse_sections(text)
    assert reread.lines == lines
    assert reread.is_partial


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (Program("after consonant -2", 2, ("u", "n")),
         "un is put after the second-last consonant in place of 2 letters"),
        (Program("the start", 0, (), "before consonant 1", "after vowel 1", ("x",), (0, 1)),
         "the last letter is dropped, a copy from before the first consonant to after the first "
         "vowel + x is put at the start"),
    ],
)  # fmt: skip
def test_places_in_words_are_said_in_words(program: Program, said: str) -> None:
    assert str(program) == said
    (rule,) = Changes.parse([said]).rules
    assert rule.change == program


def test_traits_of_glosses_are_said_in_words() -> None:
    said = {"3sg.m S": "he as subject", "person 1": "first person", "PL": "plural", "2": "2",
            "2 S": "you as subject", "‘eye’": "‘eye’"}  # fmt: skip
    assert {name: trait_said(name) for name in said} == said
    assert entry_said("ka-: 3sg.f O (3 times)") == "ka-: she as object (3 times)"


def test_words_are_said_to_stay_only_where_an_example_does() -> None:
    pairs = [("mako", "mat"), ("tilo", "tit"), ("sako", "sat"), ("welo", "wet")]
    assert "Any other word stays as it is." not in find_changes(pairs).lines()
    assert find_changes(pairs).regenerate(["pun"], ()) == [""]
    stays = find_changes([*pairs, ("nup", "nup"), ("gin", "gin")])
    assert stays.lines()[-1] == "Any other word stays as it is."
    assert Changes.parse(stays.lines()).regenerate(["pun"], ()) == ["pun"]
