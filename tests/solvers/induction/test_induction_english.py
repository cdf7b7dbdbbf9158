"""Glosses into tokens and back: invertible, with features, agreement and style."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.solvers.induction.english import English, Token
from iolai.solvers.induction.english.inflection import Inflections, plural
from iolai.solvers.induction.translation.units import units_of

SENTENCES = [
    "The man saw the dogs.", "The women are not eating the fish.", "Did you see me?",
    "He will give the book to us.", "My mother's cat sleeps.", "Where does she sit?",
    "They were singing.", "I do not know him.", "The old men's houses burned.", "You ran away.",
    "There are stars in the sky.", "It is in the house.", "She came and ate the bread.",
]  # fmt: skip
PHRASES = ["two big dogs", "your (sg.) eye", "we both strike you (pl)", "to be able to fly",
           "with an owl", "(he/she) is sewing", "our_{1+2} house", "children"]  # fmt: skip


@pytest.mark.parametrize("glosses", [SENTENCES, PHRASES])
def test_every_gloss_is_given_back(glosses: list[str]) -> None:
    english = English(glosses)
    for gloss in glosses:
        assert english.realise(english.parse(gloss)).rstrip(".") == gloss.rstrip(".")


def test_nearly_all_are_understood() -> None:
    english = English(SENTENCES)
    plain = [s for s in SENTENCES if all(t.kind == "x" for t in english.parse(s))]
    assert not plain


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_no_gloss_breaks_it(glosses: list[str]) -> None:
    english = English(glosses)
    for gloss in glosses:
        english.realise(english.parse(gloss))


def test_features_and_roles() -> None:
    english = English(SENTENCES)
    man, see, dogs = english.parse("The man saw the dogs.")
    assert (man.stem, man.role, man.feats) == ("man", "S", frozenset({"DEF"}))
    assert (see.stem, see.kind, see.feats) == ("see", "v", frozenset({"PAST"}))
    assert (dogs.stem, dogs.role, dogs.feats) == ("dog", "O", frozenset({"DEF", "PL"}))
    (verb,) = [t for t in english.parse("The women are not eating the fish.") if t.kind == "v"]
    assert verb.feats == {"PRES", "PROG", "NEG"}


@pytest.mark.parametrize(
    ("gloss", "verb", "feats"),
    [("They have not forgiven us.", "forgive", {"PRES", "PERF", "NEG"}),
     ("He had gone.", "go", {"PAST", "PERF"}),
     ("She will have called them.", "call", {"FUT", "PERF"}),
     ("The dog has been sleeping.", "sleep", {"PRES", "PERF", "PROG"}),
     ("Who has eaten the bread?", "eat", {"PRES", "PERF"}),
     ("I have a dog.", "have", {"PRES"}),
     ("They have bread.", "have", {"PRES"})],
)  # fmt: skip
def test_perfects_are_one_verb_with_features(gloss: str, verb: str, feats: set[str]) -> None:
    english = English([*SENTENCES, gloss])
    (token,) = [t for t in english.parse(gloss) if t.kind == "v"]
    assert (token.stem, token.feats) == (verb, feats)
    assert english.realise(english.parse(gloss)) == gloss


def test_a_perfect_agrees_and_asks() -> None:
    english = English(["Have the men slept?", "They have slept.", "The man has slept."])
    have, men, sleep = english.parse("Have the men slept?")
    assert (have.kind, sleep.stem, sleep.feats) == ("aux", "sleep", {"PERF"})
    man = Token("man", "n", men.feats - {"PL"}, "S")
    assert english.realise((have, man, sleep)) == "Has the man slept?"
    _, slept = english.parse("They have slept.")
    assert english.realise((man, slept)) == "The man has slept."


def test_verbs_agree_when_subjects_are_exchanged() -> None:
    english = English(["I am eating.", "The dogs are eating."])
    i, verb = english.parse("I am eating.")
    dogs, _ = english.parse("The dogs are eating.")
    one = Token("dog", "n", dogs.feats - {"PL"}, "S")
    assert english.realise((dogs, verb)) == "The dogs are eating."
    assert english.realise((one, verb)) == "The dog is eating."
    assert english.realise((i, verb)) == "I am eating."


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("dog", "dogs"),
        ("berry", "berries"),
        ("box", "boxes"),
        ("man", "men"),
        ("child", "children"),
        ("house", "houses"),
        ("nurse", "nurses"),
        ("axe", "axes"),
        ("glass", "glasses"),
        ("gas", "gases"),
        ("bus", "buses"),
    ],
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many
    assert Inflections().singular(many) == one


@pytest.mark.parametrize(
    ("verb", "past"),
    [("talk", "talked"), ("dance", "danced"), ("stop", "stopped"), ("carry", "carried"),
     ("see", "saw"), ("love", "loved"), ("call", "called"), ("offend", "offended"),
     ("die", "died"), ("agree", "agreed"), ("need", "needed"), ("feed", "fed")],
)  # fmt: skip
def test_pasts(verb: str, past: str) -> None:
    inflections = Inflections()
    assert inflections.base_of(past, "PAST") == verb
    assert inflections.inflect(verb, "PAST") == past


@pytest.mark.parametrize(
    ("verb", "third"),
    [("chase", "chases"), ("lose", "loses"), ("freeze", "freezes"), ("kiss", "kisses"),
     ("watch", "watches"), ("buzz", "buzzes"), ("raise", "raises")],
)  # fmt: skip
def test_third_persons(verb: str, third: str) -> None:
    inflections = Inflections()
    assert inflections.base_of(third, "3SG") == verb
    assert inflections.inflect(verb, "3SG") == third


def test_the_sheet_decides_how_a_singular_ends() -> None:
    with_e, without = English(["my axe", "your axes"]), English(["my ax", "your axes"])
    assert with_e.parse("your axes")[-1].stem == "axe"
    assert without.parse("your axes")[-1].stem == "ax"


def test_words_that_look_like_a_past_are_none() -> None:
    feed = English(["Kings feed a boy.", "The boy fed the cats."]).parse("Kings feed a boy.")[1]
    assert (feed.stem, feed.feats) == ("feed", frozenset({"PRES"}))


@pytest.mark.parametrize(
    ("gloss", "feats"),
    [
        ("Go to the river!", {"IMP"}),
        ("Don't eat the meat!", {"IMP", "NEG"}),
        ("Call my brother.", {"IMP"}),
    ],
)
def test_an_order_opens_with_its_verb(gloss: str, feats: set[str]) -> None:
    english = English([gloss, "The man did not call me.", "I went to the river."])
    tokens = english.parse(gloss)
    assert (tokens[0].kind, tokens[0].feats) == ("v", feats)
    assert english.realise(tokens) == gloss


def test_clusivity_is_a_mark_of_the_pronoun() -> None:
    english = English(["we (incl.) see you", "we (excl.) saw him"])
    assert [english.parse(g)[0].stem for g in ("we (incl.) saw him", "we (excl.) see you")] == [
        "1pl~incl",
        "1pl~excl",
    ]


def test_nouns_and_verbs_are_told_apart_after_known_words() -> None:
    english = English(
        [
            "The teacher gives the children apples.",
            "The man whose dog died is here.",
            "The man wants to sleep.",
        ]
    )
    kinds = [token.kind for token in english.parse("The teacher gives the children apples.")]
    assert kinds == ["n", "v", "n", "n"]
    stems = [token.stem for token in english.parse("The man whose dog died is here.")]
    assert stems == ["man", "whose", "dog", "die", "be", "here"]
    verb = english.parse("The man wants to sleep.")[-1]
    assert (verb.stem, verb.feats) == ("sleep", frozenset({"INF"}))


def test_known_verbs_are_seen_after_nouns_only_where_there_are_sentences() -> None:
    sentences = English(["The man saw the dog.", "He will go.", "The healer sleeps."])
    healer, sleep = sentences.parse("The healer sleeps.")
    assert (healer.kind, healer.role) == ("n", "S")
    assert (sleep.stem, sleep.kind, sleep.feats) == ("sleep", "v", frozenset({"PRES"}))
    phrases = English(["the dog", "two rests", "big rests"])
    assert phrases.parse("big rests")[-1].kind == "n"


def test_a_bare_verb_follows_what_somebody_is_made_to_do() -> None:
    english = English(["I make the carpenter sleep.", "You will sleep.", "He made me run."])
    kinds = [(t.stem, t.kind) for t in english.parse("I make the carpenter sleep.")]
    assert kinds == [("1sg", "pro"), ("make", "v"), ("carpenter", "n"), ("sleep", "v")]
    assert english.realise(english.parse("He made me run.")) == "He made me run."


def test_what_somebody_is_is_no_object() -> None:
    english = English(["The house is far.", "He saw the house."])
    assert english.parse("The house is far.")[-1].role == "C"
    assert english.parse("He saw the house.")[-1].role == "O"


def test_pronouns_of_either_gender_are_pronouns() -> None:
    glosses = ["his/her dog", "he/she saw him/her", "s/he will go", "my dog"]
    english = English(glosses)
    owner, dog = english.parse("his/her dog")
    assert (owner.stem, owner.kind, owner.role, dog.kind) == ("3sg", "pro", "P", "n")
    for gloss in glosses:
        assert english.realise(english.parse(gloss)) == gloss


@pytest.mark.parametrize(
    ("gloss", "feats"),
    [("The girl was seen by the dog.", {"PAST", "PASS"}),
     ("The girls are being seen.", {"PRES", "PROG", "PASS"}),
     ("The girl was not seen.", {"PAST", "NEG", "PASS"}),
     ("The girl will be seen.", {"FUT", "PASS"})],
)  # fmt: skip
def test_a_passive_is_one_verb_of_its_own_voice(gloss: str, feats: set[str]) -> None:
    english = English(["The girl did not see us.", gloss])
    (token,) = [t for t in english.parse(gloss) if t.kind == "v"]
    assert (token.stem, token.feats) == ("see", feats)
    assert english.realise(english.parse(gloss)) == gloss
    units = {unit.name: unit.slot for unit in units_of(english.parse(gloss))}
    assert [name for name, slot in units.items() if "PASS" in (name, slot)] == ["PASS"]
    assert not any("PASS" in name for name, slot in units.items() if slot == "T")


def test_a_plural_in_oes_is_written_as_the_sheet_writes_it() -> None:
    inflections = Inflections()
    for one, many in (("potato", "potatoes"), ("canoe", "canoes"), ("toe", "toes")):
        assert inflections.singular(many) == one
        assert inflections.plural_of(one) == many
        assert inflections.plural_of(f"big {one}") == f"big {many}"


def test_what_somebody_is_like_is_no_passive() -> None:
    english = English(["The girl saw the tired dog.", "The dog is tired."])
    assert [t.stem for t in english.parse("The dog is tired.")] == ["dog", "be", "tired"]


def test_verbs_are_found_in_relative_clauses() -> None:
    glosses = ["It is the girl that bit the dog.", "It is the man who will see it.", "Will he go?"]
    english = English([*glosses, "Who will you see?", "Dogs bite.", "He did not bite him."])
    verbs = [
        [(t.stem, t.kind) for t in english.parse(g) if t.kind in ("v", "aux")] for g in glosses
    ]
    assert verbs == [
        [("be", "v"), ("bite", "v")],
        [("be", "v"), ("see", "v")],
        [("do", "aux"), ("go", "v")],
    ]
    assert english.parse("Who will you see?")[1].kind == "aux"


def test_hours_and_minutes_are_apart() -> None:
    english = English(["She came at 7:30.", "He came at 10:05 and went."])
    assert [t.stem for t in english.parse("She came at 7:30.")][-2:] == ["7", ":30"]
    for gloss in ("She came at 7:30.", "He came at 10:05 and went."):
        assert english.realise(english.parse(gloss)).rstrip(".") == gloss.rstrip(".")


def test_words_that_are_never_apart_are_one() -> None:
    glosses = ["The sweet potatoes are red.", "He saw a sweet potato.", "The big dog ate.",
               "He saw the big man."]  # fmt: skip
    english = English(glosses)
    (potato,) = [t for t in english.parse(glosses[0]) if "potato" in t.stem]
    assert (potato.stem, potato.feats) == ("sweet potato", {"DEF", "PL"})
    assert [t.stem for t in english.parse(glosses[2])] == ["big", "dog", "eat"]
    assert [english.realise(english.parse(gloss)) for gloss in glosses] == glosses
    apart = English([*glosses, "The potato is sweet."])
    assert [t.stem for t in apart.parse(glosses[1])][-2:] == ["sweet", "potato"]
    told = English([], phrases=["sweet potato"])
    assert [t.stem for t in told.parse("a sweet potato")] == ["sweet potato"]


def test_verbs_show_the_number_of_a_noun_that_has_one_form() -> None:
    english = English(["The fish find the men.", "The fish sees the dog.", "The birds dance."])
    many, one, birds = (
        english.parse(text)
        for text in ("The fish find the men.", "The fish sees the dog.", "The birds dance.")
    )
    assert [(t.stem, t.kind) for t in many] == [("fish", "n"), ("find", "v"), ("man", "n")]
    assert "PL" in many[0].feats
    assert "PL" not in one[0].feats
    assert [(t.stem, t.kind) for t in birds] == [("bird", "n"), ("dance", "v")]


def test_a_verb_and_its_preposition_that_are_never_apart_are_one_word() -> None:
    english = English(["I see him", "they will wait for him", "I waited for them", "he saw us"])
    tokens = english.parse("I waited for them")
    assert [(t.stem, t.role) for t in tokens] == [("1sg", "S"), ("wait for", ""), ("3pl", "O")]
    assert english.realise(tokens) == "I waited for them"
    assert english.realise(english.parse("he waits for us")) == "he waits for us"
    apart = English(["they wait for him", "I wait", "I waited for them"])
    assert "wait" in {t.stem for t in apart.parse("I waited for them")}
