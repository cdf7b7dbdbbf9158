"""What surrounds a command: standard streams that may be closed or full, and signals to end."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

__all__ = ["ended_by_signals", "open_streams"]

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def open_streams() -> None:
    """Make the standard streams usable: UTF-8 whatever the locale, and none of them closed.

    What is written to a closed one goes nowhere. Scripts read our output, and languages need the
    letters.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper) and not isinstance(sys.stderr, _Unfailing):
        sys.stderr.flush()
        sys.stderr = _Unfailing()


class _Unfailing(io.TextIOWrapper):
    """Standard error: where it cannot be written, the results on standard output still come."""

    def __init__(self) -> None:
        raw = io.FileIO(2, "w", closefd=False)
        super().__init__(raw, "utf-8", "backslashreplace", write_through=True)

    def write(self, text: str) -> int:
        """Write what can be written."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: all is written at once."""


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """While the block runs, let signals that ask to end raise SystemExit: runs are cleared away.

    A signal that is ignored, as under ``nohup``, stays so. Outside the main thread nothing is done.
    """
    pid = os.getpid()

    def end(number: int, _: FrameType | None) -> None:
        if os.getpid() != pid:  # a worker that was forked off: it ends as if nothing were set
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        raise SystemExit(128 + number)

    before = {}
    with suppress(ValueError):
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
