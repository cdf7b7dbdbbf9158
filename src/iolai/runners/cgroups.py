"""Limits by control groups: version 2, version 1, or a scope that systemd makes.

A run's cgroup is made below iolai's own, or below the nearest group above it where that is
allowed, and is named after the process that made it. What a killed iolai left is swept up by the
next run beside it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from iolai.runners.base import Limits
from iolai.runners.naming import maker_of_runs, start_time
from iolai.runners.usage import NotOfferedError, Usage

__all__ = ["CgroupV1", "CgroupV2", "SystemdScope"]

_MIB = 1 << 20
#: unshare's process, bwrap's, and process 1 of the sandbox.
_OWN_PROCESSES = 3
_CPU_PERIOD_US = 100_000
_NAME = re.compile(r"iolai-(\d+)-(\d+)-\d+")
_serial = itertools.count()


def _new_name() -> str:
    return f"iolai-{maker_of_runs()}-{next(_serial)}"


def _mounts(kind: str, proc: Path) -> Iterator[tuple[Path, str, set[str]]]:
    """Yield mount point, mounted root and options of every file system of a kind."""
    for line in (proc / "mountinfo").read_text(encoding="utf-8").splitlines():
        before, _, after = line.partition(" - ")
        fields, tail = before.split(), after.split()
        if tail[0] == kind:
            yield Path(fields[4]), fields[3], set(tail[2].split(","))


def _own_group(controller: str, proc: Path) -> str:
    """Return iolai's own path in a hierarchy; ``controller`` is empty for version 2."""
    for line in (proc / "cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(",") and bool(controller) == bool(controllers):
            return path
    raise NotOfferedError(f"no cgroup hierarchy {controller or 'v2'}")


def _candidates(mount: Path, mounted_root: str, own: str) -> Iterator[Path]:
    """Yield iolai's own group and those above it, as folders."""
    inner = own[len(mounted_root) :] if own.startswith(mounted_root) else own
    place = (mount / inner.strip("/")) if inner.strip("/") else mount
    while True:
        if place.is_dir():
            yield place
        if place == mount:
            return
        place = place.parent


def _read_fields(path: Path) -> dict[str, int]:
    """Read a file of lines ``name number``; empty where it is gone."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    pairs = (line.split() for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _read_number(path: Path) -> int:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def _write(path: Path, value: str | int) -> None:
    path.write_text(str(value), encoding="ascii")


def _kill_group(folder: Path) -> None:
    """Kill what is in a group until nothing is; a bound on rounds guards against a fault."""
    for _ in range(200):
        try:
            pids = (folder / "cgroup.procs").read_text(encoding="ascii").split()
        except OSError:
            return
        if not pids:
            return
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.005)


def _remove(folder: Path) -> None:
    """Remove an empty group; the kernel may need a moment after its last process is gone."""
    for _ in range(400):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)
        else:
            return


def _sweep(parent: Path) -> None:
    """Remove groups beside ours whose maker is dead, and whatever still runs in them."""
    for folder in parent.glob("iolai-*-*-*"):
        match = _NAME.fullmatch(folder.name)
        if match and start_time(int(match[1])) != match[2]:
            _kill_group(folder)
            _remove(folder)


class CgroupV2:
    """A group of the unified hierarchy, made where iolai may make one."""

    name = "cgroup v2"
    counts_processes = True

    def __init__(self, limits: Limits, *, proc: Path = Path("/proc/self")) -> None:
        self._limits = limits
        self._peak = self._max_cache = 0
        self._folder = self._make(proc)
        try:
            self._set_limits()
        except OSError as error:
            self.close()
            raise NotOfferedError(f"limits cannot be set: {error.strerror}") from error

    def _make(self, proc: Path) -> Path:
        reason = "no cgroup v2 is mounted"
        for mount, root, _ in _mounts("cgroup2", proc):
            for parent in _candidates(mount, root, _own_group("", proc)):
                try:
                    return _make_v2(parent)
                except (OSError, NotOfferedError) as error:
                    reason = str(error)
        raise NotOfferedError(reason)

    def _set_limits(self) -> None:
        limits = self._limits
        _write(self._folder / "memory.max", limits.memory_mib * _MIB)
        with contextlib.suppress(OSError):  # absent without swap
            _write(self._folder / "memory.swap.max", 0)
        _write(self._folder / "memory.oom.group", 1)
        _write(self._folder / "pids.max", limits.n_processes + _OWN_PROCESSES)
        if limits.n_cpus is not None and (self._folder / "cpu.max").exists():
            _write(self._folder / "cpu.max", f"{limits.n_cpus * _CPU_PERIOD_US} {_CPU_PERIOD_US}")

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return the command as it is."""
        return list(command)

    def adopt(self, pid: int) -> None:
        """Move a process into the group."""
        _write(self._folder / "cgroup.procs", pid)

    def usage(self, working_copy_fd: int = -1) -> Usage:  # noqa: ARG002
        """Read the group's counters."""
        folder = self._folder
        stat = _read_fields(folder / "memory.stat")
        cache = stat.get("file", 0) - stat.get("shmem", 0)
        self._max_cache = max(self._max_cache, cache)
        self._peak = max(
            self._peak,
            _read_number(folder / "memory.current") - cache,
            _read_number(folder / "memory.peak") - self._max_cache,
        )
        events = _read_fields(folder / "memory.events")
        return Usage(
            peak_mib=self._peak / _MIB,
            cpu_s=_read_fields(folder / "cpu.stat").get("usage_usec", 0) / 1e6,
            n_processes=_read_number(folder / "pids.current"),
            is_out_of_memory=events.get("oom_kill", 0) > 0,
            hit_process_limit=_read_fields(folder / "pids.events").get("max", 0) > 0,
        )

    def kill(self) -> None:
        """Kill the whole group in one step, or one by one before Linux 5.14."""
        try:
            _write(self._folder / "cgroup.kill", 1)
        except OSError:
            _kill_group(self._folder)

    def close(self) -> None:
        """Remove the group."""
        _remove(self._folder)


def _make_v2(parent: Path) -> Path:
    """Make a group below ``parent`` that has memory and pids; raises where that is not offered."""
    wanted = {"memory", "pids"}
    offered = set((parent / "cgroup.controllers").read_text(encoding="ascii").split())
    if not wanted <= offered:
        raise NotOfferedError(f"{parent} has no controllers memory and pids")
    control = parent / "cgroup.subtree_control"
    if not wanted <= set(control.read_text(encoding="ascii").split()):
        names = sorted(wanted | ({"cpu"} & offered))
        _write(control, " ".join(f"+{name}" for name in names))
    _sweep(parent)
    folder = parent / _new_name()
    folder.mkdir()
    if not os.access(folder / "memory.max", os.W_OK):
        folder.rmdir()
        raise NotOfferedError(f"{parent} gives no memory limit to groups below it")
    return folder


class CgroupV1:
    """One group in each of the hierarchies memory, pids and cpuacct, and cpu where it is asked."""

    name = "cgroup v1"
    counts_processes = True

    def __init__(self, limits: Limits, *, proc: Path = Path("/proc/self")) -> None:
        self._limits = limits
        self._peak = self._max_cache = 0
        self._folders: dict[str, Path] = {}
        self._name = _new_name()
        controllers = ["memory", "pids", "cpuacct"]
        try:
            for controller in controllers + (["cpu"] if limits.n_cpus is not None else []):
                self._folders[controller] = self._make(controller, proc)
            self._set_limits()
        except (OSError, NotOfferedError) as error:
            self.close()
            raise NotOfferedError(str(error)) from error

    def _make(self, controller: str, proc: Path) -> Path:
        own = _own_group(controller, proc)
        for mount, root, options in _mounts("cgroup", proc):
            parent = next(_candidates(mount, root, own), None)
            if controller in options and parent is not None:
                _sweep(parent)
                folder = parent / self._name
                folder.mkdir(exist_ok=True)  # cpu and cpuacct may be one hierarchy
                return folder
        raise NotOfferedError(f"no cgroup v1 hierarchy has the controller {controller}")

    def _set_limits(self) -> None:
        limits, memory = self._limits, self._folders["memory"]
        _write(memory / "memory.limit_in_bytes", limits.memory_mib * _MIB)
        with contextlib.suppress(OSError):  # absent without swap accounting
            _write(memory / "memory.memsw.limit_in_bytes", limits.memory_mib * _MIB)
        with contextlib.suppress(OSError):
            _write(memory / "memory.swappiness", 0)
        _write(self._folders["pids"] / "pids.max", limits.n_processes + _OWN_PROCESSES)
        if limits.n_cpus is not None:
            _write(self._folders["cpu"] / "cpu.cfs_period_us", _CPU_PERIOD_US)
            _write(self._folders["cpu"] / "cpu.cfs_quota_us", limits.n_cpus * _CPU_PERIOD_US)

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return the command as it is."""
        return list(command)

    def adopt(self, pid: int) -> None:
        """Move a process into every group."""
        for folder in self._folders.values():
            _write(folder / "cgroup.procs", pid)

    def usage(self, working_copy_fd: int = -1) -> Usage:  # noqa: ARG002
        """Read the groups' counters."""
        memory, pids = self._folders["memory"], self._folders["pids"]
        stat = _read_fields(memory / "memory.stat")
        cache = stat.get("total_cache", 0) - stat.get("total_shmem", 0)
        self._max_cache = max(self._max_cache, cache)
        self._peak = max(
            self._peak,
            _read_number(memory / "memory.usage_in_bytes") - cache,
            _read_number(memory / "memory.max_usage_in_bytes") - self._max_cache,
        )
        return Usage(
            peak_mib=self._peak / _MIB,
            cpu_s=_read_number(self._folders["cpuacct"] / "cpuacct.usage") / 1e9,
            n_processes=_read_number(pids / "pids.current"),
            # failcnt stays 0 on some kernels; oom_kill counts what was really killed.
            is_out_of_memory=_read_fields(memory / "memory.oom_control").get("oom_kill", 0) > 0,
            hit_process_limit=_read_fields(pids / "pids.events").get("max", 0) > 0,
        )

    def kill(self) -> None:
        """Kill what is in the group, until nothing is."""
        _kill_group(self._folders["pids"])

    def close(self) -> None:
        """Remove the groups."""
        for folder in self._folders.values():
            _remove(folder)


class SystemdScope(CgroupV2):
    """A scope of the user's systemd: a delegated cgroup for a user who may make none."""

    name = "systemd scope"

    def _make(self, proc: Path) -> Path:  # noqa: ARG002
        self._systemd_run = shutil.which("systemd-run") or ""
        if not self._systemd_run or not _scope_works(self._systemd_run):
            raise NotOfferedError("no systemd of this user can be reached")
        self._pid = 0
        return Path("/nonexistent")  # known once the scope is there

    def _set_limits(self) -> None:
        """Leave the limits to the scope's properties."""

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Put the command into a scope; its environment stays as clean as it was given."""
        limits = self._limits
        properties = {
            "MemoryMax": limits.memory_mib * _MIB,
            "MemorySwapMax": 0,
            "TasksMax": limits.n_processes + _OWN_PROCESSES,
            "OOMPolicy": "kill",
        }
        if limits.n_cpus is not None:
            properties["CPUQuota"] = f"{limits.n_cpus * 100}%"
        flags = [f"--property={name}={value}" for name, value in properties.items()]
        own = [self._systemd_run, "--user", "--scope", "--quiet", "--collect", *flags, "--"]
        return [*own, *command]

    def adopt(self, pid: int) -> None:
        """Remember the first process: systemd moves it itself, and its children are there too."""
        self._pid = self._pid or pid

    def usage(self, working_copy_fd: int = -1) -> Usage:
        """Find the scope's group by its first process, then read its counters."""
        if not self._folder.is_dir():
            with contextlib.suppress(OSError, NotOfferedError):
                proc = Path(f"/proc/{self._pid}")
                mount, root, _ = next(_mounts("cgroup2", Path("/proc/self")))
                self._folder = next(_candidates(mount, root, _own_group("", proc)))
        return super().usage(working_copy_fd)

    def close(self) -> None:
        """Do nothing: systemd removes the scope with its last process."""


@cache
def _scope_works(systemd_run: str) -> bool:
    """Try an empty scope once."""
    command = [systemd_run, "--user", "--scope", "--quiet", "--collect", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=5, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
