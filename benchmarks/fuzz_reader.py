"""Fuzz the reader and the engine above it: sheets spoilt at random, time and memory watched.

Run as ``python benchmarks/fuzz_reader.py --minutes 5 --seed 0``. Each sheet is read and answered in
a process of its own, which is ended as ``iolai solve --time-limit`` ends it. Prints counts, and
each fault with the seed that repeats it (``--only SEED``). Linux or macOS.

A fault: an error raised; reading or the first answers over their limits of processor time; more
memory than allowed; an item without an answer; no explanation. A solver that does not stop at its
deadline is ended and counted (``ended``), and is no fault: its last answers stay.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import sys
import time
import traceback
from collections import Counter
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
SOLVING_SECONDS, GRACE_SECONDS = 0.6, 0.4
HANGING_SECONDS = 240.0
MEMORY_MIB = 2048


def case(seed: int, problems: tuple[Problem, ...]) -> Problem:
    """Return the sheet of a seed: the extreme ones first, then spoilt ones."""
    extreme = list(extreme_problems().values())
    if seed < len(extreme):
        return extreme[seed]
    rng = random.Random(seed)  # noqa: S311 - a seed is wanted
    return mutated(rng.choice(problems), problems, rng)


def look_at(problem: Problem, pipe: Connection) -> None:
    """Read and answer one sheet, sending after each step (step, processor seconds, fault)."""
    start = time.process_time()
    sheet = read_sheet(problem)
    said = "" if sheet.report() and all(task.items for task in sheet.tasks) else "no items"
    understood = bool(sheet.tables or sheet.lists or sheet.equations)
    pipe.send(("read" if understood else "not understood", time.process_time() - start, said))
    start = time.process_time()
    answers = Induction().solve(problem, Budget(deadline=time.monotonic() + SOLVING_SECONDS))
    pipe.send(("answered", time.process_time() - start, lacking(problem, next(answers))))
    for answer in answers:
        if said := lacking(problem, answer):
            break
    pipe.send(("solved", 0.0, said))


def lacking(problem: Problem, answer: ProblemAnswer) -> str:
    """Return what an answer lacks, empty where it lacks nothing."""
    for task, given in zip(problem.tasks, answer, strict=True):
        if given.id != task.id or any(not item.text.strip() for item in given.items):
            return "an item without an answer"
        if not given.explanation.strip():
            return "no explanation"
    return ""


def begin(problem: Problem, pipe: Connection) -> int:
    """Fork a process that looks at a sheet; return its id."""
    child = os.fork()
    if child:
        return child
    try:
        look_at(problem, pipe)
    except BaseException:
        pipe.send(("error", 0.0, traceback.format_exc(limit=-3)))
    os._exit(0)


def examine(problem: Problem) -> tuple[str, list[str], float, int]:
    """Return how a sheet was read, the faults found, seconds to read, and peak memory in MiB."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = begin(problem, theirs)
    theirs.close()
    kind, faults, read_s, patience, step = "", [], 0.0, HANGING_SECONDS, ""
    with contextlib.suppress(EOFError):
        while ours.poll(patience):
            step, seconds, said = ours.recv()
            faults += [said] if said else []
            if step in ("read", "not understood"):
                kind, read_s = step, seconds
                faults += ["slow to read"] if seconds > READING_SECONDS else []
            elif step == "answered":
                faults += ["slow to answer"] if seconds > FIRST_ANSWER_SECONDS else []
                patience = SOLVING_SECONDS + GRACE_SECONDS
    os.kill(child, 9)
    _, _, usage = os.wait4(child, 0)
    ours.close()
    unit = 1024 if sys.platform == "linux" else 1024 * 1024
    peak = usage.ru_maxrss // unit
    faults += [f"memory {peak} MiB"] if peak > MEMORY_MIB else []
    if step == "answered":
        kind += ", ended"
    elif step not in ("solved", "error"):
        faults.append("hangs or dies")
    return kind, faults, read_s, peak


def fuzz(minutes: float, first: int, problems: tuple[Problem, ...]) -> int:
    """Fuzz for some minutes and print what came of it; return the number of faults."""
    end = time.monotonic() + 60 * minutes
    counts: Counter[str] = Counter()
    slowest, most, seed, n_faults = 0.0, 0, first, 0
    while time.monotonic() < end:
        kind, faults, read_s, peak = examine(case(seed, problems))
        counts[kind] += 1
        slowest, most = max(slowest, read_s), max(most, peak)
        for fault in faults:
            n_faults += 1
            print(f"seed {seed}: {fault}", flush=True)
        seed += 1
    print(f"{seed - first} sheets from seed {first} in {minutes:g} minutes: {n_faults} faults")
    print("; ".join(f"{kind}: {n}" for kind, n in sorted(counts.items())))
    print(f"slowest reading {slowest:.1f} s of processor time, most memory {most} MiB")
    return n_faults


def main() -> int:
    """Read the options and fuzz."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", type=int, default=None)
    given = options.parse_args()
    problems = read_builtin()[0].problems
    if given.only is not None:
        print(examine(case(given.only, problems)))
        return 0
    return 1 if fuzz(given.minutes, given.seed, problems) else 0


if __name__ == "__main__":
    sys.exit(main())
