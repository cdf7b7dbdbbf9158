"""Names by which what a run leaves can be told to be of one process, dead or alive."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["maker_of_runs", "start_time"]


def start_time(pid: int) -> str:
    """Return when a process started, in clock ticks since boot, or nothing where it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]


def maker_of_runs(pid: int | None = None) -> str:
    """Return ``PID-START`` of a process, by default this one: no other ever has the same."""
    pid = os.getpid() if pid is None else pid
    return f"{pid}-{start_time(pid)}"
