"""Closed and full standard streams, and signals that ask the program to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

IOLAI = [sys.executable, "-c", "from iolai.cli import main; main()"]


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """A folder in which there is something to find."""
    (tmp_path / "script.py").write_text("import os, nowhere\n", encoding="utf-8")
    return tmp_path


def shell(entry: Path, redirections: str) -> subprocess.CompletedProcess[str]:
    words = " ".join(f"'{word}'" for word in [*IOLAI, "entry", "check", entry, "--json"])
    command = ["sh", "-c", f"{words} {redirections}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("redirections", ["2>&-", "2>/dev/full", "<&- 2>&-", "<&-"])
def test_results_come_whatever_becomes_of_stderr(entry: Path, redirections: str) -> None:
    done = shell(entry, redirections)
    assert done.returncode == 1
    assert "missing-module" in {finding["kind"] for finding in json.loads(done.stdout)}


@pytest.mark.parametrize("redirections", [">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_closed_stdout_is_no_fault(entry: Path, redirections: str) -> None:
    done = shell(entry, redirections)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_complaints_to_a_full_stderr_keep_the_exit_code(entry: Path) -> None:
    words = [*IOLAI, "score", entry / "absent.csv"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=full, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.system("bwrap")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_asked_to_end_it_takes_the_run_away(entry: Path, number: signal.Signals) -> None:
    (entry / "script.py").write_text(
        "import time\nprint('asleep')\ntime.sleep(60)\n", encoding="utf-8"
    )
    process = subprocess.Popen(
        [*IOLAI, "entry", "run", entry], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    while "asleep" not in (line := process.stderr.readline()):
        assert line
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (128 + number, "")
    assert not list(Path("/sys/fs/cgroup").rglob(f"iolai-{process.pid}-*"))


def test_an_interrupt_while_it_loads_is_quiet(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'iolai.cli.app':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from iolai.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_under_nohup_a_hangup_stays_ignored(entry: Path) -> None:
    (entry / "script.py").write_text(
        "import time\nprint('asleep', flush=True)\ntime.sleep(1)\n", encoding="utf-8"
    )
    process = subprocess.Popen(
        [*IOLAI, "entry", "run", entry, "--trusted"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # noqa: PLW1509
    )
    assert process.stderr is not None
    while "asleep" not in (line := process.stderr.readline()):
        assert line
    os.kill(process.pid, signal.SIGHUP)
    time.sleep(0.2)
    process.communicate(timeout=30)
    assert process.returncode == 1
