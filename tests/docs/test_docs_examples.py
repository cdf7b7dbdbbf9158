"""The example files name commands, options and extras that exist."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import typer

from iolai.cli.app import app

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
UNITS = ("iolai.service", "iolai-worker@.service")


def options_of(name: str) -> set[str]:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert name in commands, name
    return {option for one in commands[name].params for option in (*one.opts, *one.secondary_opts)}


def check_command(words: list[str]) -> None:
    name, *rest = words
    unknown = {word for word in rest if word.startswith("--")} - options_of(name)
    assert not unknown


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_starts_a_command_that_exists(unit: str) -> None:
    text = (EXAMPLES / unit).read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.M)
    program, *words = shlex.split(line)
    assert program.endswith("/iolai")
    check_command(words)


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_reads_a_unit(unit: str, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    for name in UNITS:
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.M)
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", unit.replace("@", "@1")],
        env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:/lib/systemd/system", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_container_copies_and_installs_what_there_is() -> None:
    text = (EXAMPLES / "Containerfile").read_text(encoding="utf-8")
    for line in re.findall(r"^COPY (.*)$", text, re.M):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (extras,) = re.findall(r"pip install .*'\.\[(.*)\]'", text)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    (command,) = re.findall(r"^CMD \[(.*)\]$", text, re.M)
    program, *words = re.findall(r'"([^"]*)"', command)
    assert program == "iolai"
    check_command(words)
