"""docs/guide-organiser.md, done: every command runs, in its order, on the service it starts."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from command_line import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/guide-organiser.md").read_text(encoding="utf-8")


def _commands() -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert all(line.startswith("$ iolai ") for line in lines)
    return [shlex.split(line)[2:] for line in lines]


def _serve(words: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as stream:
        return subprocess.Popen(
            [sys.executable, "-c", "from iolai.cli import main; main()", *words],
            stdout=stream,
            stderr=stream,
        )


def _answers(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return b'"n_workers":1' in answer.read()
    except OSError:
        return False


def test_every_command_runs_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("IOLAI_SERVER", "IOLAI_TOKEN", "IOLAI_HOME"):
        monkeypatch.delenv(name, raising=False)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "password").write_text("correct horse battery\n", encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    known: dict[str, str] = {}  # what a reader reads off and puts in
    server: subprocess.Popen[bytes] | None = None
    try:
        for words in _commands():
            told = [word.replace("8000", port) for word in words]
            if told[0] == "serve":
                server = _serve(told, tmp_path / "serve.log")
                end = time.monotonic() + 60
                while not _answers(port):
                    assert time.monotonic() < end, (tmp_path / "serve.log").read_text()
                    time.sleep(0.1)
                continue
            outcome = run(*(known.get(word, word) for word in told))
            assert outcome.code == 0, (words, outcome.err)
            if told[:2] == ["admin", "public-key"]:
                known["PUBLIC_KEY"] = outcome.out.strip()
            if told[0] == "submit":
                known["SUBMISSION"] = outcome.out.split()[0]
    finally:
        if server is not None:
            server.terminate()
            server.wait(30)
    assert server is not None


def test_every_command_that_is_named_is_there() -> None:
    named = set(re.findall(r"iolai ((?:[a-z-]+ )?[a-z-]+)", PAGE))
    for words in ("challenge create", "challenge publish", "admin backup", "team receipts"):
        assert words in named
        assert run(*words.split(), "--help").code == 0
