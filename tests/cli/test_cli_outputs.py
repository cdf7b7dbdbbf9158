"""An output never destroys what the command reads, nor what is no file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import run
from iolai.entry import new_entry
from iolai.formats import read_problems, write_plain_text, write_solution_csv, write_submission_csv
from sample import KEY, PERFECT, PROBLEMS

IOLAI = [sys.executable, "-c", "from iolai.cli import main; main()"]


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "problems" / "p.txt"
    write_plain_text(path, PROBLEMS, KEY)
    return path


@pytest.fixture
def release(tmp_path: Path) -> Path:
    folder = tmp_path / "release"
    write_solution_csv(folder / "task" / "solution.csv", KEY)
    (folder / "leaderboard.csv").write_text(
        "rank,team,account_type,score,exact_match,chrf,explanation_rate_pct,public_score_best_run,"
        "public_score_scored_run,model,record,submitted_at_utc\n1,a,x,50,50,50,,,,,,2030\n"
    )
    return folder


def _refused(*words: object) -> None:
    done = run(*words)
    assert (done.code, done.out) == (2, ""), done
    assert "would change" in done.err
    assert "elsewhere" in done.err


@pytest.mark.parametrize("name", ["p.txt", "hard", "soft", "../problems/p.txt"])
@pytest.mark.parametrize("command", [["solve"], ["key", "perfect"]])
def test_an_output_that_is_the_input_by_any_name(
    command: list[str], name: str, sheet: Path
) -> None:
    os.link(sheet, sheet.with_name("hard"))
    sheet.with_name("soft").symlink_to("p.txt")
    before = sheet.read_bytes()
    _refused(*command, sheet, "--out", sheet.parent / name)
    assert sheet.read_bytes() == before


def test_in_a_folder_that_is_read_only_predictions_are_replaced(sheet: Path) -> None:
    folder, before = sheet.parent, sheet.read_bytes()
    _refused("solve", folder, "--out", sheet)
    for _ in range(2):
        assert run("solve", folder, "--out", folder / "answers.csv").code == 0
    elsewhere = folder.parent / "q.txt"
    sheet.rename(elsewhere)
    sheet.symlink_to(elsewhere)
    _refused("solve", folder, "--out", elsewhere)
    assert elsewhere.read_bytes() == before


@pytest.mark.parametrize("name", ["leaderboard.csv", "task/solution.csv", "new.html"])
def test_nothing_is_written_in_archived_records(name: str, release: Path) -> None:
    files = sorted(release.rglob("*"))
    before = [path.read_bytes() for path in files if path.is_file()]
    _refused("board", release, "--html", release / name)
    _refused("key", "perfect", release, "--out", release / name)
    assert sorted(release.rglob("*")) == files
    assert [path.read_bytes() for path in files if path.is_file()] == before
    assert run("board", release, "--html", release.parent / "new.html").code == 0


def test_an_entry_and_its_problems_are_not_written_over(sheet: Path, tmp_path: Path) -> None:
    entry, key = tmp_path / "entry", tmp_path / "key.csv"
    new_entry(entry, "baseline")
    write_solution_csv(key, KEY)
    script = (entry / "script.py").read_bytes()
    for out in (entry / "script.py", sheet, key):
        _refused("entry", "run", entry, "--problems", sheet, "--key", key, "--out", out)
    assert (entry / "script.py").read_bytes() == script
    assert len(read_problems(sheet)) == len(PROBLEMS)


@pytest.mark.parametrize("out", ["-", "", "."])
def test_an_output_that_names_no_file(
    out: str, sheet: Path, release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sheet.parent)
    commands = (["solve", "p.txt", "--out"], ["key", "perfect", "p.txt", "--out"])
    for command in (*commands, ["board", release, "--html"]):
        done = run(*command, out)
        assert (done.code, done.out) == (2, "")
        assert "a folder" in done.err or "/dev/stdout" in done.err
    assert [path.name for path in Path().iterdir()] == ["p.txt"]


def test_predictions_go_to_a_pipe_once(sheet: Path) -> None:
    done = subprocess.run(
        [*IOLAI, "solve", str(sheet), "--out", "/dev/stdout"], capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"id,pred,explanation") == 1
    assert done.stdout.count(b"\n") >= 1 + len(PROBLEMS.tasks)


def test_an_archive_is_no_pipe(sheet: Path, tmp_path: Path) -> None:
    new_entry(tmp_path / "entry", "baseline")
    os.mkfifo(tmp_path / "out.zip")
    done = run("entry", "pack", tmp_path / "entry", "--out", tmp_path / "out.zip")
    assert done.code == 2
    assert "no ordinary file" in done.err
    assert (tmp_path / "out.zip").is_fifo()


def test_an_output_need_not_be_readable(sheet: Path, tmp_path: Path) -> None:
    write_submission_csv(tmp_path / "out.csv", PERFECT)
    (tmp_path / "out.csv").chmod(0o200)
    assert run("key", "perfect", sheet, "--out", tmp_path / "out.csv").code == 0


def test_a_current_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for command in (["solve", "a"], ["entry", "check"], ["entry", "pack"], ["board", "."]):
        done = run(*command)
        assert (done.code, done.out) == (2, ""), command
        assert done.err.count("error: ") == 1
        assert "output" not in done.err
