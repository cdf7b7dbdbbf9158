"""``iolai demo``: solvers and entries on one board, with or without a sandbox."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from command_line import run
from iolai.cli import demo
from iolai.entry import NEED_WEIGHTS, STARTERS
from iolai.errors import MissingPartError
from iolai.evaluation import scoring
from iolai.formats import builtin_path
from iolai.runners import local, usable_python
from iolai.solvers import SOLVERS


def can_use_this_python() -> bool:
    try:
        usable_python(Path(sys.executable))
    except MissingPartError:
        return False
    return True


@pytest.fixture(autouse=True)
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less time than a demo takes: answers stand from the first moment on."""
    monkeypatch.setattr(demo, "_SOLVING_SECONDS", 4.0)
    monkeypatch.setattr(demo, "_ENTRY_SECONDS", 6.0)


@pytest.fixture
def few_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two problems instead of all that are built in: enough where only words are looked at."""
    folder = tmp_path / "few"
    for source in sorted(builtin_path().iterdir())[:2]:
        shutil.copytree(source, folder / source.name)
    monkeypatch.setattr(scoring, "builtin_path", lambda: folder)


@pytest.mark.usefixtures("few_problems")
def test_without_a_sandbox_the_demo_says_so_once_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry that was changed is kept, and run as it is."""

    def refuse(self: object, request: object, on_log: object = None) -> None:
        raise MissingPartError("no namespaces here", hint="Run: this command")

    monkeypatch.setattr(local.LocalRunner, "run", refuse)
    folder = tmp_path / "entries" / "baseline"
    folder.mkdir(parents=True)
    (folder / "script.py").write_text("raise SystemExit('mine')")
    out = run("demo", "--out", tmp_path, "--json")
    assert out.code == 0, out.err
    assert out.err.count("no namespaces here") == 1
    assert "our own code" in " ".join(out.err.split())
    assert "Run: this command" in out.err
    entries = json.loads(out.out)["entries"]
    assert {e["mechanism"] for e in entries.values()} == {"none: trusted, wall clock only"}
    outcomes = {name: entry["outcome"] for name, entry in entries.items()}
    assert outcomes.pop("entry baseline") == "crashed"
    assert set(outcomes.values()) == {"ok"}


@pytest.mark.system("bwrap")
def test_the_demo_ranks_solvers_and_sandboxed_entries(tmp_path: Path) -> None:
    out = run("demo", "--out", tmp_path, "--json")
    assert out.code == 0, out.err
    data = json.loads(out.out)
    assert data["seconds"] == {"solver": 4.0, "entry": 6.0}
    names = {f"entry {name}" for name in STARTERS if name not in NEED_WEIGHTS}
    assert set(data["entries"]) == names
    assert {row["team"] for row in data["board"]} == {*SOLVERS, *names}
    for name, entry in data["entries"].items():
        assert (entry["outcome"], entry["n_answered"]) == ("ok", entry["n_tasks"]), name
    sandboxed = {n for n, e in data["entries"].items() if e["mechanism"].startswith("bubblewrap")}
    assert sandboxed == (names if can_use_this_python() else {"entry baseline"})
    assert ("without a sandbox" in " ".join(out.err.split())) == (sandboxed != names)
    assert Path(data["page"]).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    for starter in set(STARTERS) - NEED_WEIGHTS:
        assert (tmp_path / "entries" / starter / "script.py").is_file()
        assert (tmp_path / f"entry-{starter}" / "submission.csv").is_file()
