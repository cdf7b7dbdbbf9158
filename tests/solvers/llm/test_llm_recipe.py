"""The recipe's stages, one by one, each switched off, and what they may spend."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from scripted import Scripted, answer_of, config, recipe, user_text

from iolai.errors import FormatError, InputError, UnknownNameError
from iolai.records import ProblemSet, Task, group_tasks
from iolai.solvers import Budget
from iolai.solvers.llm.backends.files import model_path
from iolai.solvers.llm.config_file import known_configs, load_config, parse_config
from iolai.solvers.llm.letters import assign_letters, calibrated
from iolai.solvers.llm.meter import Allowance, Meter
from iolai.solvers.llm.options import Option, checked
from iolai.solvers.llm.prompts import fitted, load_prompt
from iolai.solvers.llm.request import (
    GREEDY,
    BackendError,
    Completion,
    Decoding,
    Failed,
    Request,
    SettingError,
)
from iolai.solvers.llm.stages import STAGES
from sample import PROBLEMS

ALL = tuple(STAGES)


def texts(answer: object, place: int = 0) -> list[str]:
    return [item.text for item in answer[place].items]  # type: ignore[index]


def is_sample(request: Request) -> bool:
    return not request.decoding.is_greedy


def always(text: str) -> Scripted:
    return Scripted(lambda request: text)


def test_the_anchor_is_the_greedy_answer() -> None:
    backend = always("houses\ndog")
    assert texts(answer_of(recipe(backend, stages=("anchor",)))) == ["houses", "dog"]
    assert [request.decoding for request in backend.requests] == [GREEDY, GREEDY]
    assert "Translate into English:" in user_text(backend.requests[0])
    assert "kati – house" in user_text(backend.requests[0])


def test_placeholders_stand_before_the_model_is_loaded() -> None:
    def never(_: object) -> Scripted:
        raise AssertionError("it was loaded")

    from iolai.solvers.llm import Llm

    steps = Llm(config(), never).solve(PROBLEMS.problems[0], Budget())
    first = next(steps)
    assert texts(first) == ["katin", "pelo"]
    with pytest.raises(AssertionError, match="it was loaded"):
        next(steps)


@pytest.mark.parametrize("off", ALL)
def test_each_stage_can_be_switched_off(off: str) -> None:
    """Whatever is left out, the answers are complete, and the record names only what ran."""
    backend = Scripted(
        lambda request: "houses" if not is_sample(request) else "homes\ndog",
        lambda request, choices: [0.0] * len(choices),
    )
    stages = tuple(name for name in ALL if name != off)
    solver = recipe(backend, stages=stages, max_samples=3)
    for place, problem in enumerate(PROBLEMS):
        answer = answer_of(solver, place)
        assert [task.id for task in answer] == [task.id for task in problem.tasks]
        assert all(item.text for task in answer for item in task.items)
        by_stage = solver.records[problem.id]["by_stage"]
        assert off not in by_stage  # type: ignore[operator]
    assert (answer_of(solver)[0].explanation == "") == (off == "explanation")
    homes = texts(answer_of(solver))[0]
    assert homes == ("houses" if off == "samples" else "homes")


def test_a_stage_that_is_none_is_named() -> None:
    with pytest.raises(UnknownNameError, match="samplings"):
        recipe(always(""), stages=("anchor", "samplings"))


# --- repair -----------------------------------------------------------------------------------


def test_repair_asks_for_what_is_missing_alone() -> None:
    def say(request: Request) -> str:
        return "dog" if "Answer these items alone" in user_text(request) else "1. houses"

    backend = Scripted(say)
    assert texts(answer_of(recipe(backend, stages=("anchor", "repair")))) == ["houses", "dog"]
    asked = [r for r in backend.requests if "Answer these items alone" in user_text(r)]
    assert "1 in all: 2." in user_text(asked[0])
    assert texts(answer_of(recipe(backend, stages=("anchor",)))) == ["houses", "pelo"]


def test_repair_comes_back_once_even_where_it_fails() -> None:
    backend = Scripted(lambda request: None)
    assert texts(answer_of(recipe(backend, stages=("anchor", "repair")))) == ["katin", "pelo"]
    assert len(backend.requests) == 4  # two tasks, an anchor and a repair for each


# --- samples and the vote ---------------------------------------------------------------------


def sampled(*forms: str) -> Scripted:
    """Say ``house`` greedily, and then these forms for the first item of each task, in turn."""
    drawn: dict[str, Sequence[str]] = {}

    def say(request: Request) -> str:
        if not is_sample(request):
            return "house\ndog"
        query = user_text(request)
        left = drawn.setdefault(query, list(forms))
        drawn[query] = left[1:]
        return f"{left[0]}\ndog"

    return Scripted(say)


@pytest.mark.parametrize(
    ("forms", "chosen"),
    [
        (["houses", "homes", "huts", "house"], "house"),  # no two agree
        (["houses", "house", "homes", "huts"], "house"),  # the anchor has two votes
        (["houses", "houses", "homes", "huts"], "houses"),  # two agree, the anchor has one
        (["houses", "houses", "house", "huts"], "house"),  # two against two
        (["houses", "houses", "house", "houses"], "houses"),
        (["Houses.", "houses", "huts", "homes"], "Houses."),  # one form, written as first met
    ],
)
def test_a_sample_replaces_the_anchor_only_on_agreement(forms: list[str], chosen: str) -> None:
    solver = recipe(sampled(*forms), stages=("anchor", "samples"), max_samples=4)
    answer = answer_of(solver)
    assert texts(answer) == [chosen, "dog"]
    assert answer[0].items[1].confidence == 1.0


def test_each_pass_has_a_seed_of_its_own_and_all_settings() -> None:
    backend = sampled(*["x"] * 3)
    answer_of(recipe(backend, stages=("anchor", "samples"), max_samples=3), seed=40)
    drawn = [request for request in backend.requests if is_sample(request)]
    assert sorted({request.seed for request in drawn}) == [41, 42, 43]
    assert {request.decoding for request in drawn} == {Decoding(temperature=0.5, top_p=0.95)}


def test_a_sample_that_was_cut_off_has_no_vote() -> None:
    def say(request: Request) -> tuple[str, str]:
        return ("hou\ndo", "length") if is_sample(request) else ("house\ndog", "stop")

    solver = recipe(Scripted(say), stages=("anchor", "samples"), max_samples=4)  # type: ignore[arg-type]
    assert texts(answer_of(solver)) == ["house", "dog"]


def test_no_pass_begins_that_would_not_end_in_time() -> None:
    backend = Scripted(lambda request: "house\ndog", seconds_per_token=0.05)
    solver = recipe(backend, stages=("anchor", "samples"), max_samples=50)
    start = time.monotonic()
    answer_of(solver, deadline=start + 1.0)
    assert time.monotonic() - start < 1.1
    n_passes = sum(map(is_sample, backend.requests)) / 2
    assert 1 <= n_passes <= 4  # a pass takes 0.2 s, and 1.25 times that must be left
    (record,) = solver.records.values()
    assert f"samples: time for {n_passes:.0f} passes" in str(record["notes"])


def test_a_backend_that_can_is_asked_several_things_at_once() -> None:
    backend = sampled(*["x"] * 4)
    backend.concurrency = 4
    sizes: list[int] = []
    one_by_one = backend.generate_all

    def generate_all(requests: Sequence[Request]) -> list[Completion | Failed]:
        sizes.append(len(requests))
        return one_by_one(requests)

    backend.generate_all = generate_all  # type: ignore[method-assign]
    answer_of(recipe(backend, stages=("anchor", "samples"), max_samples=4))
    assert sizes == [2, 4, 4]  # two tasks; then two passes over two tasks, twice


# --- letters ----------------------------------------------------------------------------------


def test_letters_are_legal_and_used_once_each() -> None:
    def row(request: Request, choices: Sequence[str]) -> list[float]:
        item = user_text(request).split("Which option belongs to ")[1]
        return {"1": [-0.1, -2, -3], "2": [-0.1, -1, -9], "3": [-0.2, -9, -1]}[item[0]]

    backend = Scripted(lambda request: "Z\nZ\nZ", row)
    solver = recipe(backend, stages=("anchor", "letters", "samples"), max_samples=3)
    answer = answer_of(solver, 1)
    assert sorted(texts(answer)) == ["A", "B", "C"]
    assert not any(map(is_sample, backend.requests)), "what is assigned is not put to the vote"


def test_a_letter_that_a_model_likes_always_is_no_evidence() -> None:
    import numpy as np

    liked = np.array([[-0.1, -3.0, -3.2], [-0.1, -3.2, -3.0], [-0.05, -5.0, -5.0]])
    assert assign_letters(calibrated(liked), "ABC") == ["B", "C", "A"]
    assert assign_letters(np.zeros((4, 2)), "AB").count("A") == 2


def test_letters_that_cannot_be_scored_keep_the_anchor() -> None:
    solver = recipe(always("B\nA\nC"), stages=("anchor", "letters"))
    assert texts(answer_of(solver, 1)) == ["B", "A", "C"]
    (record,) = solver.records.values()
    assert "nothing was scored" in str(record["notes"])


# --- explanation ------------------------------------------------------------------------------


def test_the_explanation_is_one_for_all_tasks_and_has_time_of_its_own() -> None:
    def say(request: Request) -> str:
        return "Plurals end in -n." if "State the rules" in user_text(request) else "x\ny"

    backend = Scripted(say, seconds_per_token=0.02)
    solver = recipe(backend, explain_share=0.3, max_samples=99)
    answer = answer_of(solver, deadline=time.monotonic() + 1.0)
    assert {task.explanation for task in answer} == {"Plurals end in -n."}
    assert sum("State the rules" in user_text(r) for r in backend.requests) == 1
    assert "katin: x" in user_text(backend.requests[-1])


def test_an_explanation_that_was_cut_ends_with_a_sentence() -> None:
    def say(request: Request) -> tuple[str, str]:
        return ("One rule. Two rules. And a thi", "length")

    solver = recipe(Scripted(say), stages=("explanation",))  # type: ignore[arg-type]
    assert answer_of(solver)[0].explanation == "One rule. Two rules."


# --- what it may spend ------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("length", [1, 7, 500])
def test_tokens_are_bounded_the_same_way_for_every_model(length: int, concurrency: int) -> None:
    backend = Scripted(lambda request: "word\n" * length, concurrency=concurrency)
    allowance = Allowance(n_tokens=60, call_most=20, call_least=5)
    solver = recipe(backend, allowance=allowance, max_samples=40)
    answer_of(solver)
    (record,) = solver.records.values()
    assert record["n_tokens"] <= 60  # type: ignore[operator]
    assert all(request.max_tokens <= 20 for request in backend.requests)
    assert record["n_tokens"] == (60 if length > 1 else record["n_calls"])


def test_a_failed_model_is_asked_within_bounds() -> None:
    backend = Scripted(lambda request: None)
    solver = recipe(backend, max_samples=1000)
    assert texts(answer_of(solver)) == ["katin", "pelo"]
    assert len(backend.requests) < 10


def test_a_call_gets_its_share_of_the_seconds_left() -> None:
    meter = Meter(Allowance(), deadline=100.0, clock=lambda: 0.0)
    assert meter.call_tokens() == 900  # nothing is known of the speed
    meter.spend("anchor", [Completion("", "stop", 10, 100, 0.0)], 10.0)
    assert meter.call_tokens() == 400  # 40% of 100 s at 10 tokens/s
    assert meter.call_tokens(reserve_s=50.0) == 200
    assert meter.call_tokens(reserve_s=99.0) == 192
    assert meter.call_tokens(reserve_s=100.0) == 0


def test_failures_and_stages_are_counted() -> None:
    meter = Meter(Allowance())
    failed = Failed(BackendError("it is\x1b[31m down" + "!" * 999, hint=""), 3, 0)
    meter.spend("anchor", [Completion("", "stop", 10, 5, 0.0), failed], 2.0)
    meter.spend("samples", [Completion("", "stop", 10, 15, 0.0)], 2.0)
    record = meter.as_dict()
    assert (record["n_calls"], record["n_failed"], record["n_tokens"]) == (3, 1, 20)
    assert record["n_prompt_tokens"] == 23
    ((reason, n_calls),) = record["failures"].items()  # type: ignore[attr-defined]
    assert reason.startswith("anchor: it is\ufffd[31m down!!")
    assert (len(reason), n_calls) == (len("anchor: ") + 300, 1)
    assert record["tokens_per_second"] == 5.0
    assert record["by_stage"]["samples"]["n_prompt_tokens"] == 10  # type: ignore[index]


def test_a_context_too_long_loses_lines_in_its_middle() -> None:
    lines = [f"word{k} – meaning{k}" for k in range(400)]
    task = replace(PROBLEMS.tasks[0], context="\n".join(lines))
    backend = always("a\nb")
    allowance = Allowance(n_prompt_tokens=300)
    solver = recipe(backend, stages=("anchor",), allowance=allowance)
    problem = ProblemSet(group_tasks((task,)), "x").problems[0]
    list(solver.solve(problem, Budget()))
    said = user_text(backend.requests[0])
    assert backend.count_tokens(said) <= 300
    assert "word0 " in said
    assert "word399 " in said
    assert "word200 " not in said
    assert fitted("a\nb", 0, 10) == "a\nb"


def test_no_prompt_is_longer_than_its_limit_whatever_makes_it_long() -> None:
    """Thousands of items stand in the query, in the list of labels and in the answers."""
    items = "\n".join(f"{k}. katin pelo mukati number {k}" for k in range(1, 900))
    task = replace(PROBLEMS.tasks[0], query=f"Translate into English:\n{items}")
    backend = always("a\nb")
    allowance = Allowance(n_prompt_tokens=300)
    solver = recipe(backend, allowance=allowance, max_samples=1)
    problem = ProblemSet(group_tasks((task,)), "x").problems[0]
    *_, last = solver.solve(problem, Budget())
    assert len(last[0].items) == 899
    assert {len(request.text.split()) <= 300 for request in backend.requests} == {True}
    assert len(backend.requests) >= 4  # the anchor, what is missing, a sample, the explanation
    assert all("Translate" in user_text(request) for request in backend.requests[:1])


def test_a_task_in_which_no_item_is_found_has_one_slot() -> None:
    task = Task("10000090100", "Words.", "Say it.", "translation", "single", "eng_Latn", ("x",))
    solver = recipe(always("done"), stages=("anchor",))
    *_, last = solver.solve(ProblemSet(group_tasks((task,)), "x").problems[0], Budget())
    assert texts(last) == ["done"]


# --- configurations and prompts ---------------------------------------------------------------


@pytest.mark.parametrize("name", known_configs())
def test_every_configuration_that_comes_along_can_be_read(name: str) -> None:
    loaded = load_config(name)
    assert loaded.anchor == GREEDY
    assert loaded.sampling.repetition_penalty == 1.0
    assert set(loaded.stages) <= set(STAGES)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("backend = 'llama'", "model must be given"),
        ("backend = 'llama'\nmodel = 'x'\nmodle = 1", "a configuration has no modle"),
        ("backend = 'llama'\nmodel = 'x'\nmax_samples = 'two'", "max_samples cannot be 'two'"),
        ("backend = 'llama'\nmodel = 'x'\n[decoding.anchor]\ntemperature = -1", "temperature"),
        ("backend = 'llama'\nmodel = 'x'\n[decoding.anchor]\nrepeat_penalty = 1", "repeat_penalty"),
        ("backend = 'llama'\nmodel = 'x'\n[decoding.samples]\ntop_k = 1", "has no samples"),
        ("backend = ''\nmodel = 'x'", "backend cannot be ''"),
        ("backend = 'llama'\nmodel = 'x'\nstages = [1]", "stages cannot be [1]"),
        ("backend = 'llama'\nmodel = 'x'\nstages = [['anchor']]", "stages cannot be"),
        ("backend = 'llama'\nmodel = 'x'\nstages = ['anchor', 'anchor']", "stages cannot be"),
        ("backend = 'llama'\nmodel = 'x'\nmax_samples = -3", "max_samples cannot be -3"),
        ("backend = 'llama'\nmodel = 'x'\nexplain_share = nan", "explain_share cannot be nan"),
        ("backend = 'llama'\nmodel = 'x'\nexplain_share = 5", "explain_share cannot be 5"),
        ("backend = 'llama'\nmodel = 'x'\ntime_factor = -1", "time_factor cannot be -1"),
        ("backend = 'llama'\nmodel = 'x'\ndecoding = 5", "decoding cannot be 5"),
        ("backend = 'llama'\nmodel = 'x'\n[decoding.anchor]\ntop_k = 1.5", "top_k cannot be 1.5"),
        (
            "backend = 'llama'\nmodel = 'x'\n[decoding.anchor]\ntemperature = true",
            "temperature cannot be True",
        ),
        ("backend = 'llama'\nmodel = 'x'\n[allowance]\nn_tokens = 'many'", "n_tokens cannot be"),
        ("backend = 'llama'\nmodel = 'x'\n[allowance]\nn_tokens = inf", "n_tokens cannot be inf"),
        ("backend = 'llama'\nmodel = 'x'\n[allowance]\ncall_most = 0", "call_most cannot be 0"),
        ("backend = 'llama'\nmodel = 'x'\n[allowance]\ncall_most = 5", "more than call_most 5"),
        ("backend = 'llama'\nmodel = 'x'\n[allowance]\nn_token = 5", "has no n_token"),
        ("backend = ", "no TOML"),
    ],
)
def test_a_faulty_configuration_says_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=r"my\.toml") as caught:
        parse_config(text, Path("my.toml"))
    assert said in caught.value.message


def test_json_says_the_same_as_toml() -> None:
    as_toml = (
        'backend = "llama"\nmodel = "m"\n[options]\nn_ctx = 9000\n[decoding.sampling]\ntop_k = 9'
    )
    as_json = (
        '{"backend": "llama", "model": "m", "options": {"n_ctx": 9000},'
        ' "decoding": {"sampling": {"top_k": 9}}}'
    )
    one, other = parse_config(as_toml, Path("a.toml")), parse_config(as_json, Path("a.json"))
    assert one == other
    assert one.sampling == Decoding(temperature=0.5, top_p=0.95, top_k=9)
    for text in ("[]", "[" * 100_000, '{"backend": null}', '{"time_factor": NaN}'):
        with pytest.raises(FormatError):
            parse_config(text, Path("a.json"))


def test_a_model_beside_the_configuration_is_found(tmp_path: Path) -> None:
    (tmp_path / "weights").mkdir()
    (tmp_path / "m.toml").write_text('backend = "llama"\nmodel = "weights"', encoding="utf-8")
    assert load_config(str(tmp_path / "m.toml")).model == str(tmp_path / "weights")
    with pytest.raises(UnknownNameError, match="no model configuration named 'smolm2'"):
        load_config("smolm2")


def test_a_prompt_beside_the_configuration_is_found(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("{query}", encoding="utf-8")
    text = 'backend = "llama"\nmodel = "x"\nprompt = "own.txt"'
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    assert load_config(str(tmp_path / "m.toml")).prompt == str(tmp_path / "own.txt")


@pytest.mark.parametrize(
    "model", ["x" * 5000, "a\0b", "package:", "package:no.such/f", "package:.x/f", "none.gguf"]
)
def test_a_model_that_is_nowhere_is_one_message(model: str) -> None:
    with pytest.raises(InputError) as caught:
        model_path(model)
    assert len(caught.value.message) < 300


KNOWN = {
    "count": Option(8, 1, 64),
    "share": Option(0.5, 0, 1),
    "is_on": Option(False),
    "kind": Option("a", names=("a", "b")),
    "secret": Option("", may_be_secret=True),
}


@pytest.mark.parametrize(
    ("name", "value", "legal"),
    [
        *[("count", value, "a whole number from 1 to 64") for value in (0, 65, 1.5, "8", True)],
        *[("share", value, "a number from 0 to 1") for value in (-0.1, 2, float("nan"), "x")],
        *[("is_on", value, "true or false") for value in ("no", 1, 0.0)],
        *[("kind", value, "one of a, b") for value in ("c", ["a"], 5)],
        ("secret", 123456789, "a text in quotation marks"),
    ],
)
def test_what_a_field_cannot_be_is_said(name: str, value: object, legal: str) -> None:
    with pytest.raises(InputError, match=f"here: {name} cannot be") as caught:
        checked("here", {name: value}, KNOWN)
    assert caught.value.hint == f"It is {legal}."
    assert "123456789" not in caught.value.message


def test_what_a_field_can_be_is_taken() -> None:
    given = {"count": 64, "share": 1, "is_on": True}
    assert checked("here", given, KNOWN) == {**given, "kind": "a", "secret": ""}
    with pytest.raises(InputError, match="here has no cuont") as caught:
        checked("here", {"cuont": 1}, KNOWN)
    assert caught.value.hint.startswith("Did you mean count?")


def test_a_prompt_of_ones_own_is_a_file(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("Be brief.\n=== user ===\n{query}\nItems: {labels}", encoding="utf-8")
    backend = always("a\nb")
    answer_of(recipe(backend, stages=("anchor",), prompt=str(own)))
    system, user = backend.requests[0].messages
    assert (system.role, system.text) == ("system", "Be brief.")
    assert user.text.endswith("Items: 1, 2")
    own.write_text("{kontext}", encoding="utf-8")
    with pytest.raises(FormatError, match=r"kontext. is no field"):
        load_prompt(str(own))


@pytest.mark.parametrize(
    ("name", "value"), [("temperature", -0.1), ("top_p", 0.0), ("min_p", 1.0), ("top_k", -1)]
)
def test_settings_out_of_bounds_are_refused(name: str, value: float) -> None:
    with pytest.raises(SettingError, match=name):
        Decoding(**{name: value})  # type: ignore[arg-type]
