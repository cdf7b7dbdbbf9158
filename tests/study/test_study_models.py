"""Our models for inspect-ai, its tasks of ours, and the folder for lm-evaluation-harness."""

from __future__ import annotations

import gc
import json
import time
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra `study`")

import anyio
import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai.model import GenerateConfig, Model, get_model

from iolai.errors import InputError
from iolai.solvers.llm import config_file
from iolai.solvers.llm.request import Completion, Request, SettingError
from iolai.study import inspect_door, solver_calls
from iolai.study.asking import Patience, ask
from iolai.study.collecting import call_outcomes
from iolai.study.harness import write_harness
from iolai.study.journal import Answered, CallResult
from iolai.study.plan import Call, make_plan
from iolai.study.running import open_model
from iolai.study.solver_calls import SolverReply
from iolai.study.study_file import Spending, Study, parse_study

#: What inspect-ai does with the libraries below it is not ours to mend.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed:ResourceWarning"),
]
ROOT = Path(__file__).parents[2]
TEXT = """
[problems]
only = ["1000109"]
[[models]]
name = "asked"
model = "iolai-lm/smollm2"
settings = { temperature = 0.7, repetition_penalty = 1.1 }
[[models]]
name = "solver"
model = "iolai/nearest"
[[models]]
name = "able"
simulated = { ability = 9.0, clean = 0.0 }
"""


def study(folder: Path) -> Study:
    return parse_study(TEXT, folder / "study.toml")


def first_call(made: Study, name: str) -> tuple[Call, Model]:
    call = next(call for call in make_plan(made).calls if call.model.name == name)
    return call, open_model(call.model, made)


def answer(call: Call, model: Model, spending: Spending | None = None) -> CallResult:
    async def once() -> CallResult:
        async def generate(config: GenerateConfig) -> object:
            return await model.generate(call.prompt or "the sheet", config=config)

        return await ask(call, model, generate, spending or Spending(), Patience(1))  # type: ignore[arg-type]

    return anyio.run(once)


class FakeBackend:
    """Keeps what it was asked; answers as told."""

    def __init__(self, finish: str = "stop") -> None:
        self.finish = finish
        self.requests: list[Request] = []

    def generate(self, request: Request) -> Completion:
        self.requests.append(request)
        if self.finish == "disobey":
            raise SettingError("decoded with another penalty", hint="Look.")
        return Completion("one\ntwo", self.finish, 30, 4, 0.1)  # type: ignore[arg-type]

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("finish", "state"), [("stop", "answered"), ("length", "truncated"), ("deadline", "timeout")]
)
def test_a_language_model_of_ours_is_sent_every_setting_and_the_budget(
    finish: str, state: str, tmp_path: Path
) -> None:
    call, model = first_call(study(tmp_path), "asked")
    backend = FakeBackend(finish)
    model.api._backend = backend  # type: ignore[attr-defined]
    result = answer(call, model, Spending(tokens=33, seconds=9))
    (request,) = backend.requests
    assert (request.max_tokens, request.seed) == (33, 0)
    assert (request.decoding.temperature, request.decoding.repetition_penalty) == (0.7, 1.1)
    assert request.messages[0].text == call.prompt
    assert (result.state, result.tokens_in, result.tokens_out) == (state, 30, 4)
    assert call_outcomes(call, result)[0].text == "one\ntwo"


def test_a_setting_that_was_not_obeyed_is_no_result(tmp_path: Path) -> None:
    call, model = first_call(study(tmp_path), "asked")
    model.api._backend = FakeBackend("disobey")  # type: ignore[attr-defined]
    with pytest.raises(SettingError):
        answer(call, model)


def test_a_solver_answers_all_tasks_of_its_problem_in_one_call(tmp_path: Path) -> None:
    call, model = first_call(study(tmp_path), "solver")
    result = answer(call, model)
    outcomes = call_outcomes(call, result)
    assert [outcome.task for outcome in outcomes] == [key.id for key in call.keys]
    assert all(outcome.is_json_list and outcome.has_right_count for outcome in outcomes)
    assert result.state == "answered"


def test_a_simulated_model_is_right_as_planted_and_unclean_as_planted(tmp_path: Path) -> None:
    call, model = first_call(study(tmp_path), "able")
    (outcome,) = call_outcomes(call, answer(call, model))
    assert outcome.exact_match == 1.0
    assert not outcome.has_right_count
    assert outcome.synthetic


def test_a_solver_asked_by_somebody_elses_task_says_what_to_do() -> None:
    async def once() -> None:
        await get_model("iolai/nearest", memoize=False).generate("hello")

    with pytest.raises(InputError, match="only iolai's own tasks"):
        anyio.run(once)


def test_an_inspect_task_scores_by_the_official_rule(tmp_path: Path) -> None:
    (log,) = inspect_eval(
        inspect_door.builtin(),
        model="iolai/nearest",
        display="none",
        limit=3,
        log_dir=str(tmp_path),
        log_realtime=False,
    )
    gc.collect()
    assert log.status == "success"
    assert log.results is not None
    metrics = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert set(metrics) == {"exact_match", "chrf"}
    assert 0 < metrics["chrf"] < 1


def test_the_entry_point_leads_to_tasks_and_models() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert table["project"]["entry-points"]["inspect_ai"] == {"iolai": "iolai.study.inspect_door"}
    installed = {point.name for point in entry_points(group="inspect_ai")}
    assert "iolai" in installed, "install the project again: its entry points have changed"
    for name in inspect_door.__all__:
        assert callable(getattr(inspect_door, name))


def test_the_harness_folder_is_yaml_made_from_the_same_prompts(tmp_path: Path) -> None:
    made = parse_study(
        TEXT.replace("[[models]]", '[ask]\nconditions = ["json", "json+ablated"]\n[[models]]', 1),
        tmp_path / "study.toml",
    )
    names = write_harness(made, tmp_path / "harness")
    assert names == ("iolai", "iolai_json", "iolai_json_ablated")
    prompts = {}
    for name in names[1:]:
        text = (tmp_path / "harness" / f"{name}.yaml").read_text(encoding="utf-8")
        task = yaml.safe_load(text)
        assert task["task"] == name
        assert task["generation_kwargs"]["repetition_penalty"] == 1.0
        data = Path(task["dataset_kwargs"]["data_files"]["test"])
        rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
        assert len(rows) == 2
        prompts[name] = rows[0]["prompt"]
        assert rows[0]["reference"].strip()
    group = yaml.safe_load((tmp_path / "harness/iolai.yaml").read_text(encoding="utf-8"))
    assert group["task"] == list(names[1:])
    asked = [call for call in make_plan(made).calls if call.model.name == "asked"]
    assert {call.prompt for call in asked} >= set(prompts.values())
    assert "Tevari" in prompts["iolai_json"]
    assert "Tevari" not in prompts["iolai_json_ablated"]


def test_a_changed_configuration_of_a_model_makes_new_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {call.id for call in make_plan(study(tmp_path)).calls}
    other = tmp_path / "smollm2.toml"
    text = (config_file.MODELS / "smollm2.toml").read_text(encoding="utf-8")
    other.write_text(f"{text}\n# other\n", encoding="utf-8")
    monkeypatch.setattr(config_file, "config_path", lambda name: other)
    after = [call for call in make_plan(study(tmp_path)).calls if call.model.name == "asked"]
    assert not {call.id for call in after} & before


def test_what_a_model_takes_to_load_is_on_no_budget_and_is_kept_apart(tmp_path: Path) -> None:
    call, model = first_call(study(tmp_path), "solver")
    solver = model.api._caller  # type: ignore[attr-defined]
    solver.prepare = lambda question: time.sleep(0.5)
    solver.answer = lambda question: SolverReply((Answered(call.tasks[0].id, text="a"),))
    answer(call, model)  # what inspect-ai does for the first time takes a while
    result = answer(call, model)
    assert result.state == "answered", result.detail
    assert result.ready_seconds >= 0.5 > result.seconds


def test_a_solver_gets_its_processes_ready_before_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, model = first_call(study(tmp_path), "solver")
    done: list[str] = []
    monkeypatch.setattr(solver_calls, "worker_context", lambda: done.append("ready"))
    monkeypatch.setattr(solver_calls, "solve", lambda *_, **__: done.append("solve") or [])
    answer(call, model)
    assert done == ["ready", "solve"]


def test_a_model_that_cannot_be_loaded_is_an_error_of_its_call(tmp_path: Path) -> None:
    call, model = first_call(study(tmp_path), "solver")

    def broken(question: object) -> None:
        raise OSError("the weights are gone")

    model.api._caller.prepare = broken  # type: ignore[attr-defined]
    result = answer(call, model)
    assert (result.state, result.detail) == ("error", "OSError: the weights are gone")


def test_an_address_with_a_password_is_refused_before_it_is_in_a_log(tmp_path: Path) -> None:
    text = TEXT.replace(
        'model = "iolai/nearest"',
        'model = "iolai/nearest"\nargs = { base_url = "https://me:secret@127.0.0.1/v1" }',
    )
    made = parse_study(text, tmp_path / "study.toml")
    with pytest.raises(InputError, match="a name or a password") as caught:
        first_call(made, "solver")
    assert "secret" not in str(caught.value)
