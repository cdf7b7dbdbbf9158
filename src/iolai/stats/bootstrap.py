"""Statistics: bootstrap intervals and bands of entries that cannot be told apart.

The unit of resampling is the task: a challenge has few tasks and many items, and the items of one
task stand or fall together. Tasks without points carry no weight and are left out before anything
is drawn. All draws come from one seeded generator, and entries that are compared are measured on
the same draws (a paired bootstrap). Percentile intervals: B. Efron, R. Tibshirani, "An
Introduction to the Bootstrap".

numpy is imported where it is used, so that importing this module costs nothing. A call that makes
no sense raises ValueError; data that allow no interval are a named state (``NoInterval``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Statistic = Callable[[Floats], Floats]

__all__ = [
    "DEFAULT_LEVEL",
    "DEFAULT_RESAMPLES",
    "Interval",
    "NoInterval",
    "bands",
    "bootstrap_interval",
    "geometric_mean",
    "paired_difference",
    "percentile_interval",
    "percentile_intervals",
    "resampled_scores",
    "spans_zero",
    "why_no_interval",
]

DEFAULT_LEVEL = 0.90
DEFAULT_RESAMPLES = 10_000

#: Two sums of the same numbers may differ in their last bits by the order of adding.
_ROUNDING = 1e-12
#: So many entries' resamples are copied and sorted at once: what fits near the processor.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval, in the units of the statistic, and how it was made."""

    low: float
    high: float
    level: float = DEFAULT_LEVEL
    n_resamples: int = DEFAULT_RESAMPLES
    seed: int = 0

    @property
    def is_point(self) -> bool:
        """Whether no resample moved the statistic: equal tasks, or an entry with no hit at all."""
        return self.high - self.low <= _ROUNDING


@dataclass(frozen=True, slots=True)
class NoInterval:
    """Why an interval does not exist: ``"no points"``, ``"one task"``, or the like."""

    reason: str


def why_no_interval(weights: Sequence[float]) -> str:
    """Return ``"no points"``, ``"one task"``, or ``""`` where resampling the tasks says something.

    ``weights`` are the tasks' points. Resampling one task gives that task, every time: the
    interval would be a point and would claim a certainty that nobody has.
    """
    n_weighted = sum(weight > 0 for weight in weights)
    return ("no points", "one task")[n_weighted] if n_weighted < 2 else ""


def geometric_mean(means: Floats) -> Floats:
    """The statistic of the official score: the root of the product of two figures.

    ``means`` has shape (..., 2) (exact match, chrF); the result has shape (...).
    """
    import numpy as np

    return np.asarray(np.sqrt(means[..., 0] * means[..., 1]), dtype=np.float64)


def resampled_scores(
    values: ArrayLike,
    weights: ArrayLike,
    statistic: Statistic,
    *,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Floats:
    """Measure every entry on the same resamples of the tasks.

    ``values`` has shape (n_entries, n_tasks, n_figures), ``weights`` (n_tasks,). ``statistic``
    gets the weighted means of the figures, shape (n_resamples, n_entries, n_figures), and drops
    the last axis. Returns shape (n_resamples, n_entries). Raises ValueError where the shapes do
    not fit, a value is not finite, a weight is negative, or no task has weight.
    """
    import numpy as np

    figures, points = _checked(values, weights, n_resamples)
    weighted = points > 0
    figures, points = figures[:, weighted], points[weighted]
    n_entries, n_tasks, n_figures = figures.shape
    draws = np.random.default_rng(seed).integers(0, n_tasks, size=(n_resamples, n_tasks))
    offsets = np.arange(n_resamples)[:, None] * n_tasks
    counts = np.bincount((draws + offsets).ravel(), minlength=n_resamples * n_tasks)
    drawn_points = counts.reshape(n_resamples, n_tasks) * points
    by_task = figures.transpose(1, 0, 2).reshape(n_tasks, n_entries * n_figures)
    means = (drawn_points @ by_task) / drawn_points.sum(axis=1, keepdims=True)
    return statistic(means.reshape(n_resamples, n_entries, n_figures))


def bootstrap_interval(
    values: ArrayLike,
    weights: ArrayLike,
    statistic: Statistic = geometric_mean,
    *,
    level: float = DEFAULT_LEVEL,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Interval | NoInterval:
    """Return the interval of one entry's statistic over resampled tasks.

    ``values`` has shape (n_tasks, n_figures), ``weights`` (n_tasks,); see ``resampled_scores``.
    """
    import numpy as np

    reason = why_no_interval(np.asarray(weights, dtype=np.float64).ravel().tolist())
    if reason:
        return NoInterval(reason)
    entries = np.asarray(values, dtype=np.float64)[None]
    scores = resampled_scores(entries, weights, statistic, n_resamples=n_resamples, seed=seed)
    return percentile_interval(scores[:, 0], level=level, seed=seed)


def percentile_interval(
    resampled: ArrayLike, *, level: float = DEFAULT_LEVEL, seed: int = 0
) -> Interval:
    """Return the interval that holds the middle ``level`` of the resampled values.

    ``resampled`` has shape (n_resamples,); quantiles between two values are interpolated.
    Raises ValueError where ``level`` is not between 0 and 1.
    """
    import numpy as np

    sample = np.asarray(resampled, dtype=np.float64)
    low, high = _ends(sample, level)
    return Interval(float(low), float(high), level, len(sample), seed)


def percentile_intervals(
    resampled: Floats, *, level: float = DEFAULT_LEVEL, seed: int = 0
) -> tuple[Interval, ...]:
    """Return the ``percentile_interval`` of each column of ``resampled``, for many columns.

    ``resampled`` has shape (n_resamples, n_entries).
    """
    found: list[Interval] = []
    for start in range(0, resampled.shape[1], _AT_ONCE):
        low, high = _ends(resampled[:, start : start + _AT_ONCE], level)
        found += [
            Interval(float(one), float(other), level, len(resampled), seed)
            for one, other in zip(low, high, strict=True)
        ]
    return tuple(found)


def _ends(resampled: Floats, level: float) -> Floats:
    """Return the lower and the upper quantile of each column: shape (2, ...)."""
    import numpy as np

    if not 0 < level < 1:
        raise ValueError(f"the level of an interval is {level}; it lies between 0 and 1")
    tail = (1 - level) / 2
    by_entry = np.ascontiguousarray(resampled.T)
    return np.asarray(np.quantile(by_entry, (tail, 1 - tail), axis=-1), dtype=np.float64)


def paired_difference(
    one: ArrayLike, other: ArrayLike, *, level: float = DEFAULT_LEVEL, seed: int = 0
) -> Interval:
    """Return the interval of ``one`` minus ``other``, both measured on the same resamples."""
    import numpy as np

    first = np.asarray(one, dtype=np.float64)
    second = np.asarray(other, dtype=np.float64)
    return percentile_interval(first - second, level=level, seed=seed)


def spans_zero(difference: Interval) -> bool:
    """Say whether zero lies in the interval, its ends included: the two cannot be told apart."""
    return difference.low <= _ROUNDING and difference.high >= -_ROUNDING


def bands(order: Sequence[int], scores: Floats, *, level: float = DEFAULT_LEVEL) -> tuple[int, ...]:
    """Return the band, counted from 1, of each place of ``order``.

    ``order`` holds columns of ``scores`` (n_resamples, n_entries), best rank first. A band is a
    maximal run of neighbouring ranks whose paired difference to the band's first entry spans
    zero; the next band begins at the first entry which differs. Being tied is not transitive: the
    last entry of a band and the first of the next may well be tied with each other.
    """
    result: list[int] = []
    while len(result) < len(order):
        first, band = order[len(result)], result[-1] + 1 if result else 1
        result += [band] * (1 + _n_tied(first, order[len(result) + 1 :], scores, level))
    return tuple(result)


def _n_tied(first: int, behind: Sequence[int], scores: Floats, level: float) -> int:
    """Return how many entries in a row cannot be told apart from the first of their band.

    Looked at in growing pieces: a band of thousands takes few steps, one of a single entry one.
    """
    place, piece = 0, 1
    while place < len(behind):
        columns = list(behind[place : place + piece])
        differences = percentile_intervals(scores[:, [first]] - scores[:, columns], level=level)
        for difference in differences:
            if not spans_zero(difference):
                return place
            place += 1
        piece = min(2 * piece, _AT_ONCE)
    return place


def _checked(values: Any, weights: Any, n_resamples: int) -> tuple[Floats, Floats]:
    import numpy as np

    figures = np.asarray(values, dtype=np.float64)
    points = np.asarray(weights, dtype=np.float64)
    if figures.ndim != 3 or points.shape != (figures.shape[1],):
        raise ValueError(
            f"values of shape {figures.shape} do not fit weights of shape {points.shape}; "
            "values are (entries, tasks, figures), weights (tasks,)"
        )
    if not np.isfinite(figures).all() or not np.isfinite(points).all() or (points < 0).any():
        raise ValueError("a value is not a finite number, or a weight is negative")
    if not (points > 0).any():
        raise ValueError("no task has points")
    if n_resamples < 1:
        raise ValueError(f"{n_resamples} resamples; at least one is needed")
    return figures, points
