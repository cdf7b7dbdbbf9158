"""Work in a thread of its own, while the thread that asked for it hears signals and the clock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Aside"]

_T = TypeVar("_T")


class Aside(Generic[_T]):
    """Begins at once. The program does not end before the work does: a library that is cut off in
    the middle would end it by a signal.
    """

    def __init__(self, work: Callable[[], _T]) -> None:
        self._work = work
        self._found: list[_T] = []
        self._error: Exception | None = None
        # Not Thread.join: interrupted once, it takes the thread for ended (Python 3.10 to 3.12).
        self._is_done = threading.Event()
        threading.Thread(target=self._run).start()

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except Exception as error:  # raised again where it is waited for
            self._error = error
        finally:
            self._is_done.set()

    def is_done(self, seconds: float) -> bool:
        """Wait so many seconds at most; return whether the work is done."""
        return self._is_done.wait(min(seconds, threading.TIMEOUT_MAX))

    def result(self) -> _T:
        """Wait for the work to be done; return what it returned, or raise what it raised."""
        self._is_done.wait()
        if self._error is not None:
            raise self._error
        return self._found[0]
