"""A challenge service to test pages with: a home, a clock, people, runs that end at once."""

from __future__ import annotations

import atexit
import functools
import json
import re
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from starlette.testclient import TestClient

from iolai.challenge import accounts, challenges
from iolai.challenge.ledger import record_verdict
from iolai.challenge.service import Actor, Service, open_service
from iolai.formats import builtin_path, read_key
from iolai.records import Role, RunState, Verdict
from iolai.store import runs, submissions
from iolai.web import create_app
from world import score_run

SLUG = "summer"
PASSWORD = "correct horse battery"  # noqa: S105
START = datetime(2026, 7, 1, 8, 0, tzinfo=UTC)
TOML = """\
slug = "summer"
title = "Summer challenge"
description = "Three problems, one month."
rules = "rules.md"
problems = "problems"
key = "problems"
quota_per_day = 3

[phases]
registration = 2026-07-01T00:00:00Z
open = 2026-07-05T00:00:00Z
freeze = 2026-07-25T00:00:00Z
close = 2026-07-31T00:00:00Z

[see]
problems = "open"
"""
RULES = "# Rules\\n\\n- Be *fair*.\\n- <script>alert(1)</script>\\n"


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def move(self, **span: float) -> None:
        self.now += timedelta(**span)

    def set(self, day: int, month: int = 7, hour: int = 8) -> None:
        self.now = datetime(2026, month, day, hour, tzinfo=UTC)


def write_challenge(folder: Path, *, problems: tuple[str, ...] = ("01", "05", "11")) -> Path:
    """Write a challenge of some built-in problems, and return its file."""
    place = folder / "problems"
    for source in sorted(builtin_path().iterdir()):
        if source.name.startswith(problems):
            target = place / source.name
            target.mkdir(parents=True)
            (target / "problem.txt").write_bytes((source / "problem.txt").read_bytes())
    (folder / "rules.md").write_text(RULES.replace("\\n", "\n"), encoding="utf-8")
    path = folder / "challenge.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


@functools.cache
def _portal() -> BlockingPortal:
    """Return the loop of all browsers of this process: one for each request takes half its time."""
    opened = start_blocking_portal()
    atexit.register(opened.__exit__, None, None, None)
    return opened.__enter__()


@dataclass
class Site:
    """A service, its application, and how to visit it."""

    service: Service
    app: FastAPI
    clock: Clock
    folder: Path
    people: dict[str, TestClient] = field(default_factory=dict)

    def visitor(self) -> TestClient:
        """A browser that nobody has logged in with."""
        return self.client(follow_redirects=False, client=("192.0.2.7", 5000))

    def client(self, **options: Any) -> TestClient:
        """What speaks HTTP with the application, by the options of Starlette's test client."""
        made = TestClient(self.app, **options)
        made.portal = _portal()
        return made

    def person(self, name: str, role: Role = Role.PARTICIPANT) -> TestClient:
        """The browser of somebody who is logged in, with an account made where there is none."""
        if name not in self.people:
            accounts.make_account(self.service, Actor.local(), name, PASSWORD, role)
            self.people[name] = self.logged_in(name)
        return self.people[name]

    def logged_in(self, name: str) -> TestClient:
        """A new browser of somebody who has an account: a session lasts some days."""
        browser = self.visitor()
        data = {"name": name, "password": PASSWORD, "csrf": form_text(browser, "/login")}
        assert browser.post("/login", data=data).status_code == 303
        return browser

    def actor(self, name: str) -> Actor:
        account = accounts.get_account(self.service, Actor.local(), name)
        return Actor(account.id, account.name, account.role)

    def program(self, name: str) -> TestClient:
        """A program with a token of somebody who has an account."""
        self.person(name)
        grant = accounts.make_token(self.service, self.actor(name), "tests")
        client = self.visitor()
        client.headers["authorization"] = f"Bearer {grant.token}"
        return client

    def run_all(self, **ends: str | bytes) -> int:
        """End every queued run: predictions are scored, entries crash.

        ``ends`` gives, by submission, another outcome, or the output of a run that succeeds.
        """
        with self.service.store.read() as connection:
            waiting = runs.queued_runs(connection)
            handed_in = {
                run.id: submissions.get_submission(connection, run.submission) for run in waiting
            }
        for run in waiting:
            submission = handed_in[run.id]
            assert submission is not None
            is_file = submission.kind == "predictions"
            end = ends.get(run.submission, "ok" if is_file else "crashed")
            blob = submission.blob if is_file and end == "ok" else ""
            if isinstance(end, bytes):
                blob, end = self.service.blobs.put(end), "ok"
            self._end(run.id, end, blob)
        return len(waiting)

    def _end(self, run_id: str, outcome: str, output: str) -> None:
        service, at = self.service, self.service.stamp()
        if output:
            score_run(service, run_id, service.blobs.read(output))
        owner = "platform" if outcome == "platform_fault" else "entry"
        log = service.blobs.put(b"the end of the log\n")
        verdict = Verdict(run_id, at, outcome, owner, 3, 3, 1.5, 1.0, 20.0, "", "", output, log)
        with service.store.write() as connection:
            runs.update_run(connection, run_id, state=RunState.SCORING, started_at=at)
            run = runs.get_run(connection, run_id)
            assert run is not None
            record_verdict(connection, run, verdict, author="worker")


def make_home(folder: Path) -> None:
    """Make a home with one challenge in it, to be copied: that is faster than making each anew."""
    service = open_service(folder / "home", now=Clock())
    source = folder / "source"
    source.mkdir()
    challenges.create(service, Actor.local(), write_challenge(source))
    service.close()


def make_site(folder: Path, home: Path | None = None, **options: object) -> Site:
    """Open a home with one challenge in it: a copy of ``home``, or one made now."""
    if home is None:
        make_home(folder)
    else:
        shutil.copytree(home, folder, dirs_exist_ok=True)
    clock = Clock()
    service = open_service(folder / "home", now=clock)
    return Site(service, create_app(service, **options), clock, folder)  # type: ignore[arg-type]


def use_database(folder: Path, url: str) -> None:
    """Have the home that will be made in ``folder`` keep its rows in another database."""
    (folder / "home").mkdir(mode=0o700)
    text = f"database = {json.dumps(url)}\n"
    (folder / "home" / "iolai.toml").write_text(text, encoding="utf-8")


def hash_quickly() -> pytest.MonkeyPatch:
    """Make hashing passwords cheap until the patch is undone."""
    from argon2 import PasswordHasher

    patch = pytest.MonkeyPatch()
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    patch.setattr(accounts, "_hasher", lambda: quick)
    return patch


def form_text(browser: TestClient, page: str) -> str:
    """Return the text that a form of a page sends along."""
    found = re.search(r'name="csrf" value="([^"]+)"', browser.get(page).text)
    assert found is not None, page
    return found[1]


def predictions(n_right: int = 99) -> bytes:
    """Return a submission.csv for the built-in problems 01, 05 and 11; so many tasks are right."""
    import csv
    import io
    import json

    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(["id", "pred"])
    names = ("01", "05", "11")
    n = 0
    for source in sorted(builtin_path().iterdir()):
        if source.name.startswith(names):
            for task in read_key(source / "problem.txt"):
                right = [reference.alternatives[0] for reference in task.references]
                n += 1
                given = right if n <= n_right else ["x"] * len(right)
                writer.writerow([task.id, json.dumps(given, ensure_ascii=False)])
    return target.getvalue().encode()
