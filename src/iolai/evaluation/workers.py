"""One process a problem, its latest answer kept, ended when its time is over.

A solver is asked to look at its budget, but nothing depends on it: what hangs is killed. Where the
system can fork (all but Windows) the processes come from a server that has imported the solvers
already, so that each begins within hundredths of a second.
"""

from __future__ import annotations

import ctypes
import functools
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from iolai.records import Problem
from iolai.solvers import Budget, ProblemAnswer, Solver

__all__ = [
    "Ending",
    "Job",
    "asked_seconds",
    "described",
    "run_here",
    "run_in_workers",
    "worker_context",
]

#: How the solving of a problem ended. ``out of time``: a longer limit may give better answers.
State = Literal["solved", "out of time", "failed"]
_GRACE_SHARE, _MAX_GRACE = 0.1, 0.5
_STARTUP_SECONDS = 10.0
_PARENT_DIED = 1  # PR_SET_PDEATHSIG of prctl(2)


@dataclass(frozen=True, slots=True)
class Job:
    """One problem to solve: its place in the set, the seed, the seconds it may take or None."""

    index: int
    problem: Problem
    seed: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """What came of a problem: the latest answer (empty where there was none), state, reason.

    ``reason`` says what went wrong where the state is ``failed``, and is empty otherwise.
    """

    index: int
    answer: ProblemAnswer
    state: State
    reason: str = ""


def run_here(jobs: Sequence[Job], make: Callable[[], Solver]) -> Iterator[Ending]:
    """Solve one after the other in this process: nothing can be ended, limits are for the solver.

    A solver that raises an error costs its own problem only.
    """
    for job in jobs:
        answer: ProblemAnswer = ()
        for message in _answers(job, make, time.monotonic()):
            if isinstance(message, Ending):
                yield Ending(job.index, answer, message.state, message.reason)
            else:
                answer = message


def _answers(
    job: Job, make: Callable[[], Solver], start: float
) -> Iterator[ProblemAnswer | Ending]:
    """Yield the solver's answers, then how it ended; its time runs from ``start``."""
    try:
        solver = make()
        deadline = float("inf") if job.seconds is None else start + asked_seconds(job.seconds)
        budget = Budget(seed=job.seed, deadline=deadline)
        for answer in solver.solve(job.problem, budget):
            yield answer
            if budget.seconds_left == 0:
                break
    except Exception as error:  # whatever a solver does wrong, the other problems go on
        yield Ending(job.index, (), "failed", described(error))
        return
    state: State = "out of time" if budget.seconds_left == 0 else "solved"
    yield Ending(job.index, (), state)


#: Seconds between two looks at the workers at most: the system cannot wait for any length of time.
_LONGEST_WAIT = 3600.0


def asked_seconds(seconds: float) -> float:
    """Return what the solver is told of its time: the rest is grace, after which it is ended."""
    return seconds - min(_MAX_GRACE, _GRACE_SHARE * seconds)


def described(error: Exception) -> str:
    """Return what an error says and where it was raised, on one line."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


# --- in processes of their own --------------------------------------------------------------


def run_in_workers(
    jobs: Sequence[Job], make: Callable[[], Solver], n_workers: int
) -> Generator[Ending, None, None]:
    """Solve up to ``n_workers`` problems at once, yielding each ending as it comes.

    ``make`` must be importable by its name. A problem is over when its solver has no better
    answer, at the latest when its seconds have passed. Closing the generator ends all processes.
    """
    waiting = deque(jobs)
    running: list[_Worker] = []
    context = worker_context()
    try:
        while waiting or running:
            while waiting and len(running) < n_workers:
                running.append(_Worker(waiting.popleft(), make, context))
            soonest = min(worker.deadline for worker in running)
            left = min(max(0.0, soonest - time.monotonic()), _LONGEST_WAIT)
            ready = wait([worker.pipe for worker in running], left)
            for worker in list(running):
                ending = worker.look(is_ready=worker.pipe in ready)
                if ending is not None:
                    running.remove(worker)
                    worker.end()
                    yield ending
    finally:
        for worker in running:
            worker.end()


@functools.cache
def worker_context() -> BaseContext:
    """Return the way processes are begun here: once made, it is ready to begin one at once.

    One server serves all runs of this process.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    ours = [name for name in sys.modules if name.partition(".")[0] == "iolai"]
    context.set_forkserver_preload(["__main__", *ours, "iolai.solvers.induction"])
    first = context.Process(target=_is_ready)  # the server's own start is on nobody's time
    first.start()
    first.join()
    return context


def _is_ready() -> None:
    """Do nothing: that this runs says that the server does."""


class _Worker:
    """A process at work on one problem, and the latest answer it has sent."""

    def __init__(self, job: Job, make: Callable[[], Solver], context: BaseContext) -> None:
        self._job = job
        self._answer: ProblemAnswer = ()
        self.pipe, theirs = context.Pipe(duplex=False)
        process: Any = context.Process  # type: ignore[attr-defined]
        start = time.monotonic()
        has_server = context.get_start_method() == "forkserver"
        arguments = (job, make, theirs, start if has_server else None)
        self._process: BaseProcess = process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self.deadline = float("inf") if job.seconds is None else start + job.seconds
        if not has_server:  # it has everything to import first
            self.deadline += _STARTUP_SECONDS

    def look(self, *, is_ready: bool) -> Ending | None:
        """Take what the process has sent; return how it ended, or None while it goes on."""
        if is_ready:
            try:
                message = self.pipe.recv()
            except (EOFError, OSError):
                return self._ending("failed", self._last_words())
            if isinstance(message, Ending):
                return self._ending(message.state, message.reason)
            if isinstance(message, float):  # it is ready, and its time runs from there
                self.deadline = message + (self._job.seconds or float("inf"))
            else:
                self._answer = message
        if time.monotonic() >= self.deadline:
            return self._ending("out of time")
        return None

    def _ending(self, state: State, reason: str = "") -> Ending:
        return Ending(self._job.index, self._answer, state, reason)

    def _last_words(self) -> str:
        self._process.join(1.0)
        code = self._process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"code {code}"
        return f"the solver's process ended with {how}"

    def end(self) -> None:
        """Kill the process where it still runs; free what it held."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()


def _work(job: Job, make: Callable[[], Solver], pipe: Connection, start: float | None) -> None:
    """Solve one problem and send when its time began, every answer, and the ending."""
    _live_and_die_with_parent()
    if start is None:
        make()  # what a solver imports is not on its time
        start = time.monotonic()
    pipe.send(start)
    for message in _answers(job, make, start):
        pipe.send(message)


def _live_and_die_with_parent() -> None:
    """Leave interrupts to the parent, and do not outlive it: a killed parent cannot tell us.

    On Linux the kernel sees to it, even where a long call lets no other thread run.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DIED, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
