"""docs/formats.md agrees with the code: its examples parse and its tables name what there is."""

from __future__ import annotations

import re
from pathlib import Path

from iolai import formats
from iolai.formats import registry
from iolai.formats.escapes import ESCAPES
from iolai.formats.records_folder import BOARD_COLUMNS
from iolai.formats.sections import PARTS, PROBLEM_SETTINGS, TASK_SETTINGS

_PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def _example(language: str) -> str:
    (text,) = re.findall(rf"```{language}\n(.*?)```", _PAGE, re.DOTALL)
    return str(text)


def test_the_plain_text_example_says_what_the_page_says() -> None:
    document = formats.parse_document(_example("text"))
    assert document.format == "plain text"
    assert document.problems is not None
    assert document.key is not None
    (problem,) = document.problems
    assert (problem.id, problem.title) == ("1000001", "Counting in Vesh")
    assert problem.language == "Vesh (invented)"
    assert problem.context.endswith("\n# marks a numeral that nobody uses.")
    first, second = document.key
    assert (first.id, second.id) == ("10000010100", "10000010200")
    assert first.references[1].alternatives == ("11", "eleven")
    assert (first.points, first.split, first.eval_type) == (2, "public", "multi")
    assert (second.points, second.split, second.eval_type) == (1, "", "single")
    assert problem.tasks[1].query == "Write in Vesh:\n1. 12"
    assert problem.tasks[1].task_lang == ("qaa_Latn",)


def test_the_rubric_example_is_what_iolai_writes() -> None:
    example = _example("toml")
    (rubric,) = formats.parse_document(example).rubrics
    assert rubric.points == 7
    assert formats.render_rubric(rubric) == example


def test_every_format_has_a_line() -> None:
    for known in registry.FORMATS:
        name = known.name.removeprefix("Linguini ")
        assert re.search(rf"^\|[^|]*{re.escape(name)}", _PAGE, re.MULTILINE), known.name


def test_settings_parts_and_escapes_are_all_named() -> None:
    for name in {*PROBLEM_SETTINGS, *TASK_SETTINGS, *BOARD_COLUMNS}:
        assert f"`{name}`" in _PAGE, name
    for part in PARTS:
        assert f"`### {part.capitalize()}`" in _PAGE
    for mark in ESCAPES:
        assert f"`\\{mark}`" in _PAGE, mark
