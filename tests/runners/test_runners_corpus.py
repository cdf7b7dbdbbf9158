"""Hostile and broken entries: none escapes, none leaves anything, each has its right name."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest
from runners_harness import (
    IDS,
    SECRET,
    Case,
    Host,
    InProcess,
    Worker,
    left_behind,
    read_corpus,
    request_for,
)

CASES = read_corpus()
pytestmark = [pytest.mark.system("bwrap"), pytest.mark.usefixtures("secret_in_environment")]
AnyRunner = InProcess | Worker


@pytest.fixture(scope="module")
def secret_in_environment(host: Host) -> Iterator[None]:
    """A secret, and an open descriptor of the key, that a careless runner would pass on."""
    handle = os.open(host.target["key_path"], os.O_RDONLY)
    os.set_inheritable(handle, True)
    os.environ["IOLAI_TEST_SECRET"] = SECRET
    yield
    del os.environ["IOLAI_TEST_SECRET"]
    os.close(handle)


@pytest.fixture(scope="module", params=["root", "plain"])
def user(request: pytest.FixtureRequest, secret_in_environment: None) -> Iterator[AnyRunner]:
    if request.param == InProcess.kind:
        yield InProcess()
    elif request.param == "root":
        pytest.skip("needs root")
    else:
        worker = Worker()
        yield worker
        worker.close()


def test_the_corpus_is_large() -> None:
    assert len(CASES) >= 40
    assert all(case.expected("expect") for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_entry(case: Case, user: AnyRunner, host: Host) -> None:
    check(case, user, host, None)


# Where the mechanism decides the outcome, the weakest is tried as root too.
COUNTED = ("memory_mib", "n_processes", "cpu_s")
LIMITED = [c for c in CASES if any(name in (c.expected("limits") or "") for name in COUNTED)]


@pytest.mark.parametrize("case", LIMITED, ids=lambda case: case.name)
@pytest.mark.skipif(InProcess.kind != "root", reason="a plain user has had the watchdog already")
def test_entry_under_the_watchdog(case: Case, host: Host) -> None:
    check(case, InProcess(), host, "watchdog")


def check(case: Case, user: AnyRunner, host: Host, mechanism: str | None) -> None:
    if "syscall(" in case.source and platform.machine() != "x86_64":
        pytest.skip("its system calls are numbered as on x86-64")
    before = left_behind()
    folder = host.entry(case.source)
    outcome = user.run(request_for(folder, case.limits), mechanism)
    kinds = (outcome.mechanism.removeprefix("bubblewrap, "), user.kind)
    told = f"{outcome!r}\n{outcome.log_tail}"
    assert outcome.outcome == case.expected("expect", *kinds), told
    assert outcome.owner == "entry"
    assert "ESCAPED" not in outcome.log_tail
    assert not host.contacts
    log = outcome.log_tail.lower()
    assert not any(word in log for word in ("kumari", "mirosel", "\x1b", "\x9b"))
    answered = case.expected("answered", *kinds)
    if answered is not None or outcome.outcome == "ok":
        assert outcome.n_answered == int(answered or len(IDS)), told
    assert (case.expected("detail", *kinds) or "") in outcome.detail, told
    assert (case.expected("log", *kinds) or "") in outcome.log_tail, told
    if (code := case.expected("exit", *kinds)) is not None:
        assert outcome.exit_code == int(code), told
    assert outcome.n_tasks == len(IDS)
    assert outcome.wall_s < case.limits.wall_s + 2
    assert left_behind() == before
    assert Path(host.target["key_path"]).read_text(encoding="utf-8").startswith("id,answer")
