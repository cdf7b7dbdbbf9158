"""Scores: what a metric gave, per item, per task and for a set, with what they were made by.

Scores are in [0, 1]. ``None`` stands for a figure that does not exist (no task with points).
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ItemScore", "Rates", "Score", "Signature", "SplitScore", "TaskScore"]


@dataclass(frozen=True, slots=True)
class Signature:
    """What a score was made by: two scores compare only where their signatures agree."""

    version: str
    metric: str = "official"
    reading: str = "official"
    normalisation: str = "iol-ai-2026"

    def __str__(self) -> str:
        return (
            f"{self.metric}|reading:{self.reading}|norm:{self.normalisation}|iolai:{self.version}"
        )


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One item: the best exact match and, separately, the best chrF over the alternatives."""

    predicted: str
    exact_match: float
    chrf: float


@dataclass(frozen=True, slots=True)
class TaskScore:
    """One task: the means over its items, and what the official reading made of the prediction."""

    id: str
    task_type: str
    split: str
    points: float
    items: tuple[ItemScore, ...]
    exact_match: float
    chrf: float
    answered: bool
    n_read: int
    is_json_list: bool
    has_explanation: bool


@dataclass(frozen=True, slots=True)
class SplitScore:
    """Points-weighted means over some tasks; ``None`` where they have no points to weight by."""

    score: float | None
    exact_match: float | None
    chrf: float | None
    n_tasks: int
    n_items: int


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares over all tasks, the 0-point ones too, in percent to 4 decimals (as published)."""

    explanation_rate: float
    format_clean_rate: float
    format_line_match_rate: float
    empty_prediction_rate: float
    empty_predictions: int
    explanations: int


@dataclass(frozen=True, slots=True)
class Score:
    """The official score of a prediction set against an answer key."""

    overall: SplitScore
    splits: dict[str, SplitScore]
    by_task_type: dict[str, SplitScore]
    tasks: tuple[TaskScore, ...]
    rates: Rates
    signature: Signature
    warnings: tuple[str, ...] = field(default=(), compare=False)
