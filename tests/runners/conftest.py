"""A host worth attacking, and the checks that a run leaves it as it was."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from runners_harness import Host, left_behind, living_host


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with living_host() as host:
        yield host


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """What the test ran has left no process, mount, cgroup or file behind."""
    before = left_behind()
    yield
    # The dead of a killed iolai wait to be reaped by the system's first process.
    end = time.monotonic() + 3
    while left_behind() != before and time.monotonic() < end:
        time.sleep(0.02)
    assert left_behind() == before
