"""study.toml and the plan: what is read, what is refused, what makes a call another call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iolai.errors import FormatError, InputError, UnknownNameError
from iolai.records.study import Condition
from iolai.solvers.llm.request import SettingError
from iolai.study.plan import FORMAT, make_plan
from iolai.study.prompting import builtin_prompts, load_study_prompt, split_reply
from iolai.study.study_file import Study, parse_study

SMALL = """
title = "small"
[problems]
only = ["1000104", "1000109"]
[ask]
conditions = ["lines", "lines+explanation", "lines+ablated"]
seeds = [0, 1]
[budget]
tokens = 40
seconds = 5
[[models]]
name = "nearest"
model = "iolai/nearest"
[[models]]
name = "able"
simulated = { ability = 1.0, knows = 0.5, effects = { ablated = -1.0 } }
"""


def read(text: str, folder: Path) -> Study:
    return parse_study(text, folder / "study.toml")


def test_a_plan_numbers_its_calls_by_task_and_for_solvers_by_problem(tmp_path: Path) -> None:
    plan = make_plan(read(SMALL, tmp_path))
    assert [call.number for call in plan.calls] == list(range(1, len(plan.calls) + 1))
    solver = [call for call in plan.calls if call.model.name == "nearest"]
    able = [call for call in plan.calls if call.model.name == "able"]
    # Two problems, two seeds, whole and ablated: a solver explains anyway.
    assert len(solver) == 2 * 2 * 2
    assert {len(call.tasks) for call in solver} == {2}
    # Four tasks, two seeds, three conditions.
    assert len(able) == 4 * 2 * 3
    assert {len(call.tasks) for call in able} == {1}


def test_the_same_plan_has_the_same_calls_and_a_change_makes_only_its_own_new(
    tmp_path: Path,
) -> None:
    first = {call.id for call in make_plan(read(SMALL, tmp_path)).calls}
    assert {call.id for call in make_plan(read(SMALL, tmp_path)).calls} == first
    more_seeds = read(SMALL.replace("[0, 1]", "[0, 1, 2]"), tmp_path)
    assert first < {call.id for call in make_plan(more_seeds).calls}
    abler = read(SMALL.replace("ability = 1.0", "ability = 1.1"), tmp_path)
    changed = make_plan(abler).calls
    assert {call.id in first for call in changed if call.model.name == "nearest"} == {True}
    assert {call.id in first for call in changed if call.model.name == "able"} == {False}
    richer = replace(abler, spending=replace(abler.spending, tokens=41))
    assert not {call.id for call in make_plan(richer).calls} & {call.id for call in changed}


def test_a_changed_prompt_makes_new_calls_of_its_condition_alone(tmp_path: Path) -> None:
    text = SMALL.replace('model = "iolai/nearest"', 'model = "openai/any"\nsends = ["seed"]')
    before = make_plan(read(text, tmp_path)).calls
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/lines.txt").write_text("{context}\n{query}\nNow.", encoding="utf-8")
    after = {call.id for call in make_plan(read(text, tmp_path)).calls}
    for call in before:
        prompted = call.model.kind == "prompted"
        assert (call.id in after) == (not prompted or call.condition.explanation), call.name


def test_an_ablated_prompt_does_not_name_the_language(tmp_path: Path) -> None:
    text = SMALL.replace('model = "iolai/nearest"', 'model = "openai/any"\nsends = ["seed"]')
    for call in make_plan(read(text, tmp_path)).calls:
        if call.model.kind == "prompted" and call.problem.id == "1000104":
            assert ("Hungarian" in call.prompt) == (call.condition.context == "whole")


def test_formats_are_looked_for_on_problems_that_are_left_out(tmp_path: Path) -> None:
    text = SMALL.replace('"lines"', '"best"').replace('"lines+', '"best+')
    text = text.replace("[budget]", '[format]\namong = ["lines", "json"]\nproblems = 1\n[budget]')
    study = read(text, tmp_path)
    plan = make_plan(study)
    (left_out,) = plan.sheets.left_out
    assert plan.needs_formats
    assert {call.problem.id for call in plan.of_kind(FORMAT)} == {left_out}
    assert {call.model.name for call in plan.of_kind("task")} == {"nearest"}
    whole = make_plan(study, plan.sheets, {"able": "json"})
    assert not whole.needs_formats
    asked = [call for call in whole.of_kind("task") if call.model.name == "able"]
    assert {call.asked_with for call in asked} == {"json"}
    assert left_out not in {call.problem.id for call in whole.of_kind("task")}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("seeds = [0, 1]", "seeds = [0, 0]"), "different whole numbers"),
        (("tokens = 40", "tokens = 0"), "tokens is a whole number from 1"),
        (("tokens = 40", 'tokens = "many"'), "tokens is a whole number"),
        (("tokens = 40", "tokens = true"), "tokens is a whole number"),
        (("tokens = 40", "tockens = 40"), "no field 'tockens'"),
        (('"lines+ablated"', '"lines+shorter"'), "is no condition"),
        (('"lines+ablated"', '"best"'), "go together"),
        (('name = "able"', 'name = "nearest"'), "two models"),
        (('model = "iolai/nearest"', 'model = "nearest"'), "lacks its provider"),
        (("ability = 1.0", "strength = 1.0"), "no field 'strength'"),
        (('name = "nearest"', ""), "needs a name"),
        (("title", "title = ["), "no TOML"),
        (("tokens = 40", f"tokens = {'9' * 5000}"), "no TOML"),
        (("title", f"deep = {'[' * 5000}\ntitle"), "no TOML"),
    ],
)
def test_a_mistake_is_an_error_that_names_it(
    change: tuple[str, str], says: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        read(SMALL.replace(*change), tmp_path)
    assert "study.toml" in caught.value.message
    assert caught.value.hint


def test_an_unknown_problem_and_an_unknown_prompt_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no problem '7'"):
        make_plan(read(SMALL.replace("1000109", "7"), tmp_path))
    with pytest.raises(UnknownNameError, match="no prompt named 'rows'"):
        make_plan(read(SMALL.replace('"lines"', '"rows"'), tmp_path))


@pytest.mark.parametrize(
    ("target", "settings", "refused"),
    [
        ("hf/any", "{ repetition_penalty = 1.1 }", "repetition_penalty"),
        ("openai/any", "{ top_k = 5 }", "top_k"),
        ("anthropic/any", "{ temperature = 0.5 }", "seed"),
        ("iolai/induction", "{ temperature = 0.5 }", "temperature"),
        ("vllm/any", "{ repetition_penalty = 1.1, top_k = 5 }", ""),
        ("iolai-lm/smollm2", "{ repetition_penalty = 1.1, min_p = 0.1 }", ""),
    ],
)
def test_settings_that_cannot_be_sent_are_refused(
    target: str, settings: str, refused: str, tmp_path: Path
) -> None:
    model = f'model = "{target}"\nsettings = {settings}'
    study = read(SMALL.replace('model = "iolai/nearest"', model), tmp_path)
    if not refused:
        assert make_plan(study).calls
        return
    with pytest.raises(SettingError, match=f"{refused} of nearest cannot be sent"):
        make_plan(study)
    if target != "iolai/induction":
        known = f'{model}\nsends = ["{refused}"]'
        assert make_plan(read(SMALL.replace('model = "iolai/nearest"', known), tmp_path)).calls


def test_there_are_prompts_for_lines_and_json_each_with_an_explanation_and_without() -> None:
    assert builtin_prompts() == ("json", "lines")
    for name in builtin_prompts():
        for explanation in (False, True):
            prompt = load_study_prompt(Condition(name, explanation))
            assert ("explanation" in prompt.text.lower()) == explanation


def test_a_prompt_with_an_unknown_field_or_without_the_query_is_refused(tmp_path: Path) -> None:
    for text, says in (("{context} {query} {gold}", "gold"), ("{context}", "query")):
        (tmp_path / "lines.txt").write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=says):
            load_study_prompt(Condition(), tmp_path)


@pytest.mark.parametrize(
    ("reply", "explained", "text", "explanation"),
    [
        ("a\nb", False, "a\nb", ""),
        ("a\nb\nEXPLANATION\nthe rule", True, "a\nb", "the rule"),
        ("ANSWERS:\na\nb\n**Explanation:** the rule", True, "a\nb", "the rule"),
        ("a\nb", True, "a\nb", ""),
        ('["a", "b"]', False, '["a", "b"]', ""),
        ('```json\n["a", "b"]\n```', False, '["a", "b"]', ""),
        ('{"answers": ["a"], "explanation": "why"}', True, '["a"]', "why"),
        ('{"answers": ["a"]', True, '{"answers": ["a"]', ""),
        ("see [1]\nb\nc", False, "see [1]\nb\nc", ""),
    ],
)
def test_replies_are_split(reply: str, explained: bool, text: str, explanation: str) -> None:
    found = split_reply(reply, explanation=explained)
    assert (found.text, found.explanation) == (text, explanation)


def test_models_that_differ_in_name_alone_are_refused_by_name(tmp_path: Path) -> None:
    twin = '[[models]]\nname = "twin"\nmodel = "iolai/nearest"\ntier = "other"\n'
    with pytest.raises(InputError, match="'nearest' and 'twin' have the same target and settings"):
        make_plan(read(SMALL + twin, tmp_path))
    apart = make_plan(read(SMALL + twin + "seeds = [2]\n", tmp_path))
    assert {call.seed for call in apart.calls if call.model.name == "twin"} == {2}


def test_a_condition_that_best_stands_for_is_a_call_of_its_own_and_asked_once(
    tmp_path: Path,
) -> None:
    search = '[format]\namong = ["lines", "json"]\nproblems = 1\n[[models]]\nname = "nearest"'
    text = SMALL.replace('"lines", "lines+', '"best", "lines", "lines+')
    study = read(text.replace('[[models]]\nname = "nearest"', search), tmp_path)
    plan = make_plan(study, formats={"able": "lines"})
    able = [call for call in plan.of_kind("task") if call.model.name == "able"]
    ids = {
        name: [call.id for call in able if call.condition.name == name]
        for name in ("best", "lines", "lines+ablated")
    }
    assert len(ids["best"]) == 4
    assert ids["best"] == ids["lines"]
    assert len(plan.distinct) == len({call.id for call in plan.calls}) == len(plan.calls) - 4
    assert [call.number for call in plan.calls] == list(range(1, len(plan.calls) + 1))


@pytest.mark.parametrize(
    ("part", "key", "allowed"),
    [
        ("[budget]", "tokens", "a whole number from 1 to 10000000"),
        ("[budget]", "seconds", "a number from 0.001 to 604800"),
        ("[budget]", "dollars", "a number from 0 to 1000000"),
        ("[statistics]", "level", "a number from 0.5 to 0.9999"),
        ("[statistics]", "resamples", "a whole number from 100 to 100000"),
        ("[statistics]", "seed", "a whole number from 0 to 4294967295"),
        ("[world]", "noise", "a number from 0 to 50"),
        ("[world]", "seed", "a whole number from 0 to 4294967295"),
        ("[ask]", "word_probes", "a whole number from 0 to 1000"),
        ("[format]", "problems", "a whole number from 1 to 1000000"),
        ("model 1:", "connections", "a whole number from 1 to 1000"),
        ("model 1: price.", "input", "a number from 0 to 1000000"),
        ("model 1: settings.", "temperature", "a number from -1000000 to 1000000"),
        ("simulated of able:", "ability", "a number from -50 to 50"),
        ("simulated of able:", "knows", "a number from 0 to 1"),
        ("simulated of able:", "clean", "a number from 0 to 1"),
        ("simulated of able:", "partial", "a number from 0 to 1"),
        ("simulated of able: effects.", "ablated", "a number from -50 to 50"),
    ],
)
def test_a_number_out_of_bounds_is_refused_with_key_value_and_bounds(
    part: str, key: str, allowed: str, tmp_path: Path
) -> None:
    for value in ("nan", "inf", "-inf", "-1000001", f"1{'0' * 400}", '"1"', "true"):
        tables = dict.fromkeys(("ask", "budget", "statistics", "world", "format"), "")
        own, price, settings, simulated = "", "", "", "ability = 1.0"
        line = f"{key} = {value}"
        if part.startswith("["):
            tables[part.strip("[]")] = line
        elif part == "model 1:":
            own = line
        elif part == "model 1: price.":
            price = line
        elif part == "model 1: settings.":
            settings = line
        elif part.endswith("effects."):
            simulated = f"effects = {{ {line} }}"
        else:
            simulated = line
        text = "".join(f"[{name}]\n{body}\n" for name, body in tables.items())
        text += (
            f'[[models]]\nname = "any"\nmodel = "openai/any"\n{own}\nprice = {{ {price} }}\n'
            f"settings = {{ {settings} }}\n"
            f'[[models]]\nname = "able"\nsimulated = {{ {simulated} }}\n'
        )
        with pytest.raises(FormatError) as caught:
            read(text, tmp_path)
        said = caught.value.message
        assert f"{part}{'' if part.endswith('.') else ' '}{key} is {allowed}, not " in said
        assert len(said) < 200


def test_a_seed_that_fits_no_server_and_an_effect_of_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="from 0 to 4294967295, not"):
        read(SMALL.replace("[0, 1]", "[4294967296]"), tmp_path)
    with pytest.raises(FormatError, match="effects of able has no field 'abalted'"):
        read(SMALL.replace("effects = { ablated", "effects = { abalted"), tmp_path)
