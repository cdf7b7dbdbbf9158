"""Diagnostics: what is found, what it costs, and above all what is left in peace."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from pathlib import Path

import pytest

from iolai.metrics import score_item
from iolai.reading import KINDS, TaskCheck, diagnose
from iolai.records import Item, Prediction, Reference, Task, TaskKey

DOCS = Path(__file__).parents[2] / "docs/findings.md"
SHEET = "kato | house\nkaton | houses\nséno | door"
TASK = Task("1", SHEET, "Translate into English:\n\n16. katon\n17. mupelo\n18. kato\n19. peloto")
KEY = TaskKey(
    "1", tuple(Reference((text,)) for text in ("houses", "in the dog", "house", "dogs’ house"))
)
GOOD = ["houses", "in the dog", "house", "dogs’ house"]
MATCHING = Task("2", "", "Match:\n1. ba\n2. ri\n3. so\nGG. one\nHH. two\nII. three")


def check(answers: object, *, task: Task = TASK, key: TaskKey | None = KEY) -> TaskCheck:
    text = answers if isinstance(answers, str) else json.dumps(answers, ensure_ascii=False)
    return diagnose(task, text, key, score_item)


def kinds(found: TaskCheck) -> list[tuple[str, str]]:
    return [(finding.kind, finding.item) for finding in found.findings]


def key_of(*references: str) -> TaskKey:
    return TaskKey("1", tuple(Reference((text,)) for text in references))


def test_slots_show_what_the_official_reading_puts_there() -> None:
    found = check(["houses", "x"])
    assert (found.id, found.expected, found.read) == ("1", 4, 2)
    assert [(s.label, s.asked, s.text) for s in found.slots[:3]] == [
        ("16", "katon", "houses"),
        ("17", "mupelo", "x"),
        ("18", "kato", ""),
    ]
    assert [slot.exact_match for slot in found.slots] == [1, 0, 0, 0]
    assert found.score is not None
    assert found.score.exact_match == 0.25


def test_pages_of_text_are_one_finding_and_take_no_time() -> None:
    page = "the dog is in the house\n" * 200_000
    start = time.process_time()
    assert kinds(check(page, key=None)) == [("unreadable", "")]
    assert time.process_time() - start < 3
    assert kinds(check("the dog " * 10_000)) == [("unreadable", "")]


def test_a_sheet_with_its_letters_first_may_be_answered_either_way() -> None:
    task = Task("2", "", "Match:\n(a) ka (b) mo (c) ti\n1. house 2. dog 3. tree")
    assert kinds(check(["2", "3", "1"], task=task, key=None)) == []
    assert kinds(check(["b", "c", "a"], task=task, key=None)) == []
    found = check("(a) 2\n(b) 3\n(c) 1", task=task, key=None)
    assert [slot.asked for slot in found.slots] == ["ka", "mo", "ti"]
    assert found.lenient is not None
    assert found.lenient.items == ("2", "3", "1")


def test_a_number_of_items_that_the_query_does_not_show_is_no_wrong_count() -> None:
    task = Task("1", "", "Translate ka, mo and ti.")
    assert kinds(check(["a", "b", "c"], task=task, key=None)) == []
    assert kinds(check(["a", "b", "c"], task=task, key=key_of("a"))) == [("wrong-count", "")]


def test_without_a_key_the_count_comes_from_the_query_and_nothing_costs() -> None:
    found = check(["houses", "x"], key=None)
    assert (found.expected, found.score, found.slots[0].chrf) == (4, None, None)
    assert kinds(found) == [("wrong-count", "")]
    assert found.findings[0].cost is None


def test_a_key_counts_where_it_disagrees_with_the_query() -> None:
    found = check(["a", "b"], key=key_of("a", "b"))
    assert (found.expected, found.findings) == (2, ())
    assert [slot.label for slot in found.slots] == ["1", "2"]


def test_the_row_is_kept() -> None:
    found = diagnose(TASK, Prediction("1", "?", row=7), KEY, score_item)
    assert found.row == 7
    assert {finding.row for finding in found.findings} == {7}


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no key"])
@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (GOOD, []),
        ("\n".join(f"{n + 16}. {text}" for n, text in enumerate(GOOD)), []),
        ([f"{n + 16}. {text}" for n, text in enumerate(GOOD)], [("labels-in-list", "")]),
        ("\n".join(f"({n + 1}) {text}" for n, text in enumerate(GOOD)), [("labels-kept", "")]),
        (["; ".join(GOOD)], [("squeezed", "")]),
        ([*GOOD, "surplus"], [("wrong-count", "")]),
        ([*GOOD, *[""] * 15], [("range-count", "")]),
        (GOOD[:3], [("wrong-count", "")]),
        (["?", *GOOD[1:]], [("placeholder", "16")]),
        (["N/A", "...", *GOOD[2:]], [("placeholder", "16"), ("placeholder", "17")]),
        (["1", "2", "3", "4"], [("placeholder", str(n)) for n in range(16, 20)]),
        (
            ["(unknown)", "Error: no reply", *GOOD[2:]],
            [("placeholder", "16"), ("placeholder", "17")],
        ),
        (["", *GOOD[1:]], [("empty", "16")]),
        ("", [("empty", "")]),
        ("[]", [("empty", "")]),
        (["", "", "", ""], [("empty", "")]),
        (["katon", "mupelo", "kato", "peloto"], [("echo-of-query", str(n)) for n in range(16, 20)]),
        (["16", "(17)", "18.", "19"], [("echo-of-query", str(n)) for n in range(16, 20)]),
        (
            ["translation of katon", "mupelo?", "kato", "(peloto)"],
            [("echo-of-query", str(n)) for n in range(16, 20)],
        ),
        (["dog"] * 4, [("repeated-answer", "")]),
        (["katon = houses", *GOOD[1:]], [("item-repeated", "16")]),
        (["houses (katon)", *GOOD[1:]], [("item-repeated", "16")]),
        (["The answer is houses", *GOOD[1:]], [("prose", "16")]),
        (["Translation: cows", *GOOD[1:]], [("prose", "16")]),
        ([f"{text} (a form)" for text in GOOD], [("extra-text", str(n)) for n in range(16, 20)]),
        ([f"{text} # cow" for text in GOOD], [("extra-text", str(n)) for n in range(16, 20)]),
        ([f"{text} / cow" for text in GOOD], [("extra-text", str(n)) for n in range(16, 20)]),
        (["houses\u200b", *GOOD[1:]], [("unseen-character", "16")]),
        (["**houses**", "<i>in the dog</i>", *GOOD[2:]], [("tags", ""), ("emphasis", "")]),
        ("<think>so", [("truncated", "")]),
        (["houses<|im_end|>", *GOOD[1:]], [("raw-model-text", "")]),
        (["houses\nor so", *GOOD[1:]], [("raw-model-text", "")]),
        (["hou\x07ses", *GOOD[1:]], [("raw-model-text", "")]),
        (["“houses”", *GOOD[1:]], [("curly-quotes", "")]),
        (
            ["The word katon is made of the word kato and of an ending n, so houses", *GOOD[1:]],
            [("prose", "16")],
        ),
    ],
)
def test_kinds(answers: object, expected: list[tuple[str, str]], key: TaskKey | None) -> None:
    assert kinds(check(answers, key=key)) == expected


@pytest.mark.parametrize(
    "answer",
    ["houses, I think", "maybe houses", "houses or cows", '"houses" (plural)', "a: houses"],
)
def test_a_right_answer_among_other_words_is_told_by_the_key(answer: str) -> None:
    found = check([answer, *GOOD[1:]])
    assert kinds(found) == [("extra-text", "16")]
    assert found.findings[0].hint.startswith("The key has houses.")
    assert found.findings[0].cost is not None
    assert found.findings[0].cost.exact_match == 0.25
    assert kinds(check([answer, *GOOD[1:]], key=None)) == []


def test_a_count_is_no_placeholder_where_the_key_wants_such_answers() -> None:
    key = key_of("2", "1", "4", "3")
    assert kinds(check(["1", "2", "3", "4"], key=key)) == []


def test_a_kind_met_again_deeper_inside_is_said_once() -> None:
    found = check([f"({'; '.join(GOOD)})"], key=None)
    assert found.lenient is not None
    assert len(found.lenient.steps) > 1
    assert kinds(found) == [("squeezed", "")]


@pytest.mark.parametrize(
    ("reference", "answer"),
    [("aa", "mty:aa wee"), ("no", "ta'no ta"), ("kato", "katon ri"), ("set", "ri set\u0303")],
)
def test_a_part_of_a_word_is_no_answer_among_others(reference: str, answer: str) -> None:
    assert kinds(check([answer, "x", "y", "z"], key=key_of(reference, "x", "y", "z"))) == []


def test_an_ambiguous_prediction_is_not_also_full_of_extra_text() -> None:
    assert kinds(check(["houses; in the dog; x"])) == [("ambiguous", ""), ("wrong-count", "")]


def test_numbers_given_by_the_check_are_no_labels_to_echo() -> None:
    task = Task("1", "ba | 1", "Write in figures:\n\nba\nri\nlo")
    assert kinds(check(["1", "2", "3"], task=task, key=None)) == []
    assert kinds(check(["1", "5", "6"], task=task, key=key_of("7", "5", "6"))) == []


def test_costs_of_writing_are_lenient_less_official() -> None:
    found = check('```json\n["houses", "x", "house", "dogs’ house"]\n```')
    (finding,) = found.findings
    assert found.score is not None
    assert found.lenient_score is not None
    assert finding.cost is not None
    assert found.lenient_score.exact_match == 0.75
    assert finding.cost.exact_match == 0.75 - found.score.exact_match
    assert finding.cost.chrf == found.lenient_score.chrf - found.score.chrf


def test_costs_of_an_answer_are_what_a_right_one_would_add() -> None:
    (finding,) = check(["houses", "?", "house", "dogs’ house"]).findings
    assert finding.cost is not None
    assert (finding.cost.exact_match, finding.cost.chrf) == (0.25, 0.25)


def test_missing_answers_cost_their_share() -> None:
    (finding,) = check(GOOD[:3]).findings
    assert finding.cost is not None
    assert (finding.cost.exact_match, finding.cost.chrf) == (0.25, 0.25)


def test_surplus_answers_cost_nothing() -> None:
    (finding,) = check([*GOOD, "more"]).findings
    assert finding.cost is None


def test_an_ambiguous_prediction_has_no_price() -> None:
    found = check(["a; b; c; d; e"])
    assert kinds(found) == [("ambiguous", ""), ("wrong-count", "")]
    assert found.findings[0].cost is None


# --- what is left in peace ---


@pytest.mark.parametrize(
    "references",
    [
        ("?", "-", "n/a", "..a"),
        ("katon", "mupelo", "kato", "peloto"),
        ("dog", "dog", "dog", "dog"),
        ("1. person", "2. person", "3. person", "4. person"),
        ("a; b", "c; d", "e", "f"),
        ("**a**", "“b”", "- c", "*d*"),
        ("The word for dog is also the word for the one who is your friend", "x", "y", "z"),
    ],
)
def test_a_right_answer_is_never_found_fault_with(references: tuple[str, ...]) -> None:
    assert kinds(check(list(references), key=key_of(*references))) == []


@pytest.mark.parametrize(
    "answers",
    [
        ["2. person", "k:ii", "the dog", "I went: he came"],
        ["I think that he came.", "houses", "houses", "dogs"],
        ["katon", "in the dog", "house", "dogs"],
        ["he", "he", "she", "it"],
        ["The word is good", "it means much", "the sentence", "I think"],
        ["houses (two)", "in the dog", "house", "dogs"],
        ["16", "in the dog", "house", "dogs"],
        ["kato-n", "mu-pelo", "ka-to", "pelo-to"],
    ],
)
def test_without_a_key_good_answers_raise_no_alarm(answers: list[str]) -> None:
    assert kinds(check(answers, key=None)) == []


def test_what_the_sheet_does_itself_is_fine_without_a_key() -> None:
    sheet = Task("1", "kato | house (of wood)\nkaton | the answer", TASK.query)
    bracketed = [f"{text} (of wood)" for text in GOOD]
    assert kinds(check(bracketed, task=sheet, key=None)) == []
    assert kinds(check(["The answer is old", *GOOD[1:]], task=sheet, key=None)) == []
    joined = Task("1", SHEET.replace("kato", "ka\u00adto"), TASK.query)
    assert kinds(check(["ka\u00adto", *GOOD[1:]], task=joined, key=None)) == []


def test_repeats_that_the_key_wants_are_fine() -> None:
    key = key_of("my skin", "my skin", "my skin", "my dog")
    assert kinds(check(["my skin"] * 3 + ["x"], key=key)) == []
    assert kinds(check(["my dog"] * 3 + ["x"], key=key)) == [("repeated-answer", "")]


# --- matching ---


def test_letters_outside_the_options() -> None:
    found = check(["[", "GG", "I"], task=MATCHING, key=None)
    assert kinds(found) == [("letter-outside-options", "1"), ("letter-outside-options", "3")]
    assert found.findings[1].hint.startswith("Is II meant?")


def test_letters_may_be_small_or_have_a_period() -> None:
    assert kinds(check(["gg", "HH.", "II"], task=MATCHING, key=None)) == []


def test_a_letter_used_twice() -> None:
    found = check(["GG", "GG", "HH"], task=MATCHING, key=None)
    assert kinds(found) == [("duplicate-letter", "")]
    assert found.findings[0].text == "GG for 1, 2"


def test_a_letter_twice_is_fine_where_there_are_too_few_or_the_key_says_so() -> None:
    few = Task("2", "", "Match:\n1. ba\n2. ri\n3. so\nA. one\nB. two")
    assert kinds(check(["A", "A", "B"], task=few, key=None)) == []
    assert kinds(check(["GG", "GG", "HH"], task=MATCHING, key=key_of("GG", "GG", "HH"))) == []


def test_options_that_lack_a_reference_are_not_trusted() -> None:
    assert kinds(check(["X", "GG", "HH"], task=MATCHING, key=key_of("X", "GG", "II"))) == []


def test_labels_before_letters_are_one_fault_not_four() -> None:
    assert kinds(check(["1:GG", "2:HH", "3:II"], task=MATCHING, key=None)) == [
        ("labels-in-list", "")
    ]


# --- near misses ---


@pytest.mark.parametrize(
    ("reference", "answer", "kind"),
    [
        ("taʼno", "ta'no", "near-miss-apostrophe"),
        ("taʼno", "ta’no", "near-miss-apostrophe"),
        ("saːno", "sa:no", "near-miss-colon"),
        ("sa:no", "saːno", "near-miss-colon"),
        ("séno", "seno", "near-miss-diacritics"),
        ("oko", "око", "near-miss-lookalike"),
        ("ka-to", "kato", "near-miss-spacing"),
        ("kato!", "kato", "near-miss-punctuation"),
        ("séʼno", "se'no", "near-miss"),
    ],
)
def test_near_misses_are_named_and_never_folded(reference: str, answer: str, kind: str) -> None:
    key = key_of(reference, "x", "y", "z")
    found = check([answer, "x", "y", "z"], key=key)
    assert kinds(found) == [(kind, "16")]
    assert reference in found.findings[0].hint
    assert found.score is not None
    assert found.score.exact_match == 0.75
    assert kinds(check([answer, "x", "y", "z"], key=None)) == []


@pytest.mark.parametrize(
    ("reference", "answer"), [("kato", "kata"), ("...", "?!"), ("kato", "KATO.")]
)
def test_no_near_misses(reference: str, answer: str) -> None:
    found = check([answer, "b", "c", "d"], key=key_of(reference, "b", "c", "d"))
    assert not [kind for kind, _ in kinds(found) if kind.startswith("near-miss")]


def test_not_nfc_is_said_where_raw_comparison_would_miss() -> None:
    apart = unicodedata.normalize("NFD", "séno")
    assert kinds(check([apart, "b", "c", "d"], key=key_of("séno", "b", "c", "d"))) == [
        ("not-nfc", "16")
    ]
    assert kinds(check([apart, "b", "c", "d"], key=key_of(apart, "b", "c", "d"))) == []
    assert kinds(check([apart, "b", "c", "d"], key=None)) == [("not-nfc", "16")]
    sheet = Task("1", unicodedata.normalize("NFD", SHEET), TASK.query)
    assert kinds(check([apart, "b", "c", "d"], task=sheet, key=None)) == []


# --- the registry ---


def test_items_will_do_instead_of_a_task() -> None:
    found = diagnose([Item("5"), Item("6")], '["a"]', None, None)
    assert (found.expected, kinds(found)) == (2, [("wrong-count", "")])


def test_the_documentation_lists_every_kind_as_the_program_does() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| ([^|]+) \|$", DOCS.read_text("utf-8"), re.M)
    documented = [(kind, meaning, hint) for kind, meaning, hint in rows if kind in KINDS]
    assert documented == [(name, kind.meaning, kind.hint) for name, kind in KINDS.items()]
    states = {"same", "repaired"}
    assert {kind for kind, *_ in rows} <= set(KINDS) | states


@pytest.mark.parametrize(("answer", "reference"), [("-12", "12"), ("12", "−12"), ("1.5", "15")])
def test_another_number_is_no_near_miss(answer: str, reference: str) -> None:
    task = Task("1", "", "1. ka")
    assert kinds(check([answer], task=task, key=key_of(reference))) == []
    assert kinds(check(["1,200"], task=task, key=key_of("1200"))) != []


def test_angle_brackets_around_a_spelling_are_no_placeholder() -> None:
    task = Task("1", "", "Spell:\n1. ka\n2. mo")
    assert kinds(check(["<kati>", "<mo>"], task=task, key=None)) == []
    assert kinds(check(["<your answer>", "<mo>"], task=task, key=None)) == [("placeholder", "1")]
