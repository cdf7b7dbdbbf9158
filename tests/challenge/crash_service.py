"""A small service for crash tests: a challenge, a team, submissions of all kinds, dying workers."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iolai.challenge import challenges
from iolai.challenge.queue import enqueue
from iolai.challenge.secrets import new_id
from iolai.challenge.service import Actor, Service, open_service
from iolai.challenge.state import find_state
from iolai.formats import builtin_path
from iolai.records import EventKind, RunState, Submission, SubmissionKind, Team
from iolai.store import events, runs, scores, submissions, teams

WORKER = Path(__file__).with_name("crash_worker.py")
KINDS = (SubmissionKind.PREDICTIONS, SubmissionKind.ARCHIVE, SubmissionKind.REPOSITORY)
#: The points at which a step of a run could be broken off, in their order.
STEPS = ("fetch", "run", "collect", "score", "publish")
MOMENTS = ("begun", "worked", "kept", "recorded")
ENTRY_POINTS = (
    "claimed",
    *(f"{step}:{moment}" for step in STEPS for moment in MOMENTS),
    "runner:begun",
    "runner:middle",
    "runner:ended",
)
BATCH_POINTS = ("batch:claimed", "batch:worked", "batch:kept")


@dataclass
class SmallService:
    """A home with a challenge and a team."""

    home: Path
    service: Service
    team: Team

    def submit(self, kind: SubmissionKind, data: bytes | None = None, team: str = "") -> str:
        """Accept a submission as the service does: its row and its queued run in one go."""
        if data is None:
            data = {
                SubmissionKind.PREDICTIONS: predictions,
                SubmissionKind.ARCHIVE: archive,
                SubmissionKind.REPOSITORY: lambda: b"",
            }[kind]()
        blob = self.service.blobs.put(data) if data else ""
        at = self.service.stamp()
        source = "" if data else "team/entry"
        revision = "" if data else "a1" * 20
        submission = Submission(
            new_id(), self.team.challenge, team or self.team.id, "", kind, at, blob, len(data),
            source, revision,
        )  # fmt: skip
        with self.service.store.write() as connection:
            submissions.add_submission(connection, submission)
            return enqueue(connection, submission, at=at, author="test").id

    def add_team(self, name: str) -> str:
        """Add another team and return its id."""
        with self.service.store.write() as connection:
            team = Team(new_id(), self.team.challenge, name, self.service.stamp())
            teams.add_team(connection, team, name)
        return team.id


@dataclass
class CrashService(SmallService):
    """A small service with the nursery of its workers."""

    nursery: subprocess.Popen[str]
    n_kills: int = 0

    @property
    def journal(self) -> Path:
        return self.home / "journal"

    def work(self, plan: str = "-", kind: str = "-") -> int:
        """Let a worker work until nothing is left or it dies; return its exit status."""
        self.begin(self.nursery, plan, kind)
        return self.status(self.nursery)

    def begin(self, nursery: subprocess.Popen[str], plan: str = "-", kind: str = "-") -> None:
        """Have a nursery start a worker."""
        assert nursery.stdin is not None
        nursery.stdin.write(f"{self.home} {self.journal} {plan} {kind}\n")
        nursery.stdin.flush()

    def status(self, nursery: subprocess.Popen[str]) -> int:
        """Wait until a nursery's worker is gone; return its exit status."""
        assert nursery.stdout is not None
        status = int(nursery.stdout.readline())
        self.n_kills += status == -9
        return status

    def points(self) -> list[tuple[str, str, str]]:
        """Return what was noted: (process, point, run)."""
        lines = self.journal.read_text(encoding="utf-8").splitlines()
        return [tuple(line.split()) for line in lines]  # type: ignore[misc]

    def check(self, run_ids: list[str]) -> None:
        """Check that each run ended in one verdict and that no finished step was done twice."""
        with self.service.store.read() as connection:
            challenge = find_state(self.service, connection, "crash")
            found = runs.list_runs(connection, challenge_id=challenge.id)
            verdicts = runs.list_verdicts(connection, challenge.id)
            told = events.list_events(connection, challenge=challenge.id, kinds=[EventKind.VERDICT])
            scored = {
                run_id
                for run_id in run_ids
                if scores.get_score(connection, run_id, challenge.key) is not None
            }
        assert {run.id for run in found} == set(run_ids)
        assert {run.state for run in found} == {RunState.DONE}
        assert sorted(verdict.run for verdict in verdicts) == sorted(run_ids)
        assert sorted(event.run for event in told) == sorted(run_ids)
        assert scored == {verdict.run for verdict in verdicts if verdict.output}
        assert not list((self.home / "runs").iterdir())
        self.check_steps()

    def check_steps(self) -> None:
        """A step whose result was kept never begins again."""
        kept: set[tuple[str, str]] = set()
        for _, point, run_id in self.points():
            step, _, moment = point.partition(":")
            if step not in STEPS:
                continue
            assert moment not in ("begun", "worked") or (run_id, step) not in kept, (run_id, point)
            if moment == "kept":
                kept.add((run_id, step))

    def n_executions(self, run_id: str) -> int:
        """Count how often an entry was begun."""
        return Counter(p for _, p, r in self.points() if r == run_id)["runner:begun"]


@contextmanager
def small_service(home: Path, database: str = "") -> Iterator[SmallService]:
    """Make the home and the challenge; ``database`` is a URL, or empty for the home's own."""
    home.mkdir()
    settings = f'database = "{database}"\n' if database else ""
    settings += "[rates]\nsubmit = [1000000, 1]\n"
    (home / "iolai.toml").write_text(settings, encoding="utf-8")
    service = open_service(home)
    (home / "challenge.toml").write_text(_TOML.format(problems=builtin_path()), encoding="utf-8")
    challenges.create(service, Actor.local(), home / "challenge.toml")
    with service.store.write() as connection:
        state = find_state(service, connection, "crash")
        teams.add_team(connection, Team(new_id(), state.id, "one", service.stamp()), "one")
    service.close()
    with opened(home) as small:
        yield small


@contextmanager
def opened(home: Path) -> Iterator[SmallService]:
    """Open a home that ``small_service`` made."""
    service = open_service(home)
    with service.store.read() as connection:
        challenge = find_state(service, connection, "crash").id
        team = teams.find_team_named(connection, challenge, "one")
    assert team is not None
    try:
        yield SmallService(home, service, team)
    finally:
        service.close()


@contextmanager
def nursery() -> Iterator[subprocess.Popen[str]]:
    """Start a process that starts workers; it ends with the block."""
    command = [sys.executable, str(WORKER)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@contextmanager
def crash_service(home: Path, database: str = "") -> Iterator[CrashService]:
    """Make a small service and the nursery of its workers; end them."""
    with small_service(home, database) as small, nursery() as process:
        yield CrashService(small.home, small.service, small.team, process)


_TOML = """
slug = "crash"
title = "Crash"
problems = "{problems}"
key = "{problems}"
quota_per_day = 100000
[phases]
registration = 2026-01-01T00:00:00Z
open = 2026-01-02T00:00:00Z
close = 2060-01-01T00:00:00Z
[split]
public = 2
"""


def predictions() -> bytes:
    from iolai.formats import read_document

    problems = read_document(builtin_path()).problems
    assert problems is not None
    token = new_id()
    return ("id,pred\n" + "".join(f"{task.id},{token}\n" for task in problems.tasks)).encode()


def archive(files: dict[str, bytes] | None = None) -> bytes:
    if files is None:
        script = f"print({new_id()!r})\n".encode()
        manifest = f"{hashlib.sha256(script).hexdigest()}  script.py\n".encode()
        files = {"MANIFEST.sha256": manifest, "script.py": script}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as packed:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    return stream.getvalue()
