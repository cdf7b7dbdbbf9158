"""Workers and servers are killed at every boundary; each submission still gets its one verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from crash_service import (
    BATCH_POINTS,
    ENTRY_POINTS,
    KINDS,
    STEPS,
    CrashService,
    crash_service,
)

PREDICTIONS, ARCHIVE, REPOSITORY = KINDS


@pytest.fixture
def crash(tmp_path: Path, store_url: str) -> Iterator[CrashService]:
    with crash_service(tmp_path / "home", "" if "sqlite" in store_url else store_url) as service:
        yield service


def test_six_kills(crash: CrashService) -> None:
    """A quick look: before, in and after the run of an entry, and around a batch."""
    ids = [crash.submit(kind) for kind in KINDS]
    for point in ("batch:worked", "fetch:kept", "runner:middle", "run:kept", "score:kept"):
        assert crash.work(f"{point}@") == -9, point
    assert crash.work("publish:kept@") == -9
    assert crash.work() == 0
    crash.check(ids)
    assert crash.n_kills == 6


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
