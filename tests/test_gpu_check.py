"""The checks for a machine with a GPU, on one without: short, named, with an exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "gpu_check.py"


def checked(out: Path, *words: str) -> tuple[int, str]:
    """Run the script where no command of a driver is found; nothing may be said beside."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--out", str(out), *words],
        capture_output=True,
        text=True,
        env={"PATH": "", "CUDA_VISIBLE_DEVICES": ""},
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def states(checks: list[dict[str, Any]]) -> dict[str, str]:
    return {f"{check['config']} {check['name']}".strip(): check["state"] for check in checks}


def test_without_a_gpu_each_check_has_one_line_that_says_why(tmp_path: Path) -> None:
    code, said = checked(tmp_path / "out")
    assert code == 2
    lines = said.splitlines()
    assert len(lines) == 1 + 4 * 3 + 1
    assert lines[0].startswith("gpu: could not run: ")
    assert "qwen2.5-7b load: could not run: no GPU" in lines
    assert json.loads((tmp_path / "out/summary.json").read_text())["exit_code"] == 2


def test_a_model_that_is_not_there_is_named_and_the_next_is_tried(tmp_path: Path) -> None:
    for name in ("one", "two"):
        text = f'backend = "llama"\nmodel = "{name}.gguf"\n'
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    paths = [str(tmp_path / f"{name}.toml") for name in ("one", "two")]
    code, said = checked(tmp_path / "out", "--on-cpu", "--json", *paths)
    data = json.loads(said)
    assert (code, data["exit_code"]) == (2, 2)
    assert set(states(data["checks"]).values()) == {"could not run"}
    loads = [check for check in data["checks"] if check["name"] == "load"]
    assert [check["config"] for check in loads] == ["one", "two"]
    assert [check["why"][:20] for check in loads] == ["there is no model at"] * 2


@pytest.mark.slow
def test_the_whole_check_runs_on_a_cpu(tmp_path: Path) -> None:
    code, said = checked(tmp_path, "--on-cpu", "--json", "--minutes", "0.3", "smollm2")
    data = json.loads(said)
    assert states(data["checks"]) == {
        "gpu": "could not run",
        "smollm2 load": "ok",
        "smollm2 argmax": "could not run",
        "smollm2 recipe": "ok",
    }
    assert code == 0
    assert (tmp_path / "smollm2.csv").is_file()
    assert json.loads((tmp_path / "smollm2.json").read_text())
