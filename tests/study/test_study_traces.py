"""Traces: what the problem did not give, loops, cut-offs; and nothing that the task holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iolai.records import Condition, Outcome, Problem, ProblemSet, Task
from iolai.study.material import Material
from iolai.study.traces import find_traces, longest_loop, trace_tables

TASK = Task("t1", "Here are some words of Ulan:\nkati – house", "Translate into Ulan:\n1. dog")
PROBLEM = Problem("p1", (TASK,), language="Ulan [xxx]")
ABLATED = Condition(context="ablated")


def reply(text: str, **rest: object) -> Outcome:
    made = Outcome("m", Condition(), 0, "p1", "t1", (), reply=text)
    return replace(made, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("pelo", []),
        ("Like other Bantu languages, it has noun classes.", ["family", "typology"]),
        ("Ulan has vowel harmony; vowel harmony is common.", ["typology"]),
        ("the bantu of it; a romance; Romance", ["family"]),
        ("ergativity? An ERGATIVE case", ["typology", "typology"]),
    ],
)
def test_mentions(text: str, kinds: list[str]) -> None:
    assert [trace.kind for trace in find_traces(reply(text), TASK, PROBLEM)] == kinds


def test_what_the_task_holds_is_no_knowledge() -> None:
    task = replace(TASK, context="Ulan is a Bantu language with noun classes.")
    assert find_traces(reply("A Bantu language with noun classes"), task, PROBLEM) == ()


def test_a_language_named_where_it_was_not_given() -> None:
    hidden = replace(TASK, context="Words of a language", query="Translate:")
    (found,) = find_traces(reply("This looks like Ulan to me."), hidden, PROBLEM)
    assert (found.kind, found.word) == ("language", "Ulan")
    assert "looks like Ulan to me" in found.excerpt


def test_cut_off_texts() -> None:
    kinds = [t.kind for t in find_traces(reply("1. pe", state="truncated"), TASK, PROBLEM)]
    assert kinds == ["truncated"]
    kinds = [t.kind for t in find_traces(reply("x", explanation="The ending -n is"), TASK, PROBLEM)]
    assert kinds == ["truncated"]
    assert find_traces(reply("x", explanation="The ending -n is plural."), TASK, PROBLEM) == ()


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("the answer is kati and " * 30, "the answer is kati and"),
        ("At first sense. " + "no no " * 40, "no no"),
        ("ha" * 60, "ha"),
        ("1. kati\n2. pelo\n3. sana\n" * 2, ""),
        ("kati, kati, kati, kati", ""),
        ("A quite ordinary text that says one thing after another and then stops." * 2, ""),
        ("x" * 30 + " and a long ordinary ending of which nothing is said twice at all", ""),
        ("", ""),
    ],
)
def test_loops(text: str, loop: str) -> None:
    found = longest_loop(text)
    assert bool(found) == bool(loop)
    if loop:
        assert found.replace(" ", "") in (loop * 2).replace(" ", "")


def test_counts_and_examples_by_model() -> None:
    outcomes = (
        reply("Bantu; Turkic"),
        reply("Ulan, I think", seed=1, condition=ABLATED),
        reply("Ulan, I know", seed=2),
        reply("pelo", model="n"),
    )
    material = Material(outcomes, ProblemSet((PROBLEM,)))
    counts, examples = trace_tables(material)
    row = counts.row("m")
    assert [row[k].value for k in ("replies", "family", "language", "loop")] == [3, 1, 1, 0]
    assert counts.row("n")["family"].value == 0
    assert [row[4].value for row in examples.rows] == ["Bantu", "Turkic", "Ulan"]
    assert examples.rows[2][3].value == "lines+ablated"
