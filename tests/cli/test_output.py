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
