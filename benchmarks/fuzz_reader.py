"""Fuzz the reader and the engine above it: sheets spoilt at random, time and memory watched.

Run as ``python benchmarks/fuzz_reader.py --minutes 5 --seed 0``. Each sheet is read and answered in
a process of its own, with a deadline that the engine is told: most have a short one, so that it
passes in whatever part is at work, one in ten has the minute that a problem may take. Prints
counts, the overruns, and each fault with the seed that repeats it (``--only SEED``). All seconds
are of processor time, so that other work on the machine says nothing. Linux or macOS.

A fault: an error raised; reading or the first answers over their limits; more memory than allowed;
an item without an answer; no explanation; not having ended by itself 5 s after the deadline. What
ends later than a grace of 0.4 s after it is counted as an overrun. A process that does not end is
ended by the system once its processor time is used up, or after four minutes without a word.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import resource
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solvers" / "induction"))

from odd_sheets import extreme_problems, mutated

from iolai.evaluation import read_builtin
from iolai.records import Problem
from iolai.solvers.base import Budget, ProblemAnswer
from iolai.solvers.induction import Induction
from iolai.solvers.induction.reader import read_sheet

READING_SECONDS = 15.0
FIRST_ANSWER_SECONDS = 30.0
SHORT_SECONDS, FULL_SECONDS = 0.6, 60.0
#: Of so many sheets one has the full limit.
FULL_ONE_IN = 10
GRACE_SECONDS, LATEST_SECONDS = 0.4, 5.0
HANGING_SECONDS = 240.0
MEMORY_MIB = 2048


def case(seed: int, problems: tuple[Problem, ...]) -> Problem:
    """Return the sheet of a seed: the extreme ones first, then spoilt ones."""
    extreme = list(extreme_problems().values())
    if seed < len(extreme):
        return extreme[seed]
    rng = random.Random(seed)  # noqa: S311 - a seed is wanted
    return mutated(rng.choice(problems), problems, rng)


def limit_of(seed: int) -> float:
    """Return the seconds that the engine is told for the sheet of a seed."""
    return FULL_SECONDS if seed % FULL_ONE_IN == FULL_ONE_IN - 1 else SHORT_SECONDS


def look_at(problem: Problem, limit: float, pipe: Connection) -> None:
    """Read and answer one sheet, sending after each step (step, processor seconds, fault).

    With the last step go the seconds past the deadline.
    """
    start = time.process_time()
    sheet = read_sheet(problem)
    said = "" if sheet.report() and all(task.items for task in sheet.tasks) else "no items"
    understood = bool(sheet.tables or sheet.lists or sheet.equations)
    pipe.send(("read" if understood else "not understood", time.process_time() - start, said))
    start = time.process_time()
    deadline = start + limit
    # Past this the system ends the process; the first answers have time of their own.
    most = int(deadline + FIRST_ANSWER_SECONDS + LATEST_SECONDS) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    answers = Induction().solve(problem, Budget(deadline=deadline, clock=time.process_time))
    said = lacking(problem, next(answers))
    first = time.process_time() - start
    pipe.send(("answered", first, said))
    for answer in answers:
        if said := lacking(problem, answer):
            break
    over = time.process_time() - max(deadline, start + first)
    pipe.send(("solved", over, said))


def lacking(problem: Problem, answer: ProblemAnswer) -> str:
    """Return what an answer lacks, empty where it lacks nothing."""
    for task, given in zip(problem.tasks, answer, strict=True):
        if given.id != task.id or any(not item.text.strip() for item in given.items):
            return "an item without an answer"
        if not given.explanation.strip():
            return "no explanation"
    return ""


def begin(problem: Problem, limit: float, pipe: Connection) -> int:
    """Fork a process that looks at a sheet; return its id."""
    child = os.fork()
    if child:
        return child
    try:
        look_at(problem, limit, pipe)
    except BaseException:
        pipe.send(("error", 0.0, traceback.format_exc(limit=-3)))
    os._exit(0)


@dataclass
class Look:
    """What came of one sheet: how it was read, its faults, seconds, and peak memory in MiB.

    ``over`` are the seconds between the deadline and the end, None where the process was ended.
    """

    kind: str = ""
    faults: list[str] = field(default_factory=list)
    read_s: float = 0.0
    over: float | None = None
    peak: int = 0


def examine(problem: Problem, limit: float) -> Look:
    """Read and answer a sheet in a process of its own."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = begin(problem, limit, theirs)
    theirs.close()
    look, step = Look(), ""
    with contextlib.suppress(EOFError):
        while ours.poll(HANGING_SECONDS):
            step, seconds, said = ours.recv()
            look.faults += [said] if said else []
            if step in ("read", "not understood"):
                look.kind, look.read_s = step, seconds
                look.faults += ["slow to read"] if seconds > READING_SECONDS else []
            elif step == "answered":
                look.faults += ["slow to answer"] if seconds > FIRST_ANSWER_SECONDS else []
            elif step == "solved":
                look.over = max(0.0, seconds)
                late = seconds > LATEST_SECONDS
                look.faults += [f"ended {seconds:.1f} s after its deadline"] if late else []
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, 9)
    _, _, usage = os.wait4(child, 0)
    ours.close()
    unit = 1024 if sys.platform == "linux" else 1024 * 1024
    look.peak = usage.ru_maxrss // unit
    look.faults += [f"memory {look.peak} MiB"] if look.peak > MEMORY_MIB else []
    if step == "answered":
        look.faults.append("did not end by itself after its deadline")
    elif step not in ("solved", "error"):
        look.faults.append("hangs or dies")
    return look


def fuzz(minutes: float, first: int, problems: tuple[Problem, ...]) -> int:
    """Fuzz for some minutes and print what came of it; return the number of faults."""
    end = time.monotonic() + 60 * minutes
    looks: list[Look] = []
    overruns: list[tuple[float, int]] = []
    n_full = 0
    while time.monotonic() < end:
        seed = first + len(looks)
        limit = limit_of(seed)
        n_full += limit == FULL_SECONDS
        look = examine(case(seed, problems), limit)
        looks.append(look)
        if look.over is not None and look.over > GRACE_SECONDS:
            overruns.append((look.over, seed))
        for fault in look.faults:
            print(f"seed {seed}: {fault}", flush=True)
    n_faults = sum(len(look.faults) for look in looks)
    counts = Counter(look.kind for look in looks)
    print(f"{len(looks)} sheets from seed {first} in {minutes:g} minutes: {n_faults} faults")
    print("; ".join(f"{kind}: {n}" for kind, n in sorted(counts.items())))
    print(f"{n_full} with {FULL_SECONDS:g} s to solve, the others with {SHORT_SECONDS:g} s")
    print(_told(overruns))
    slowest, most = max(look.read_s for look in looks), max(look.peak for look in looks)
    print(f"slowest reading {slowest:.1f} s of processor time, most memory {most} MiB")
    return n_faults


def _told(overruns: list[tuple[float, int]]) -> str:
    """Say how many ended late by themselves, and by how much."""
    if not overruns:
        return f"none ended more than {GRACE_SECONDS:g} s after its deadline"
    worst, seed = max(overruns)
    return (
        f"{len(overruns)} ended more than {GRACE_SECONDS:g} s after their deadline, at most "
        f"{worst:.1f} s (seed {seed}); more than {LATEST_SECONDS:g} s is a fault"
    )


def main() -> int:
    """Read the options and fuzz."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", type=int, default=None)
    given = options.parse_args()
    problems = read_builtin()[0].problems
    if given.only is not None:
        print(examine(case(given.only, problems), limit_of(given.only)))
        return 0
    return 1 if fuzz(given.minutes, given.seed, problems) else 0


if __name__ == "__main__":
    sys.exit(main())
