"""The hybrid against the induction engine alone, on the same engine's answers.

Run as ``python benchmarks/bench_hybrid.py CONFIG [PROBLEMS [PASSWORD]]``; PROBLEMS carries its
references and is by default the built-in set. A line for each problem says how the model fared in
trials and which answers it changed; at the end stand both official scores and the paired bootstrap
intervals over tasks (seed 0) of their difference. No time limit, seed 0.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from iolai.evaluation import read_builtin, read_problems_with_key
from iolai.evaluation.solving import seed_of
from iolai.metrics import score_predictions
from iolai.records import AnswerKey, PredictionSet, Problem, TaskAnswer
from iolai.solvers.base import Budget
from iolai.solvers.hybrid import Hybrid, open_solver
from iolai.stats import geometric_mean, paired_difference, resampled_scores

LEVELS = (0.90, 0.95)
Pair = tuple[tuple[TaskAnswer, ...], tuple[TaskAnswer, ...]]


def solve(solver: Hybrid, problem: Problem) -> Pair:
    """Return the engine's answers to a problem and the hybrid's."""
    engine: tuple[TaskAnswer, ...] = ()
    answer: tuple[TaskAnswer, ...] = ()
    for step in solver.steps(problem, Budget(seed=seed_of(problem, 0))):
        answer = step.answer
        if step.stage == 0:
            engine = answer
    return engine, answer


def compare(pairs: list[Pair], key: AnswerKey) -> None:
    """Print both scores and the intervals of the hybrid less the engine."""
    ids = {answer.id for engine, _ in pairs for answer in engine}
    figures = []
    for answers in zip(*pairs, strict=True):
        predictions = tuple(answer.prediction for part in answers for answer in part)
        score = score_predictions(PredictionSet(predictions), key)
        tasks = [task for task in score.tasks if task.id in ids and task.points > 0]
        figures.append([(task.exact_match, task.chrf) for task in tasks])
        points = [task.points for task in tasks]
    means = np.average(np.array(figures), axis=1, weights=points)
    engine, hybrid = 100 * geometric_mean(means)
    print(f"{len(points)} tasks: engine {engine:.2f}, hybrid {hybrid:.2f}")
    drawn = resampled_scores(figures, points, geometric_mean)
    for level in LEVELS:
        found = paired_difference(drawn[:, 1], drawn[:, 0], level=level)
        print(f"difference, {level:.0%} interval: {100 * found.low:.3f} to {100 * found.high:.3f}")


def main(config: str, problems: str = "", password: str | None = None) -> None:
    """Solve the problems one after another and compare."""
    chosen = read_problems_with_key(Path(problems), password=password) if problems else None
    problem_set, key = chosen or read_builtin()
    solver = open_solver(config)
    solver.open()
    pairs, n_changed = [], 0
    try:
        for problem in problem_set:
            pairs.append(solve(solver, problem))
            record = solver.records[problem.id]
            changed = record["changed"]
            assert isinstance(changed, list)
            n_changed += len(changed)
            print(f"{problem.id}: {record['trials']}, changed {changed}", flush=True)
    finally:
        solver.close()
    compare(pairs, key)
    print(f"{n_changed} answers changed")


if __name__ == "__main__":
    main(*sys.argv[1:4])
