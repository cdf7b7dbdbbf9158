"""The jury's guides, done: every command of the organiser's runs; the juror's names every key."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from command_line import run
from iolai.cli import jury_demo
from site_for_tests import hash_quickly

ROOT = Path(__file__).parents[2]
ORGANISER = (ROOT / "docs/guide-jury-organiser.md").read_text(encoding="utf-8")
JUROR = (ROOT / "docs/guide-juror.md").read_text(encoding="utf-8")


@pytest.mark.system("pango")
def test_every_command_runs_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("IOLAI_HOME", raising=False)
    monkeypatch.setattr(jury_demo, "_SOLVING_SECONDS", 2.0)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    lines = re.findall(r"^\$ (.*)$", ORGANISER, re.MULTILINE)
    assert len(lines) > 10
    patch = hash_quickly()
    for line in lines:
        if not line.startswith("iolai "):
            subprocess.run(["sh", "-euc", line], check=True)
            continue
        outcome = run(*shlex.split(line)[1:])
        assert outcome.code == 0, (line, outcome.err)
        if "rubric lint" in line:
            assert "0 faults, 0 notes" in outcome.err, "the example is without a flaw"
    patch.undo()
    assert len(list((tmp_path / "packets").iterdir())) == 2


def test_commands_that_are_only_told_exist() -> None:
    for line in re.findall(r"^    iolai (.*)$", ORGANISER, re.MULTILINE):
        words = shlex.split(line)
        shown = run(*words[:2], "--help")
        assert shown.code == 0, line
        options = [word for word in words if word.startswith("--")]
        assert all(option in shown.out for option in options), line


def test_the_juror_is_told_every_key() -> None:
    page = (ROOT / "src/iolai/web/templates/jury_paper.html.j2").read_text(encoding="utf-8")
    keys = set(re.findall(r"<kbd>([a-z.])</kbd>", page))
    assert keys == set("jknxhq.")
    assert keys <= set(re.findall(r"`([a-z.])`", JUROR))
    script = (ROOT / "src/iolai/web/static/desk.js").read_text(encoding="utf-8")
    bound = re.search(r"var KEYS = \{(.*?)\n  \};", script, re.DOTALL)
    assert bound is not None
    assert set(re.findall(r'^    "?([a-z.?])"?:', bound[1], re.MULTILINE)) == keys | {"?"}
