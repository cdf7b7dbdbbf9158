"""Correlations, with a bootstrap interval over the pairs and a permutation p-value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from iolai.stats.bootstrap import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    Interval,
    percentile_interval,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Correlation", "NoCorrelation", "correlation"]

#: Fewer pairs than this lie on a line or nearly so whatever they are.
MIN_PAIRS = 4
#: Of the resamples so many may be of one value over and over, where nothing correlates.
_MOST_FLAT = 0.05


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient in [-1, 1]; ``interval`` is None where too many resamples do not vary."""

    value: float
    interval: Interval | None
    p: float
    n: int
    method: str


@dataclass(frozen=True, slots=True)
class NoCorrelation:
    """Why there is none: ``"fewer than 4 pairs"`` or ``"one of the two does not vary"``."""

    reason: str


def correlation(
    one: ArrayLike,
    other: ArrayLike,
    *,
    method: Literal["pearson", "spearman"] = "spearman",
    level: float = DEFAULT_LEVEL,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> Correlation | NoCorrelation:
    """Correlate two measures, shape (n,) each: of values, or of ranks (ties share their mean).

    The interval is the percentile interval over resampled pairs; of 6 to 40 pairs a nominal 90%
    covers about 90% (docs/study-coverage.md). p is two-sided, by shuffling one of the two.
    Raises ValueError where the shapes are no pairs.
    """
    import numpy as np

    x, y = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"shapes {x.shape} and {y.shape} are no pairs")
    if len(x) < MIN_PAIRS:
        return NoCorrelation(f"fewer than {MIN_PAIRS} pairs")
    measure = _ranks if method == "spearman" else np.asarray
    value = _pearson(measure(x[None]), measure(y[None]))[0]
    if np.isnan(value):
        return NoCorrelation("one of the two does not vary")
    generator = np.random.default_rng(seed)
    draws = generator.integers(0, len(x), size=(n_resamples, len(x)))
    resampled = _pearson(measure(x[draws]), measure(y[draws]))
    shuffled = generator.permuted(np.tile(measure(y[None]), (n_resamples, 1)), axis=1)
    arranged = _pearson(measure(x[None]), shuffled)
    hits = int((abs(arranged) >= abs(value) - 1e-12).sum())
    interval = _interval(resampled, level, seed)
    return Correlation(float(value), interval, (hits + 1) / (n_resamples + 1), len(x), method)


def _interval(resampled: Floats, level: float, seed: int) -> Interval | None:
    import numpy as np

    flat = np.isnan(resampled)
    if flat.mean() > _MOST_FLAT:
        return None
    return percentile_interval(resampled[~flat], level=level, seed=seed)


def _pearson(x: Floats, y: Floats) -> Floats:
    """Correlate along the last axis; nan where one of the two does not vary."""
    import numpy as np

    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean(axis=-1, keepdims=True)
    spread = np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread > 1e-12, (x * y).sum(axis=-1) / spread, np.nan))


def _ranks(values: Floats) -> Any:
    """Rank along the last axis of (rows, n), ties sharing the mean of their ranks."""
    import numpy as np

    n = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    new = np.concatenate(
        [np.ones((*values.shape[:-1], 1), bool), ordered[..., 1:] != ordered[..., :-1]], axis=-1
    )
    dense = np.cumsum(new, axis=-1) - 1
    places = np.arange(n, dtype=np.float64)
    flat = (dense + np.arange(len(values))[:, None] * n).ravel()
    sums = np.bincount(flat, np.tile(places, len(values)), minlength=n * len(values))
    counts = np.bincount(flat, minlength=n * len(values))
    means = (sums / np.maximum(counts, 1))[flat].reshape(values.shape)
    ranks = np.empty_like(means)
    np.put_along_axis(ranks, order, means, axis=-1)
    return ranks
