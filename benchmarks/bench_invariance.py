"""Does a solver's score depend on the order of examples, or on the letters of the language?

Run as ``python benchmarks/bench_invariance.py --solver induction --seed 0``: the built-in problems
(or ``--problems``) as they are and in each disguise, the difference with its 95% paired bootstrap
interval over tasks. Exits with 1 where an interval does not hold zero.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solvers" / "induction"))

from disguised import MODES, disguised

from iolai.evaluation import evaluate, read_builtin, read_problems_with_key
from iolai.records import AnswerKey, ProblemSet, Score
from iolai.stats import (
    Interval,
    geometric_mean,
    paired_difference,
    resampled_scores,
    spans_zero,
)

SECONDS_A_PROBLEM = 120.0


def run(problems: ProblemSet, key: AnswerKey, given: argparse.Namespace, seed: int) -> Score:
    """Return the score of the solver, with ample time."""
    limit = given.patience * len(problems)
    return evaluate(problems, key, given.solver, seed=seed, jobs=given.jobs, time_limit=limit).score


def difference(one: Score, other: Score) -> Interval:
    """Return the interval of the second score minus the first, x100, over resampled tasks."""
    tasks = [one.tasks, other.tasks]
    values = [[(100 * t.exact_match, 100 * t.chrf) for t in rows] for rows in tasks]
    scores = resampled_scores(values, [task.points for task in one.tasks], geometric_mean)
    return paired_difference(scores[:, 1], scores[:, 0], level=0.95)


def figures(score: Score) -> str:
    """Return score, exact match and chrF x100."""
    whole = score.overall
    parts = (whole.score or 0.0, whole.exact_match or 0.0, whole.chrf or 0.0)
    return "{:.1f} ({:.1f} / {:.1f})".format(*(100 * part for part in parts))


def main() -> int:
    """Read the options, run, and print a line for each disguise."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--solver", default="induction")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--patience", type=float, default=SECONDS_A_PROBLEM)
    options.add_argument("--problems", type=Path)
    options.add_argument("--password")
    given = options.parse_args()
    problems, key = (
        read_problems_with_key(given.problems, password=given.password)
        if given.problems
        else read_builtin()
    )
    plain = run(problems, key, given, given.seed)
    print(f"as it is: {figures(plain)}", flush=True)
    again = run(problems, key, given, given.seed + 1)
    gap = difference(plain, again)
    print(
        f"another seed: {figures(again)}, difference {gap.low:+.1f} to {gap.high:+.1f}", flush=True
    )
    n_outside = 0
    for mode in MODES:
        made = run(*disguised(problems, key, mode, given.seed), given, given.seed)
        gap = difference(plain, made)
        within = spans_zero(gap)
        n_outside += not within
        said = "within noise" if within else "outside"
        print(f"{mode}: {figures(made)}, difference {gap.low:+.1f} to {gap.high:+.1f}, {said}")
        sys.stdout.flush()
    return 1 if n_outside else 0


if __name__ == "__main__":
    sys.exit(main())
