"""Whatever comes: never a crash, the promised number of items, nothing changed in silence."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from iolai.metrics import score_item
from iolai.reading import (
    KINDS,
    diagnose,
    read_items,
    read_lenient,
    read_official,
    read_options,
)
from iolai.records import Reference, Task, TaskKey

_SIGNS = "[](){}\"'“”‘’,;:.|`*_-~<>/\\ \n\t?=#"
_WORDS = [
    *("1.", "2.", "(1)", "(2)", "a)", "II", "16-19", "a", "ab", "A. ", "B. ", "ʼ", "é", "____"),
    *("```", "json", "<think>", "</think>", '["', '", "', '"]', "null", '{"1": ', "\x00", "\ud800"),
    *("\\boxed{", "}", "$", "<b>", "</b>", "Answer 1:", "Answer 16:", "The answer is ", "kato = "),
    *("FINAL ANSWERS:", "Here are the answers:", "Translate"),
]
_PIECES = st.sampled_from([*_SIGNS, *_WORDS])
MESSY = st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=30).map("".join))
LABELS = st.sampled_from([("1",), ("1", "2"), ("16", "17", "18"), ("a", "b", "c"), ("", "")])
OPTIONS = st.sampled_from([(), ("A", "B", "C"), ("AA", "II")])
PLAIN = st.text(
    alphabet=st.characters(categories=["L", "M", "Nd", "Zs", "Po"], exclude_characters=".:*•·‣,;"),
    max_size=20,
).map(str.strip)


@given(MESSY, LABELS, OPTIONS)
def test_lenient_reading_keeps_its_promises(
    text: str, labels: tuple[str, ...], options: tuple[str, ...]
) -> None:
    reading = read_lenient(text, labels, options=options)
    official = read_official(text, len(labels)).items
    assert len(reading.items) == len(labels)
    assert {step.kind for step in reading.steps} <= set(KINDS)
    if reading.status == "repaired":
        assert reading.steps
        assert reading.items != official
    else:
        assert reading.items == official
        assert (reading.steps == ()) == (reading.status == "same")


@given(MESSY, LABELS, OPTIONS)
def test_lenient_reading_is_idempotent(
    text: str, labels: tuple[str, ...], options: tuple[str, ...]
) -> None:
    texts = ("kato", "ka ____ to", "a | b")[: len(labels)]
    reading = read_lenient(text, labels, options=options, texts=texts)
    if reading.status in ("same", "repaired"):
        again = read_lenient(json.dumps(list(reading.items)), labels, options=options, texts=texts)
        if reading.status == "repaired":
            assert again.items == reading.items


@given(st.lists(PLAIN, min_size=1, max_size=5))
def test_a_clean_list_is_read_as_it_is(answers: list[str]) -> None:
    text = json.dumps(answers)
    labels = tuple(str(n + 16) for n in range(len(answers)))
    reading = read_lenient(text, labels)
    assert reading.items == read_official(text, len(answers)).items
    assert (reading.steps, reading.status) == ((), "same")


@given(MESSY, MESSY, st.sampled_from(["", "match_letters", "fill_blanks"]))
def test_any_task_has_items(context: str, query: str, task_type: str) -> None:
    task = Task("1", context, query, task_type)
    items = read_items(task)
    assert len(items) >= 1
    options = read_options(task)
    assert all(option for option in options)


@given(MESSY, MESSY, MESSY, st.lists(PLAIN, min_size=1, max_size=4), st.booleans())
def test_any_prediction_can_be_diagnosed(
    context: str, query: str, text: str, references: list[str], has_key: bool
) -> None:
    key = TaskKey("1", tuple(Reference((reference,)) for reference in references))
    found = diagnose(Task("1", context, query), text, key if has_key else None, score_item)
    assert len(found.slots) == found.expected
    if has_key:
        assert found.expected == len(references)
    assert {finding.kind for finding in found.findings} <= set(KINDS)
    assert all(finding.hint for finding in found.findings)
