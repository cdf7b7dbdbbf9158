"""Where the output goes: a full disk, a reader that leaves, an interrupt."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iolai.formats import write_solution_csv, write_submission_csv, write_test_csv
from sample import KEY, PERFECT, PROBLEMS

IOLAI = [sys.executable, "-c", "from iolai.cli import main; main()"]


@pytest.fixture
def score_command(tmp_path: Path) -> list[str]:
    write_submission_csv(tmp_path / "submission.csv", PERFECT)
    write_solution_csv(tmp_path / "solution.csv", KEY)
    paths = [str(tmp_path / name) for name in ("submission.csv", "solution.csv")]
    return [*IOLAI, "score", *paths]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_output_that_cannot_be_written_is_said(
    options: list[str], score_command: list[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [*score_command, *options], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert result.returncode == 2
    assert result.stderr.count("error: the output cannot be written") == 1
    assert "Traceback" not in result.stderr


def test_a_reader_that_leaves_is_no_fault(score_command: list[str]) -> None:
    with subprocess.Popen(
        [*score_command, "--json", "--per-item"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == b""


def test_an_interrupt_leaves_a_whole_file_or_none(tmp_path: Path) -> None:
    problems, out = tmp_path / "test.csv", tmp_path / "submission.csv"
    write_test_csv(problems, PROBLEMS)
    command = [*IOLAI, "solve", str(problems), "--jobs", "2", "--out", str(out)]
    for delay in (0.05, 0.2, 0.4, 0.6):
        out.unlink(missing_ok=True)
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert not out.exists() or out.read_bytes().count(b"\n") == 4
        assert [path.name for path in tmp_path.iterdir() if path != out] == ["test.csv"]


def test_any_locale_gets_utf8(tmp_path: Path) -> None:
    problems = tmp_path / "test.csv"
    write_test_csv(problems, PROBLEMS)
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PATH": "/bin"}
    result = subprocess.run(
        [*IOLAI, "solve", str(problems), "--solver", "echo", "--explain"],
        capture_output=True,
        env={**environment, "PYTHONCOERCECLOCALE": "0"},
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert "katin" in result.stdout.decode("utf-8")
    failing = subprocess.run([*IOLAI, "solve", "ŋ.csv"], capture_output=True, env=environment)
    assert failing.returncode == 2
    assert failing.stderr.decode("utf-8").startswith("error: there is no file")


@pytest.mark.parametrize("columns", ["0", "20"])
def test_a_narrow_or_unknown_width_loses_nothing(columns: str, score_command: list[str]) -> None:
    result = subprocess.run(
        [*score_command, "--per-item"],
        capture_output=True,
        text=True,
        env={"COLUMNS": columns, "PATH": "/bin"},
    )
    assert "match_letters" in result.stdout
    assert "pelon" in result.stdout


def test_a_flood_of_warnings_is_cut_and_counted(tmp_path: Path, score_command: list[str]) -> None:
    flood = tmp_path / "flood.csv"
    rows = (f"x{number},a\n" for number in range(1_000))
    flood.write_text("id,pred\n" + f"{KEY.tasks[0].id},houses\n" + "".join(rows))
    result = subprocess.run(
        [*IOLAI, "score", str(flood), score_command[-1]], capture_output=True, text=True
    )
    assert result.returncode == 0
    assert result.stderr.count("\n") == 21
    assert "more like these" in result.stderr


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_a_killed_parent_leaves_no_worker(tmp_path: Path) -> None:
    problems, out = tmp_path / "test.csv", tmp_path / "submission.csv"
    write_test_csv(problems, PROBLEMS)
    process = subprocess.Popen(
        [*IOLAI, "solve", str(problems), "--jobs", "2", "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not out.exists() and process.poll() is None:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert _gone(process.pid, within=10.0)


def _gone(session: int, within: float) -> bool:
    """Whether the processes of a session are all gone within some seconds."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        if not _of_session(session):
            return True
        time.sleep(0.05)
    return False


def _of_session(session: int) -> list[str]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(stat.parent.name)
    return found
