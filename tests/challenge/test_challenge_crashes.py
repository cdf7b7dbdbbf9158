"""Workers and servers are killed at every boundary; each submission still gets its one verdict."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from crash_service import (
    BATCH_POINTS,
    ENTRY_POINTS,
    KINDS,
    STEPS,
    CrashService,
    crash_service,
    nursery,
)

from iolai.challenge import accounts, teams
from iolai.challenge.service import Actor
from iolai.challenge.state import find_state
from iolai.records import EventKind, Role
from iolai.store import events, runs, submissions

PREDICTIONS, ARCHIVE, REPOSITORY = KINDS


@pytest.fixture
def crash(tmp_path: Path, store_url: str) -> Iterator[CrashService]:
    with crash_service(tmp_path / "home", "" if "sqlite" in store_url else store_url) as service:
        yield service


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_three_kills(crash: CrashService) -> None:
    """A quick look: in a batch, in the run of an entry, and after its verdict."""
    ids = [crash.submit(kind) for kind in KINDS]
    for point in ("batch:worked", "runner:middle", "publish:kept"):
        assert crash.work(f"{point}@") == -9, point
    assert crash.work() == 0
    crash.check(ids)
    assert crash.n_kills == 3


@pytest.mark.slow
@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_run_in_which_workers_die_leaves_no_folder(crash: CrashService) -> None:
    """It is given up by whoever takes over, which then owns what the dead have left."""
    run_id = crash.submit(ARCHIVE)
    for _ in range(3):
        assert crash.work(f"runner:middle@{run_id}") == -9
    assert crash.work() == 0
    with crash.service.store.read() as connection:
        verdict = runs.get_verdict(connection, run_id)
    assert verdict is not None
    assert verdict.outcome == "platform_fault"
    crash.check([run_id])


@pytest.mark.slow
def test_a_kill_at_every_boundary(crash: CrashService) -> None:
    """Each boundary of each kind of entry, one run for each kill; the others go on beside it."""
    ids = []
    for kind in (ARCHIVE, REPOSITORY):
        for point in ENTRY_POINTS:
            ids.append(crash.submit(kind))
            assert crash.work(f"{point}@{ids[-1]}") == -9, point
    for point in BATCH_POINTS:
        ids += [crash.submit(PREDICTIONS) for _ in range(5)]
        assert crash.work(f"{point}@") == -9, point
    assert crash.work() == 0
    crash.check(ids)
    assert crash.n_kills == 2 * len(ENTRY_POINTS) + len(BATCH_POINTS) >= 50


@pytest.mark.slow
def test_one_run_survives_all_boundaries(crash: CrashService) -> None:
    """The same run is broken off at each boundary in turn, save in the midst of its execution."""
    run_id = crash.submit(ARCHIVE)
    points = ["claimed", *(f"{step}:{moment}" for step in STEPS for moment in ("kept", "recorded"))]
    for point in points[:-1]:  # after the last one nothing is left to do
        assert crash.work(f"{point}@{run_id}") == -9, point
    assert crash.work() == 0
    crash.check([run_id])
    assert crash.n_executions(run_id) == 1


@pytest.mark.slow
def test_a_run_that_goes_on_elsewhere_is_attached_to(crash: CrashService) -> None:
    """Workers die around a run on a cluster; it was begun once, and its folder is cleared."""
    run_id = crash.submit(ARCHIVE)
    for point in ("run:started", "runner:attached", "run:worked", "publish:begun"):
        assert crash.work(f"{point}@{run_id}", "attachable") == -9, point
    assert crash.work("-", "attachable") == 0
    crash.check([run_id])
    assert crash.n_executions(run_id) == 1
    assert not (crash.home / run_id).exists()


@pytest.mark.slow
def test_a_fault_of_the_platform_is_tried_three_times(crash: CrashService) -> None:
    """Also where the worker dies before it could take note of the fault."""
    run_id = crash.submit(ARCHIVE)
    assert crash.work(f"runner:begun@{run_id}", "fault") == -9
    assert crash.work(f"given-up@{run_id}", "fault") == -9
    assert crash.work("-", "fault") == 0
    assert crash.n_executions(run_id) == 1 + 3
    assert not list((crash.home / "runs").iterdir()), "swept by the next worker"
    with crash.service.store.read() as connection:
        verdict = runs.get_verdict(connection, run_id)
    assert verdict is not None
    assert (verdict.outcome, verdict.owner) == ("platform_fault", "platform")


@pytest.mark.slow
def test_workers_beside_each_other_never_do_the_same(crash: CrashService) -> None:
    """Three workers, one of which dies in the middle, and each entry is run once."""
    ids = [crash.submit(kind) for _ in range(8) for kind in KINDS]
    entries = [run_id for number, run_id in enumerate(ids) if number % len(KINDS)]
    plans = [f"collect:kept@{entries[5]}"] * 3
    with ExitStack() as stack:
        nurseries = [stack.enter_context(nursery()) for _ in plans]
        for one, plan in zip(nurseries, plans, strict=True):
            crash.begin(one, plan)
        statuses = sorted(crash.status(one) for one in nurseries)
    assert statuses == [-9, 0, 0], "whichever had it died, once"
    assert crash.work() == 0
    crash.check(ids)
    assert {crash.n_executions(run_id) for run_id in entries} <= {1, 2}
    again = [run_id for run_id in entries if crash.n_executions(run_id) == 2]
    assert len(again) < 3, "only what the dead one ran"
    assert crash.n_executions(entries[5]) == 1


@pytest.mark.slow
def test_servers_and_workers_killed_at_any_moment(crash: CrashService, tmp_path: Path) -> None:
    """No submission with a receipt is lost, and none without one is half there.

    Servers accept as fast as they can, workers work; each is killed at a moment of chance, so
    also in the midst of a transaction.
    """
    rng = random.Random(5)  # noqa: S311 -- moments, not secrets
    receipts = tmp_path / "receipts"
    account = accounts.make_account(
        crash.service, Actor.local(), "anna", "a long password", Role.PARTICIPANT
    )
    actor = Actor(account.id, account.name, account.role)
    teams.create_team(crash.service, actor, "crash", "the quick")
    for _ in range(10):
        with server(crash.home, account.id, receipts), living_worker(crash) as worker:
            wait_for_more(receipts)
            time.sleep(rng.uniform(0, 0.5))
            worker.kill()
    accepted = receipts.read_text(encoding="utf-8").split()
    assert crash.work() == 0
    with crash.service.store.read() as connection:
        challenge = find_state(crash.service, connection, "crash").id
        known = [one.id for one in submissions.list_submissions(connection, challenge)]
        found = runs.list_runs(connection, challenge_id=challenge)
        verdicts = [verdict.run for verdict in runs.list_verdicts(connection, challenge)]
        kinds = [EventKind.VERDICT]
        told = [e.run for e in events.list_events(connection, challenge=challenge, kinds=kinds)]
    assert len(accepted) >= 10
    assert set(accepted) <= set(known)
    assert sorted(run.submission for run in found) == sorted(known)
    assert sorted(run.id for run in found) == sorted(verdicts) == sorted(told)


@contextmanager
def server(home: Path, account: str, receipts: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, Path(__file__).with_name("crash_server.py"), home, account, receipts]
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def living_worker(crash: CrashService) -> Iterator[subprocess.Popen[bytes]]:
    command = [Path(sys.executable).with_name("iolai"), "worker", "--home", crash.home]
    with subprocess.Popen(command) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_more(receipts: Path) -> None:
    """Wait until a server has handed out another receipt."""
    before = receipts.stat().st_size if receipts.exists() else 0
    end = time.monotonic() + 60
    while not receipts.exists() or receipts.stat().st_size == before:
        assert time.monotonic() < end, "no server accepts"
        time.sleep(0.02)
