"""Killing the server while marks are saved: none acknowledged is lost, none is there twice.

The client does what the desk's script does: it sends a mark again under the same id until it is
acknowledged.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from iolai.challenge import accounts
from iolai.jury.marking import allowed_points
from iolai.store import open_store
from iolai.store.marks import list_marks
from jury_for_tests import begun, new_id
from site_for_tests import SLUG, make_site, use_database

SERVER = Path(__file__).with_name("jury_server.py")


@dataclass
class Client:
    """A juror's program that saves marks without end; ``kept`` are those acknowledged, by id."""

    address: str
    token: str
    choices: list[tuple[str, float]]
    kept: dict[str, tuple[str, float]] = field(default_factory=dict)
    n_repeated: int = 0
    done: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        draw = random.Random(4)  # noqa: S311
        with httpx.Client(headers={"authorization": f"Bearer {self.token}"}) as client:
            while not self.done.is_set():
                batch = {new_id(): draw.choice(self.choices) for _ in range(draw.randint(1, 3))}
                self._send(client, batch)

    def _send(self, client: httpx.Client, batch: dict[str, tuple[str, float]]) -> None:
        marks = [
            {"client_id": name, "criterion": criterion, "points": points, "rubric_version": 1}
            for name, (criterion, points) in batch.items()
        ]
        while not self.done.is_set():
            try:
                answer = client.post(self.address, json={"marks": marks}, timeout=20)
            except httpx.TransportError:
                self.n_repeated += 1
                time.sleep(0.01)
                continue
            assert answer.status_code == 200, answer.text
            assert all(one["kept"] for one in answer.json()), answer.text
            self.kept |= batch
            return


@contextmanager
def _nursery(home: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, SERVER, home]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        process.wait(20)


def _serve(nursery: subprocess.Popen[str], port: int) -> int:
    """Have a server started; return its process number once it answers."""
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    nursery.stdin.write(f"{port}\n")
    nursery.stdin.flush()
    child = int(nursery.stdout.readline())
    for _ in range(3_000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return child
        time.sleep(0.01)
    raise AssertionError("the server does not answer")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_ON_POSTGRESQL = [pytest.mark.system("postgresql"), pytest.mark.slow]


@pytest.mark.parametrize(
    ("n_kills", "database"),
    [
        (3, "sqlite"),
        pytest.param(24, "sqlite", marks=pytest.mark.slow),
        pytest.param(3, "postgresql", marks=_ON_POSTGRESQL),
    ],
)
def test_no_acknowledged_mark_is_lost(
    tmp_path: Path, n_kills: int, database: str, request: pytest.FixtureRequest
) -> None:
    if database == "postgresql":
        use_database(tmp_path, request.getfixturevalue("postgres_server").new_database())
    site = make_site(tmp_path)
    url = site.service.store.url
    marking = begun(site, problems=("1000101",))
    (number, *_) = marking.numbers("juror-a")
    choices = [
        (one.id, points)
        for one in marking.criteria("juror-a", number)
        for points in allowed_points(one)
    ]
    token = accounts.make_token(site.service, site.actor("juror-a"), "desk").token
    site.service.close()
    port, draw = _free_port(), random.Random(n_kills)  # noqa: S311
    address = f"http://127.0.0.1:{port}/api/v1/challenges/{SLUG}/jury/papers/{number}/marks"
    client = Client(address, token, choices)
    thread = threading.Thread(target=client.run)
    with _nursery(tmp_path / "home") as nursery:
        child = _serve(nursery, port)
        thread.start()
        for _ in range(n_kills):
            before = len(client.kept)
            while len(client.kept) < before + 3:  # under load, a server may need long to begin
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.05))
            os.kill(child, signal.SIGKILL)
            child = _serve(nursery, port)
        client.done.set()
        thread.join(30)
        os.kill(child, signal.SIGKILL)
    _check(url, client, n_kills)


def _check(url: str, client: Client, n_kills: int) -> None:
    store = open_store(url)
    with store.read() as connection:
        (challenge,) = {row[0] for row in connection.exec_driver_sql("select id from challenge")}
        found = list_marks(connection, challenge)
    store.close()
    kept = {mark.client_id: (mark.criterion, mark.points) for mark in found}
    assert len(kept) == len(found), "a mark is there twice"
    assert client.n_repeated >= 1
    assert len(client.kept) >= 3 * n_kills
    lost = [name for name, value in client.kept.items() if kept.get(name) != value]
    assert lost == []
