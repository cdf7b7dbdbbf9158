"""A worker process as ``iolai worker`` is one, with a folder in the place of the hub.

Called with the service's home and the folder of the only repository there is.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from iolai.challenge.logs import configure_logs
from iolai.challenge.unpacking import UnpackLimits, checked_entry
from iolai.challenge.worker import WorkerOptions, run_worker


class FolderSource:
    """A hub that has one repository: the files of a folder, at whatever commit is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def resolve(self, _repository: str, revision: str) -> str:
        return revision

    def fetch(self, _repository: str, _commit: str, target: Path, _limits: UnpackLimits) -> Path:
        shutil.copytree(self.folder, target)
        return checked_entry(target)


if __name__ == "__main__":
    home, folder = map(Path, sys.argv[1:])
    configure_logs()
    run_worker(home, WorkerOptions(source=FolderSource(folder), tick_s=0.1))
