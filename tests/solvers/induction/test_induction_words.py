"""Words rewritten by example: segments, transducers, rules of change, positional programs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.records import Candidate, Problem, Task
from iolai.solvers.base import Budget
from iolai.solvers.induction import Induction
from iolai.solvers.induction.alignment import Costs, align
from iolai.solvers.induction.changes import Change, ChangeRules
from iolai.solvers.induction.paradigms import Paradigms, put_rules_first
from iolai.solvers.induction.printed import Section
from iolai.solvers.induction.programs import Found, Programs
from iolai.solvers.induction.reader import read_sheet
from iolai.solvers.induction.rewriting import make_rewriter
from iolai.solvers.induction.segments import compose, decomposed, kind, segments


@given(st.text(max_size=30))
def test_segments_give_the_word_back(word: str) -> None:
    assert "".join(segments(word)) == word


def test_marks_are_parted_and_set_again() -> None:
    assert decomposed("tê") == ("t", "e", "\u0302")
    assert compose(decomposed("tê")) == "tê"
    assert [kind(s) for s in ("a", "ɛ", "t", "'", "\u0302")] == ["V", "V", "C", "-", "M"]


def test_alignment_prefers_like_kinds() -> None:
    assert align(("p", "a"), ("b", "o"), Costs()) == [("p", "b"), ("a", "o")]
    assert align(("p", "a"), ("p", "a", "s"), Costs())[-1] == ("", "s")


def test_a_change_applies_only_in_its_context() -> None:
    change = Change(("k",), ("g",), ("<V>",), ("<V>",))
    assert list(change.apply(tuple("aka"))) == [tuple("aga")]
    assert list(change.apply(tuple("ska"))) == []
    assert str(change) == "k → g / V_V"


def test_rules_of_change_choose_by_ending() -> None:
    pairs = [("mako", "makos"), ("tiri", "tiris"), ("melun", "melunen"), ("kan", "kanen")]
    rules = ChangeRules(pairs)
    best = rules.predict("sulo")
    assert max(best, key=lambda text: best[text]) == "sulos"
    best = rules.predict("tilon")
    assert max(best, key=lambda text: best[text]) == "tilonen"


@pytest.mark.parametrize(
    ("pairs", "word", "wanted"),
    [
        # the first two segments doubled
        ([("tami", "tatami"), ("sulo", "susulo"), ("kene", "kekene")], "rima", "ririma"),
        # the whole word doubled
        ([("tami", "tamitami"), ("sul", "sulsul"), ("ke", "keke")], "rim", "rimrim"),
        # an infix after the first consonant
        ([("tami", "tumami"), ("sulo", "sumulo"), ("kene", "kumene")], "rida", "rumida"),
    ],
)
def test_programs(pairs: list[tuple[str, str]], word: str, wanted: str) -> None:
    programs = Programs(Found(pairs), range(len(pairs)))
    found = programs.predict(word)
    assert max(found, key=lambda text: (found[text], text)) == wanted


def test_a_program_that_one_pair_supports_is_no_rule() -> None:
    assert not Found([("tami", "xyz"), ("sulo", "abc")]).programs


@pytest.mark.parametrize(
    ("pairs", "word", "wanted"),
    [
        # devoicing at the end
        ([("rad", "rat"), ("kob", "kop"), ("tag", "tak"), ("sad", "sat"), ("mel", "mel"),
          ("dori", "dori"), ("lob", "lop")], "rog", "rok"),
        # a suffix in harmony with the last vowel
        ([("tama", "tamalar"), ("sulo", "sulolar"), ("kene", "keneler"), ("miti", "mitiler"),
          ("nora", "noralar"), ("seme", "semeler")], "lite", "liteler"),
        # a phrase of two words, each with its own rule
        ([("na tami", "nas tamin"), ("na sulo", "nas sulon"), ("na keri", "nas kerin")],
         "na mopu", "nas mopun"),
        # brackets around every transcription
        ([("qa", "[ka]"), ("qolo", "[kolo]"), ("taq", "[tak]"), ("lot", "[lot]")],
         "loq", "[lok]"),
    ],
)  # fmt: skip
def test_a_rewriter_finds_the_pattern(pairs: list[tuple[str, str]], word: str, wanted: str) -> None:
    found = make_rewriter(pairs, Budget()).predict(word)
    assert max(found, key=lambda text: (found[text], text)) == wanted
    assert sum(found.values()) <= 1.0 + 1e-9


def test_success_is_measured_on_what_was_left_out() -> None:
    regular = [(w, w + "s") for w in ("mako", "tiri", "sulo", "kene", "lami")]
    chaos = [("mako", "zub"), ("tiri", "wex"), ("sulo", "qah"), ("kene", "vyd"), ("lami", "jof")]
    assert make_rewriter(regular, Budget()).left_out == 1.0
    assert make_rewriter(chaos, Budget()).left_out == 0.0


def test_segments_change_places() -> None:
    words = ["puka", "tiko", "sela", "lumi", "hoke", "mafa"]
    pairs = [(word, word[:2] + word[3] + word[2]) for word in words]
    rewriter = make_rewriter(pairs, Budget(seed=0))
    outputs = rewriter.predict("noti")
    assert max(outputs, key=lambda text: outputs[text]) == "noit"


def test_words_of_another_shape_are_counted_from_the_edge() -> None:
    words = ["sulat", "bilo", "tapon", "kain", "gawak", "dalaw"]
    doubled, infixed = (
        [(w, w[:2] + w) for w in words],
        [(w, w[0] + "um" + w[1:]) for w in words],
    )
    for pairs, wanted in ((doubled, "hihintay"), (infixed, "humintay")):
        found = Programs(Found(pairs), range(len(pairs))).predict("hintay")
        assert max(found, key=lambda text: found[text]) == wanted


def test_an_open_cell_is_a_step_to_the_other_where_it_is_surer() -> None:
    rows = """singular | plural | from ... | meaning
balek | balekor | balekun | bread
tömi | tömier | tömiün | river
sarap | saravor | saravun | horse
kelit | kelider | kelidün | knife
golok | gologor | gologun | hill
pütir | pütirer | pütirün | star
munat | munador | ___ (1) | bee
ferep | ___ (2) | ferevün | roof
___ (3) | sidiker | sidikün | plum
dorop | ___ (4) | ___ (5) | cart"""
    sheet = read_sheet(Problem("p", (Task("t", rows, "Fill in the blanks (1-5)."),)))
    (proposal,) = Paradigms().propose(sheet, Budget(seed=0))
    found = [proposal.answers[0, i][0].text for i in range(5)]
    assert found == ["munadun", "ferever", "sidik", "dorovor", "dorovun"]


@pytest.mark.parametrize("blanks", ["???", ("(1)", "(2)", "(3)")])
def test_rules_are_printed_whether_blanks_have_labels_or_not(blanks: Sequence[str]) -> None:
    rows = """singular | plural
sul | sulet
bano | banoet
tike | tikeet
rup | rupet
pari | {}
mog | {}
{} | gomet"""
    sheet = read_sheet(Problem("p", (Task("t", rows.format(*blanks), "Fill in the blanks."),)))
    (proposal,) = Paradigms().propose(sheet, Budget(seed=0))
    assert [proposal.answers[0, i][0].text for i in range(3)] == ["pariet", "moget", "gom"]
    many, one = proposal.grammar.sections
    assert (many.share, many.agreeing) == (1, ("1", "2"))
    assert (one.share, one.agreeing) == (1, ("3",))
    table = sheet.tasks[0].tables[0]
    assert [table.described(r, c) for r, c, _ in table.blanks()] == [
        "pari: plural", "mog: plural", "gomet: singular"]  # fmt: skip


def test_rules_that_give_every_example_answer_first_from_end_to_end() -> None:
    rows = """singular | plural
kola | kolat
mine | minet
rup | rupat
tel | telet
gom | gomat
sif | sifet
par | parat
lig | ____
dut | ____
wen | ____"""
    problem = Problem("p", (Task("t", rows, "Fill in the blanks."),))
    *_, (answer,) = Induction().solve(problem, Budget(seed=0))
    # By itself the vote of the rewriters has "ligat" and "wenat": the longer part of the examples.
    assert [item.text for item in answer.items] == ["liget", "dutat", "wenet"]
    assert "These rules give 7 of 7 examples." in answer.explanation
    assert "Answers in accord with them: 1, 2, 3." in answer.explanation


def test_a_word_that_no_rule_changes_stays_only_where_examples_stay() -> None:
    pairs = [("mako", "makot"), ("tiri", "tirit"), ("sulo", "sulot"), ("kene", "kenet")]
    lines = ("-o → -ot", "-i → -it", "-e → -et", "Any other word stays as it is.")
    section = Section("Changes, a to b", lines, 4)
    slot = (0, 0)
    for stays, first in (((), "lamat"), ((("pa", "pa"), ("ga", "ga")), "lama")):
        answers = {slot: (Candidate("lamat", 0.6), Candidate("lamas", 0.1))}
        put_rules_first(section, [*pairs, *stays], [(slot, "1", "lama")], answers)
        assert answers[slot][0].text == first
