"""Runs an entry as a Slurm job: the same sandbox, on whichever machine Slurm chooses.

A run has a folder that both sides see (``runs``, on a shared file system where there are several
machines). The request goes there, the log grows there, and the outcome is written there, whole,
by ``iolai.runners.slurm_job``. Slurm itself is asked only whether the job still lives: its own
records need not be kept, and a restarted iolai goes on from the job's number and the folder.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from iolai.errors import InputError, MissingPartError
from iolai.files import write_whole
from iolai.runners.base import OnLog, Outcome, RunOutcome, RunRequest, run_attached
from iolai.runners.redact import Redactor, texts_of_test_set

__all__ = ["LOG", "REQUEST", "RESULT", "SlurmRunner"]

REQUEST, RESULT, LOG, JOB_LOG = "request.json", "result.json", "log.txt", "job.txt"
#: What iolai itself needs in a job beside the entry, in MiB, and how much longer it may take.
_OWN_MIB, _OWN_MINUTES = 512, 5
#: A result may reach a shared file system after Slurm has forgotten the job.
_RESULT_GRACE_S = 20.0
#: How long Slurm may be out of reach before a run is given up.
_UNREACHABLE_S = 600.0
_ENDED = {"COMPLETED", "FAILED", "TIMEOUT", "OUT_OF_MEMORY", "CANCELLED", "NODE_FAIL", "PREEMPTED",
          "BOOT_FAIL", "DEADLINE", "GONE"}  # fmt: skip


class SlurmRunner:
    """Runs entries as Slurm jobs.

    ``runs`` is the folder of the runs. ``python`` is the interpreter on the nodes that has iolai,
    by default this one; ``entry_python`` the entries', by default as in ``LocalRunner``. ``gres``
    asks for GPUs, for example ``gpu:1``. ``options`` are further arguments of sbatch. ``poll_s``
    is the time between two looks, in seconds.
    """

    def __init__(
        self,
        *,
        runs: Path,
        python: Path | None = None,
        entry_python: Path | None = None,
        gres: str | None = None,
        options: Sequence[str] = (),
        poll_s: float = 2.0,
    ) -> None:
        self._runs = runs.resolve()
        self._python = str(python or sys.executable)
        self._entry_python = entry_python
        self._gres, self._options = gres, tuple(options)
        self._poll_s = poll_s

    def run(self, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Run an entry once; see ``Runner``."""
        return run_attached(self, request, on_log)

    def start(self, request: RunRequest) -> str:
        """Hand a job to Slurm; the handle is ``NUMBER:FOLDER``."""
        folder = self._runs / f"run-{uuid.uuid4().hex}"
        folder.mkdir(parents=True)
        folder.chmod(0o700)
        message = {
            "request": request.to_json(),
            "python": None if self._entry_python is None else str(self._entry_python),
        }
        write_whole(folder / REQUEST, json.dumps(message))
        try:
            said = _call(["sbatch", *self._job_options(request, folder), *self._command(folder)])
        except _SlurmError as error:
            shutil.rmtree(folder)
            raise InputError(
                f"Slurm did not take the job: {error}", hint="See what `sinfo` says."
            ) from error
        return f"{said.split(';')[0].strip()}:{folder.name}"

    def _job_options(self, request: RunRequest, folder: Path) -> list[str]:
        limits = request.limits
        minutes = math.ceil(limits.wall_s / 60) + _OWN_MINUTES
        return [
            "--parsable",
            "--job-name=iolai-run",
            "--no-requeue",
            "--export=NONE",
            f"--chdir={folder}",
            f"--output={folder / JOB_LOG}",
            f"--time={minutes}",
            f"--mem={limits.memory_mib + _OWN_MIB}M",
            f"--cpus-per-task={limits.n_cpus or 1}",
            *([f"--gres={self._gres}"] if self._gres else []),
            *self._options,
        ]

    def _command(self, folder: Path) -> list[str]:
        source = Path(__file__).parents[2]
        words = [self._python, "-m", "iolai.runners.slurm_job", str(folder)]
        command = " ".join(f"'{word}'" for word in ["env", f"PYTHONPATH={source}", *words])
        return [f"--wrap=exec {command}"]

    def attach(self, handle: str, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Wait for a job's outcome, passing its log on as it grows."""
        number, folder = self._parse(handle)
        redactor = Redactor([*texts_of_test_set(request.test_csv), *request.secrets])
        log = _GrowingFile(folder / LOG)
        state, ended_at, reached_at = "PENDING", None, time.monotonic()
        while not (folder / RESULT).exists():
            now = time.monotonic()
            with suppress(_SlurmError):
                state, reached_at = _state(number), now
            if now - reached_at > _UNREACHABLE_S:
                return _without_result("UNREACHABLE", request, folder)
            ended_at = (ended_at or now) if state in _ENDED else None
            if ended_at is not None and now - ended_at > _RESULT_GRACE_S:
                return _without_result(state, request, folder)
            _pass_on(log, redactor, on_log)
            time.sleep(self._poll_s)
        _pass_on(log, redactor, on_log)
        return _read_result(folder / RESULT, redactor)

    def cancel(self, handle: str) -> None:
        """Cancel a job; one that has ended is left as it is."""
        number, _ = self._parse(handle)
        with suppress(_SlurmError):
            _call(["scancel", number])

    def forget(self, handle: str) -> None:
        """Delete a run's folder."""
        _, folder = self._parse(handle)
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)

    def _parse(self, handle: str) -> tuple[str, Path]:
        match = re.fullmatch(r"(\d+):(run-[0-9a-f]{32})", handle)
        if match is None:
            raise InputError(
                f"{handle!r} is no handle of a Slurm run", hint="Use what `start` returned."
            )
        return match[1], self._runs / match[2]


class _SlurmError(Exception):
    """A command of Slurm failed."""


def _call(command: Sequence[str]) -> str:
    """Run a command of Slurm; raises MissingPartError where it is not installed."""
    if shutil.which(command[0]) is None:
        raise MissingPartError(
            f"Slurm's {command[0]} is not installed here",
            hint="Run: sudo apt-get install slurm-client   or use --runner local",
        )
    done = subprocess.run(  # noqa: S603 -- arguments are ours, none goes through a shell here
        command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    )
    if done.returncode != 0:
        raise _SlurmError(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
    return done.stdout


def _state(number: str) -> str:
    """Return a job's state, ``GONE`` where Slurm knows it no more."""
    try:
        said = _call(["squeue", "--noheader", "--states=all", f"--jobs={number}", "--format=%T"])
    except _SlurmError as error:
        if "Invalid job id" in str(error):
            return "GONE"
        raise
    return said.split()[0] if said.split() else "GONE"


def _without_result(state: str, request: RunRequest, folder: Path) -> RunOutcome:
    """Name the outcome of a job that ended without writing one: Slurm ended it.

    The sandbox's own limits are tighter, so that this is the platform's doing.
    """
    said = ""
    with suppress(OSError):
        said = (folder / JOB_LOG).read_text(encoding="utf-8", errors="replace")[-500:].strip()
    return RunOutcome(
        Outcome.PLATFORM_FAULT,
        n_tasks=len(request.task_ids),
        mechanism="slurm",
        detail=f"the job ended in state {state} without an outcome{': ' + said if said else ''}",
    )


def _read_result(path: Path, redactor: Redactor) -> RunOutcome:
    value = json.loads(path.read_text(encoding="utf-8"))
    outcome = RunOutcome.from_json(value)
    return replace(
        outcome,
        log_tail=redactor.redact(outcome.log_tail),
        mechanism=f"slurm, {outcome.mechanism}".removesuffix(", "),
    )


class _GrowingFile:
    """Reads what has been added to a file since the last time."""

    def __init__(self, path: Path) -> None:
        self._path, self._position = path, 0

    def read_more(self) -> str:
        try:
            with self._path.open("rb") as stream:
                stream.seek(self._position)
                data = stream.read(1 << 20)
        except OSError:
            return ""
        data = data[: data.rfind(b"\n") + 1]
        self._position += len(data)
        return data.decode("utf-8", "replace")


def _pass_on(log: _GrowingFile, redactor: Redactor, on_log: OnLog | None) -> None:
    text = log.read_more() if on_log is not None else ""
    if text and on_log is not None:
        on_log(redactor.redact(text))
