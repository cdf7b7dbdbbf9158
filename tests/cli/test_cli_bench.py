"""``iolai bench`` and ``iolai report`` as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import run

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


def test_a_study_goes_on_where_it_was_and_ends_in_a_report(folder: Path) -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra `study`")
    first = run("bench", folder, "--limit", "1", "--json")
    assert first.code == 1
    made = json.loads(first.out)
    assert (made["n_made"], made["n_left"]) == (1, 3)
    assert made["left"] == {"the limit of this run is reached": 3}
    second = run("bench", folder)
    assert second.code == 0
    assert "3 made now, 1 kept from before, 0 left" in second.out
    report = run("report", folder, "--json")
    assert report.code == 0, report.err
    about = json.loads(report.out)
    assert Path(about["page"]).is_file()
    assert about["tables"]["models"] == {"n_rows": 1, "reason": ""}
    assert about["tables"]["jury"]["reason"] == "no jury's results were handed in"
    again = run("report", folder, "--out", folder / "again")
    assert again.code == 0, again.err
    assert "jury: no jury's results were handed in" in again.out
    assert (folder / "again/index.html").is_file()


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
