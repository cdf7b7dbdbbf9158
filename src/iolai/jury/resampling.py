"""Figures with percentile bootstrap intervals, over papers or over contestants.

A resample in which a statistic does not exist (all of its marks are equal, say) is left out, and
``Interval.n_resamples`` counts those that remain; where fewer than half remain there is no
interval. All draws come from one seeded generator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from iolai.stats import DEFAULT_LEVEL, DEFAULT_RESAMPLES, Interval, NoInterval, percentile_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Resampler", "plural"]

_PLURALS = {"criterion": "criteria"}


def plural(what: str) -> str:
    """Return the plural of the word for what is drawn again."""
    return _PLURALS.get(what, f"{what}s")


class Resampler:
    """How intervals are made: level, number of resamples, seed. The same for a whole result."""

    def __init__(
        self,
        n_resamples: int = DEFAULT_RESAMPLES,
        seed: int = 0,
        level: float = DEFAULT_LEVEL,
    ) -> None:
        if n_resamples < 1:
            raise ValueError(f"{n_resamples} resamples; at least one is needed")
        self.n_resamples = n_resamples
        self.seed = seed
        self.level = level

    def interval(
        self, columns: Floats, statistic: Callable[[Floats], Floats], what: str
    ) -> Interval | NoInterval:
        """Return the interval of a statistic of things drawn again.

        ``columns`` has shape (n_figures, n_things); ``statistic`` gets (n_figures, n_resamples,
        n_things) and gives (n_resamples,), with nan where it does not exist. ``what`` is the word
        for one thing (``paper``).
        """
        import numpy as np

        n_things = columns.shape[1]
        if n_things < 2:
            return NoInterval(f"one {what}")
        rng = np.random.default_rng(self.seed)
        draws = rng.integers(0, n_things, size=(self.n_resamples, n_things))
        values = statistic(columns[:, draws])
        there = values[np.isfinite(values)]
        if 2 * len(there) < self.n_resamples:
            return NoInterval(f"in most resamples of the {plural(what)} the figure does not exist")
        return percentile_interval(there, level=self.level, seed=self.seed)
