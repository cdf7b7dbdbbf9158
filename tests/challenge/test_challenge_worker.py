"""Worker processes as an organiser starts them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from crash_service import KINDS, SmallService, archive, small_service
from sqlalchemy.exc import OperationalError

from iolai.challenge.health import check_health, metrics_text
from iolai.challenge.takeover import take_over
from iolai.challenge.worker import LOST_EXIT, WorkerOptions, work_for
from iolai.challenge.workplace import Workplace
from iolai.errors import NoRoomError
from iolai.records import EventKind, RunState, Verdict
from iolai.store import claims, events, runs, workers

PREDICTIONS, ARCHIVE, _ = KINDS

ANSWERS = b"""
import csv
with open("/tmp/data/test.csv", encoding="utf-8", newline="") as source:
    ids = [row["id"] for row in csv.DictReader(source)]
with open("submission.csv", "w", encoding="utf-8", newline="") as target:
    rows = csv.writer(target)
    rows.writerow(["id", "pred"])
    rows.writerows([task, "kumari"] for task in ids)
print("answered", len(ids))
"""
SLOW = (
    b"""
import time
print("waiting", flush=True)
time.sleep(2)
"""
    + ANSWERS
)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallService]:
    with small_service(tmp_path / "home") as small:
        yield small


@contextmanager
def worker(small: SmallService, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [Path(sys.executable).with_name("iolai"), "worker", "--home", small.home, *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(what: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


def verdict(small: SmallService, run_id: str) -> Verdict | None:
    with small.service.store.read() as connection:
        return runs.get_verdict(connection, run_id)


def state(small: SmallService, run_id: str) -> RunState:
    with small.service.store.read() as connection:
        run = runs.get_run(connection, run_id)
    assert run is not None
    return run.state


@pytest.mark.system("bwrap")
def test_a_worker_runs_entries_in_the_sandbox_and_drains(small: SmallService) -> None:
    entry = small.submit(ARCHIVE, archive({"script.py": ANSWERS}))
    file = small.submit(PREDICTIONS)
    with worker(small, "--drain", "--json-logs") as process:
        assert process.wait(60) == 0
        assert process.stderr is not None
        lines = [json.loads(line) for line in process.stderr.read().splitlines()]
    assert [line["event"] for line in lines] == ["worker ready", "worker ended"]
    assert all(line["logger"] == "iolai.worker" and line["timestamp"] for line in lines)
    done = verdict(small, entry)
    assert done is not None
    assert (done.outcome, done.n_answered) == ("ok", done.n_tasks)
    assert done.mechanism.startswith("bubblewrap")
    assert small.service.blobs.read(done.log).startswith(b"answered")
    assert verdict(small, file) is not None
    with small.service.store.read() as connection:
        assert not workers.list_workers(connection), "it said good-bye"


@pytest.mark.system("bwrap")
def test_a_first_signal_lets_the_run_end(small: SmallService) -> None:
    slow = small.submit(ARCHIVE, archive({"script.py": SLOW}))
    with worker(small) as process:
        wait_for(lambda: state(small, slow) is RunState.RUNNING)
        waiting = small.submit(ARCHIVE, archive({"script.py": ANSWERS}))
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    done = verdict(small, slow)
    assert done is not None
    assert done.outcome == "ok"
    assert state(small, waiting) is RunState.QUEUED


def test_a_worker_that_was_taken_for_dead_ends_itself(small: SmallService) -> None:
    with worker(small, "--lease", "1") as process:
        found: list[str] = []

        def is_there() -> bool:
            with small.service.store.read() as connection:
                found[:] = [row.id for row in workers.list_workers(connection)]
            return bool(found)

        wait_for(is_there)
        with small.service.store.write() as connection:
            workers.end_worker(connection, found[0], small.service.stamp())
        assert process.wait(20) == LOST_EXIT


def test_health_tells_what_is_not_well(small: SmallService) -> None:
    small.submit(PREDICTIONS)
    health = check_health(small.service)
    assert (health.state, health.is_up) == ("degraded", True)
    assert health.faults == ("no worker lives; 1 runs wait",)
    assert (health.n_waiting, health.n_running) == (1, 0)
    with worker(small):
        wait_for(lambda: check_health(small.service).n_workers == 1)
        wait_for(lambda: not check_health(small.service).n_waiting)
    wait_for(lambda: check_health(small.service).n_workers == 0, 5)


def test_a_database_that_is_gone_is_said_not_raised(small: SmallService) -> None:
    with small.service.store.write() as connection:
        connection.exec_driver_sql("ALTER TABLE run RENAME TO gone")
    health = check_health(small.service)
    assert (health.state, health.is_up) == ("down", False)
    assert "iolai_up 0.0" in metrics_text(small.service).decode()


def test_metrics_count_what_the_store_holds(small: SmallService) -> None:
    small.submit(PREDICTIONS)
    small.submit(ARCHIVE)
    text = metrics_text(small.service).decode()
    for line in (
        "iolai_up 1.0",
        'iolai_runs{state="queued"} 2.0',
        'iolai_runs{state="done"} 0.0',
        'iolai_submissions{kind="archive"} 1.0',
        'iolai_events{kind="worker_lost"} 0.0',
        "iolai_workers 0.0",
    ):
        assert line in text.splitlines(), line


@pytest.mark.slow
@pytest.mark.system("bwrap")
def test_what_a_killed_worker_ran_is_run_again(small: SmallService) -> None:
    """Its sandbox died with it; the next worker runs the entry from its beginning."""
    slow = small.submit(ARCHIVE, archive({"script.py": SLOW}))
    with worker(small) as process:
        wait_for(lambda: state(small, slow) is RunState.RUNNING)
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with worker(small, "--drain") as process:
        assert process.wait(60) == 0
    done = verdict(small, slow)
    assert done is not None
    assert done.outcome == "ok"
    with small.service.store.read() as connection:
        assert claims.count_held(connection) == 0


def test_a_worker_without_a_home_says_so(tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("iolai"), "worker", "--home", tmp_path / "typo"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no service in" in done.stderr
    assert not (tmp_path / "typo").exists()


def test_a_worker_keeps_house(small: SmallService) -> None:
    """What comes due by the clock is done though nobody asks for a page."""
    late = small.service.now() + timedelta(days=40 * 365)
    service = replace(small.service, now=lambda: late)
    run_id = small.submit(PREDICTIONS)
    work_for(service, WorkerOptions(drain=True))
    assert verdict(small, run_id) is not None
    with small.service.store.read() as connection:
        locked = events.list_events(connection, kinds=[EventKind.SELECTION_LOCKED])
    assert [event.team for event in locked] == [small.team.id]


def test_a_worker_sweeps_what_the_dead_were_writing(small: SmallService) -> None:
    blob = small.service.blobs.put(b"a blob, however old")
    folder = small.service.blobs.path(blob).parent
    paths = [folder / ".new-old", folder / ".new-young", small.service.blobs.path(blob)]
    for path, age_s in zip(paths, (90_000, 60, 90_000), strict=True):
        path.touch()
        at = time.time() - age_s
        os.utime(path, (at, at))
    work_for(small.service, WorkerOptions(drain=True))
    assert [path.exists() for path in paths] == [False, True, True]


@pytest.mark.parametrize(
    "away",
    [
        OperationalError("SELECT", {}, Exception("the server is gone")),
        NoRoomError("the database cannot be written"),
    ],
    ids=["gone", "full"],
)
def test_a_database_that_is_away_for_a_moment_is_waited_for(
    small: SmallService, monkeypatch: pytest.MonkeyPatch, away: Exception
) -> None:
    times: list[int] = []

    def away_at_first(place: Workplace, lease_s: float) -> tuple[str, ...]:
        times.append(1)
        if len(times) == 1:
            raise away
        return take_over(place, lease_s)

    monkeypatch.setattr("iolai.challenge.worker.take_over", away_at_first)
    monkeypatch.setattr("iolai.challenge.worker._AWAY_S", 0.01)
    run_id = small.submit(PREDICTIONS)
    work_for(small.service, WorkerOptions(drain=True))
    assert verdict(small, run_id) is not None
    assert len(times) > 1
