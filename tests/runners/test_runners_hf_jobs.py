"""Hugging Face Jobs, against a stand-in of the service's HTTP interface on loopback."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from runners_harness import FAST, Host, request_for

from iolai.errors import InputError, MissingPartError
from iolai.runners import AttachableRunner, hf_jobs
from iolai.runners.hf_jobs import HfJobsRunner

pytest.importorskip("huggingface_hub", reason="needs the library of the extra hf")

GOOD = "from harmless import answer\nprint('running')\nanswer()\n"
TOKEN = "hf_the_organisers_own"  # noqa: S105


class StandIn(ThreadingHTTPServer):
    """Repositories, commits and jobs; a job's command runs in namespaces of its own."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.jobs: dict[str, dict[str, Any]] = {}
        self.commits: list[list[dict[str, Any]]] = []
        self.message: str | None = None

    def commit(self, lines: list[dict[str, Any]]) -> None:
        self.commits.append(lines)
        for line in lines:
            path = self.folder / line["value"].get("path", "")
            if line["key"] == "file":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(base64.b64decode(line["value"]["content"]))
            elif line["key"] == "deletedFolder":
                shutil.rmtree(path)

    def begin(self, spec: dict[str, Any]) -> dict[str, Any]:
        number = f"job{len(self.jobs)}"
        volume = self.folder / spec["volumes"][0]["path"]
        setup = 'mount --bind "$1" /mnt; mount -t tmpfs none /tmp; cd /; shift; "$@"; exit $?'
        names = ["--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child=KILL"]
        command = ["unshare", *names, "sh", "-c", setup, "job"]
        process = subprocess.Popen(
            [*command, str(volume), *spec["command"]],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin"},
        )
        job = {"spec": spec, "process": process, "lines": [], "stage": "RUNNING", "id": number}
        self.jobs[number] = job
        threading.Thread(target=self._follow, args=(job,), daemon=True).start()
        return job

    def _follow(self, job: dict[str, Any]) -> None:
        with job["process"] as process:
            for line in process.stdout:
                job["lines"].append(line.decode("utf-8", "replace").rstrip("\n"))
        if job["stage"] == "RUNNING":
            job["stage"] = "ERROR" if process.returncode else "COMPLETED"

    def info(self, job: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": job["id"],
            "owner": {"id": "1", "name": "org", "type": "org"},
            "status": {"stage": job["stage"], "message": self.message},
        }


class Handler(BaseHTTPRequestHandler):
    server: StandIn

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        assert self.headers["Authorization"] == f"Bearer {TOKEN}"
        parts = self.path.split("?")[0].strip("/").split("/")
        if parts[:3] == ["api", "repos", "create"]:
            self.answer({"url": f"{self.server.url}/datasets/org/runs"})
        elif parts[-2] == "preupload":
            files = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False}
                     for f in json.loads(body)["files"]]  # fmt: skip
            self.answer({"files": files})
        elif parts[-2] == "commit":
            self.server.commit([json.loads(line) for line in body.splitlines()])
            oid = "c0" * 20
            url = f"{self.server.url}/datasets/org/runs/commit/{oid}"
            self.answer({"success": True, "commitOid": oid, "commitUrl": url})
        elif parts[:2] == ["api", "jobs"] and parts[-1] == "cancel":
            job = self.server.jobs[parts[3]]
            job["stage"] = "CANCELED"
            job["process"].kill()
            self.answer({})
        elif parts[:2] == ["api", "jobs"]:
            self.answer(self.server.info(self.server.begin(json.loads(body))))
        else:
            self.send_error(404)

    def do_GET(self) -> None:
        parts = self.path.split("?")[0].strip("/").split("/")
        if parts[:2] != ["api", "jobs"] or parts[3] not in self.server.jobs:
            self.send_error(404)
        elif parts[-1] == "logs":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for line in list(self.server.jobs[parts[3]]["lines"]):
                event = json.dumps({"data": line, "timestamp": "2026-01-01T00:00:00Z"})
                self.wfile.write(f"data: {event}\n\n".encode())
        else:
            self.answer(self.server.info(self.server.jobs[parts[3]]))

    def answer(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def service(host: Host) -> Iterator[StandIn]:
    folder = host.base / f"hub-{time.monotonic_ns()}"
    folder.mkdir()
    with StandIn(folder) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def runner(service: StandIn) -> HfJobsRunner:
    return HfJobsRunner(repo="org/runs", token=TOKEN, endpoint=service.url, poll_s=0.05)


def test_a_run(runner: HfJobsRunner, service: StandIn, host: Host) -> None:
    seen: list[str] = []
    folder = host.entry(GOOD, {"model/word list.txt": "ʻolelo\n"})
    outcome = runner.run(request_for(folder), seen.append)
    assert (outcome.outcome, outcome.owner, outcome.n_answered) == ("ok", "entry", 3), outcome
    assert outcome.mechanism.startswith("hf_jobs t4-medium, ")
    assert outcome.output is not None
    assert outcome.output.startswith(b"id,pred,explanation\r\n")
    assert outcome.log_tail.strip() == "running"
    assert "".join(seen) == outcome.log_tail
    assert not list(service.folder.iterdir())


def test_what_the_service_is_asked(runner: HfJobsRunner, service: StandIn, host: Host) -> None:
    """No token, no secret, no key: only the entry, the test set and the settings."""
    limits = replace(FAST, wall_s=1800)
    request = request_for(host.entry(GOOD), limits, secrets=["solkati"])
    handle = runner.start(request)
    spec = service.jobs["job0"]["spec"]
    assert spec["flavor"] == "t4-medium"
    assert spec["timeoutSeconds"] == 1800 + 900
    assert spec["volumes"][0] | {"path": ""} == {
        "type": "dataset", "source": "org/runs", "revision": "c0" * 20, "readOnly": True,
        "mountPath": "/mnt", "path": "",
    }  # fmt: skip
    assert not spec.get("secrets")
    assert TOKEN not in json.dumps(spec)
    assert "solkati" not in json.dumps([spec, service.commits])
    paths = {line["value"]["path"].split("/", 1)[1] for line in service.commits[0][1:]}
    assert paths == {"settings.json", "test.csv", "entry/script.py", "entry/harmless.py",
                     "entry/target.json"}  # fmt: skip
    runner.cancel(handle)


@pytest.mark.parametrize(
    ("source", "limits", "outcome", "n_answered", "detail"),
    [
        ("import time\nfrom harmless import answer\nanswer(2)\ntime.sleep(9)\n",
         replace(FAST, wall_s=0.7), "timed_out", 2, "2 of 3"),
        ("print('nothing')\n", FAST, "no_output", 0, "wrote no"),
        ("from harmless import answer\nanswer(1)\n1/0\n", FAST, "crashed", 1, "exit code 1"),
        ("import os\nos.abort()\n", FAST, "crashed", 0, "signal 6"),
        ("import os\nos.symlink('/etc/passwd', 'submission.csv')\n", FAST, "bad_output", 0,
         "no ordinary file"),
        ("import os\nopen('submission.csv', 'w')\nos.truncate('submission.csv', 20 << 20)\n",
         FAST, "bad_output", 0, "larger than 16 MiB"),
        ("open('submission.csv', 'wb').write(b'id,pred\\n12099010100,\\xff\\n12099010200,x\\n')",
         FAST, "bad_output", 1, "line 2: the row is not UTF-8"),
    ],
)  # fmt: skip
def test_outcomes(
    runner: HfJobsRunner, host: Host, source: str, limits: Any, outcome: str, n_answered: int,
    detail: str,
) -> None:  # fmt: skip
    found = runner.run(request_for(host.entry(source), limits))
    assert (found.outcome, found.n_answered) == (outcome, n_answered), found
    assert detail in found.detail


def test_the_entry_sees_no_token_and_no_settings(runner: HfJobsRunner, host: Host) -> None:
    source = "import os\nprint(sorted(os.environ))\nprint(os.path.exists('/tmp/data/test.csv'))\n"
    log = runner.run(request_for(host.entry(source))).log_tail
    assert "True" in log
    assert "TOKEN" not in log.upper()


def test_texts_of_the_test_set_and_the_key_are_blotted_out(
    runner: HfJobsRunner, host: Host
) -> None:
    source = "print(open('/tmp/data/test.csv').read())\nprint('solkati')\n"
    log = runner.run(request_for(host.entry(source), secrets=["solkati"])).log_tail
    assert "kumari" not in log
    assert "solkati" not in log


def test_a_run_is_found_again(runner: HfJobsRunner, service: StandIn, host: Host) -> None:
    source = "import time\nfrom harmless import answer\ntime.sleep(0.5)\nanswer()\n"
    request = request_for(host.entry(source))
    handle = runner.start(request)
    other = HfJobsRunner(repo="org/runs", token=TOKEN, endpoint=service.url, poll_s=0.05)
    assert other.attach(handle, request).outcome == "ok"
    assert other.attach(handle, request).n_answered == 3
    assert isinstance(other, AttachableRunner)


def test_cancelling(runner: HfJobsRunner, host: Host) -> None:
    request = request_for(host.entry("import time\nprint('asleep')\ntime.sleep(9)\n"))
    handle = runner.start(request)
    outcome = runner.attach(handle, request, lambda _: runner.cancel(handle))
    assert (outcome.outcome, outcome.owner) == ("platform_fault", "platform")
    assert "CANCELED" in outcome.detail


def test_a_container_killed_for_memory(runner: HfJobsRunner, service: StandIn, host: Host) -> None:
    service.message = "Job failed with exit code: 137. Reason: OOMKilled"
    source = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    outcome = runner.run(request_for(host.entry(source)))
    assert (outcome.outcome, outcome.owner) == ("out_of_memory", "entry"), outcome


def test_files_that_change_on_the_way(
    runner: HfJobsRunner, service: StandIn, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = service.commit

    def spoil(lines: list[dict[str, Any]]) -> None:
        commit(lines)
        for path in service.folder.glob("*/entry/script.py"):
            path.write_text("print('another')\n", encoding="utf-8")

    monkeypatch.setattr(service, "commit", spoil)
    outcome = runner.run(request_for(host.entry(GOOD)))
    assert outcome.outcome == "platform_fault"
    assert "another script.py than was pinned" in outcome.detail


@pytest.mark.parametrize("report", ["", "0 !!!", "0 eJw=", "end x", "end 999999999", "end 1"])
def test_a_spoilt_report_is_no_report(report: str) -> None:
    log = hf_jobs._JobLog(hf_jobs.LogKeeper(hf_jobs.Redactor(()), 1 << 20, None), "MARK")
    log.take([f"MARK {report}", "MARK end 1" if report.startswith("0") else "x"])
    assert log.report() is None


def test_a_report_that_would_fill_memory_is_refused() -> None:
    import zlib

    bomb = base64.b64encode(zlib.compress(bytes(1 << 20))).decode()
    assert hf_jobs._unpack(bomb, 1 << 21) == bytes(1 << 20)
    with pytest.raises(ValueError, match="too long"):
        hf_jobs._unpack(bomb, 1 << 19)


def test_handles_are_checked(runner: HfJobsRunner) -> None:
    for handle in ("", "org/job0", "org/../run-" + "0" * 32):
        with pytest.raises(InputError, match="no handle of a Hugging Face run"):
            runner.forget(handle)


def test_the_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingPartError) as error:
        HfJobsRunner(repo="org/runs")
    assert "iolai[hf]" in error.value.hint
