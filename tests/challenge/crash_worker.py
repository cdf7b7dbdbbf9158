"""Worker processes for tests, of which some are to die: started once, forked for each.

Reads a line for each worker, ``HOME JOURNAL PLAN``: PLAN is a point and a run's id, joined by
``@``, at which the worker kills itself, or ``-``. Answers with the exit status when it is gone.
Every point that is reached is noted in the journal, a line each: ``process point run``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from iolai.challenge.logs import configure_logs
from iolai.challenge.unpacking import UnpackLimits
from iolai.challenge.worker import WorkerOptions, run_worker
from iolai.runners import Outcome, RunOutcome, RunRequest


class Journal:
    """Notes points, and dies at the planned one."""

    def __init__(self, path: Path, plan: str) -> None:
        self.handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.point, _, self.run = plan.partition("@")

    def reached(self, point: str, run_id: str) -> None:
        os.write(self.handle, f"{os.getpid()} {point} {run_id}\n".encode())
        if point == self.point and self.run in ("", run_id):
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)


class StandInRunner:
    """Answers every task without a sandbox; dies in the middle where that is planned."""

    def __init__(self, journal: Journal, kind: str) -> None:
        self.journal, self.kind = journal, kind

    def run(self, request: RunRequest, _on_log: object = None) -> RunOutcome:
        run_id = request.entry.folder.parent.name
        self.journal.reached("runner:begun", run_id)
        if self.kind == "fault":
            return RunOutcome(Outcome.PLATFORM_FAULT, detail="the machine is on fire")
        time.sleep(0.02)
        self.journal.reached("runner:middle", run_id)
        rows = "".join(f"{task},kumari\n" for task in request.task_ids)
        n = len(request.task_ids)
        self.journal.reached("runner:ended", run_id)
        output = f"id,pred\n{rows}".encode()
        return RunOutcome(
            Outcome.OK, n, n, wall_s=0.1, mechanism="stand-in", log_tail="fine", output=output
        )


class AttachableStandIn(StandInRunner):
    """Its runs go on elsewhere: a file beside the journal for each that was begun."""

    def __init__(self, journal: Journal, folder: Path) -> None:
        super().__init__(journal, "")
        self.folder = folder

    def start(self, request: RunRequest) -> str:
        run_id = request.entry.folder.parent.name
        self.journal.reached("runner:begun", run_id)
        (self.folder / run_id).touch(exist_ok=False)
        return run_id

    def attach(self, handle: str, request: RunRequest, _on_log: object = None) -> RunOutcome:
        assert (self.folder / handle).exists()
        self.journal.reached("runner:attached", handle)
        n = len(request.task_ids)
        rows = "".join(f"{task},kumari\n" for task in request.task_ids)
        return RunOutcome(Outcome.OK, n, n, wall_s=0.1, output=f"id,pred\n{rows}".encode())

    def cancel(self, _handle: str) -> None:
        raise AssertionError("nobody cancels")

    def forget(self, handle: str) -> None:
        (self.folder / handle).unlink()


class StandInSource:
    """A hub whose every repository holds one script."""

    def resolve(self, *_names: str) -> str:
        return "a1" * 20

    def fetch(self, _name: str, _commit: str, target: Path, _limits: UnpackLimits) -> Path:
        target.mkdir()
        (target / "script.py").write_text("print(1)\n", encoding="utf-8")
        return target


def work(home: Path, journal_path: Path, plan: str, kind: str) -> None:
    journal = Journal(journal_path, plan)

    def runner(_name: str, options: Mapping[str, Any]) -> Any:
        if kind == "attachable":
            return AttachableStandIn(journal, journal_path.parent)
        return StandInRunner(journal, kind)

    options = WorkerOptions(
        slots=3,
        lease_s=20,
        tick_s=0.05,
        retry_s=0.1,
        drain=True,
        source=StandInSource(),
        runner=runner,
        reached=journal.reached,
    )
    run_worker(home, options)


def main() -> None:
    configure_logs()
    for line in sys.stdin:
        home, journal, plan, kind = line.split()
        child = os.fork()
        if not child:
            os.setsid()
            work(Path(home), Path(journal), plan.strip("-"), kind.strip("-"))
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
