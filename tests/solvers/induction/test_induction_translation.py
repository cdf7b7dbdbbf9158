"""Translation both ways on a small invented language; alignment; the model of glosses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iolai.solvers.base import Budget
from iolai.solvers.induction.english import English
from iolai.solvers.induction.translation.corpus import Corpus, bare_form
from iolai.solvers.induction.translation.describe import described, readable
from iolai.solvers.induction.translation.gloss_model import GlossModel
from iolai.solvers.induction.translation.into_english import IntoEnglish, noun_phrases
from iolai.solvers.induction.translation.into_form import IntoForm, match_tokens
from iolai.solvers.induction.translation.proving import share_left_out, share_regenerated
from iolai.solvers.induction.translation.spans import posteriors, spans_of
from iolai.solvers.induction.translation.units import units_of

# Verb last; -ri plural, -ta past, -vu future; ne "not".
PAIRS = [
    ("mako sulo kimota", "the dog saw the cat"),
    ("makori tiri kimota", "the dogs saw the bird"),
    ("sulori mako penuvu", "the cats will hear the dog"),
    ("tiri sulori penuta", "the bird heard the cats"),
    ("mako tiri gosivu", "the dog will follow the bird"),
    ("tiriri mako gosita", "the birds followed the dog"),
    ("sulo tiri kimovu", "the cat will see the bird"),
    ("mako sulori gosita", "the dog followed the cats"),
    ("sulo makori penuta", "the cat heard the dogs"),
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus(PAIRS, seeds=range(4))


def test_units_of_a_gloss() -> None:
    english = English([gloss for _, gloss in PAIRS])
    names = {unit.name for unit in units_of(english.parse("the dogs saw the bird"))}
    assert {"dog", "bird", "see", "PL", "T:PAST", "S:3pl", "O:3sg"} <= names


def test_a_determiner_belongs_to_the_noun_after_an_adjective() -> None:
    english = English(["the old dog saw a big cat", "she will see the old cat"])
    units = units_of(english.parse("the old dog saw a big cat"))
    tokens = english.parse("the old dog saw a big cat")
    owners = {unit.name: tokens[unit.token].stem for unit in units if unit.slot == "D"}
    assert owners == {"DEF": "dog", "INDEF": "cat"}


def test_marks_stay_with_their_letters() -> None:
    texts = {span.text for span in spans_of("ka\u0304ti")}
    assert "ka\u0304" in texts
    assert not any(text.startswith("\u0304") or text.endswith("ka") for text in texts)


def test_alignment_finds_stems_and_endings(corpus: Corpus) -> None:
    best = {name: corpus.lexicons.morphs(name, 1)[0][0] for name in ("dog", "cat", "see", "hear")}
    assert best == {"dog": "mako", "cat": "sulo", "see": "kimo", "hear": "penu"}
    assert corpus.lexicons.morphs("T:PAST", 1)[0][0] == "ta"
    assert corpus.lexicons.morphs("T:FUT", 1)[0][0] == "vu"


def test_links_cover_each_form_once(corpus: Corpus) -> None:
    for example in corpus.examples:
        letters = "".join(link.span.text for link in example.links)
        assert letters == example.form.replace(" ", "")


@pytest.mark.parametrize(
    ("form", "gloss"),
    [("tiri mako kimota", "the bird saw the dog"),
     ("mako tiri penuvu", "the dog will hear the bird"),
     ("sulo mako gosita", "the cat followed the dog")],
)  # fmt: skip
def test_into_english(corpus: Corpus, form: str, gloss: str) -> None:
    assert IntoEnglish(corpus).translate(form, Budget())[0][0] == gloss


@pytest.mark.parametrize(
    ("gloss", "form"),
    [("the bird saw the dog", "tiri mako kimota"),
     ("the dog will hear the cat", "mako sulo penuvu"),
     ("the cats will follow the bird", "sulori tiri gosivu")],
)  # fmt: skip
def test_into_form(corpus: Corpus, gloss: str, form: str) -> None:
    assert IntoForm(corpus).translate(gloss, Budget())[0][0] == form


def test_the_same_seed_gives_the_same_answers() -> None:
    first, second = (
        IntoEnglish(Corpus(PAIRS, seeds=range(2))).translate("sulori tiri penuta", Budget())
        for _ in range(2)
    )
    assert first == second


def test_the_grammar_names_each_rule_once(corpus: Corpus) -> None:
    rules = described(corpus)
    assert len(rules) == len(set(rules))
    assert "past: -ta" in rules
    assert "The object stands before the verb." in rules
    assert readable("T:PAST&S:1sg") == "past with subject I"


def test_posteriors_sum_over_all_cuts() -> None:
    spans = spans_of("ab c")
    scores = np.array([0.5 if len(span.text) == 1 else 0.1 for span in spans])
    inside, log_total = posteriors(spans, scores, 4, (2,))
    assert math.exp(log_total) == pytest.approx((0.5 * 0.5 + 0.1) * 0.5)
    whole = [span.text for span in spans].index("ab")
    assert inside[whole] == pytest.approx(0.1 / 0.35)


def test_a_model_of_glosses_prefers_what_is_usual() -> None:
    english = English([gloss for _, gloss in PAIRS])
    model = GlossModel([english.parse(gloss) for _, gloss in PAIRS])
    usual = model.score(english.parse("the dogs heard the bird"))
    assert usual > model.score(english.parse("dogs heard the bird"))
    assert usual > model.score(english.parse("the dogs heard the dogs"))


def test_noun_phrases_hold_what_belongs_to_them() -> None:
    english = English(["my old dog saw the cat's house", "he saw me"])
    tokens = english.parse("my old dog saw the cat's house")
    texts = [english.realise(tokens[low:high]) for low, high in noun_phrases(tokens)]
    assert texts == ["my old dog", "the cat's house"]


def test_tokens_are_matched_by_role() -> None:
    english = English([gloss for _, gloss in PAIRS])
    mine, theirs = (english.parse(g) for g in ("the dog saw the cat", "the cat heard the bird"))
    assert match_tokens(mine, theirs) == {0: 0, 1: 1, 2: 2}


def test_bare_forms() -> None:
    assert bare_form("Mako,  sulo kimota.") == "mako sulo kimota"
    assert bare_form("[ma:ko]") == "ma:ko"


def test_trust_is_high_where_left_out_examples_come_right() -> None:
    nonsense = [(form, PAIRS[-1 - i][1]) for i, (form, _) in enumerate(PAIRS)]
    assert share_left_out(PAIRS, "form", Budget()) > share_left_out(nonsense, "form", Budget())
    assert share_regenerated(Corpus(PAIRS, seeds=range(4)), Budget()) == 1.0


def test_a_unit_that_no_example_has_costs_unless_it_is_two_fused(corpus: Corpus) -> None:
    table = corpus.lexicons.table("mako", corpus.lexicons.names())
    assert table.score(["dog", "T:NEVER"]) < table.score(["dog"])
    assert table.score(["dog", "T:NEVER&S:1sg"]) == table.score(["dog"])


def test_articles_are_judged_by_what_stands_before_the_noun() -> None:
    glosses = ["the dog saw my cat", "my dog saw the cat", "the dog saw your cat"]
    english = English(glosses)
    model = GlossModel([english.parse(gloss) for gloss in glosses])
    with_article, without = (
        model.score(english.parse(gloss)) for gloss in ("the cat saw my dog", "cat saw my dog")
    )
    assert with_article > without + 1.0


def test_nobody_acts_on_himself_by_chance() -> None:
    english = English(["I saw you", "you saw me", "I saw the dog"])
    model = GlossModel([english.parse(gloss) for gloss in ("I saw you", "you saw me")])
    assert model.score(english.parse("I saw you")) > model.score(english.parse("I saw me")) + 3.0
