"""Ablation: nothing that names the language remains, and nothing else is changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iolai.errors import FormatError
from iolai.evaluation import read_builtin, read_problems_with_key
from iolai.records import Problem, Task
from iolai.study.ablation import (
    Edit,
    ablate_problems,
    ablate_task,
    ablation_diff,
    builtin_edits,
    read_edits,
)
from iolai.study.languages import declared_names, found_names, iso_code, language_names

PROBLEMS, _ = read_builtin()
IDS = [problem.id for problem in PROBLEMS]


def made_up(
    context: str, query: str = "Translate into Ulan:\n1. dogs", language: str = ""
) -> Problem:
    task = Task("t1", context, query, task_lang=("aaa_Latn",))
    return Problem("p1", (task,), language=language)


@pytest.mark.parametrize("problem", PROBLEMS.problems, ids=IDS)
@pytest.mark.parametrize("by", ["editor", "rules"])
def test_nothing_named_remains_in_the_built_in_problems(problem: Problem, by: str) -> None:
    names = {name.casefold() for name in declared_names(problem)}
    assert names
    for task in problem.tasks:
        ablated = ablate_task(task, problem, {} if by == "rules" else None)
        assert ablated.by == by
        text = f"{ablated.task.context}\n{ablated.task.query}".casefold()
        assert not [name for name in names if name in text]
        assert not re.search(r"\binvented\b", text)
        assert ablated.task.task_lang == ()


@pytest.mark.parametrize("problem", PROBLEMS.problems, ids=IDS)
def test_nothing_else_is_changed(problem: Problem) -> None:
    listed = builtin_edits()[problem.id]
    used: set[Edit] = set()
    for task in problem.tasks:
        ablated = ablate_task(task, problem)
        used.update(ablated.edits)
        assert (ablated.task.id, ablated.task.task_type) == (task.id, task.task_type)
        for before, after in (
            (task.context, ablated.task.context),
            (task.query, ablated.task.query),
        ):
            for edit in reversed(listed):
                if edit.before in before:
                    after = after.replace(edit.after, edit.before)
            assert after == before
    assert used == set(listed), "every line of the list is of use"
    for edit in listed:
        names = declared_names(problem)
        assert any(name in edit.before for name in names), "an edit takes out a name"


def test_the_rules_find_the_name_that_each_sheet_declares() -> None:
    for problem in PROBLEMS:
        assert set(found_names(problem)) & set(declared_names(problem)), problem.id
        assert not set(found_names(problem)) - set(declared_names(problem)), problem.id


def test_notes_family_and_place_go_and_data_stay() -> None:
    context = (
        "Here are some words of Ulan and their meanings:\nkati – house\nUlan kati – Ulan's house\n"
        "Every letter is one sound. Ulan belongs to the Northern branch of a family. It is spoken "
        "by some 200 people in the hills. A dash marks a blank."
    )
    problem = made_up(context)
    ablated = ablate_task(problem.tasks[0], problem)
    assert ablated.by == "rules"
    assert ablated.task.context == (
        "Here are some words of Language X and their meanings:\nkati – house\n"
        "Language X kati – Language X's house\n"
        "Every letter is one sound. A dash marks a blank."
    )
    assert ablated.task.query == "Translate into Language X:\n1. dogs"
    assert {edit.before for edit in ablated.edits} == {
        "Ulan belongs to the Northern branch of a family. ",
        "It is spoken by some 200 people in the hills. ",
        "Ulan",
    }


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (
            "Consider some verb forms of the Old Ulan language (in the dialect of Upper Sanaa):",
            "Consider some verb forms of Language X:",
        ),
        (
            "Here are sentences in Ulan, an endangered language of the hills, and translations.",
            "Here are sentences in Language X, and translations.",
        ),
        ("Two forms of a word stand here.", "Two forms of a word stand here."),
        ("Here are some words in English.", "Here are some words in English."),
    ],
)
def test_rules_read_how_sheets_speak(context: str, expected: str) -> None:
    problem = made_up(context, query="Fill in.")
    assert ablate_task(problem.tasks[0], problem).task.context == expected


def test_an_editors_list_that_leaves_a_name_is_finished_by_the_rules() -> None:
    problem = made_up("Here are words of Ulan:\nkati – house", language="Ulan")
    ablated = ablate_task(problem.tasks[0], problem, {"p1": [Edit("words of Ulan", "words")]})
    assert ablated.by == "rules"
    assert ablated.task.query == "Translate into Language X:\n1. dogs"


def test_the_diff_shows_what_went() -> None:
    problem = made_up("Words of Ulan:\nkati – house\npelo – dog")
    ablated = ablate_task(problem.tasks[0], problem).task
    lines = ablation_diff(problem.tasks[0], ablated).splitlines()
    assert "-Words of Ulan:" in lines
    assert "+Words of Language X:" in lines
    assert not [line for line in lines if "kati" in line]


def test_a_whole_set_is_ablated() -> None:
    ablated = ablate_problems(PROBLEMS)
    assert [task.id for task in ablated.tasks] == [task.id for task in PROBLEMS.tasks]
    assert (
        {problem.title for problem in ablated} == {problem.language for problem in ablated} == {""}
    )


def test_names_come_with_and_without_qualifiers_and_marks() -> None:
    assert declared_names(made_up("", language="Northern Māti [xxx]")) == (
        *("Northern Māti", "Northern Mati"),
        *("Māti", "Mati"),
    )
    assert declared_names(made_up("", language="")) == ()
    assert language_names(made_up("Words in Tavi:")) == ("Tavi", "Ulan")
    assert iso_code(made_up("").tasks[0]) == "aaa"
    assert iso_code(Task("t", "", "")) == ""


@pytest.mark.parametrize("text", ["[p1", '[p1]\nedits = "x"', '[p1]\nedits = [["", "x"]]'])
def test_a_list_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "edits.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_edits(path)
    assert "edits" in caught.value.hint
    path.write_text('[p1]\nedits = [["a", "b"]]', encoding="utf-8")
    assert read_edits(path) == {"p1": (Edit("a", "b"),)}


LINGUINI = Path(__file__).parents[3] / "shared" / "data" / "linguini-2003-2019.zip"


@pytest.mark.skipif(not LINGUINI.exists(), reason=f"needs the Linguini set in {LINGUINI}")
def test_rules_take_the_names_out_of_real_sheets_and_little_else() -> None:
    published = "linguisticreasoning"  # with the benchmark
    problems, _ = read_problems_with_key(LINGUINI, password=published)
    named = [problem for problem in problems if found_names(problem)]
    assert len(named) >= len(problems) - 2
    n_characters = n_kept = 0
    for problem in named:
        for task in problem.tasks:
            ablated = ablate_task(task, problem)
            text = f"{ablated.task.context}\n{ablated.task.query}"
            left = [n for n in found_names(problem) if re.search(rf"\b{re.escape(n)}\b", text)]
            assert not left, problem.id
            before = f"{task.context}\n{task.query}".splitlines()
            after = set(text.splitlines())
            n_characters += sum(map(len, before))
            n_kept += sum(len(line) for line in before if line in after)
    assert n_kept / n_characters > 0.8, "lines that name nothing stay as they are"
