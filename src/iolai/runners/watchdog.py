"""Limits without cgroups: sum what the run's processes use, several times a second.

Weaker than a cgroup: what grows and is gone between two looks is not seen, and what the kernel
holds in the buffers of sockets and pipes is not counted. The sandbox sets a limit on processes
besides, which the kernel holds.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iolai.runners.base import Limits
from iolai.runners.usage import Usage

__all__ = ["Watchdog", "children_of", "descendants", "memory_file_bytes", "tmpfs_bytes"]

_KIB = 1 << 10
_MIB = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")
#: unshare's process, bwrap's, and process 1 of the sandbox.
_OWN_PROCESSES = 3


@dataclass(frozen=True, slots=True)
class _Process:
    """One process: bytes that cannot be given back, seconds with its finished children's."""

    private: int
    shared: int
    cpu_s: float
    n_threads: int


class Watchdog:
    """Sums memory, CPU time and threads of a process and everything below it."""

    name = "watchdog"
    counts_processes = False

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pid: int | None = None
        self._peak = 0
        self._cpu_s = 0.0
        self._is_out_of_memory = self._hit_process_limit = False

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return the command as it is."""
        return list(command)

    def adopt(self, pid: int) -> None:
        """Remember the first process, to look below it."""
        self._pid = self._pid or pid

    def usage(self, working_copy_fd: int) -> Usage:
        """Look at every process once; what was passed once stays passed."""
        pids = list(descendants(self._pid)) if self._pid is not None else []
        processes = [found for pid in pids if (found := _look(pid)) is not None]
        files = tmpfs_bytes(working_copy_fd) + memory_file_bytes(pids)
        private = sum(process.private for process in processes)
        shared = max(files, sum(process.shared for process in processes))
        if private + shared > self._limits.memory_mib * _MIB:
            # Pages that forked processes share were counted for each: count exactly, once.
            exact = [_shares(pid) for pid in pids]
            private = sum(share[0] for share in exact)
            shared = max(files, sum(share[1] for share in exact))
            self._is_out_of_memory |= private + shared > self._limits.memory_mib * _MIB
        self._peak = max(self._peak, private + shared)
        self._cpu_s = max(self._cpu_s, sum(process.cpu_s for process in processes))
        n_threads = sum(process.n_threads for process in processes)
        self._hit_process_limit |= n_threads >= self._limits.n_processes + _OWN_PROCESSES
        return Usage(
            peak_mib=self._peak / _MIB,
            cpu_s=self._cpu_s,
            n_processes=n_threads,
            is_out_of_memory=self._is_out_of_memory,
            hit_process_limit=self._hit_process_limit,
        )

    def kill(self) -> None:
        """Kill every process below the first one that is still to be found."""
        if self._pid is not None:
            for pid in reversed(list(descendants(self._pid))):
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """Do nothing: nothing was made."""


def descendants(pid: int) -> Iterator[int]:
    """Yield a process and all below it, by the kernel's lists of children."""
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += children_of(current)


def children_of(pid: int) -> list[int]:
    """Return the children of a process, none where it is gone."""
    found: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_text("ascii").split())
    return found


def tmpfs_bytes(folder_fd: int) -> int:
    """Return the bytes in use on a file system, 0 where it cannot be asked."""
    if folder_fd < 0:
        return 0
    try:
        status = os.statvfs(folder_fd)
    except OSError:
        return 0
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def memory_file_bytes(pids: Iterable[int]) -> int:
    """Return the bytes in files without a name (memfd) that processes hold open, each once."""
    sizes: dict[int, int] = {}
    for pid in pids:
        with suppress(OSError):
            for item in os.scandir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    if os.readlink(item.path).startswith("/memfd:"):  # noqa: PTH115 -- it is no path
                        status = os.stat(item.path)  # noqa: PTH116
                        sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _look(pid: int) -> _Process | None:
    """Read one process's counters, or None where it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8", errors="replace")
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    except OSError:
        return None
    fields = dict(line.partition(":")[::2] for line in status.splitlines())
    times = stat.rpartition(")")[2].split()[11:15]  # utime, stime, cutime, cstime
    return _Process(
        private=_kib(fields.get("RssAnon", "")),
        shared=_kib(fields.get("RssShmem", "")),
        cpu_s=sum(map(int, times)) / _TICKS,
        n_threads=int(fields.get("Threads", "1")),
    )


def _shares(pid: int) -> tuple[int, int]:
    """Return a process's part of private and of shared memory, in bytes: shared pages divided."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii", errors="replace")
    except OSError:
        found = _look(pid)
        return (found.private, found.shared) if found is not None else (0, 0)
    fields = dict(line.partition(":")[::2] for line in text.splitlines())
    return _kib(fields.get("Pss_Anon", fields.get("Pss", ""))), _kib(fields.get("Pss_Shmem", ""))


def _kib(field: str) -> int:
    """Read a field such as ``  1234 kB`` as bytes."""
    parts = field.split()
    return int(parts[0]) * _KIB if parts and parts[0].isdigit() else 0
