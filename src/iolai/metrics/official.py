"""The official score of the IOL-AI Challenge 2026, from one item to a whole prediction set.

Rules 1 to 8 of the challenge: read by the official reading, normalise, exact match and chrF of an
item (each the best over the alternatives), means over a task's items, points-weighted means over
tasks, and score = sqrt(EM x chrF) of those means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from iolai.metrics.registry import METRICS
from iolai.reading import read_official
from iolai.records import (
    SPLITS,
    AnswerKey,
    ItemScore,
    Prediction,
    PredictionSet,
    Rates,
    Score,
    Signature,
    SplitScore,
    TaskKey,
    TaskScore,
)
from iolai.text import normalise_answer
from iolai.version import __version__

__all__ = ["score_item", "score_of_tasks", "score_predictions", "score_task", "summarise"]

_EXACT_MATCH, _CHRF = METRICS["exact_match"], METRICS["chrf"]


def score_item(prediction: str, alternatives: Sequence[str]) -> tuple[float, float]:
    """Return (exact match, chrF) of one item: each the best over the accepted alternatives.

    The two maxima are taken separately, so they may come from different alternatives. An item
    without alternatives scores (0, 0).
    """
    return _score_item(prediction, tuple(alternatives))


# Entries repeat each other's answers: of all pairs of a challenge about half occur more than once.
@lru_cache(maxsize=1 << 17)
def _score_item(prediction: str, alternatives: tuple[str, ...]) -> tuple[float, float]:
    predicted = normalise_answer(prediction)
    expected = [_normalised(alternative) for alternative in alternatives]
    return (
        max((_EXACT_MATCH(predicted, reference) for reference in expected), default=0.0),
        max((_CHRF(predicted, reference) for reference in expected), default=0.0),
    )


_normalised = lru_cache(maxsize=1 << 14)(normalise_answer)


def score_task(prediction: Prediction | None, key: TaskKey) -> TaskScore:
    """Score the prediction of one task (None where there is no row: a blank one)."""
    text, explanation = (prediction.text, prediction.explanation) if prediction else ("", "")
    reading = read_official(text, key.n_items)
    items = tuple(
        ItemScore(answer, *score_item(answer, reference.alternatives))
        for answer, reference in zip(reading.items, key.references, strict=True)
    )
    return TaskScore(
        id=key.id,
        task_type=key.task_type,
        split=key.split,
        points=key.points,
        items=items,
        exact_match=_mean([item.exact_match for item in items]),
        chrf=_mean([item.chrf for item in items]),
        answered=not reading.is_blank,
        n_read=reading.n_counted,
        is_json_list=reading.is_json_list,
        has_explanation=bool(explanation.strip()),
    )


def score_predictions(predictions: PredictionSet, key: AnswerKey) -> Score:
    """Score a prediction set by the official rule, whatever it holds.

    Rows the key does not know are left out, tasks without a row count as blank; both are said in
    the warnings, as is every other liberty the rule takes with the file.
    """
    return score_of_tasks(
        (score_task(predictions.get(task.id), task) for task in key),
        Signature(version=__version__),
        tuple(_oddities(predictions, key)),
    )


def score_of_tasks(
    scored: Iterable[TaskScore], signature: Signature, warnings: tuple[str, ...] = ()
) -> Score:
    """Return the score that tasks add up to which were scored before, all of them or some."""
    tasks = tuple(scored)
    present = {task.split for task in tasks}
    types = sorted({task.task_type for task in tasks})
    return Score(
        overall=summarise(tasks),
        splits={
            split: summarise(task for task in tasks if task.split == split)
            for split in SPLITS
            if split in present
        },
        by_task_type={
            name: summarise(task for task in tasks if task.task_type == name) for name in types
        },
        tasks=tasks,
        rates=_rates(tasks),
        signature=signature,
        warnings=warnings,
    )


def summarise(tasks: Iterable[TaskScore]) -> SplitScore:
    """Return the points-weighted means over some tasks, and the score made of them."""
    tasks = tuple(tasks)
    n_items = sum(len(task.items) for task in tasks)
    points = sum(task.points for task in tasks)
    if points <= 0:
        return SplitScore(None, None, None, len(tasks), n_items)
    em = sum(task.points * task.exact_match for task in tasks) / points
    chrf = sum(task.points * task.chrf for task in tasks) / points
    return SplitScore(math.sqrt(em * chrf), em, chrf, len(tasks), n_items)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rates(tasks: Sequence[TaskScore]) -> Rates:
    def percent(count: int) -> float:
        return round(100 * count / len(tasks), 4) if tasks else 0.0

    explanations = sum(task.has_explanation for task in tasks)
    empty = sum(not task.answered for task in tasks)
    return Rates(
        explanation_rate=percent(explanations),
        format_clean_rate=percent(sum(task.is_json_list for task in tasks)),
        format_line_match_rate=percent(sum(task.n_read == len(task.items) for task in tasks)),
        empty_prediction_rate=percent(empty),
        empty_predictions=empty,
        explanations=explanations,
    )


def _oddities(predictions: PredictionSet, key: AnswerKey) -> Iterable[str]:
    rows: dict[str, int] = {}
    for row in predictions:
        task = key.get(row.id)
        if task is None:
            yield f"row with id {row.id!r}: the key has no such task; the row is left out"
            continue
        rows[task.id] = rows.get(task.id, 0) + 1
        if row.id != task.id:
            what = "leading zeros" if row.id.strip() != task.id.strip() else "blanks around it"
            yield f"row with id {row.id!r}: read as task {task.id} ({what} do not count)"
    for task_id, count in rows.items():
        if count > 1:
            yield f"task {task_id}: {count} rows; the last one counts"
    for task in key:
        if task.id not in rows:
            yield f"task {task.id}: no row; it counts as blank"
