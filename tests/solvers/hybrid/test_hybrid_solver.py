"""The hybrid from end to end, on scripted models and a scripted engine."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted import Scripted, config, user_text

from iolai.errors import FormatError, UnknownNameError
from iolai.evaluation import solve
from iolai.records import Candidate, ItemAnswer, Problem, ProblemSet, TaskAnswer
from iolai.solvers import Budget, ModelSolver, ProblemAnswer, get_solver
from iolai.solvers.hybrid import Hybrid
from iolai.solvers.hybrid.checks import Checker
from iolai.solvers.hybrid.config import HybridConfig, load_hybrid
from iolai.solvers.hybrid.rules import failing_rules, without_failing
from iolai.solvers.induction.reader import read_sheet
from iolai.solvers.llm.request import BackendError, Request
from sample import PROBLEMS

RIGHT = {"kati": "house", "katin": "houses", "pelo": "dog", "pelon": "dogs"}
PROBLEM = PROBLEMS.problems[0]


class Engine:
    """Gives the same answers at every call."""

    def __init__(self, confidence: float = 0.3) -> None:
        self.confidence = confidence

    def solve(self, problem: Problem, budget: Budget) -> Iterator[ProblemAnswer]:
        def answer(task_id: str, *texts: str) -> TaskAnswer:
            items = [
                ItemAnswer(text, self.confidence, (Candidate(text, self.confidence),))
                for text in texts
            ]
            return TaskAnswer(task_id, tuple(items), "-n: plural", "a table")

        yield (answer(problem.tasks[0].id, "cats", "dog"), answer(problem.tasks[1].id, "pelon"))


def knows(request: Request) -> str:
    """Answer every item rightly."""
    text = user_text(request)
    if "State the rules" in text:
        return "-n marks the plural."
    if "Translate" not in text:
        return "4"
    known = RIGHT | {gloss: form for form, gloss in RIGHT.items()}
    query = text.split("Translate")[1].split("\n\n")[0]
    given = [line.split(". ", 1)[1] for line in query.splitlines()[1:]]
    return "\n".join(known[item] for item in given)


def rubbish(request: Request) -> str:
    return "zzz\nqqq"


def hybrid(*says: Any, confidence: float = 0.3, n_trials: int = 4, **more: Any) -> Hybrid:
    backends = {f"model{k}": Scripted(say) for k, say in enumerate(says)}
    from dataclasses import replace

    models = tuple(replace(config(**more), name=name) for name in backends)
    settings = HybridConfig("test", models, n_trials=n_trials)
    solver = Hybrid(settings, lambda c: backends[c.name], lambda: Engine(confidence))
    solver.backends = backends  # type: ignore[attr-defined]
    return solver


def texts(answer: ProblemAnswer) -> list[list[str]]:
    return [[item.text for item in task.items] for task in answer]


def last(solver: Hybrid) -> ProblemAnswer:
    *_, answer = solver.solve(PROBLEM, Budget())
    return answer


def test_the_engines_answers_stand_before_any_model_is_loaded() -> None:
    def never(_: object) -> Scripted:
        raise AssertionError("it was loaded")

    solver = Hybrid(HybridConfig("t", (config(),)), never, Engine)
    steps = solver.solve(PROBLEM, Budget())
    assert texts(next(steps)) == [["cats", "dog"], ["pelon"]]
    with pytest.raises(AssertionError, match="it was loaded"):
        next(steps)


def silent(request: Request) -> None:
    return None


def test_a_model_that_does_not_speak_is_left_out() -> None:
    solver = hybrid(silent, knows)
    solver.open()
    assert texts(last(solver)) == [["houses", "dog"], ["pelon"]]
    record = solver.records[PROBLEM.id]
    assert record["chosen"] == "model1"
    assert record["notes"][0] == "model0 is left out: it failed"  # type: ignore[index]
    assert solver.describe()["absent"] == {"model0": "it failed"}


def test_without_any_model_the_engines_answers_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iolai.evaluation.solving.get_solver", _first_hybrid(hybrid(silent)))
    *_, state = solve(ProblemSet((PROBLEM,)), "hybrid:test", time_limit=60)
    assert texts(state.answers) == [["cats", "dog"], ["pelon"]]
    assert state.came_to_nothing
    assert state.n_placeholders == 0
    assert state.costs[PROBLEM.id]["notes"] == ["model0 is left out: it failed"]


def _first_hybrid(solver: Hybrid) -> Any:
    return lambda name: solver if name.startswith("hybrid") else get_solver(name)


def test_models_are_not_waited_for_until_the_engine_has_no_time_left() -> None:
    solver = hybrid(knows, knows)
    start = time.monotonic()
    solver.open(start + 40)
    ends = [b.requests[0].deadline - start for b in solver.backends.values()]  # type: ignore[attr-defined]
    assert ends == pytest.approx([10, 20], abs=0.5)


def test_a_model_that_knows_nothing_changes_nothing() -> None:
    solver = hybrid(rubbish)
    assert texts(last(solver)) == [["cats", "dog"], ["pelon"]]
    record = solver.records[PROBLEM.id]
    assert record["changed"] == []
    assert record["trials"]["model0"]["n_right"] == 0  # type: ignore[index]


def test_a_model_that_gets_the_examples_right_is_believed() -> None:
    solver = hybrid(knows)
    answer = last(solver)
    assert texts(answer) == [["houses", "dog"], ["pelon"]]
    assert solver.records[PROBLEM.id]["changed"] == [f"{PROBLEM.tasks[0].id} item 1"]
    agreed = answer[0].items[1].confidence
    assert agreed is not None
    assert agreed > answer[0].items[0].confidence > 0.3  # type: ignore[operator]
    assert answer[0].understood == "a table"


def test_its_rules_are_the_explanation_only_where_it_is_trusted_more() -> None:
    assert last(hybrid(knows))[0].explanation == "-n marks the plural."
    assert last(hybrid(rubbish))[0].explanation == "-n: plural"
    assert last(hybrid(knows, confidence=0.9))[0].explanation == "-n: plural"


def test_the_better_of_several_models_is_chosen_without_a_key() -> None:
    for says, chosen in (((rubbish, knows), "model1"), ((knows, rubbish), "model0")):
        solver = hybrid(*says)
        assert texts(last(solver))[0] == ["houses", "dog"]
        record = solver.records[PROBLEM.id]
        assert record["chosen"] == chosen
        trials = record["trials"]
        assert trials[chosen]["n_right"] == 4  # type: ignore[index]
        other = "model0" if chosen == "model1" else "model1"
        backends = solver.backends  # type: ignore[attr-defined]
        assert len(backends[other].requests) == 4, "the trials and no more"


def test_models_together_spend_one_allowance() -> None:
    solver = hybrid(rubbish, knows)
    last(solver)
    record = solver.records[PROBLEM.id]
    backends = solver.backends.values()  # type: ignore[attr-defined]
    assert record["n_calls"] == sum(len(backend.requests) for backend in backends)


def test_what_contradicts_the_data_goes_back_once_with_the_reason() -> None:
    told: list[str] = []

    def say(request: Request) -> str:
        text = user_text(request)
        if "cannot be right" in text:
            told.append(text)
            return "houses"
        return "katin\ndog" if "1. katin\n2. pelo" in text else knows(request)

    solver = hybrid(say, max_samples=0)
    assert texts(last(solver))[0] == ["houses", "dog"]
    assert len(told) == 1
    assert "“katin” is what was to be translated" in told[0]
    assert "1 in all: 1." in told[0]
    notes = solver.records[PROBLEM.id]["notes"]
    assert any("1 answers" in note and "1 were mended" in note for note in notes)  # type: ignore[union-attr]


def test_a_model_that_fails_leaves_the_engines_answers() -> None:
    def fails(request: Request) -> None:
        return None

    solver = hybrid(fails)
    assert texts(last(solver)) == [["cats", "dog"], ["pelon"]]


def test_a_model_that_breaks_in_the_middle_keeps_what_there_was() -> None:
    n_asked = 0

    def say(request: Request) -> str:
        nonlocal n_asked
        n_asked += 1
        if n_asked > 4:
            raise BackendError("gone", hint="none")
        return knows(request)

    assert texts(last(hybrid(say))) == [["cats", "dog"], ["pelon"]]


def test_a_slow_model_is_left_when_the_time_is_over() -> None:
    def slow(request: Request) -> str:
        time.sleep(0.1)
        return knows(request)

    solver = hybrid(slow)
    begun = time.monotonic()
    budget = Budget(deadline=begun + 0.25)
    *_, answer = solver.solve(PROBLEM, budget)
    assert texts(answer) == [["cats", "dog"], ["pelon"]], "it was tried, and had no time to answer"
    assert len(solver.backends["model0"].requests) <= 4  # type: ignore[attr-defined]


def test_it_is_a_solver_with_a_model_by_name() -> None:
    solver = get_solver("hybrid:smollm2")
    assert isinstance(solver, ModelSolver)
    with pytest.raises(UnknownNameError) as caught:
        get_solver("none")
    assert "hybrid:CONFIG" in caught.value.hint


def test_it_runs_in_the_evaluation_like_any_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = hybrid(knows)
    monkeypatch.setattr("iolai.evaluation.solving.get_solver", lambda name: solver)
    *_, state = solve(ProblemSet((PROBLEM,), "one"), "hybrid:test")
    assert texts(state.answers)[0] == ["houses", "dog"]
    assert state.costs[PROBLEM.id]["chosen"] == "model0"
    assert json.dumps(state.made_by)
    assert json.dumps(state.costs)


# --- checks ---------------------------------------------------------------------------------


@pytest.fixture
def checker() -> Checker:
    return Checker(read_sheet(PROBLEM), Budget())


@pytest.mark.parametrize(
    ("task", "place", "form", "said"),
    [
        (0, 0, "katin", "is what was to be translated"),
        (0, 0, "dogs", "belongs to “pelon”"),
        (0, 1, "kati", "is in the language of the data"),
        (1, 0, "pelöx", "letters that the language does not use: ö, x"),
        (1, 0, "inkat", None),
        (1, 0, "tttt", "nothing in the data is like “tttt”"),
        (0, 1, "a small dog", None),
    ],
)
def test_failures_are_said_in_words(
    checker: Checker, task: int, place: int, form: str, said: str | None
) -> None:
    failures = " ".join(checker.opinion(task, place, form).failures)
    assert (said in failures) if said else not failures, failures


def test_a_form_that_leads_back_to_the_item_regenerates(checker: Checker) -> None:
    assert checker.opinion(1, 0, "pelon").regenerates
    assert not checker.opinion(1, 0, "katin").regenerates
    assert checker.opinion(0, 0, "houses").regenerates


def test_rules_must_name_what_is_there() -> None:
    sheet = read_sheet(PROBLEM)
    good = "The suffix -n marks the plural.\nkati means “house”."
    assert failing_rules(good, sheet) == ()
    bad = "The prefix zo- marks the plural.\n“pelo” means “house”."
    assert len(failing_rules(bad, sheet)) == 2
    assert without_failing(f"{good}\n{bad}", sheet) == good


def test_rules_that_fail_go_back_once_and_then_go() -> None:
    n_told = 0

    def say(request: Request) -> str:
        nonlocal n_told
        text = user_text(request)
        if "The data say otherwise" in text:
            n_told += 1
            assert "“zo” stands in no form" in text
            return "-n marks the plural.\nxi- marks nothing."
        if "State the rules" in text:
            return "zo- marks the plural."
        return knows(request)

    assert last(hybrid(say))[0].explanation == "-n marks the plural."
    assert n_told == 1


# --- configurations -------------------------------------------------------------------------


def test_a_file_names_several_models(tmp_path: Path) -> None:
    model = 'backend = "llama"\nmodel = "none.gguf"\n'
    (tmp_path / "one.toml").write_text(model, encoding="utf-8")
    path = tmp_path / "both.toml"
    path.write_text('models = ["one.toml", "smollm2"]\nn_trials = 3\n', encoding="utf-8")
    found = load_hybrid(str(path))
    assert [model.name for model in found.models] == ["one", "smollm2"]
    assert (found.name, found.n_trials) == ("both", 3)
    assert load_hybrid("smollm2").models[0].name == "smollm2"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models = []", "models cannot be"),
        ('models = "smollm2"', "models cannot be"),
        ('models = ["smollm2", "smollm2"]', "same name"),
        ('models = ["smollm2"]\nstages = []', "a configuration has no stages"),
        ('models = ["smollm2"]\nprior = 2', "prior cannot be 2"),
        ('models = ["smollm2"]\nn_trials = 1.5', "n_trials cannot be 1.5"),
        ('models = ["smollm2"]\nn_trials = true', "n_trials cannot be True"),
    ],
)
def test_a_wrong_configuration_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=said):
        load_hybrid(str(path))
