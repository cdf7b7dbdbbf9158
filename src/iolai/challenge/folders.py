"""The working folders of runs: whose they are, and when they go.

A folder belongs to its run, from its first fetch until its verdict, whichever way that comes.
Whoever gives the verdict deletes the folder next; between the two a process may die, and a worker
that was wrongly taken for dead may still be writing. So workers also sweep: what belongs to no run
that goes on is deleted.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from iolai.challenge.service import Service
from iolai.records import RunState
from iolai.store import runs

__all__ = ["clear_folder", "folder_of", "sweep_folders"]


def folder_of(service: Service, run_id: str) -> Path:
    """Return the working folder of a run."""
    return service.home / "runs" / run_id


def clear_folder(service: Service, run_id: str) -> None:
    """Delete the working folder of a run; harmless where there is none, or part of one."""
    shutil.rmtree(folder_of(service, run_id), ignore_errors=True)


def sweep_folders(service: Service) -> int:
    """Delete the folders of runs that have their verdict, or are none; return how many.

    A run's row is there before its folder, and a verdict is never taken back, so nothing that is
    still wanted can go.
    """
    found = sorted(path.name for path in (service.home / "runs").iterdir())
    ended = []
    with service.store.read() as connection:
        for name in found:
            run = runs.get_run(connection, name)
            if run is None or run.state is RunState.DONE:
                ended.append(name)
    for name in ended:
        clear_folder(service, name)
    return len(ended)
