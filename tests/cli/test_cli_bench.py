"""``iolai bench`` and ``iolai report`` as a shell sees them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from command_line import run
from iolai.study.demo import write_demo

IOLAI = [sys.executable, "-c", "from iolai.cli import main; main()"]

STUDY = """
[problems]
only = ["1000109"]
[ask]
conditions = ["lines", "lines+explanation"]
[statistics]
resamples = 100
[[models]]
name = "planted"
simulated = { ability = 1.0 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


def test_the_plan_is_shown_and_nothing_is_asked(folder: Path) -> None:
    shown = json.loads(run("bench", folder, "--plan", "--json").out)
    assert shown["n_calls"] == 4
    assert [part["n_calls"] for part in shown["calls"]] == [2, 2]
    assert "4 calls in all" in run("bench", folder / "study.toml", "--plan").out
    assert [path.name for path in folder.iterdir()] == ["study.toml"]


def test_the_plan_of_the_built_in_study_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "calls in all" in run("bench", "demo", "--plan").out
    assert "calls in all" in run("bench", "demo", "--plan", "--out", tmp_path / "other").out
    assert not list(tmp_path.iterdir())


def test_a_study_goes_on_where_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra `study`")
    first = run("bench", folder, "--limit", "1", "--json")
    assert first.code == 1
    made = json.loads(first.out)
    assert (made["n_made"], made["n_left"]) == (1, 3)
    assert made["left"] == {"the limit of this run is reached": 3}
    monkeypatch.setattr("iolai.study.report.CHART_FORMATS", {"svg": lambda chart: b"<svg/>"})
    partial = run("report", folder)
    assert partial.code == 0
    assert "not finished: 3 of 4 calls are planned and not asked yet" in partial.err
    assert "3 of 4 calls are planned, not asked yet" in (folder / "report/index.html").read_text()
    second = run("bench", folder)
    assert second.code == 0
    assert "3 made now, 1 kept from before, 0 left" in second.out


def test_a_finished_study_is_reported_without_asking_anybody(
    finished_study: Path, tmp_path: Path
) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra `study`")
    folder = shutil.copytree(finished_study, tmp_path / "study")
    kept = (folder / "journal.jsonl").read_bytes()
    assert " 0 made now" in run("bench", folder).out
    report = run("report", folder, "--out", folder / "again", "--json")
    assert report.code == 0, report.err
    about = json.loads(report.out)
    assert Path(about["page"]) == folder / "again/index.html"
    assert Path(about["page"]).is_file()
    assert about["tables"]["models"] == {"n_rows": 3, "reason": ""}
    assert about["tables"]["presence"]["reason"] == "no counts of resources were given"
    assert (folder / "journal.jsonl").read_bytes() == kept


@pytest.mark.slow
def test_the_built_in_study_killed_twice_repeats_no_finished_call(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra `study`")
    folder = tmp_path / "demo"
    write_demo(folder, with_model=False)
    file = folder / "study.toml"
    text = re.sub(r"(?m)^only = .*", 'only = ["1000104", "1000109"]', file.read_text("utf-8"))
    text = re.sub(r'\[\[models\]\]\nname = "induction"\n(?:.+\n)+\n?', "", text)
    file.write_text(text.replace("resamples = 4000", "resamples = 200"), encoding="utf-8")
    journal = folder / "journal.jsonl"
    for n_finished in (5, 60):  # while formats are tried, and while the tasks are asked
        process = subprocess.Popen(
            [*IOLAI, "bench", "demo", "--out", folder], start_new_session=True
        )
        while process.poll() is None and sum("call" in e for e in entries(journal)) < n_finished:
            time.sleep(0.01)
        assert process.poll() is None, "the run ended before it was killed"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    n_kept = sum("call" in entry for entry in entries(journal))
    ended = run("bench", "demo", "--out", folder, "--json")
    assert ended.code == 0, ended.err
    said = json.loads(ended.out)
    assert (said["n_kept"], said["n_left"]) == (n_kept, 0)
    assert said["n_made"] == said["n_calls"] - n_kept
    assert Path(said["report"]).is_file()
    finished: Counter[str] = Counter()
    for entry in entries(journal):
        assert finished[entry.get("begun", "")] == 0, "a finished call was begun again"
        finished[entry.get("call", "")] += "call" in entry
    del finished[""]
    assert len(finished) == said["n_calls"]
    assert set(finished.values()) == {1}
    begun = Counter(entry["begun"] for entry in entries(journal) if "begun" in entry)
    # One call at a time is under way, so each kill can have cost one call and no more.
    assert sum(begun.values()) - said["n_calls"] <= 2


def entries(journal: Path) -> list[dict[str, str]]:
    """Return the whole lines of a journal, read without the code that writes it."""
    if not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_bytes().split(b"\n")[:-1]]


def test_what_cannot_be_used_is_one_message_with_a_hint(folder: Path) -> None:
    for words, says in (
        (("bench", folder / "nowhere"), "there is no file"),
        (("bench", folder, "--out", folder / "x"), "--out is for the built-in study"),
        (("report", folder), "has no finished call"),
    ):
        outcome = run(*words)
        assert outcome.code == 2, words
        assert says in outcome.err
        assert "hint:" in outcome.err
        assert "Traceback" not in outcome.err


def test_without_the_extra_the_command_says_how_to_install_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    outcome = run("bench", folder)
    assert outcome.code == 2
    assert "iolai[study]" in outcome.err


def test_the_harness_folder_is_written(folder: Path) -> None:
    made = json.loads(run("bench", folder, "--harness", folder / "h", "--json").out)
    assert made["tasks"] == ["iolai", "iolai_lines", "iolai_lines_explanation"]
    assert (folder / "h/iolai_lines.yaml").is_file()
