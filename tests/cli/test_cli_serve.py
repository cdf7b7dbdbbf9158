"""``iolai serve``: a real server with its worker; and the keeper of the worker."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import run
from iolai.cli.supervisor import _RUN, Supervisor
from site_for_tests import make_home


def _until(found: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def _health(port: int) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except OSError:
        return {}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _workers_of(pid: int) -> list[int]:
    """Return the processes that a process started (Linux)."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    tasks = path.parents[1].glob("*/children")
    return [int(one) for task in tasks for one in task.read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks into /proc")
def test_serve_keeps_a_worker(tmp_path: Path) -> None:
    make_home(tmp_path)
    port = _free_port()
    command = [sys.executable, "-c", "from iolai.cli import main; main()", "serve"]
    command += ["--home", str(tmp_path / "home"), "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _until(lambda: _health(port).get("n_workers") == 1)
        (first,) = _workers_of(server.pid)
        os.kill(first, signal.SIGKILL)
        second = _until(lambda: [pid for pid in _workers_of(server.pid) if pid != first])
        assert _health(port)["is_up"]
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
        _until(lambda: not Path(f"/proc/{second[0]}").exists(), 15)
    finally:
        server.kill()
        server.wait()
    said = (tmp_path / "log").read_text()
    assert f"Serving {tmp_path / 'home'}" in said
    assert "it is started again in" in said


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    make_home(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        home = str(tmp_path / "home")
        refused = run("serve", "--home", home, "--port", port, "--no-worker")
    assert refused.code == 2
    assert f"127.0.0.1:{port} cannot be listened on" in refused.err
    assert "--port" in refused.err
    assert "Serving" not in refused.err


def test_a_process_that_ends_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iolai.cli.supervisor._PAUSES", (0.01,))
    with Supervisor(["--version"]) as keeper:
        _until(lambda: keeper.n_starts >= 2)
    n_starts = keeper.n_starts
    time.sleep(0.1)
    assert keeper.n_starts == n_starts
    assert keeper.pid is None


def test_the_process_is_stopped_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iolai.cli.supervisor._RUN", "import time; time.sleep(60)")
    with Supervisor([]) as keeper:
        pid = _until(lambda: keeper.pid)
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_worker_whose_server_ended_before_it_began_does_not_begin() -> None:
    """A server that is killed while its worker starts leaves no worker behind."""
    own, other = str(os.getpid()), "999999999"
    ended = subprocess.run(
        [sys.executable, "-c", _RUN, other, "--version"], capture_output=True, check=False
    )
    assert ended.returncode == 1
    assert b"has ended" in ended.stderr
    begun = subprocess.run(
        [sys.executable, "-c", _RUN, own, "--version"], capture_output=True, check=False
    )
    assert begun.returncode == 0
