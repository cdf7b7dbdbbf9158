"""A host worth attacking, and the checks that a run leaves it as it was."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from runners_harness import Host, left_behind, living_host


@pytest.fixture(scope="module", autouse=True)
def own_temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give these tests a folder of their own for temporary files, so that theirs can be told."""
    tmp_path_factory.getbasetemp()  # stays where it always is
    before = os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="runners-tests-") as folder:
        Path(folder).chmod(0o755)
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        yield
        tempfile.tempdir = None
        del os.environ["TMPDIR"]
        if before is not None:
            os.environ["TMPDIR"] = before


@pytest.fixture(scope="module")
def host(own_temporary_folder: None) -> Iterator[Host]:
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
