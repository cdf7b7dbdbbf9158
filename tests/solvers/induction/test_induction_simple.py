"""Small clean sheets, as a newcomer writes them: everything on them comes right."""

from __future__ import annotations

import time

import pytest

from iolai.records import Problem, Task
from iolai.solvers.base import Budget
from iolai.solvers.induction import Induction
from iolai.solvers.induction.english import English
from iolai.solvers.induction.reader import read_sheet
from iolai.solvers.induction.translation.ordering import word_places

FISHING = """\
na toki lu – The man sees the fish.
na tokimi lu – The men see the fish.
ri toki sepa – The man catches the bird.
ri sepa toki – The bird catches the man.
na sepami toki – The birds see the man.
ri lu sepami – The fish catches the birds.
na wena toki – The woman sees the man.
ri wenami lumi – The women catch the fishes.
"""
MARKETS = """\
mo kibo tena – I see a dog.
mo kibo tenaru – I see dogs.
ta kibo fale – You see a house.
ta lumi faleru – You buy houses.
mo lumi tena – I buy a dog.
ta pako fale – You paint a house.
mo pakosi fale – I painted a house.
"""
HOUSES = "kati – house\nkatin – houses\npelo – dog\nmukatin – in the houses\n"
SUMS = """\
sa = 1
vek = 2
mur = 3
tin = 10
tin sa = 11
vek tin = 20
vek tin mur = 23
sa + vek = mur
tin + tin = vek tin
mur tin − tin = vek tin
"""
CROWDED = "ta = 1, ki = 2, um = 5\num-ta = 6, ki-um = 10\n"
COUNTED = """\
sa = 1
vek = 4
mur = 6
mur sa = 7
mur vek = 10
sutmur = 12
sutmur sa = 13
vekmur tin = 27
"""
ENGLISH = "Translate into English:\n\n"


def answers(context: str, *queries: str) -> list[list[str]]:
    tasks = tuple(Task(f"t{n}", context, query) for n, query in enumerate(queries))
    *_, last = Induction().solve(Problem("p", tasks), Budget())
    return [[item.text for item in task.items] for task in last]


@pytest.mark.parametrize(
    ("context", "into_english", "english", "into_form", "forms"),
    [
        pytest.param(
            FISHING,
            "1. na lu wena\n2. ri toki wena\n3. ri wena sepami",
            [
                "The fish sees the woman.",
                "The man catches the woman.",
                "The woman catches the birds.",
            ],
            "4. The bird sees the woman.\n5. The women see the men.\n6. The men catch the bird.",
            ["na sepa wena", "na wenami tokimi", "ri tokimi sepa"],
            marks=pytest.mark.slow,
        ),
        (
            MARKETS,
            "1. ta kibosi tenaru\n2. mo lumi faleru\n3. mo lumisi fale",
            ["You saw dogs.", "I buy houses.", "I bought a house."],
            "4. You bought dogs.\n5. I paint houses.",
            ["ta lumisi tenaru", "mo pako faleru"],
        ),
        (
            HOUSES,
            "1. katin\n2. pelon\n3. mukati",
            ["houses", "dogs", "in the house"],
            "4. in the dogs",
            ["mupelon"],
        ),
    ],
)
def test_sentences_are_translated_both_ways(
    context: str, into_english: str, english: list[str], into_form: str, forms: list[str]
) -> None:
    found = answers(context, ENGLISH + into_english, f"Translate:\n\n{into_form}")
    assert found == [english, forms]


@pytest.mark.parametrize(
    ("context", "query", "wanted"),
    [
        (SUMS, "1. mur tin vek\n2. tin mur", ["32", "13"]),
        (CROWDED, "1. um-ki\n2. ki-um-ta", ["7", "11"]),
        (
            COUNTED,
            "1. vekmur\n2. tinmur sut\n3. sutmur vek\n4. tinmur tin",
            ["24", "20", "16", "21"],
        ),
    ],
)
def test_number_names_are_read_from_whatever_lines_say_their_values(
    context: str, query: str, wanted: list[str]
) -> None:
    assert answers(context, f"Write in figures:\n\n{query}") == [wanted]


def test_lines_that_are_read_are_no_prose() -> None:
    task = Task("t", f"Here are sums:\n\n{SUMS}", "Write in figures:\n\n1. tin mur")
    *_, last = Induction().solve(Problem("p", (task,)), Budget())
    assert "10 equations" in last[0].understood
    assert "not used: 1 line of prose" in last[0].understood


def test_between_a_noun_and_an_article_stands_a_verb() -> None:
    english = English(["The man sees the fish", "The women catch the birds"])
    kinds = [[token.kind for token in english.parse(g)] for g in ("the bird sees the man", "trees")]
    assert kinds == [["n", "v", "n"], ["n"]]
    assert [t.kind for t in English(["rests", "the old rests"]).parse("rests")] == ["n"]


def test_words_are_placed_by_the_one_order_that_fits_or_not_at_all() -> None:
    pairs = [line.split(" – ") for line in FISHING.splitlines()]
    english = English([gloss for _, gloss in pairs])
    glosses = [english.parse(gloss) for _, gloss in pairs]
    forms = [form for form, _ in pairs]
    assert word_places(forms, glosses) == [{0: 1, 1: 0, 2: 2}] * 8
    mixed = [" ".join(sorted(form.split(), key=lambda word: (len(word), word))) for form in forms]
    assert word_places([form.replace(" ", "") for form in forms], glosses) == [{}] * 8
    assert word_places(mixed[:2], glosses[:2]) == [{}] * 2


def test_equations_nested_deeply_are_left_alone() -> None:
    deep = "(" * 400 + "ta" + ")" * 400
    found = answers(f"{deep} + ki = 3\nta + ki = 3\nta = 1", "Write in figures:\n\n1. ki")
    assert len(found[0]) == 1
    many = " + ".join(["ta"] * 3000)
    assert len(answers(f"{many} = 3000\nta + ki = 3\nta = 1", "Write in figures:\n\n1. ki")[0]) == 1


def test_a_word_asked_beside_words_is_rewritten_by_a_rule() -> None:
    pairs = ["pata | patat", "kiki | kikit", "satak | satakt", "miko | mikot", "lapi | lapit"]
    context = "\n".join(["singular | plural", *pairs])
    task = Task("1", context, "Give the plural of:\n1. poki\n2. nerap", "")
    *_, ((answer,),) = ([last] for last in Induction().solve(Problem("1", (task,)), Budget()))
    assert [item.text for item in answer.items] == ["pokit", "nerapt"]
    assert "-∅ → -t" in answer.explanation
    assert "5 of 5" in answer.explanation


def test_an_empty_candidate_is_no_answer() -> None:
    from iolai.records import Candidate
    from iolai.solvers.induction import engine

    empty, said = Candidate("", 0.9), Candidate("kati", 0.1)
    assert engine._item_answer((empty,)).text == "-"
    assert engine._item_answer((empty, said)).text == "kati"


@pytest.mark.parametrize(
    "line", ["1" + " " * 300_000 + "x", "x" + " " * 300_000 + "=" * 2, "1 = " * 90_000]
)
def test_long_lines_are_looked_at_once(line: str) -> None:
    start = time.process_time()
    read_sheet(Problem("p", (Task("t", f"{line}\nsa = 1, vek = 2", "Write in figures:\n\n1. sa"),)))
    assert time.process_time() - start < 5


@pytest.mark.parametrize("seconds", [3.0, 20.0])
def test_a_limit_that_does_not_run_out_changes_no_answer(seconds: float) -> None:
    problem = Problem("p", (Task("t", HOUSES, "Translate into English:\n\n1. pelon\n2. mukati"),))
    free = list(Induction().solve(problem, Budget(seed=1)))[-1]
    bound = list(Induction().solve(problem, Budget(1, seconds, clock=lambda: 0.0)))[-1]
    assert bound == free
