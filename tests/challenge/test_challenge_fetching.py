"""Repositories, from a stand-in of a hub's HTTP interface on loopback."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from iolai.challenge.fetching import FetchError, HubSource
from iolai.challenge.unpacking import RefusedError, UnpackLimits

pytest.importorskip("huggingface_hub", reason="needs the library of the extra hf")

FIRST, SECOND = "a1" * 20, "b2" * 20


class Hub(ThreadingHTTPServer):
    """One repository, ``team/entry``: two commits, of which the second is on the branch."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.commits: dict[str, dict[str, bytes]] = {
            FIRST: {"script.py": b"print(1)\n", "data/words.txt": b"kumari\n"},
            SECOND: {"script.py": b"print(2)\n"},
        }
        self.branches = {"main": SECOND, "v1": FIRST}
        self.broken = ""
        self.claimed_size: int | None = None


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        parts = self.path.partition("?")[0].strip("/").split("/")
        if self.server.broken and self.server.broken in self.path:
            self.answer(503, b"down")
        elif parts[:2] == ["api", "models"]:
            self.model("/".join(parts[2:4]), "/".join(parts[5:]))
        elif parts[:3] == ["team", "entry", "resolve"]:
            data = self.server.commits[parts[3]].get("/".join(parts[4:]))
            if data is None:
                self.answer(404, b"", {"X-Error-Code": "EntryNotFound"})
            else:
                etag = f'"{hashlib.sha256(data).hexdigest()}"'
                self.answer(200, data, {"ETag": etag, "X-Repo-Commit": parts[3]})

    def model(self, repository: str, revision: str) -> None:
        commit = self.server.branches.get(revision, revision)
        if repository != "team/entry":
            self.answer(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif commit not in self.server.commits:
            self.answer(404, b"", {"X-Error-Code": "RevisionNotFound"})
        else:
            size = self.server.claimed_size
            files = [
                {"rfilename": name, "size": len(data) if size is None else size}
                for name, data in self.server.commits[commit].items()
            ]
            value = {"id": repository, "modelId": repository, "sha": commit, "siblings": files}
            self.answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def answer(self, code: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_PROGRESS_BARS", True)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    with Hub() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def source_of(hub: Hub) -> HubSource:
    return HubSource(endpoint=hub.url, token=None)


@pytest.mark.parametrize(("revision", "commit"), [("main", SECOND), ("v1", FIRST), (FIRST, FIRST)])
def test_a_revision_is_pinned_to_its_commit(hub: Hub, revision: str, commit: str) -> None:
    assert source_of(hub).resolve("team/entry", revision) == commit


def test_the_files_are_those_of_the_commit(hub: Hub, tmp_path: Path) -> None:
    """The branch moved on after acceptance: what was pinned is what comes."""
    root = source_of(hub).fetch("team/entry", FIRST, tmp_path / "t", UnpackLimits())
    found = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}
    assert found == {"script.py", "data/words.txt"}
    assert (root / "script.py").read_bytes() == b"print(1)\n"


@pytest.mark.parametrize(
    ("repository", "revision", "rule"),
    [
        ("team/gone", "main", "not there, or not public"),
        ("team/entry", "gone", "no revision gone"),
        ("../etc", "main", "names no repository"),
        ("team/entry/more", "main", "names no repository"),
        ("team/entry", "main?x=1", "names no repository"),
    ],
)
def test_what_is_not_there_is_the_teams(
    hub: Hub, repository: str, revision: str, rule: str
) -> None:
    with pytest.raises(RefusedError, match=rule):
        source_of(hub).resolve(repository, revision)


def test_a_branch_cannot_be_fetched(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no full commit hash"):
        source_of(hub).fetch("team/entry", "main", tmp_path / "t", UnpackLimits())


def test_too_large_is_refused_before_it_is_fetched(hub: Hub, tmp_path: Path) -> None:
    hub.claimed_size = 2 << 20
    with pytest.raises(RefusedError, match="larger than 3 MiB"):
        source_of(hub).fetch("team/entry", FIRST, tmp_path / "t", UnpackLimits(max_bytes=3 << 20))
    with pytest.raises(RefusedError, match="more than 1 files"):
        source_of(hub).fetch("team/entry", FIRST, tmp_path / "t", UnpackLimits(max_files=1))
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("broken", ["api/models", "words.txt"])
def test_a_hub_that_is_down_is_ours(hub: Hub, broken: str, tmp_path: Path) -> None:
    hub.broken = broken
    with pytest.raises(FetchError, match=r"team/entry cannot be fetched: the hub answered with st"):
        source_of(hub).fetch("team/entry", FIRST, tmp_path / "t", UnpackLimits())


def test_a_hub_that_is_not_there_is_ours(tmp_path: Path) -> None:
    source = HubSource(endpoint="http://127.0.0.1:9", token=None)
    with pytest.raises(FetchError) as caught:
        source.resolve("team/entry", "main")
    assert caught.value.message == "team/entry cannot be fetched: no connection to the hub"


def test_a_network_that_is_not_there_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says of it ([Errno -3] ...) tells nobody anything."""

    def no_network(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    with pytest.raises(FetchError) as caught:
        HubSource(endpoint="http://hub.invalid", token=None).resolve("team/entry", "main")
    assert "the name of the hub is not found (is there a network?)" in caught.value.message
    assert "Errno" not in caught.value.message


def test_a_repository_without_a_script_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.commits[SECOND] = {"README.md": b"nothing"}
    with pytest.raises(RefusedError, match=r"no script\.py"):
        source_of(hub).fetch("team/entry", SECOND, tmp_path / "t", UnpackLimits())
