"""Ends what a trusted run has left, when iolai itself can no longer do so.

Started as a program of its own beside the run: it waits until its standard input ends, which it
does when iolai is through or was killed, ends every process of the run and deletes its files. It
imports nothing of iolai, so that it starts fast.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from pathlib import Path

__all__ = ["MARK", "end_marked"]

#: The variable that marks all processes of a run.
MARK = "IOLAI_RUN"
_ROUNDS = 200


def end_marked(value: str) -> None:
    """Kill every process whose environment has the mark, until there is none.

    What has thrown its environment away is not found; nor is anything without Linux's /proc.
    """
    for _ in range(_ROUNDS):
        pids = _marked(f"{MARK}={value}".encode())
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


def _marked(text: bytes) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if text in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found


def main(value: str, folder: str, *files: str) -> None:
    """Wait for the end of standard input, then end the run and delete what is named."""
    sys.stdin.buffer.read()
    end_marked(value)
    shutil.rmtree(folder, ignore_errors=True)
    for file in files:
        Path(file).unlink(missing_ok=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
