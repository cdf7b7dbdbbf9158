"""Blinding takes out what gives a writer away, keeps a record of it, and touches nothing else."""

from __future__ import annotations

import re
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iolai.formats import builtin_path, read_document
from iolai.jury.blinding import NAME_STANDS_FOR, blind
from iolai.records import Blinded


def undone(blinded: Blinded) -> str:
    """Put back what was taken out."""
    text, moved = blinded.text, 0
    for one in blinded.removals:
        place = one.start + moved
        assert text[place : place + len(one.by)] == one.by
        text = text[:place] + one.text + text[place + len(one.by) :]
    return text


GIVEAWAYS = [
    ("opener", "Sure! The suffix -a marks the plural.", "The suffix -a marks the plural."),
    ("opener", "Certainly, here are the rules:\n-a is plural.", "-a is plural."),
    ("opener", "Okay, let's look at the data. -a is plural.", "-a is plural."),
    ("opener", "Thank you for this. -a is plural.", "-a is plural."),
    ("opener", "Thank you for asking, let me see. -a is plural.", "-a is plural."),
    ("closer", "-a is plural. I hope this helps!", "-a is plural."),
    ("closer", "-a is plural.\nLet me know if you need more.", "-a is plural.\n"),
    ("model", "As an AI language model, I cannot be sure. -a is plural.", "-a is plural."),
    ("model", "-a is plural. I'm a language model and may err.", "-a is plural."),
    ("tag", "<think>so</think>\n-a is plural", "so-a is plural"),
    ("tag", "<|im_start|>-a is plural<|im_end|>", "-a is plural"),
    ("role", "Assistant: -a is plural", "-a is plural"),
    ("fence", "```text\nkitab-a\n```\n", "kitab-a\n"),
    ("rule", "one\n---\ntwo", "one\ntwo"),
    (
        "table",
        "| form | gloss |\n|---|:---:|\n| kitab | book |",
        "| form | gloss |\n| kitab | book |",
    ),
    ("header", "### Plural\n-a", "Plural\n-a"),
    ("emphasis", "**Plural**: the suffix **-a**, *not* -e", "Plural: the suffix -a, not -e"),
    ("code", "the suffix `-a` and ``ki``", "the suffix -a and ki"),
    ("link", "[a grammar](https://example.org/x)", "[a grammar]"),
    ("arrow", r"kitab $\rightarrow$ book", "kitab → book"),
    ("pictograph", "✅ -a is plural 🎉", "-a is plural "),
]


@pytest.mark.parametrize(("kind", "text", "expected"), GIVEAWAYS)
def test_what_gives_a_model_away_is_taken_out(kind: str, text: str, expected: str) -> None:
    blinded = blind(text)
    assert blinded.text == expected
    assert {one.kind for one in blinded.removals} == {kind}
    assert undone(blinded) == text
    assert blind(blinded.text).removals == ()


LINGUISTS_TEXT = [
    "*kitabs is not found, and *kitaban neither.",
    "The ejectives are k`a and t`a; `ayn is written `.",
    "<b> is read [p], <s> and <a> as they are; /pˈa.ta/ and [k](velar) differ.",
    "-a: plural\n- kitab-a 'books'\n* kitab\n+ kitab",
    "2*3*4 = 24, 2**3 = 8 and 5*6 = 30",
    "V → ∅ / _#; # is the end of a word; CVC#",
    "| kitab | book |\n| kitab-a | books |",
    "a_b_c, __kitab__ and _ are blanks: ___ x",
    "Let me is 'allow me'; Sure is 'certain'. Of course is one word.",
    "user is 'yuzer' and assistant 'asistan'",
    "ŋ̊ǃʰ ɬ ʔ ʼ ˈ ː ̃ æ̃ 1234 ¹²³ 5̂ ✓ ✗ ★",
    "k:ii, kia=iipɨ, {SG, PL}, ~40, ^55^, §3, #3, ##",
]


@pytest.mark.parametrize("text", LINGUISTS_TEXT)
def test_what_linguists_write_stays(text: str) -> None:
    assert blind(text) == Blinded(text)


def test_names_are_whole_words_in_any_case_and_spelling() -> None:
    names = ["Team Otter", "gpt-9 mini", "Otter", "x", " ", "-"]
    blinded = blind("TEAM OTTER with GPT 9_mini; otters and gpt-9 minimal; (otter).", names)
    assert blinded.text == (
        f"{NAME_STANDS_FOR} with {NAME_STANDS_FOR}; otters and gpt-9 minimal; ({NAME_STANDS_FOR})."
    )
    assert [one.text for one in blinded.removals] == ["TEAM OTTER", "GPT 9_mini", "otter"]


def test_a_name_that_the_problem_has_stays_and_is_listed() -> None:
    blinded = blind("kia means 'you', says Qux.", ["Kia", "Qux"], problem="kia=iipɨ. Kia!")
    assert blinded.text == f"kia means 'you', says {NAME_STANDS_FOR}."
    assert blinded.kept == ("Kia",)


def test_marks_that_the_problem_has_stay() -> None:
    text = "the star in **kitab** and `ki` is as given"
    assert blind(text, problem="kitab* and k`i").text == text


def test_lines_of_the_prompt_are_taken_out_but_not_those_of_the_problem() -> None:
    problem = "Here are some words of the language:\nkitab book"
    prompt = f"You solve problems of linguistics olympiads.\n{problem}\nAnswer briefly.\n"
    text = (
        "you solve problems of  linguistics olympiads.\n"
        "Here are some words of the language:\nkitab. Answer briefly."
    )
    blinded = blind(text, prompt=prompt, problem=problem)
    assert blinded.text == "Here are some words of the language:\nkitab. Answer briefly."
    assert [one.kind for one in blinded.removals] == ["echo"]


def test_all_built_in_explanations_and_sheets_stay_as_they_are() -> None:
    document = read_document(builtin_path())
    assert document.key is not None
    assert document.problems is not None
    sheet = {task.id: f"{task.context}\n{task.query}" for task in document.problems.tasks}
    texts = [*(key.explanation for key in document.key), *sheet.values()]
    assert len(texts) > 60
    for text in texts:
        assert blind(text) == Blinded(text)


def signs_of(text: str) -> list[str]:
    """The letters, numbers and other signs of a text, without Markdown's."""
    text = re.sub(r"^\|---.*\n", "", text, flags=re.MULTILINE)
    return re.findall(r"[^\s*`#]", text)


def test_in_the_built_in_notes_only_markdown_goes() -> None:
    """They are Markdown: no letter, no transcription, no number and no form may be lost."""
    seen: Counter[str] = Counter()
    for path in sorted(builtin_path().glob("*/notes.md")):
        text = path.read_text(encoding="utf-8")
        blinded = blind(text)
        seen.update(one.kind for one in blinded.removals)
        assert signs_of(blinded.text) == signs_of(text)
        assert undone(blinded) == text
    assert set(seen) == {"header", "emphasis", "code", "table"}
    assert seen["header"] >= 15


@settings(deadline=None)
@given(st.text(alphabet="ab.*`#|-> \n[](:)!<think>/✅", max_size=80), st.text("ab *`", max_size=8))
def test_every_change_is_on_record(text: str, problem: str) -> None:
    blinded = blind(text, ["ab"], prompt="a b a b a\n", problem=problem)
    assert undone(blinded) == text


@pytest.mark.parametrize(
    "part",
    [
        "*",
        "**a",
        "`a",
        "sure ",
        "as an ",
        "a.",
        "|---",
        "# ",
        "a",
        "[x](http://",
        "<think>",
        "- ",
        "okay, let's ",
        "i hope this ",
        "```\n",
        "ab ",
        "\n",
        " ",
        "\t",
        " \n",
        "**a ",
        "***a ",
        "-",
        "|",
        "é",
    ],
)
def test_a_hostile_text_costs_little(part: str) -> None:
    require_quick(part * (200_000 // len(part)) + "x")


@pytest.mark.parametrize("start", ["thank you for", "let me know", "---"])
@pytest.mark.parametrize("part", [" ", " here is "])
def test_a_hostile_end_of_a_phrase_costs_little(start: str, part: str) -> None:
    require_quick(start + part * (200_000 // len(part)) + "x")


def require_quick(text: str) -> None:
    start = time.process_time()
    blind(text, ["a b"], prompt="a b c d e f", problem="x")
    assert time.process_time() - start < 3
