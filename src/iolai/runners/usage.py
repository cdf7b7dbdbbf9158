"""What a run has used and how it ended, in the terms every mechanism shares."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Ending", "NotOfferedError", "Usage"]


class NotOfferedError(Exception):
    """This machine, or this user on it, cannot use a mechanism; the text says why."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Counters of one moment.

    ``peak_mib`` is the most memory so far that could not have been given back at once (page cache
    of files is left out), ``cpu_s`` seconds of all processes, the finished ones included.
    ``is_out_of_memory`` says that the limit was passed.
    """

    peak_mib: float = 0.0
    cpu_s: float = 0.0
    n_processes: int = 0
    is_out_of_memory: bool = False
    hit_process_limit: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How the processes of a run ended.

    ``reason`` is empty where the entry ended by itself, else the limit that ended it: ``wall``,
    ``cpu`` or ``memory``.
    """

    reason: str
    exit_code: int | None
    wall_s: float
    usage: Usage
