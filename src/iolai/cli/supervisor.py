"""A command of ours as a process beside this one, started again whenever it dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType

from iolai.cli.console import error_console

__all__ = ["Supervisor"]

#: Pauses before the next start, in seconds; a process that lived for a minute begins anew.
_PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
_LIVED_S = 60.0
_STOP_S = (2.0, 10.0)
_PR_SET_PDEATHSIG = 1
#: Asks the kernel for SIGTERM at the end of the thread that started it (prctl(2)), and ends at
#: once where that had ended before it could ask; then runs. The parent's number comes first.
_RUN = (
    "import ctypes, os, signal, sys\n"
    "parent = int(sys.argv.pop(1))\n"
    "if sys.platform == 'linux':\n"
    f"    ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, signal.SIGTERM)\n"
    "    if os.getppid() != parent:\n"
    "        sys.exit('the process that started this one has ended')\n"
    "from iolai.cli import main\n"
    "main()\n"
)


class Supervisor:
    """Keeps ``iolai WORDS`` running while the block runs, and stops it at the end.

    It gets SIGTERM, which lets it end what it does, soon a second one, and then is killed.

    Where this process is killed, the kernel sends SIGTERM to the other (Linux alone can).
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._command = [sys.executable, "-c", _RUN, str(os.getpid()), *words]
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._keep, name="supervisor", daemon=True)
        self.n_starts = 0

    def __enter__(self) -> Supervisor:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._stopped.set()
            process = self._process
        if process is not None:
            _stop(process)
        self._thread.join()

    @property
    def pid(self) -> int | None:
        """The number of the process that runs now."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def _keep(self) -> None:
        n_short = 0
        while True:
            with self._lock:
                if self._stopped.is_set():
                    return
                self._process = subprocess.Popen(  # noqa: S603 -- our own command
                    self._command, stdin=subprocess.DEVNULL
                )
                self.n_starts += 1
            began = time.monotonic()
            code = self._process.wait()
            if self._stopped.is_set():
                return
            n_short = 0 if time.monotonic() - began > _LIVED_S else n_short + 1
            pause = _PAUSES[min(n_short, len(_PAUSES) - 1)]
            said = f"The worker ended with {code}; it is started again in {pause:g} s."
            error_console().print(said, markup=False)
            self._stopped.wait(pause)


def _stop(process: subprocess.Popen[bytes]) -> None:
    for patience in _STOP_S:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
        return
    process.kill()
    process.wait()
