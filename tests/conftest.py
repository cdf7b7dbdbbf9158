"""What all tests share: data that lies beside the project, system packages, small scores."""

from __future__ import annotations

import gc
import math
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from iolai.metrics import summarise
from iolai.records import ItemScore, Rates, Score, Signature, TaskScore
from postgres import PostgresServer
from world import World, make_world

#: What tells that a system package is there. `make system-deps` installs them all.
SYSTEM_PACKAGES = {
    "bwrap": Path("/usr/bin/bwrap"),
    "chromium": Path("/usr/bin/chromium"),
    "fonts-noto-core": Path("/usr/share/fonts/truetype/noto"),
    "pango": next(iter(Path("/usr/lib").glob("*/libpangoft2-1.0.so.0")), Path("/no/pango")),
    "postgresql": Path("/usr/lib/postgresql"),
    "slurm": Path("/usr/sbin/slurmctld"),
}
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

MakeScore = Callable[..., Score]


def pytest_configure() -> None:
    """Take the signals that a shell's background, or nohup, would have ignored."""
    for number, handler in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGQUIT, signal.SIG_DFL),
        (signal.SIGHUP, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_finish() -> None:
    """Collect garbage seldom: looking through all modules again and again takes a fifth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose system package is absent; fail it where IOLAI_REQUIRE_SYSTEM is 1."""
    for marker in item.iter_markers("system"):
        (package,) = marker.args
        if SYSTEM_PACKAGES[package].exists():
            continue
        reason = f"needs the system package {package}: run `make system-deps`"
        if os.environ.get("IOLAI_REQUIRE_SYSTEM") == "1":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def records_folder() -> Path:
    """The archived records of 2026, which are no part of the project."""
    folder = SHARED_DATA / "iol2026-records"
    if not folder.is_dir():
        pytest.skip(f"needs the archived records in {folder}")
    return folder


@pytest.fixture(scope="session")
def finished_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small study whose calls are all made; a test that writes there copies it."""
    from iolai.study.running import run_study
    from iolai.study.study_file import read_study
    from study_for_tests import write_study

    folder = write_study(tmp_path_factory.mktemp("study"))
    run_study(read_study(folder))
    return folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server of the tests' own, in a temporary folder, on a socket alone."""
    with PostgresServer() as server:
        yield server


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.system("postgresql"))]
)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a fresh, empty database: a test that takes it runs on SQLite and PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.sqlite'}"
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_database()


@pytest.fixture
def make_score() -> MakeScore:
    """Make a score from (exact match, chrF) by task id; all tasks are worth 1 point or as given."""
    return score_of


def score_of(
    figures: Mapping[str, tuple[float, float]],
    *,
    points: Mapping[str, float] | None = None,
    task_types: Mapping[str, str] | None = None,
    answers: Mapping[str, tuple[str, ...]] | None = None,
    version: str = "0",
) -> Score:
    """Make a score whose tasks have the given means; every other task is in the public split."""
    tasks = []
    for index, (task_id, (exact_match, chrf)) in enumerate(figures.items()):
        texts = (answers or {}).get(task_id, (f"answer {task_id}",))
        tasks.append(
            TaskScore(
                id=task_id,
                task_type=(task_types or {}).get(task_id, "translation"),
                split=("public", "private")[index % 2],
                points=(points or {}).get(task_id, 1.0),
                items=tuple(ItemScore(text, exact_match, chrf) for text in texts),
                exact_match=exact_match,
                chrf=chrf,
                answered=True,
                n_read=len(texts),
                is_json_list=True,
                has_explanation=False,
            )
        )
    assert not any(math.isnan(task.exact_match) for task in tasks)
    return Score(
        overall=summarise(tasks),
        splits={
            split: summarise(task for task in tasks if task.split == split)
            for split in ("public", "private")
        },
        by_task_type={
            name: summarise(task for task in tasks if task.task_type == name)
            for name in sorted({task.task_type for task in tasks})
        },
        tasks=tuple(tasks),
        rates=Rates(0.0, 100.0, 100.0, 0.0, 0, 0),
        signature=Signature(version=version),
    )


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with the least work that argon2id allows."""
    from argon2 import PasswordHasher

    from iolai.challenge import accounts

    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "_hasher", lambda: hasher)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A challenge service of its own, on SQLite."""
    made = make_world(tmp_path)
    yield made
    made.service.close()


@pytest.fixture
def any_world(tmp_path: Path, store_url: str) -> Iterator[World]:
    """The same on SQLite and on PostgreSQL."""
    made = make_world(tmp_path, store_url)
    yield made
    made.service.close()
