"""Killed or interrupted at any moment: the file is whole, every item has an answer, nobody stays.

The command runs in a process of its own, on the built-in problems with the induction engine.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from iolai.evaluation import read_builtin
from iolai.formats import builtin_path
from whole_file import assert_whole

PROBLEMS, KEY = read_builtin()
COMMAND = [sys.executable, "-c", "from iolai.cli import main; main()", "solve"]
SECONDS_OF_RUN = 5.0

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to see processes")


def begin(out: Path) -> subprocess.Popen[bytes]:
    """Begin a run of two workers and wait until its file is there."""
    limit = str(2 * SECONDS_OF_RUN)
    run = subprocess.Popen(
        [*COMMAND, str(builtin_path()), "--out", str(out), "--jobs", "2", "--time-limit", limit],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + 30
    while not out.exists():
        assert run.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    return run


def session_of(leader: int) -> list[int]:
    """Return the living processes of a session."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        state, _, _, session = stat.rpartition(")")[2].split()[:4]
        if int(session) == leader and state != "Z":
            found.append(int(folder.name))
    return found


def assert_nobody_stays(leader: int) -> None:
    end = time.monotonic() + 5
    while session_of(leader):
        assert time.monotonic() < end, session_of(leader)
        time.sleep(0.02)


def kill_at_random(out: Path, n_times: int) -> None:
    moments = random.Random(11)  # noqa: S311 - a seed is wanted
    for _ in range(n_times):
        out.unlink(missing_ok=True)
        run = begin(out)
        time.sleep(moments.uniform(0, SECONDS_OF_RUN))
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        assert_whole(out, PROBLEMS, KEY)
        assert_nobody_stays(run.pid)


def test_killed_at_3_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "SECONDS_OF_RUN", 2.0)
    kill_at_random(tmp_path / "out.csv", 3)


@pytest.mark.slow
def test_killed_at_20_random_moments(tmp_path: Path) -> None:
    kill_at_random(tmp_path / "out.csv", 20)


def test_interrupted_it_leaves_a_whole_file_and_nobody_behind(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run = begin(out)
    time.sleep(1.0)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    assert run.wait(10) != 0
    assert_whole(out, PROBLEMS, KEY)
    assert_nobody_stays(run.pid)
