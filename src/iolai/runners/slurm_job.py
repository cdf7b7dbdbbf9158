"""What runs inside a Slurm job: ``python -m iolai.runners.slurm_job FOLDER``.

Reads the request from the run's folder, runs it in the local sandbox, lets the log grow in the
folder and writes the outcome there, whole or not at all.
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import TextIO

from iolai.errors import IolaiError
from iolai.files import write_whole
from iolai.runners.base import Outcome, RunOutcome, RunRequest
from iolai.runners.local import LocalRunner
from iolai.runners.slurm import LOG, REQUEST, RESULT

__all__ = ["main"]


def main(folder: Path) -> None:
    """Run the request of a folder; whatever happens, an outcome is written."""
    message = json.loads((folder / REQUEST).read_text(encoding="utf-8"))
    request = RunRequest.from_json(message["request"])
    python = None if message["python"] is None else Path(message["python"])
    try:
        with (folder / LOG).open("w", encoding="utf-8", buffering=1) as log:
            outcome = LocalRunner(python=python).run(request, lambda text: _append(log, text))
    except IolaiError as error:
        outcome = RunOutcome(
            Outcome.PLATFORM_FAULT,
            n_tasks=len(request.task_ids),
            detail=f"{error.message} ({error.hint})",
        )
    write_whole(folder / RESULT, json.dumps(outcome.to_json()))


def _append(log: TextIO, text: str) -> None:
    log.write(text)


def _stop(number: int, _: object) -> None:
    """End as an interrupt does, so that the run's groups are taken away when Slurm cancels."""
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    main(Path(sys.argv[1]))
