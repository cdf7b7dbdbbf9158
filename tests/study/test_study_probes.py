"""Probes: four options of which one is right, matched, shuffled by seed, made from problems."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from iolai.errors import FormatError
from iolai.evaluation import read_builtin
from iolai.metrics import score_task
from iolai.records import Prediction
from iolai.study.facts import builtin_facts, facts_in_text, facts_of, read_facts
from iolai.study.languages import iso_code
from iolai.study.probes import CHANCE, LETTERS, forms_of, make_probes, probe_outcome, read_choice
from iolai.text import script

PROBLEMS, KEY = read_builtin()
PROBES = make_probes(PROBLEMS, KEY)
FAMILY = {problem.id: facts_of(problem).get("family") for problem in PROBLEMS}
REAL = {p.id: iso_code(p.tasks[0]) for p in PROBLEMS if iso_code(p.tasks[0]) != "art"}


def test_every_real_language_has_facts_and_words() -> None:
    kinds = {(probe.problem, probe.kind) for probe in PROBES}
    assert kinds == {(problem, kind) for problem in REAL for kind in ("fact", "word")}
    assert {probe.language for probe in PROBES} == set(REAL.values())
    assert CHANCE == 0.25


def test_the_right_option_is_what_the_problem_says() -> None:
    forms = {problem.id: {w.lower() for w in forms_of(problem, KEY)} for problem in PROBLEMS}
    for probe in PROBES:
        right = probe.options[probe.answer]
        assert len(set(probe.options)) == 4
        if probe.kind == "fact":
            assert right == builtin_facts()[probe.problem][probe.about]
        else:
            assert right in forms[probe.problem]


def test_no_distractor_is_right_too() -> None:
    sheets = {p.id: "\n".join(t.context + t.query for t in p.tasks).lower() for p in PROBLEMS}
    forms = {problem.id: {w.lower() for w in forms_of(problem, KEY)} for problem in PROBLEMS}
    for probe in PROBES:
        for n, option in enumerate(probe.options):
            if n == probe.answer:
                continue
            if probe.kind == "fact":
                facts = builtin_facts()[probe.problem]
                assert option not in facts.values()
                assert not (
                    probe.about == "place"
                    and "India" in option + facts["place"]
                    and "India" in option
                    and "India" in facts["place"]
                )
                continue
            assert option not in sheets[probe.problem]
            sources = [problem for problem, words in forms.items() if option in words]
            assert sources
            assert all(FAMILY[s] is None or FAMILY[s] != FAMILY[probe.problem] for s in sources)


def test_a_word_that_stands_on_the_sheet_is_no_distractor() -> None:
    probe = next(probe for probe in PROBES if probe.kind == "word")
    taken = [option for n, option in enumerate(probe.options) if n != probe.answer]
    first = PROBLEMS.problems[0]
    assert probe.problem == first.id
    tasks = tuple(replace(t, context=f"{t.context}\n{' '.join(taken)}") for t in first.tasks)
    changed = replace(PROBLEMS, problems=(replace(first, tasks=tasks), *PROBLEMS.problems[1:]))
    again = next(p for p in make_probes(changed, KEY) if p.problem == first.id and p.kind == "word")
    assert not set(taken) & set(again.options)


def test_words_are_matched_in_length_and_script() -> None:
    for probe in PROBES:
        if probe.kind == "word":
            right = probe.options[probe.answer]
            others = [len(o) for n, o in enumerate(probe.options) if n != probe.answer]
            assert min(others) <= len(right) <= max(others)
            assert len({script(option[0]) for option in probe.options}) == 1


def test_options_are_shuffled_by_the_seed_alone() -> None:
    assert make_probes(PROBLEMS, KEY) == PROBES
    other = make_probes(PROBLEMS, KEY, seed=1)
    assert [probe.id for probe in other] == [probe.id for probe in PROBES]
    assert other != PROBES
    letters = Counter(probe.letter for probe in (*PROBES, *other))
    assert all(letters[letter] / letters.total() > CHANCE / 2 for letter in LETTERS)


def test_a_reply_becomes_an_outcome() -> None:
    probe = PROBES[0]
    right = probe_outcome(probe, f"Answer: {probe.letter}", model="m", seed=1)
    assert (right.exact_match, right.kind, right.chance) == (1, "probe", CHANCE)
    assert (right.task_type, right.language, right.state) == ("fact", "ces", "answered")
    lost = probe_outcome(probe, "I cannot say.", model="m", seed=1)
    assert (lost.exact_match, lost.state) == (0, "unreadable")
    late = probe_outcome(probe, "", model="m", seed=1, state="timeout")
    assert (late.exact_match, late.state) == (0, "timeout")


def test_a_probe_is_scored_as_any_task() -> None:
    probe = PROBES[0]
    assert probe.question in probe.task.query
    assert all(option in probe.task.query for option in probe.options)
    assert score_task(Prediction(probe.id, probe.letter), probe.key).exact_match == 1
    wrong = LETTERS[(probe.answer + 1) % 4]
    assert score_task(Prediction(probe.id, wrong), probe.key).exact_match == 0


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        (" (c). ", "C"),
        ("**D**", "D"),
        ("A. Uralic", "A"),
        ("I weigh A and B. The answer is B", "B"),
        ("Answer: (A)", "A"),
        ("It must be C, by its ending", "C"),
        ("A word of it? B or C", ""),
        ("A language of the east", ""),
        ("", ""),
    ],
)
def test_a_letter_is_read_from_a_reply(reply: str, letter: str) -> None:
    assert read_choice(reply) == letter


def test_facts_are_read_from_prose() -> None:
    text = (
        "Words of Ulan. Ulan belongs to the Tavic family, the East Tavic branch. It is spoken by "
        "about 2,300 people in the hills of Northern Sanaa; few are young."
    )
    assert facts_in_text(text) == {
        "family": "Tavic",
        "branch": "East Tavic",
        "place": "the hills of Northern Sanaa",
        "speakers": "2,300",
    }
    assert facts_in_text("Here are some words of Ulan.") == {}


def test_a_list_of_facts_is_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text('[p1]\nfamily = "Tavic"\n', encoding="utf-8")
    assert read_facts(path) == {"p1": {"family": "Tavic"}}
    for text in ("[p1", '[p1]\ncolour = "x"', '[p1]\nfamily = ""'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=r"TOML|fact"):
            read_facts(path)


def test_where_three_distractors_cannot_be_had_there_is_no_probe() -> None:
    alone = replace(PROBLEMS, problems=PROBLEMS.problems[:1])
    assert make_probes(alone, KEY) == ()
    two = replace(PROBLEMS, problems=PROBLEMS.problems[:2])
    assert {probe.kind for probe in make_probes(two, KEY)} == {"word"}
