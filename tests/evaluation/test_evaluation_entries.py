"""Rehearsals, with a runner that only pretends: what goes in, what is made of what comes out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gguf_file import gguf
from iolai.entry import new_entry
from iolai.errors import InputError
from iolai.evaluation import check_folder, pack_entry, perfect_predictions, read_builtin, rehearse
from iolai.evaluation.entries import _settings_fault
from iolai.formats import parse_submission_csv, render_submission_csv
from iolai.formats.source import MAX_CELL
from iolai.records import AnswerKey, TaskKey
from iolai.runners import Limits, OnLog, Outcome, RunOutcome, RunRequest
from iolai.runners.collect import judge_output

PROBLEMS, KEY = read_builtin()


@dataclass
class FakeRunner:
    """Remembers what it was asked, and answers as it was told to."""

    output: bytes | None = None
    outcome: Outcome = Outcome.OK
    log: str = ""
    requests: list[RunRequest] = field(default_factory=list)

    def run(self, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        self.requests.append(request)
        if on_log is not None:
            on_log("hello\n")
        return RunOutcome(
            self.outcome,
            n_tasks=len(request.task_ids),
            log_tail=self.log,
            output=self.output,
        )


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    new_entry(tmp_path / "entry")
    return tmp_path / "entry"


def perfect() -> bytes:
    return render_submission_csv(perfect_predictions(KEY)).encode()


def test_a_perfect_output_scores_one_and_is_checked(entry: Path) -> None:
    done = rehearse(entry, PROBLEMS, FakeRunner(perfect()), key=KEY)
    assert done.score is not None
    assert done.score.overall.score == pytest.approx(1.0)
    assert len(done.checks) == len(PROBLEMS.tasks)
    assert all(check.read == check.expected for check in done.checks)


def test_without_a_key_there_is_no_score(entry: Path) -> None:
    runner = FakeRunner(perfect())
    done = rehearse(entry, PROBLEMS, runner)
    assert done.score is None
    assert len(done.checks) == len(PROBLEMS.tasks)
    assert runner.requests[0].secrets == ()


def test_the_runner_gets_the_test_set_and_never_the_key(entry: Path) -> None:
    runner = FakeRunner()
    limits = Limits(wall_s=7)
    log: list[str] = []
    rehearse(entry, PROBLEMS, runner, key=KEY, limits=limits, on_log=log.append)
    (request,) = runner.requests
    assert request.limits == limits
    assert request.task_ids == tuple(task.id for task in PROBLEMS.tasks)
    header = request.test_csv.splitlines()[0].split(",")
    assert header == ["id", "context", "query", "work_lang", "task_lang", "task_type", "eval_type"]
    texts = {t for task in KEY for ref in task.references for t in ref.alternatives}
    assert set(request.secrets) == texts
    assert log == ["hello\n"]


@pytest.mark.parametrize("outcome", [Outcome.CRASHED, Outcome.PLATFORM_FAULT])
def test_no_output_is_scored_as_nothing(entry: Path, outcome: Outcome) -> None:
    done = rehearse(entry, PROBLEMS, FakeRunner(None, outcome), key=KEY)
    assert (done.checks, done.fault) == ((), "")
    assert done.score is not None
    assert done.score.overall.score == 0


def test_partial_output_is_scored_and_checked(entry: Path) -> None:
    rows = perfect().split(b"\r\n")
    done = rehearse(entry, PROBLEMS, FakeRunner(b"\r\n".join(rows[:3]) + b"\r\n"), key=KEY)
    assert done.score is not None
    assert 0 < done.score.overall.score < 1
    missing = [c for c in done.checks if any(f.kind == "missing-row" for f in c.findings)]
    assert len(missing) == len(PROBLEMS.tasks) - 2


@pytest.mark.parametrize(
    "output", [b"id,pred,pred\n1,a,b\n", b"id,pred\n", b"id,pred\n1," + b"x" * (MAX_CELL + 1)]
)
def test_an_output_that_the_format_refuses_is_a_named_fault(entry: Path, output: bytes) -> None:
    done = rehearse(entry, PROBLEMS, FakeRunner(output), key=KEY)
    assert done.fault.startswith("submission.csv")
    assert done.checks == ()
    assert (done.run.outcome, done.run.owner) == ("bad_output", "entry")
    assert done.fault in done.run.detail


@given(
    st.text(alphabet='a1,"\r\n \ufeff\x00\u2028', max_size=30),
    st.sampled_from(["id,pred", "pred,id,x", "id ,pred", "\ufeffid,pred", 'id,"pred"', "id,pred,"]),
    st.booleans(),
)
def test_what_a_run_keeps_of_an_output_can_be_read(text: str, header: str, was_cut: bool) -> None:
    """Where the runner finds no fault, or keeps the sound rows, the format finds none either."""
    ids = ("1", "11", "a")
    for start in ("1,x\n", ""):
        output = f"{header}\n{start}{text}".encode()
        collected = judge_output(output, ids, was_cut_short=was_cut)
        if collected.data is not None:
            parse_submission_csv(collected.data.decode("utf-8"), "submission.csv")


def test_an_output_is_never_taken_for_another_format(entry: Path) -> None:
    first = PROBLEMS.tasks[0].id
    output = f'id,pred,answer,points,split\n{first},"[""x""]",a,1,public\n'.encode()
    done = rehearse(entry, PROBLEMS, FakeRunner(output), key=KEY)
    assert [row.text for row in done.predictions] == ['["x"]']


def test_the_key_of_other_problems_is_refused_before_the_run(entry: Path) -> None:
    runner = FakeRunner()
    other = AnswerKey(tuple(_renamed(task) for task in KEY.tasks[:2]))
    with pytest.raises(InputError, match="in the key"):
        rehearse(entry, PROBLEMS, runner, key=other)
    assert runner.requests == []


def _renamed(task: TaskKey) -> TaskKey:
    return replace(task, id=f"9{task.id}")


def test_what_is_rehearsed_is_what_would_be_packed(entry: Path, tmp_path: Path) -> None:
    for name in (".venv/big.py", "__pycache__/x.pyc", "submission.csv", "MANIFEST.sha256"):
        (entry / name).parent.mkdir(exist_ok=True)
        (entry / name).write_text("x")
    (entry / ".venv/python").symlink_to("/usr/bin/python3")
    runner = FakeRunner()
    rehearse(entry, PROBLEMS, runner)
    packed, digest = pack_entry(entry, tmp_path / "a.zip")
    assert runner.requests[0].entry == packed
    assert [f.path for f in packed.files] == ["README.md", "environment.lock", "script.py"]
    assert digest == hashlib.sha256((tmp_path / "a.zip").read_bytes()).hexdigest()


def test_a_folder_without_a_script_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no script\.py"):
        rehearse(tmp_path, PROBLEMS, FakeRunner())


@pytest.mark.parametrize(
    ("outcome", "log", "partial"),
    [
        (Outcome.OK, "stage anchor begins\nall is well\n", ""),
        (Outcome.OK, "x\nSTOPPED, so far: no weights\nbye\n", "STOPPED, so far: no weights"),
        (Outcome.OK, "it says STOPPED within a line\n", ""),
        (Outcome.TIMED_OUT, "stage anchor begins\nstage samples begins\nx", "samples"),
        (Outcome.OUT_OF_MEMORY, "nothing said", "the run was ended"),
    ],
)
def test_an_entry_that_stopped_early_is_said_to_be_partial(
    entry: Path, outcome: Outcome, log: str, partial: str
) -> None:
    output = perfect()
    done = rehearse(entry, PROBLEMS, FakeRunner(output, outcome, log), key=KEY)
    assert partial in done.partial
    assert bool(partial) == bool(done.partial)


# --- a model's configuration ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"stages": ["anchors"]}, "anchors"),
        ({"max_samples": "many"}, "max_samples cannot be 'many' "),
        ({"options": {"n_ctx": -1}}, "n_ctx cannot be -1"),
        ({"options": {"n_ctx": 512}}, "n_ctx is 512, and a prompt with its answer may take"),
        ({"options": {"threads": 4}}, "has no threads"),
        ({"backend": "lama"}, "lama"),
        ({"backend": "transformers", "options": {"quantisation": "awk"}}, "one of none, awq"),
        ({"decoding": {"anchor": {"temperature": "hot"}}}, "temperature cannot be 'hot'"),
        ({"allowance": {"call_most": 10, "call_least": 20}}, "call_least 20 is more than"),
        ({"prompt": "no-such-prompt"}, "no-such-prompt"),
        ({"time_factr": 1.0}, "Did you mean time_factor?"),
    ],
)
def test_settings_that_are_none_are_found_before_a_run(
    recipe: Path, fields: dict[str, object], said: str
) -> None:
    assert _settings_fault(recipe / "model.json", "llm") == ""
    table = json.loads((recipe / "model.json").read_text(encoding="utf-8"))
    (recipe / "model.json").write_text(json.dumps(table | fields), encoding="utf-8")
    assert said in _settings_fault(recipe / "model.json", "llm")


def test_a_check_names_settings_and_weights_together(recipe: Path) -> None:
    table = json.loads((recipe / "model.json").read_text(encoding="utf-8"))
    (recipe / "model.json").write_text(json.dumps(table | {"max_samples": -1}), encoding="utf-8")
    (recipe / "weights/model.gguf").write_bytes(gguf()[:-1])
    found = {finding.kind: finding for finding in check_folder(recipe)}
    assert set(found) == {"incomplete-model", "missing-module", "settings"}
    assert found["settings"].file == "model.json"
    assert str(recipe) not in found["settings"].text
    (recipe / "model.json").write_text("{", encoding="utf-8")
    assert {finding.kind for finding in check_folder(recipe)} == {"not-json"}


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    new_entry(tmp_path / "recipe", "llm")
    (tmp_path / "recipe/weights/model.gguf").write_bytes(gguf())
    return tmp_path / "recipe"
