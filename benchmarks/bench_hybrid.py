"""The hybrid against the induction engine alone, on the same engine's answers.

Run as ``python benchmarks/bench_hybrid.py CONFIG [PROBLEMS]``; PROBLEMS carries its references and
is by default the built-in set. ``--minutes`` begins no problem after so much time: the problems are
taken in an order drawn by ``--seed``, so that those reached are a sample of the set. A line for
each problem says how the model fared in trials and which answers it changed; at the end stand both
official scores and the paired bootstrap intervals of their difference, over problems and over
tasks. Every problem is kept in ``--cache`` (JSON lines, marked with the versions of code and
configuration), so that a run which was stopped goes on where it was. No time limit of a problem;
the solver's seed is 0.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import iolai
from iolai.evaluation import read_builtin, read_problems_with_key
from iolai.evaluation.solving import seed_of
from iolai.metrics import score_predictions
from iolai.records import AnswerKey, PredictionSet, Problem, ProblemSet, TaskAnswer
from iolai.solvers.base import Budget
from iolai.solvers.hybrid import Hybrid, open_solver
from iolai.stats import geometric_mean, paired_difference, resampled_scores

LEVELS = (0.90, 0.95)
Answers = tuple[TaskAnswer, ...]
#: One problem as kept: its task figures for both solvers, and what the record says of the model.
Row = dict[str, Any]


def solve(solver: Hybrid, problem: Problem) -> tuple[Answers, Answers]:
    """Return the engine's answers to a problem and the hybrid's."""
    engine: Answers = ()
    answer: Answers = ()
    for step in solver.steps(problem, Budget(seed=seed_of(problem, 0))):
        answer = step.answer
        if step.stage == 0:
            engine = answer
    return engine, answer


def figures_of(answers: Answers, key: AnswerKey) -> list[tuple[float, float, float]]:
    """Return exact match, chrF and points of each task that has points."""
    score = score_predictions(PredictionSet(tuple(answer.prediction for answer in answers)), key)
    ids = {answer.id for answer in answers}
    return [(t.exact_match, t.chrf, t.points) for t in score.tasks if t.id in ids and t.points > 0]


def measured(solver: Hybrid, problem: Problem, key: AnswerKey) -> Row:
    """Return the row of one problem."""
    start = time.monotonic()
    engine, hybrid = solve(solver, problem)
    record = solver.records[problem.id]
    return {
        "problem": problem.id,
        "engine": figures_of(engine, key),
        "hybrid": figures_of(hybrid, key),
        "changed": record["changed"],
        "trials": record["trials"],
        "notes": record["notes"],
        "seconds": round(time.monotonic() - start, 1),
    }


def scores(parts: Sequence[Sequence[tuple[float, float, float]]]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each part (a task, or a problem's tasks) its mean figures and its points."""
    points = np.array([sum(p for *_, p in part) for part in parts])
    means = [
        np.average([t[:2] for t in part], axis=0, weights=[t[2] for t in part]) for part in parts
    ]
    return np.array(means), points


def compare(rows: Sequence[Row]) -> None:
    """Print both scores and the intervals of the hybrid less the engine."""
    rows = [row for row in rows if row["engine"]]
    names = ("engine", "hybrid")
    units = {
        "problems": [[row[name] for row in rows] for name in names],
        "tasks": [[[task] for row in rows for task in row[name]] for name in names],
    }
    for unit, parts in units.items():
        values, points = zip(*(scores(part) for part in parts), strict=True)
        engine, hybrid = 100 * geometric_mean(
            np.average(np.array(values), axis=1, weights=points[0])
        )
        print(
            f"{len(points[0])} {unit}: engine {engine:.2f}, hybrid {hybrid:.2f}, "
            f"difference {hybrid - engine:+.3f}"
        )
        drawn = resampled_scores(values, points[0], geometric_mean)
        for level in LEVELS:
            found = paired_difference(drawn[:, 1], drawn[:, 0], level=level)
            print(f"  {level:.0%} interval: {100 * found.low:+.3f} to {100 * found.high:+.3f}")
    changed = [len(row["changed"]) for row in rows]
    print(f"{sum(changed)} answers changed, in {sum(n > 0 for n in changed)} problems")
    rates = [rate for row in rows for rate in row["trials"].values()]
    n_right, n_trials = (sum(rate[name] for rate in rates) for name in ("n_right", "n_trials"))
    print(f"trials: {n_right} of {n_trials} right")


def version_of(config: str) -> str:
    """Return a digest of the code, the prompts and the configuration: what a kept row is of."""
    root = Path(iolai.__file__).parent
    digest = hashlib.sha256(Path(config).read_bytes() if Path(config).is_file() else b"")
    for path in sorted((*root.rglob("*.py"), *root.rglob("data/prompts/*.txt"))):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def kept(cache: Path | None, version: str) -> dict[str, Row]:
    """Return the rows of this version in the cache, by problem."""
    if cache is None or not cache.is_file():
        return {}
    rows = [json.loads(line) for line in cache.read_text(encoding="utf-8").splitlines()]
    return {row["problem"]: row for row in rows if row["version"] == version}


def in_order(problems: ProblemSet, seed: int) -> list[Problem]:
    """Return the problems in an order drawn with a seed."""
    found = list(problems)
    return [found[k] for k in np.random.default_rng(seed).permutation(len(found))]


def main(options: argparse.Namespace) -> None:
    """Solve the problems one after another and compare."""
    path = Path(options.problems) if options.problems else None
    found = read_problems_with_key(path, password=options.password) if path else read_builtin()
    if found is None:
        raise SystemExit(f"{path} carries no references: there is nothing to score against.")
    problems, key = found
    version = version_of(options.config)
    done, rows = kept(options.cache, version), []
    end = time.monotonic() + 60 * options.minutes
    solver = open_solver(options.config)
    solver.open()
    try:
        for problem in in_order(problems, options.seed):
            row = done.get(problem.id)
            if row is None:
                if time.monotonic() > end:
                    break
                row = {**measured(solver, problem, key), "version": version}
                if options.cache is not None:
                    with options.cache.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row, ensure_ascii=False) + "\n")
            rows.append(row)
            print(
                f"{row['problem']}: {row['trials']}, changed {row['changed']}, {row['seconds']} s",
                flush=True,
            )
    finally:
        solver.close()
    print(f"order drawn with seed {options.seed}; {len(rows)} of {len(list(problems))} problems")
    compare(rows)


def parsed() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("config")
    parser.add_argument("problems", nargs="?", default="")
    parser.add_argument("--password")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0, help="of the order of the problems")
    parser.add_argument("--cache", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main(parsed())
