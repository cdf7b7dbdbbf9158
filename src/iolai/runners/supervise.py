"""One run from its first process to its last: start, watch, end, with nothing left over.

All of it happens in the thread that calls, since ``bwrap --die-with-parent`` follows the thread
that launched it.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from iolai.runners.base import Limits
from iolai.runners.bubblewrap import READY
from iolai.runners.limiting import Limiter
from iolai.runners.logs import LogKeeper
from iolai.runners.redact import plain_text
from iolai.runners.usage import Ending, Usage
from iolai.runners.watchdog import children_of, descendants

__all__ = ["Launch", "SetupError", "Supervisor"]

_SETUP_SECONDS = 60.0
_GONE_SECONDS = 10.0
#: How long bwrap may take to end by itself once the entry has.
_OWN_END_SECONDS = 2.0
_CHUNK = 64 << 10
#: Between two looks at the counters, in seconds: short at first, since most faults show early.
_FIRST_LOOK, _LAST_LOOK = 0.01, 0.1


class SetupError(Exception):
    """The sandbox could not be set up, or broke: a fault of the platform."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What starts a run: the command, its whole environment, and what it is handed.

    ``tar_fd`` becomes its standard output until the working copy is unpacked; ``seccomp_fd`` and
    ``status`` (for writing; closed here once it is handed on) keep their numbers. ``folder`` is
    where the working copy will be in the mount namespace of the first process. ``n_cpus`` is how
    many CPUs the run may use.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    tar_fd: int
    seccomp_fd: int
    status: BinaryIO
    n_cpus: int | None = None


class Supervisor:
    """A run's processes; as a context it leaves none behind, however it is left.

    ``folder_fd`` is the open working copy, from ``begin`` until the context ends.
    """

    def __init__(self, limiter: Limiter, log: LogKeeper, status_fd: int) -> None:
        self._limiter, self._log = limiter, log
        self._status_fd, self._status = status_fd, b""
        self._selector = selectors.DefaultSelector()
        self._resources = ExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self._log_fd = -1
        self._has_status_ended = False
        self._setup_log: bytearray | None = bytearray()
        self._setup_deadline = time.monotonic() + _SETUP_SECONDS
        self._cpu_s, self._setup_cpu = 0.0, (0.0, 0.0)
        self.folder_fd = -1

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._kill()
        self._selector.close()
        self._resources.close()

    def begin(self, launch: Launch) -> None:
        """Start the run and return when its clock starts; raises SetupError."""
        try:
            self._launch(launch)
            self._say(b"go\n")
            self._wait_for("child-pid")
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
            self.folder_fd = os.open(f"/proc/{self._pid}/root{launch.folder}", flags)
            self._resources.callback(os.close, self.folder_fd)
            self._wait_until_ready()
            self._setup_log = None
            self._setup_cpu = (self._limiter.usage(-1).cpu_s, _cpu_so_far(self._pid))
            self._say(b"start\n")
        except OSError as error:
            raise self._setup_error(str(error)) from error

    @property
    def _pid(self) -> int:
        return self._process.pid if self._process is not None else 0

    def _launch(self, launch: Launch) -> None:
        process = subprocess.Popen(  # noqa: S603 -- the command is ours, its last part the entry's
            self._limiter.wrap(launch.command),
            stdin=subprocess.PIPE,
            stdout=launch.tar_fd,
            stderr=subprocess.PIPE,
            env=dict(launch.environment),
            cwd="/",
            close_fds=True,
            pass_fds=(launch.seccomp_fd, launch.status.fileno()),
            start_new_session=True,
            bufsize=0,
        )
        self._process = process
        self._resources.enter_context(process.stdin)  # type: ignore[arg-type]
        self._resources.enter_context(process.stderr)  # type: ignore[arg-type]
        self._log_fd = process.stderr.fileno()  # type: ignore[union-attr]
        launch.status.close()  # so that the pipe ends with the run
        for handle in (self._log_fd, self._status_fd):
            os.set_blocking(handle, False)
            self._selector.register(handle, selectors.EVENT_READ)
        # Whatever it forked before it was taken in is taken in here, later children follow.
        for pid in descendants(process.pid):
            self._limiter.adopt(pid)
            if launch.n_cpus is not None:
                _pin_to_cpus(pid, launch.n_cpus)

    def _say(self, word: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(word)

    def _wait_for(self, name: str) -> None:
        """Return when bwrap has reported something: here, that the working copy is unpacked."""
        while self._reported(name) is None:
            self._read_setup()

    def _wait_until_ready(self) -> None:
        """Return when process 1 of the sandbox will die with bwrap, and waits for our word."""
        while not bytes(self._setup_log or b"").endswith(f"{READY}\n".encode()):
            self._read_setup()

    def _read_setup(self) -> None:
        if self._has_status_ended:
            raise self._setup_error("no reason given")
        if time.monotonic() > self._setup_deadline:
            raise SetupError(f"the sandbox was not ready in {_SETUP_SECONDS:g} s")
        self._read(0.5)

    def _setup_error(self, reason: str) -> SetupError:
        """Return an error with what the setup's programs said, else with ``reason``."""
        end = time.monotonic() + 1.0
        while self._log_fd in self._selector.get_map() and time.monotonic() < end:
            self._read(0.05)
        said = plain_text(bytes(self._setup_log or b"")).strip()
        return SetupError(f"the sandbox could not be set up: {said or reason}")

    def watch(self, limits: Limits, on_look: Callable[[], None] = lambda: None) -> Ending:
        """Watch the run to its end or to a limit, then end all of it; raises SetupError.

        ``on_look`` is called about ten times a second while the entry runs.
        """
        start = time.monotonic()
        reason = self._watch_until_end(limits, start, on_look)
        exit_code = self._reported("exit-code")
        wall_s = time.monotonic() - start
        if reason:
            self._drain()
            self._kill()
        else:
            self._kill()
            self._drain()
        usage = self._final_usage()
        if usage.is_out_of_memory:
            reason = "memory"
        elif not reason and exit_code is None:
            raise SetupError("the sandbox ended without saying how: something outside killed it")
        return Ending(reason, exit_code, wall_s, usage)

    def _final_usage(self) -> Usage:
        """Return the last counters, without what the setup used.

        The kernel's sum over all processes that were waited for fills the gap since a watchdog's
        last look.
        """
        usage = self._limiter.usage(self.folder_fd)
        cpu_s = max(usage.cpu_s - self._setup_cpu[0], self._cpu_s - self._setup_cpu[1], 0.0)
        return replace(usage, cpu_s=cpu_s)

    def _watch_until_end(self, limits: Limits, start: float, on_look: Callable[[], None]) -> str:
        """Return the limit that is passed, or nothing once the entry's main process is over."""
        pause = _FIRST_LOOK
        next_look = start + pause
        while not self._has_status_ended and self._reported("exit-code") is None:
            now = time.monotonic()
            if now - start >= limits.wall_s:
                return "wall"
            if now >= next_look:
                usage = self._limiter.usage(self.folder_fd)
                if usage.is_out_of_memory:
                    return "memory"
                used_s = usage.cpu_s - self._setup_cpu[0]
                if limits.cpu_s is not None and used_s > limits.cpu_s:
                    return "cpu"
                pause = min(pause * 1.5, _LAST_LOOK)
                next_look = time.monotonic() + pause
                self._heed_log(always=True)
                on_look()
            self._read(max(0.0, min(next_look, start + limits.wall_s) - time.monotonic()))
        return ""

    def _heed_log(self, *, always: bool = False) -> None:
        """Stop reading a log past its limit, but for one piece at each look at the counters."""
        is_heeded = self._log_fd in self._selector.get_map()
        if is_heeded and self._log.is_full and not always:
            self._selector.unregister(self._log_fd)
        elif not is_heeded and always:
            self._selector.register(self._log_fd, selectors.EVENT_READ)

    def _read(self, timeout: float) -> bool:
        """Read what the log and bwrap's status offer, waiting at most ``timeout`` seconds.

        Returns whether there was anything.
        """
        ready = self._selector.select(timeout)
        for key, _ in ready:
            try:
                data = os.read(key.fd, _CHUNK)
            except BlockingIOError:
                continue
            if key.fd == self._status_fd:
                self._status += data
                self._has_status_ended = not data
            elif self._setup_log is not None:
                self._setup_log += data
            else:
                self._log.feed(data)
                self._heed_log()
            if not data:
                self._selector.unregister(key.fd)
        return bool(ready)

    def _reported(self, name: str) -> int | None:
        """Return a number from bwrap's status, one JSON object a line."""
        for line in self._status.split(b"\n")[:-1]:
            with suppress(ValueError):
                value = json.loads(line).get(name)
                if isinstance(value, int):
                    return value
        return None

    def _kill(self) -> None:
        """End every process of the run and wait until all are gone; harmless when repeated.

        Our process waits for bwrap, which is the first of its pid namespace: with it die all
        others, whatever they ignore or have left, and their counters go up to ours.
        """
        if self._process is None or self._process.returncode is not None:
            return
        handle = os.pidfd_open(self._pid)
        try:
            if self._reported("exit-code") is not None:
                _wait_until_gone(handle, _OWN_END_SECONDS)
            for child in children_of(self._pid):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                _wait_until_gone(handle, _GONE_SECONDS)
        finally:
            os.close(handle)
        self._limiter.kill()
        os.kill(self._pid, signal.SIGKILL)  # no Popen.kill: it would reap, counters and all
        _, status, used = os.wait4(self._pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._cpu_s = used.ru_utime + used.ru_stime

    def _drain(self) -> None:
        """Read what the log holds, but for what is past its limit.

        A run that a limit ends is drained before it is killed: afterwards unshare would add words
        of its own about the signal.
        """
        self._heed_log(always=self._log_fd >= 0)
        end = time.monotonic() + 1.0
        while self._log_fd in self._selector.get_map() and time.monotonic() < end:
            if self._log.is_full or not self._read(0):
                return


def _wait_until_gone(pid_fd: int, seconds: float) -> None:
    """Wait until a process is gone, for a bounded time."""
    with selectors.DefaultSelector() as gone:
        gone.register(pid_fd, selectors.EVENT_READ)
        gone.select(seconds)


def _pin_to_cpus(pid: int, n_cpus: int) -> None:
    """Let a process and its children use so many CPUs; which ones differs from run to run."""
    cpus = sorted(os.sched_getaffinity(0))
    first = pid % len(cpus)
    os.sched_setaffinity(pid, [*cpus[first:], *cpus[:first]][:n_cpus])


def _cpu_so_far(pid: int) -> float:
    """Return the CPU seconds of a process and its finished children."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    times = stat.rpartition(")")[2].split()[11:15]  # utime, stime, cutime, cstime
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
