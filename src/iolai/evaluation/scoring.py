"""Score files by the official rule, and solvers on problem sets that carry their references."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from iolai.errors import InputError
from iolai.evaluation.solving import Solving, solve
from iolai.formats import (
    OnFailure,
    OnWarning,
    builtin_path,
    read_document,
    read_key,
    read_predictions,
)
from iolai.metrics import score_predictions
from iolai.records import AnswerKey, PredictionSet, ProblemSet, Score
from iolai.stats import Interval, bootstrap_interval

__all__ = ["SolverScore", "evaluate", "read_builtin", "read_problems_with_key", "score_files"]


def score_files(
    predictions: Path,
    key: Path,
    *,
    split: str = "all",
    password: str | None = None,
    on_warning: OnWarning | None = None,
) -> Score:
    """Score a predictions file against a key file.

    ``on_warning`` is told what was forgiven in reading the two files.

    Raises InputError where a file cannot be read, the key has no task of the split, or not one
    row of the predictions belongs to a task of the key (then the wrong file was named).
    """
    answer_key = read_key(key, password=password, on_warning=on_warning)
    rows = read_predictions(predictions, password=password, on_warning=on_warning)
    if not any(answer_key.get(row.id) for row in rows):
        raise InputError(
            f"no row of {predictions} has an id that is in {key}",
            hint=f"Check that both belong together; the key begins with {answer_key.tasks[0].id}.",
        )
    part = answer_key.split(split)
    if not len(part):
        splits = sorted({task.split for task in answer_key if task.split})
        known = ", ".join(splits) or "none"
        raise InputError(f"{key} has no {split} split", hint=f"Splits of this key: {known}.")
    return score_predictions(_restricted(rows, answer_key, part), part)


def _restricted(rows: PredictionSet, whole: AnswerKey, part: AnswerKey) -> PredictionSet:
    """Leave out rows of the other split: they are no mistake."""
    if part is whole:
        return rows
    kept = (row for row in rows if part.get(row.id) or not whole.get(row.id))
    return PredictionSet(tuple(kept), rows.name)


def read_problems_with_key(
    path: Path,
    *,
    password: str | None = None,
    on_warning: OnWarning | None = None,
    on_failure: OnFailure | None = None,
) -> tuple[ProblemSet, AnswerKey]:
    """Read a problem set that carries its references; raises InputError where it does not.

    ``on_failure`` is told of each file of a folder that cannot be read, as by ``read_document``.
    """
    failures: list[tuple[Path, InputError]] = []
    document = read_document(
        path,
        password=password,
        on_warning=on_warning,
        on_failure=on_failure and (lambda file, error: failures.append((file, error))),
    )
    if document.problems is None or document.key is None:
        if failures:  # what is missing may be in that file
            raise failures[0][1]
        missing = "problems" if document.problems is None else "references"
        raise InputError(
            f"{path} has no {missing}",
            hint="Evaluating needs problems with their references: a Linguini file, a plain-text "
            "problem with answers, or a folder with test.csv and solution.csv.",
        )
    for file, error in failures:
        if on_failure is not None:
            on_failure(file, error)
    return document.problems, document.key


def read_builtin() -> tuple[ProblemSet, AnswerKey]:
    """Read the problems that come with iolai, and their key."""
    return read_problems_with_key(builtin_path())


@dataclass(frozen=True, slots=True)
class SolverScore:
    """What one solver scored on a set, and the seconds it took."""

    solver: str
    score: Score
    predictions: PredictionSet
    seconds: float

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 90% bootstrap interval over tasks, seed 0; None where there is none."""
        tasks = self.score.tasks
        found = bootstrap_interval(
            [(task.exact_match, task.chrf) for task in tasks], [task.points for task in tasks]
        )
        return (found.low, found.high) if isinstance(found, Interval) else None


def evaluate(
    problems: ProblemSet,
    key: AnswerKey,
    solver: str,
    *,
    seed: int = 0,
    jobs: int = 1,
    time_limit: float | None = None,
    on_progress: Callable[[Solving], None] | None = None,
) -> SolverScore:
    """Solve a set and score what came out; ``on_progress`` is told after each problem."""
    start = time.monotonic()
    for state in solve(problems, solver, seed=seed, jobs=jobs, time_limit=time_limit):
        if on_progress is not None:
            on_progress(state)
    predictions = state.predictions
    return SolverScore(
        solver, score_predictions(predictions, key), predictions, time.monotonic() - start
    )
