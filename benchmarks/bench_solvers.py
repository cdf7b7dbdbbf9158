"""Solvers on problem sets: figures by task type with intervals, over seeds, time, memory.

Run as ``python benchmarks/bench_solvers.py --seeds 2 --page docs/bench-solvers.md``; with
``--linguini FILE --password SECRET`` the Linguini set too; with ``--grid`` settings of the engine
are chosen by leave-problems-out. One process at a time. Every (set, solver, setting, problem, seed)
is run once and kept in ``--cache`` (JSON lines, with the version of the code), so that a run that
was stopped goes on where it was; ``--minutes`` stops it. Linux or macOS.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import iolai
from iolai.evaluation import read_builtin, read_problems_with_key
from iolai.evaluation.solving import seed_of
from iolai.metrics import score_predictions
from iolai.records import AnswerKey, PredictionSet, Problem, ProblemSet, TaskScore
from iolai.solvers import SOLVERS, Budget, ProblemAnswer, Solver
from iolai.solvers.induction import Induction
from iolai.solvers.induction.reader import read_sheet
from iolai.solvers.induction.settings import Settings
from iolai.stats import Interval, bootstrap_interval

BASELINES = ("identity", "nearest", "induction")
DEFAULT = "as it is"
#: What --grid compares, one setting changed at a time: few, since a setting costs minutes.
GRID: dict[str, dict[str, float]] = {
    DEFAULT: {},
    "discount 0": {"discount": 0.0},
    "discount 0.5": {"discount": 0.5},
    "4 fits": {"n_fits": 4},
}
N_FOLDS = 5
SECONDS_A_PROBLEM = 180.0

Row = dict[str, Any]


@dataclass(frozen=True)
class Sets:
    """A problem set by name, with its key."""

    name: str
    problems: ProblemSet
    key: AnswerKey


# --- one run --------------------------------------------------------------------------------


def solve_in_child(
    problem: Problem, solver: Solver, seed: int, patience: float
) -> tuple[ProblemAnswer, float, int]:
    """Solve in a forked process, ended after ``patience`` seconds by the clock on the wall.

    Returns the last answer, seconds of processor time, and peak memory in MiB.
    """
    ours, theirs = multiprocessing.Pipe(duplex=False)
    start = time.monotonic()
    child = os.fork()
    if not child:
        answer_all(problem, solver, seed, theirs)
    theirs.close()
    answer: ProblemAnswer = ()
    while ours.poll(max(0.0, start + patience - time.monotonic())):
        try:
            answer = ours.recv()
        except EOFError:
            break
    os.kill(child, 9)
    _, _, usage = os.wait4(child, 0)
    ours.close()
    unit = 1024 if sys.platform == "linux" else 1024 * 1024
    return answer, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // unit


def answer_all(problem: Problem, solver: Solver, seed: int, pipe: Connection) -> None:
    """Send every answer of a solver, and leave the process."""
    try:
        for answer in solver.solve(problem, Budget(seed=seed)):
            pipe.send(answer)
    finally:
        os._exit(0)


def measured(
    where: Sets, problem: Problem, solver: str, setting: str, seed: int, patience: float
) -> Row:
    """Solve one problem and score its tasks."""
    made = Induction(Settings().changed(**GRID[setting])) if setting else SOLVERS[solver]()
    answer, seconds, peak = solve_in_child(problem, made, seed_of(problem, seed), patience)
    tasks = [found for task in problem.tasks if (found := where.key.get(task.id))]
    predictions = PredictionSet(tuple(task.prediction for task in answer))
    scored = score_predictions(predictions, AnswerKey(tuple(tasks))).tasks if tasks else ()
    return {
        "set": where.name,
        "solver": solver,
        "setting": setting,
        "seed": seed,
        "problem": problem.id,
        "code": code_version(),
        "seconds": round(seconds, 3),
        "peak_mib": peak,
        "tasks": [[t.id, t.task_type, t.points, t.exact_match, t.chrf] for t in scored],
        "items": said_of_items(problem, answer, scored),
    }


def said_of_items(
    problem: Problem, answer: ProblemAnswer, scored: Iterable[TaskScore]
) -> list[list[Any]]:
    """Return (what is asked, confidence, exact match) of each item, for whoever calibrates."""
    exact = {task.id: [item.exact_match for item in task.items] for task in scored}
    found: list[list[Any]] = []
    for task, given in zip(read_sheet(problem).tasks, answer, strict=False):
        rights = exact.get(task.id, [])
        for item, said, right in zip(task.items, given.items, rights, strict=False):
            found.append([f"{item.layout} to {item.target}", said.confidence or 0.0, right])
    return found


def code_version() -> str:
    """Return the version with a digest of the source, so that no figure is of other code."""
    digest = hashlib.sha256()
    root = Path(iolai.__file__).parent
    for path in sorted(root.rglob("solvers/**/*.py")):
        digest.update(path.read_bytes())
    return f"{iolai.__version__}+{digest.hexdigest()[:8]}"


def is_translated(problem: Problem) -> bool:
    """Say whether a problem asks for translations: no other answer depends on a setting."""
    return any(
        item.layout == "translate" for task in read_sheet(problem).tasks for item in task.items
    )


# --- the cache ------------------------------------------------------------------------------


def identity_of(row: Row) -> tuple[str, ...]:
    """Return what a row is about."""
    return tuple(str(row[k]) for k in ("code", "set", "solver", "setting", "seed", "problem"))


def read_cache(path: Path) -> dict[tuple[str, ...], Row]:
    """Read what was run before; a line that was cut off is passed over."""
    rows: dict[tuple[str, ...], Row] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        rows[identity_of(row)] = row
    return rows


def mend_last_line(path: Path) -> None:
    """End a line that was cut off, so that the next one stands by itself."""
    if path.exists() and not path.read_bytes().endswith(b"\n"):
        with path.open("a", encoding="utf-8") as stream:
            stream.write("\n")


def run_all(
    plan: Iterable[tuple[Sets, str, str, int]],
    cache: Path,
    minutes: float,
    patience: float = SECONDS_A_PROBLEM,
) -> list[Row]:
    """Run what the cache lacks, until the time is over; return the rows of complete runs only."""
    known = read_cache(cache)
    mend_last_line(cache)
    end = time.monotonic() + 60 * minutes
    complete: list[Row] = []
    for where, solver, setting, seed in plan:
        rows = []
        for problem in where.problems:
            wanted = (code_version(), where.name, solver, setting, str(seed), problem.id)
            if wanted not in known:
                if time.monotonic() > end:
                    break
                plain = (*wanted[:3], DEFAULT, *wanted[4:])
                if setting and plain in known and not is_translated(problem):
                    row = {**known[plain], "setting": setting}
                else:
                    row = measured(where, problem, solver, setting, seed, patience)
                known[wanted] = row
                with cache.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            rows.append(known[wanted])
        print(f"{where.name}: {solver} {setting} seed {seed}: {len(rows)} problems", flush=True)
        if len(rows) == len(where.problems):
            complete += rows
    return complete


# --- figures --------------------------------------------------------------------------------


def by_task(rows: Sequence[Row]) -> dict[str, tuple[str, float, float, float]]:
    """Return (type, points, EM, chrF) of each task, EM and chrF x100 and means over the seeds."""
    seen: dict[str, list[tuple[str, float, float, float]]] = {}
    for row in rows:
        for name, kind, points, exact, chrf in row["tasks"]:
            seen.setdefault(name, []).append((kind, points, 100 * exact, 100 * chrf))
    return {
        name: (
            found[0][0],
            found[0][1],
            statistics.mean(f[2] for f in found),
            statistics.mean(f[3] for f in found),
        )
        for name, found in seen.items()
    }


def score_of(tasks: Iterable[tuple[str, float, float, float]]) -> tuple[float, float, float]:
    """Return score, EM and chrF x100, weighted by points."""
    kept = [task for task in tasks if task[1] > 0]
    total = sum(task[1] for task in kept) or 1.0
    exact = sum(task[1] * task[2] for task in kept) / total
    chrf = sum(task[1] * task[3] for task in kept) / total
    return (exact * chrf) ** 0.5, exact, chrf


def interval_of(tasks: Sequence[tuple[str, float, float, float]]) -> str:
    """Return the 90% bootstrap interval over tasks."""
    kept = [task for task in tasks if task[1] > 0]
    if not kept:
        return "–"
    found = bootstrap_interval([(t[2], t[3]) for t in kept], [t[1] for t in kept])
    return f"{found.low:.1f}–{found.high:.1f}" if isinstance(found, Interval) else found.reason


def table_of(rows: Sequence[Row]) -> list[str]:
    """Return the table of one set and solver by task type."""
    tasks = by_task(rows)
    seeds = sorted({row["seed"] for row in rows})
    lines = [
        "| task type | tasks | EM | chrF | score | 90% over tasks | over seeds |",
        "|---|---|---|---|---|---|---|",
    ]
    kinds = sorted({kind for kind, points, *_ in tasks.values() if points > 0})
    for kind in ("all", *kinds):
        chosen = [t for t in tasks.values() if kind in ("all", t[0])]
        score, exact, chrf = score_of(chosen)
        spread = [
            score_of(
                t
                for t in by_task([r for r in rows if r["seed"] == seed]).values()
                if kind in ("all", t[0])
            )[0]
            for seed in seeds
        ]
        n = sum(task[1] > 0 for task in chosen)
        lines.append(
            f"| {kind} | {n} | {exact:.1f} | {chrf:.1f} | {score:.1f} | {interval_of(chosen)} "
            f"| {min(spread):.1f}–{max(spread):.1f} |"
        )
    seconds = [row["seconds"] for row in rows]
    peak = max(row["peak_mib"] for row in rows)
    lines.append("")
    lines.append(
        f"Processor time a problem: median {statistics.median(seconds):.1f} s, most "
        f"{max(seconds):.1f} s; peak memory {peak} MiB; seeds {', '.join(map(str, seeds))}."
    )
    return lines


def fold_of(problem: str) -> int:
    """Return the fold of a problem, by its id alone."""
    return int(hashlib.sha256(problem.encode()).hexdigest(), 16) % N_FOLDS


def leave_problems_out(rows: Sequence[Row]) -> list[str]:
    """Choose a setting for each fold by the other folds; report what it gets on the fold."""
    settings = sorted({row["setting"] for row in rows})
    left_out: list[tuple[str, float, float, float]] = []
    choices = []
    for fold in range(N_FOLDS):
        others = {
            s: score_of(by_task([r for r in rows if r["setting"] == s
                                 and fold_of(r["problem"]) != fold]).values())[0]
            for s in settings
        }  # fmt: skip
        best = max(settings, key=lambda s: (others[s], s == DEFAULT))
        choices.append(best)
        mine = [r for r in rows if r["setting"] == best and fold_of(r["problem"]) == fold]
        left_out += by_task(mine).values()
    lines = ["| setting | score on all (chosen with all in view) |", "|---|---|"]
    for s in settings:
        whole = by_task([r for r in rows if r["setting"] == s]).values()
        lines.append(f"| {s} | {score_of(whole)[0]:.1f} |")
    score, exact, chrf = score_of(left_out)
    lines += [
        "",
        f"Chosen by the other four folds: {', '.join(choices)}. Score on the problems left out: "
        f"{score:.1f} (EM {exact:.1f}, chrF {chrf:.1f}; 90% {interval_of(left_out)}).",
    ]
    return lines


# --- the page -------------------------------------------------------------------------------


def page_of(rows: Sequence[Row], command: str) -> str:
    """Return the page in Markdown."""
    lines = [
        "# Solvers on problem sets",
        "",
        "Written by `benchmarks/bench_solvers.py` (`make bench-solvers`). Figures x100 by the "
        "official rule, weighted by points, means over the seeds; intervals over resampled tasks. "
        "Few tasks make wide intervals. Only complete runs are shown.",
        "",
        f"Code {code_version()}; `{command}`.",
    ]
    for name in dict.fromkeys(row["set"] for row in rows):
        for solver in BASELINES:
            mine = [
                r for r in rows
                if r["set"] == name and r["solver"] == solver and r["setting"] == ""
            ]  # fmt: skip
            if mine:
                lines += ["", f"## {name}: `{solver}`", "", *table_of(mine)]
        tuned = [r for r in rows if r["set"] == name and r["setting"]]
        if len({r["setting"] for r in tuned}) > 1:
            lines += ["", f"## {name}: settings by leave-problems-out", "",
                      *leave_problems_out(tuned)]  # fmt: skip
    return "\n".join(lines) + "\n"


def plan_of(sets: Sequence[Sets], n_seeds: int, *, with_grid: bool) -> list[tuple[Any, ...]]:
    """Return the runs, the cheap ones first: (set, solver, setting, seed)."""
    plan: list[tuple[Any, ...]] = []
    for seed in range(n_seeds):
        for where in sets:
            # A baseline draws nothing at random: one seed says all.
            solvers = BASELINES if seed == 0 else ("induction",)
            plan += [(where, solver, "", seed) for solver in solvers]
    if with_grid:
        # The built-in problems are for demonstration: settings are chosen on the last set.
        plan += [(sets[-1], "induction", s, 0) for s in GRID]
    return plan


def main() -> int:
    """Read the options, run, write the page."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seeds", type=int, default=2)
    options.add_argument("--linguini", type=Path)
    options.add_argument("--password")
    options.add_argument("--grid", action="store_true")
    options.add_argument("--cache", type=Path, default=Path("bench-solvers.jsonl"))
    options.add_argument("--minutes", type=float, default=float("inf"))
    options.add_argument("--patience", type=float, default=SECONDS_A_PROBLEM)
    options.add_argument("--page", type=Path)
    given = options.parse_args()
    sets = [Sets("built-in problems", *read_builtin())]
    if given.linguini is not None:
        read = partial(read_problems_with_key, password=given.password)
        sets.append(Sets("Linguini", *read(given.linguini)))
    plan = plan_of(sets, given.seeds, with_grid=given.grid)
    rows = run_all(plan, given.cache, given.minutes, given.patience)
    shown = ["--grid"] if given.grid else []
    shown += ["--linguini FILE --password ..."] if given.linguini else []
    command = " ".join(["python benchmarks/bench_solvers.py", f"--seeds {given.seeds}", *shown])
    page = page_of(rows, command)
    if given.page is not None:
        given.page.write_text(page, encoding="utf-8")
    else:
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
