"""What the documents say, done: every command of the README runs, every link leads somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_line import run
from iolai.cli.app import app
from iolai.cli.options import DEFAULT
from iolai.errors import MissingPartError
from iolai.solvers import DEFAULT_SOLVER

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RECORDS = ROOT.parent / "shared/data/iol2026-records"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_every_command_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    commands = [line[2:] for block in blocks("console") for line in block.splitlines()]
    assert len(commands) >= 8
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "iolai"
        if "records/" in words:
            continue  # the next test runs it where the records are
        result = CliRunner().invoke(app, words[1:])
        if isinstance(result.exception, MissingPartError) and words[1:3] == ["entry", "run"]:
            continue  # this machine cannot isolate an entry
        assert result.exit_code in (0, 1), (command, result.output)
        assert result.output or "--out" in words, command


@pytest.mark.skipif(not RECORDS.is_dir(), reason="needs the archived records in ../shared/data")
def test_the_board_command_of_the_readme_runs(tmp_path: Path) -> None:
    page = tmp_path / "board.html"
    result = CliRunner().invoke(app, ["board", str(RECORDS), "--verify", "--html", str(page)])
    assert result.exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_example_file_is_the_one_shown() -> None:
    assert blocks("text") == [(ROOT / "examples/problem.txt").read_text(encoding="utf-8")]


def test_the_python_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102
    assert "official|reading:official" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    dead = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert dead == []


def test_the_help_names_the_default_solver() -> None:
    assert DEFAULT == DEFAULT_SOLVER
    for command in ("solve", "eval"):
        assert f"by default {DEFAULT}" in " ".join(run(command, "--help").out.split())


def test_every_command_has_a_help_with_an_example() -> None:
    def commands(group: object, path: list[str]) -> list[list[str]]:
        children = getattr(group, "commands", None)
        if not children:
            return [path]
        return [c for name, child in children.items() for c in commands(child, [*path, name])]

    import typer.main

    found = commands(typer.main.get_command(app), [])
    assert len(found) >= 7
    for path in found:
        text = CliRunner().invoke(app, [*path, "--help"]).output
        assert "Example:" in text, path
