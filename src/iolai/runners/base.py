"""What every runner is: a pinned entry, a test set and limits in, a named outcome out.

The contract with an entry: ``script.py`` runs with its folder as working directory, reads
``/tmp/data/test.csv``, and writes ``submission.csv`` beside itself, without a network and under
the limits. A runner never sees an answer key; texts of it may be handed in as ``secrets``, only
so that they can be blotted out of the log.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from iolai.runners.pinning import PinnedEntry, PinnedFile
from iolai.runners.rows import task_ids_of

__all__ = [
    "SCRIPT",
    "TEST_CSV",
    "AttachableRunner",
    "Limits",
    "OnLog",
    "Outcome",
    "Owner",
    "RunOutcome",
    "RunRequest",
    "Runner",
    "run_attached",
]

SCRIPT = "script.py"
#: Where an entry finds the test set.
TEST_CSV = "/tmp/data/test.csv"  # noqa: S108 -- a path inside the sandbox, named by the contract

#: Called with each redacted piece of the log, whole lines where possible, as it is written.
OnLog = Callable[[str], None]


class Owner(StrEnum):
    """Whose doing an outcome is: what is the platform's is retried and costs no quota."""

    ENTRY = "entry"
    PLATFORM = "platform"


class Outcome(StrEnum):
    """How a run ended."""

    OK = "ok"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    NO_OUTPUT = "no_output"
    BAD_OUTPUT = "bad_output"
    PLATFORM_FAULT = "platform_fault"

    @property
    def owner(self) -> Owner:
        """The entry owns every outcome but ``platform_fault``."""
        return Owner.PLATFORM if self is Outcome.PLATFORM_FAULT else Owner.ENTRY


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use; the defaults are those of the IOL-AI Challenge 2026.

    Memory, disk, output and log are in MiB, times in seconds. ``memory_mib`` and ``n_processes``
    (threads count too) hold for the whole run together, the files of the working copy, of
    ``/tmp`` and of ``/dev/shm`` included. ``disk_mib`` and ``n_inodes`` are what the entry may
    write beyond its own files. ``cpu_s`` and ``n_cpus`` are unlimited where they are None.
    """

    wall_s: float = 1800.0
    memory_mib: int = 30 * 1024
    n_processes: int = 1024
    cpu_s: float | None = None
    disk_mib: int = 4 * 1024
    n_inodes: int = 100_000
    output_mib: int = 16
    log_mib: int = 16
    n_cpus: int | None = None


@dataclass(frozen=True)
class RunRequest:
    """One execution of one pinned entry: ``test_csv`` is the whole text of the test set.

    ``secrets`` are further texts to blot out of the log, such as the key's references.
    """

    entry: PinnedEntry
    test_csv: str = field(repr=False)
    limits: Limits = Limits()
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The ids of the test set's tasks, as written; raises FormatError for no test set."""
        return task_ids_of(self.test_csv)

    def to_json(self) -> dict[str, Any]:
        """Return what another machine needs to run this: everything but the secrets."""
        return {
            "folder": str(self.entry.folder),
            "files": [asdict(file) for file in self.entry.files],
            "test_csv": self.test_csv,
            "limits": asdict(self.limits),
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> RunRequest:
        """Read what ``to_json`` wrote."""
        files = tuple(PinnedFile(**file) for file in value["files"])
        entry = PinnedEntry(Path(value["folder"]), files)
        return cls(entry, value["test_csv"], Limits(**value["limits"]))


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended, what it answered and what it used.

    ``n_answered`` counts the known tasks with a row whose ``pred`` is not blank. ``wall_s`` and
    ``cpu_s`` are seconds, ``peak_mib`` MiB over all processes together (0 where it was not
    measured). ``mechanism`` names what held the limits, for example ``bubblewrap, cgroup v1``.
    ``log_tail`` is redacted. ``output`` is the part of ``submission.csv`` that can be scored.
    ``detail`` is one sentence for the team, or for the organiser where the fault is ours.
    """

    outcome: Outcome
    n_answered: int = 0
    n_tasks: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mib: float = 0.0
    mechanism: str = ""
    log_tail: str = ""
    output: bytes | None = field(default=None, repr=False)
    exit_code: int | None = None
    detail: str = ""

    @property
    def owner(self) -> Owner:
        """Whose doing the outcome is."""
        return self.outcome.owner

    def to_json(self) -> dict[str, Any]:
        """Return a form that JSON can hold, the output as base64."""
        output = None if self.output is None else base64.b64encode(self.output).decode("ascii")
        return {**asdict(self), "outcome": self.outcome.value, "output": output}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> RunOutcome:
        """Read what ``to_json`` wrote."""
        output = None if value["output"] is None else base64.b64decode(value["output"])
        return cls(**{**value, "outcome": Outcome(value["outcome"]), "output": output})

    def with_log(self, log_tail: str) -> RunOutcome:
        """Return the outcome with another tail of the log."""
        return replace(self, log_tail=log_tail)


@runtime_checkable
class Runner(Protocol):
    """Runs an entry nobody trusts.

    ``run`` returns an outcome for whatever the entry does; a fault of the machine is the outcome
    ``platform_fault``. It raises MissingPartError where this machine cannot isolate an entry at
    all, and InputError where the entry's files are no longer those that were pinned.
    """

    def run(self, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Run the entry once, to its end or to a limit; blocks until all of it is gone."""
        ...


@runtime_checkable
class AttachableRunner(Runner, Protocol):
    """A runner whose runs go on elsewhere and can be found again after a restart."""

    def start(self, request: RunRequest) -> str:
        """Begin a run and return its handle: a text to keep until the outcome is there."""
        ...

    def attach(self, handle: str, request: RunRequest, on_log: OnLog | None = None) -> RunOutcome:
        """Wait for a run that was begun, perhaps by a process that has died since."""
        ...

    def cancel(self, handle: str) -> None:
        """End a run early; its outcome is then ``platform_fault``."""
        ...

    def forget(self, handle: str) -> None:
        """Delete what is kept of a run; it cannot be attached to any more."""
        ...


def run_attached(
    runner: AttachableRunner, request: RunRequest, on_log: OnLog | None = None
) -> RunOutcome:
    """Run an entry once on a runner whose runs go on elsewhere: start, wait, clear away.

    Whatever interrupts the waiting, an interrupt from the keyboard too, cancels the run.
    """
    handle = runner.start(request)
    try:
        outcome = runner.attach(handle, request, on_log)
    except BaseException:
        runner.cancel(handle)
        raise
    runner.forget(handle)
    return outcome
