"""Setting a sheet's plain text: what becomes a table, a list, a paragraph; nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.formats import builtin_path, read_document
from iolai.reports.typeset import Block, typeset


def _one(text: str) -> Block:
    (block,) = typeset(text)
    return block


def _cells(block: Block) -> list[tuple[str, ...]]:
    return [line.cells for line in block.lines]


def _letters(text: str) -> str:
    """Leave out what setting may leave out: white space, bars, and rules of hyphens."""
    lines = [line for line in text.splitlines() if not re.fullmatch(r"[\s|:+=-]*", line)]
    return re.sub(r"[\s|]", "", "".join(lines))


def _set_letters(text: str) -> str:
    blocks = typeset(text)
    lines = [line.label + "".join(line.cells) for block in blocks for line in block.lines]
    return _letters("\n".join(lines))


def test_dashes_become_columns_and_are_kept() -> None:
    block = _one("kama — dog\nkamali — dogs\nsuna — house\nsole")
    assert (block.kind, block.signs, block.n_columns) == ("table", True, 3)
    assert _cells(block) == [
        ("kama", "—", "dog"),
        ("kamali", "—", "dogs"),
        ("suna", "—", "house"),
        ("sole",),
    ]


def test_labels_stand_apart_and_as_they_are_written() -> None:
    block = _one("1. taso — seven\n2. rin — five")
    assert [line.label for line in block.lines] == ["1.", "2."]
    assert _cells(block) == [("taso", "—", "seven"), ("rin", "—", "five")]
    assert [line.label for line in _one("(a) one\n(b) two").lines] == ["(a)", "(b)"]


def test_lines_that_begin_with_a_number_but_no_sequence_keep_it() -> None:
    block = _one("7. is the first\n3. is the second")
    assert (block.kind, block.labelled) == ("paragraph", False)
    assert _cells(block) == [("7. is the first",), ("3. is the second",)]


def test_bars_make_a_table_with_or_without_a_head() -> None:
    with_head = _one("| form | sense |\n|---|---|\n| ka | dog |\n| su | house |")
    assert with_head.head
    assert _cells(with_head) == [("form", "sense"), ("ka", "dog"), ("su", "house")]
    without = _one("ka | dog\nsu | house")
    assert not without.head
    assert _cells(without) == [("ka", "dog"), ("su", "house")]


def test_tabs_and_wide_gaps_make_columns() -> None:
    assert _cells(_one("ka\tdog\nsu\thouse")) == [("ka", "dog"), ("su", "house")]
    assert _cells(_one("ka   big dog\nsu   house")) == [("ka", "big dog"), ("su", "house")]


def test_an_introduction_right_above_columns_is_no_row() -> None:
    first, second = typeset("Here are some numerals:\n7 = taso\n9 = sul\n14 = kani")
    assert (first.kind, second.kind) == ("paragraph", "table")
    assert _cells(second)[0] == ("7", "=", "taso")


def test_prose_with_a_dash_stays_prose() -> None:
    text = "The vowels — all of them — are short.\nThere is no word for it."
    assert _one(text).kind == "paragraph"


def test_many_short_entries_may_stand_side_by_side() -> None:
    assert _one("\n".join(f"{n}. word" for n in range(1, 8))).short
    assert not _one("1. word\n2. word").short
    assert not _one("\n".join(f"{n}. {'long ' * 9}" for n in range(1, 8))).short


def test_indented_text_keeps_its_indentation() -> None:
    block = _one('{"a": [\n  {"b": 1},\n  {"c": 2}\n]}')
    assert block.kind == "verbatim"
    assert _cells(block)[1] == ('  {"b": 1},',)


def test_empty_text_has_no_blocks() -> None:
    assert typeset("") == typeset(" \n\n") == ()


@pytest.mark.parametrize("problem", list(read_document(builtin_path()).problems or ()))
def test_nothing_of_a_built_in_sheet_is_lost(problem) -> None:  # type: ignore[no-untyped-def]
    for text in [task.context for task in problem.tasks] + [task.query for task in problem.tasks]:
        assert _set_letters(text) == _letters(text)


_LINE = st.text(st.sampled_from("ab12. —|\t=()-:ش"), max_size=20)


@given(st.lists(_LINE, max_size=8))
def test_nothing_is_ever_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    wanted = re.sub(r"-", "", _letters(text))  # which hyphens are a rule, setting may say
    assert re.sub(r"-", "", _set_letters(text)) == wanted
