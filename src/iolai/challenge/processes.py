"""Telling whether a worker's process still lives."""

from __future__ import annotations

import os
import socket
from functools import cache
from pathlib import Path

__all__ = ["own_host", "own_process", "process_lives"]


@cache
def own_host() -> str:
    """Return where this process runs: a name, the boot, and the namespace that numbers belong to.

    Two workers with the same text can look for each other's process.
    """
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    space = Path("/proc/self/ns/pid").stat().st_ino
    return f"{socket.gethostname()} {boot[:8]} {space}"


def own_process() -> str:
    """Return this process's number and the moment of its start, in ticks since boot."""
    return f"{os.getpid()}:{_started(os.getpid())}"


def process_lives(process: str) -> bool:
    """Say whether a process of this host, as ``own_process`` wrote it, is there.

    A number that was given to another process since is told by its start.
    """
    number, _, started = process.partition(":")
    return number.isdigit() and _started(int(number)) == started


def _started(number: int) -> str:
    """Return when a process began; "" where there is none, or it is dead and not reaped."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in ("Z", "X") else fields[19]
