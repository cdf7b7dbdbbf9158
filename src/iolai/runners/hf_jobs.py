"""Runs an entry as a Hugging Face Job, as the IOL-AI Challenge 2026 did.

The entry and the test set go, as one commit, into a private dataset repository; the job sees that
commit as a read-only folder. It gets no token and no secret: what the entry answered comes back
through the job's log. The walls are the service's container, not bubblewrap; in it an entry could
misreport its own time and exit code, but reach nothing of ours.

Not yet tried on the real service: the tests speak to a stand-in of its HTTP interface.
"""

from __future__ import annotations

import base64
import json
import re
import time
import uuid
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from iolai.errors import InputError, MissingPartError
from iolai.runners.base import Limits, OnLog, Outcome, RunOutcome, RunRequest, run_attached
from iolai.runners.bubblewrap import clean_environment
from iolai.runners.collect import Collected, judge_output
from iolai.runners.judging import judge
from iolai.runners.logs import LogKeeper
from iolai.runners.redact import Redactor, texts_of_test_set
from iolai.runners.staging import verified
from iolai.runners.usage import Ending, Usage

__all__ = ["HfJobsRunner"]

#: Where the job sees the run's files.
_MOUNT = "/mnt"
_OWN_SECONDS = 900
_ENDED = {"COMPLETED", "CANCELED", "ERROR", "DELETED"}
_HANDLE = re.compile(r"([\w.-]+)/([\w-]+)/(run-[0-9a-f]{32})")


class HfJobsRunner:
    """Runs entries as Hugging Face Jobs.

    ``repo`` is a private dataset repository for the runs' files, made where it is absent.
    ``flavor`` is the hardware (``t4-medium`` was the challenge's), ``image`` the container with
    the entries' environment. ``token`` and ``endpoint`` are those of ``huggingface_hub`` where
    they are None. ``poll_s`` is the time between two looks, in seconds.
    """

    def __init__(
        self,
        *,
        repo: str,
        image: str = "python:3.10",
        flavor: str = "t4-medium",
        namespace: str | None = None,
        token: str | None = None,
        endpoint: str | None = None,
        poll_s: float = 10.0,
    ) -> None:
        self._api = _hub_api(endpoint, token)
        self._repo, self._image, self._flavor = repo, image, flavor
        self._namespace = namespace or repo.partition("/")[0]
        self._poll_s = poll_s

    def run(self, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Run an entry once; see ``Runner``."""
        return run_attached(self, request, on_log)

    def start(self, request: RunRequest) -> str:
        """Upload a run's files and begin its job; the handle is ``NAMESPACE/JOB/FOLDER``."""
        from huggingface_hub import Volume

        folder = f"run-{uuid.uuid4().hex}"
        self._api.create_repo(self._repo, repo_type="dataset", private=True, exist_ok=True)
        commit = self._api.create_commit(
            self._repo,
            _additions(request, folder),
            commit_message=f"Files of {folder}",
            repo_type="dataset",
        )
        volume = Volume(
            type="dataset",
            source=self._repo,
            revision=commit.oid,
            path=folder,
            mount_path=_MOUNT,
            read_only=True,
        )
        source = Path(__file__).with_name("hf_job.py").read_text(encoding="utf-8")
        job = self._api.run_job(
            image=self._image,
            command=["python3", "-c", source, _MOUNT, _mark(folder)],
            flavor=self._flavor,
            timeout=int(request.limits.wall_s) + _OWN_SECONDS,
            name="iolai-run",
            volumes=[volume],
            namespace=self._namespace,
        )
        return f"{self._namespace}/{job.id}/{folder}"

    def attach(self, handle: str, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Wait for a job's outcome, passing its log on as it grows."""
        namespace, job_id, folder = _parse(handle)
        redactor = Redactor([*texts_of_test_set(request.test_csv), *request.secrets])
        log = _JobLog(LogKeeper(redactor, request.limits.log_mib << 20, on_log), _mark(folder))
        while True:
            job = self._api.inspect_job(job_id=job_id, namespace=namespace)
            stage = str(getattr(job.status.stage, "value", job.status.stage))
            log.take(self._api.fetch_job_logs(job_id=job_id, namespace=namespace))
            if stage in _ENDED:
                break
            time.sleep(self._poll_s)
        log.keeper.finish()
        mechanism = f"hf_jobs {self._flavor}"
        report = log.report()
        if report is None or "changed" in report:
            short = report is None and _says_memory(job.status.message)
            return RunOutcome(
                Outcome.OUT_OF_MEMORY if short else Outcome.PLATFORM_FAULT,
                n_tasks=len(request.task_ids),
                mechanism=mechanism,
                log_tail=log.keeper.tail,
                detail=_why_no_report(report, stage, job.status.message),
            )
        return _outcome(report, request, log.keeper.tail, mechanism)

    def cancel(self, handle: str) -> None:
        """Cancel a job; one that has ended is left as it is."""
        from huggingface_hub.errors import HfHubHTTPError

        namespace, job_id, _ = _parse(handle)
        with suppress(HfHubHTTPError):
            self._api.cancel_job(job_id=job_id, namespace=namespace)

    def forget(self, handle: str) -> None:
        """Delete a run's files from the newest state of the repository."""
        from huggingface_hub.errors import HfHubHTTPError

        _, _, folder = _parse(handle)
        with suppress(HfHubHTTPError):
            self._api.delete_folder(folder, self._repo, repo_type="dataset")


def _hub_api(endpoint: str | None, token: str | None) -> Any:
    try:
        from huggingface_hub import HfApi
    except ImportError as error:
        raise MissingPartError(
            "Hugging Face Jobs need the library huggingface_hub",
            hint="Run: pip install 'iolai[hf]'",
        ) from error
    return HfApi(endpoint=endpoint, token=token)


def _parse(handle: str) -> tuple[str, str, str]:
    match = _HANDLE.fullmatch(handle)
    if match is None:
        raise InputError(
            f"{handle!r} is no handle of a Hugging Face run", hint="Use what `start` returned."
        )
    return match[1], match[2], match[3]


def _mark(folder: str) -> str:
    return f"IOLAI-{folder.removeprefix('run-')}"


def _additions(request: RunRequest, folder: str) -> list[Any]:
    """Return what a run's commit holds: the entry, every hash checked, and what it is run with."""
    from huggingface_hub import CommitOperationAdd

    limits: Limits = request.limits
    settings = {
        "files": {file.path: file.sha256 for file in request.entry.files},
        "environment": clean_environment(limits),
        "wall_s": limits.wall_s,
        "disk_mib": limits.disk_mib,
        "output_mib": limits.output_mib,
    }
    added = [
        CommitOperationAdd(f"{folder}/settings.json", json.dumps(settings).encode()),
        CommitOperationAdd(f"{folder}/test.csv", request.test_csv.encode()),
    ]
    for file in request.entry.files:
        verified(request.entry.folder, file).close()
        place = (request.entry.folder / file.path).resolve()
        added.append(CommitOperationAdd(f"{folder}/entry/{file.path}", place))
    return added


class _JobLog:
    """A job's log, read again from its start at each look.

    What is new goes on to the keeper; the lines of the report are put aside.
    """

    def __init__(self, keeper: LogKeeper, mark: str) -> None:
        self.keeper, self._mark = keeper, mark
        self._n_lines = 0
        self._parts: dict[str, str] = {}

    def take(self, lines: Iterable[str]) -> None:
        for number, line in enumerate(lines):
            if number < self._n_lines:
                continue
            self._n_lines = number + 1
            words = line.strip().split(" ")
            if len(words) == 3 and words[0] == self._mark:
                self._parts[words[1]] = words[2]
            else:
                self.keeper.feed(line.rstrip("\n").encode() + b"\n")

    def report(self) -> dict[str, Any] | None:
        """Return what the job reported, None where it is missing or was spoilt."""
        with suppress(KeyError, ValueError, zlib.error):
            parts = [self._parts[str(i)] for i in range(int(self._parts["end"]))]
            value = json.loads(_unpack("".join(parts)))
            return value if isinstance(value, dict) else None
        return None


def _unpack(text: str, max_bytes: int = 256 << 20) -> bytes:
    """Undo base64 and zlib, for no more than so many bytes."""
    unpacker = zlib.decompressobj()
    data = unpacker.decompress(base64.b64decode(text), max_bytes)
    if unpacker.unconsumed_tail:
        raise ValueError("the report is too long")
    return data


def _says_memory(message: str | None) -> bool:
    """Say whether the service ended the whole container for memory."""
    return re.search(r"\bOOM|out of memory", message or "", re.IGNORECASE) is not None


def _why_no_report(report: dict[str, Any] | None, stage: str, message: str | None) -> str:
    if report is not None:
        return f"the job saw another {report['changed']!s:.200} than was pinned"
    return f"the job ended in stage {stage} without a report{': ' + message if message else ''}"


def _outcome(
    report: dict[str, Any], request: RunRequest, log_tail: str, mechanism: str
) -> RunOutcome:
    """Judge what a job reported as the local runner judges what it sees."""
    code = report.get("exit_code")
    ending = Ending(
        reason=str(report.get("reason", "")),
        exit_code=code if isinstance(code, int) else None,
        wall_s=float(report.get("wall_s", 0.0)),
        usage=Usage(
            peak_mib=float(report.get("peak_mib", 0.0)), cpu_s=float(report.get("cpu_s", 0.0))
        ),
    )
    output = report.get("output") or {}
    collected = Collected(fault=str(output.get("fault", "")), is_missing=not output)
    if "data" in output:
        collected = judge_output(
            base64.b64decode(output["data"]),
            request.task_ids,
            was_cut_short=bool(ending.reason) or ending.exit_code != 0,
        )
    network = str(report.get("network", ""))[:20]
    return judge(ending, collected, request, log_tail=log_tail, mechanism=f"{mechanism}, {network}")
