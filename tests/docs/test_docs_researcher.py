"""docs/guide-researcher.md agrees with the code: its commands run, its example is the file."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra `study`")

from command_line import run
from iolai.records.study import CALL_STATES
from iolai.study.settings import sendable
from iolai.study.study_file import BESIDE, parse_study

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guide-researcher.md").read_text(encoding="utf-8")


def test_every_command_runs_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    commands = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    assert len(commands) >= 5
    said = ""
    for command in commands:
        outcome = run(*shlex.split(command)[1:])
        assert outcome.code == 0, (command, outcome.err)
        assert outcome.out
        said += outcome.out
    assert "jury: no jury's results were handed in" in said
    assert f"The report is in {tmp_path / 'examples/study/report/index.html'}" in said
    assert (tmp_path / "examples/study/report/index.html").is_file()
    assert (tmp_path / "study-release/manifest.json").is_file()
    assert (tmp_path / "harness/iolai.yaml").is_file()


def test_the_example_is_the_file() -> None:
    text = (ROOT / "examples/study/study.toml").read_text(encoding="utf-8")
    assert f"```toml\n{text}```" in PAGE


def test_states_settings_and_files_are_those_of_the_code() -> None:
    assert ", ".join(CALL_STATES) in PAGE
    for name in sendable("iolai-lm") - {"seed"}:
        assert f"`{name}`" in PAGE
    for name in BESIDE:
        assert f"`{name}`" in PAGE


def test_the_built_in_study_is_a_study() -> None:
    path = ROOT / "src/iolai/data/studies/demo/study.toml"
    study = parse_study(path.read_text(encoding="utf-8"), path)
    assert {model.kind for model in study.models} == {"solver", "prompted", "simulated"}
