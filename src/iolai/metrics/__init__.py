"""Exact match, chrF and the official aggregate."""

from iolai.metrics.chrf import chrf
from iolai.metrics.exact_match import exact_match
from iolai.metrics.official import (
    score_item,
    score_of_tasks,
    score_predictions,
    score_task,
    summarise,
)
from iolai.metrics.registry import METRICS

__all__ = [
    "METRICS",
    "chrf",
    "exact_match",
    "score_item",
    "score_of_tasks",
    "score_predictions",
    "score_task",
    "summarise",
]
