"""Cells: a figure over tasks with its interval, a paired difference with its test.

The unit is the task. Intervals are *expanded* percentile bootstrap intervals: the plain percentile
interval of few tasks is too narrow (of 10 to 14 tasks a nominal 90% covers 82-85%, see
docs/study-coverage.md), so that its tails are taken further out, to where a t distribution of n - 1
degrees of freedom has them. Source: T. Hesterberg 2015, "What Teachers Should Know About the
Bootstrap", section 5.3. Tests exchange the two systems task by task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from iolai.records import Cell
from iolai.stats import (
    CORRECTIONS,
    Interval,
    Permutation,
    exchange_test,
    geometric_mean,
    percentile_interval,
    resampled_scores,
    sign_flip_test,
    why_no_interval,
)
from iolai.study.material import Material
from iolai.study.outcomes import Grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "FEW_UNITS",
    "FIGURES_OF",
    "MIN_UNITS",
    "Resampler",
    "corrected",
    "count",
    "expanded_interval",
    "interval_note",
    "missing",
    "number",
    "p_cell",
    "plain_scores",
    "text",
]


_ROUNDING = 1e-9
#: Of fewer units no interval is printed: of 2 a nominal 90% covers about 50%, of 4 about 80%.
MIN_UNITS = 5
#: What the notes of tables say of it.
FEW_UNITS = f"none of fewer than {MIN_UNITS}"


def _exact_match(means: Floats) -> Floats:
    return means[..., 0]


def _chrf(means: Floats) -> Floats:
    return means[..., 1]


#: The figures of a set of tasks, each from the mean exact match and the mean chrF.
FIGURES_OF: dict[str, Callable[[Floats], Floats]] = {
    "score": geometric_mean,
    "exact_match": _exact_match,
    "chrf": _chrf,
}


def text(value: str, *, synthetic: bool = False) -> Cell:
    """Return a cell that names something; an empty text is written as a dash."""
    return Cell(value or "–", synthetic=synthetic)


def missing(reason: str, *, n: int | None = None) -> Cell:
    """Return a cell without a figure."""
    return Cell(None, n, reason=reason)


def count(value: int, *, synthetic: bool = False) -> Cell:
    """Return a cell with a count."""
    return Cell(float(value), synthetic=synthetic)


def number(value: float | None, reason: str, *, synthetic: bool = False) -> Cell:
    """Return a cell with a figure of its own, or the reason where it is None."""
    return missing(reason) if value is None else Cell(float(value), synthetic=synthetic)


def p_cell(cell: Cell) -> Cell:
    """Return the p-value of a cell as a cell of its own."""
    if cell.p is None:
        return missing(cell.reason or "no test")
    return Cell(cell.p, cell.n, synthetic=cell.synthetic)


def interval_note(material: Material, level: float | None = None) -> str:
    """Say in words how the intervals of a table were made."""
    return (
        f"Intervals: {100 * (level or material.level):.0f}%, expanded percentile bootstrap over "
        f"tasks, {material.n_resamples} resamples, seed {material.seed}; {FEW_UNITS}."
    )


def expanded_interval(
    resampled: Floats, n_effective: float, *, level: float, seed: int
) -> Interval:
    """Return the percentile interval, expanded for the number of tasks that were resampled.

    ``resampled`` has shape (n_resamples,); ``n_effective`` is (sum of points)^2 / sum of squared
    points. The interval still says the nominal ``level``.
    """
    from scipy import stats

    tail = (1 - level) / 2
    n = max(n_effective, 1 + _ROUNDING)  # all points on one task, but for the last bits
    reach = stats.t.ppf(1 - tail, n - 1) * math.sqrt(n / (n - 1))
    outer = NormalDist().cdf(-float(reach))
    wide = percentile_interval(resampled, level=1 - 2 * max(outer, 1e-12), seed=seed)
    return replace(wide, level=level)


def plain_scores(grid: Grid) -> dict[str, float]:
    """Return each row's score over the tasks that it has; 0 where it has none with points."""
    scores = {}
    for row in grid.rows:
        own = grid.of(row)
        means = own.points @ own.values[0] / max(own.points.sum(), 1e-12)
        scores[row] = float(geometric_mean(means))
    return scores


@dataclass(frozen=True)
class Resampler:
    """Makes cells with one level, one number of resamples and one seed."""

    level: float = 0.90
    n_resamples: int = 10_000
    seed: int = 0

    @classmethod
    def of(cls, material: Material, level: float | None = None) -> Resampler:
        """Return one with the material's settings, at another level where one is given."""
        return cls(level or material.level, material.n_resamples, material.seed)

    def figure(self, grid: Grid, row: str, name: str = "score") -> Cell:
        """Return one row's figure over the tasks that it has; ``name`` as in ``FIGURES_OF``."""
        if row not in grid.rows:
            return missing("no outcome")
        own = grid.of(row)
        if not own.tasks:
            return missing("no task with points", n=0)
        statistic = FIGURES_OF[name]
        value = float(statistic((own.points @ own.values[0] / own.points.sum())[None])[0])
        interval = None
        if not why_no_interval(own.points.tolist()):
            interval = self._interval(self._drawn(own, statistic)[:, 0], own.points)
        return Cell(value, len(own.tasks), own.fewest_seeds, interval, synthetic=own.synthetic[0])

    def difference(self, grid: Grid, one: str, other: str, name: str = "score") -> Cell:
        """Return ``one`` minus ``other`` over the tasks that both have, with its p-value."""
        absent = [row for row in (one, other) if row not in grid.rows]
        if absent:
            return missing(f"no outcome of {absent[0]}")
        places = [grid.rows.index(one), grid.rows.index(other)]
        both = Grid(
            (one, other),
            grid.tasks,
            grid.problems,
            grid.values[places],
            grid.points,
            grid.n_seeds[places],
            (grid.synthetic[places[0]], grid.synthetic[places[1]]),
        ).common
        n = len(both.tasks)
        if n < 2:
            return missing("one task in common" if n else "no task in common", n=n)
        statistic = FIGURES_OF[name]
        drawn = self._drawn(both, statistic)
        test = exchange_test(
            both.values[0],
            both.values[1],
            both.points,
            statistic,
            n_tried=self.n_resamples,
            seed=self.seed,
        )
        if not isinstance(test, Permutation):
            return missing(test.reason, n=n)
        interval = self._interval(drawn[:, 0] - drawn[:, 1], both.points)
        synthetic = any(both.synthetic)
        return Cell(test.effect, n, both.fewest_seeds, interval, test.p, synthetic=synthetic)

    def tested(
        self, values: Sequence[float], *, n_seeds: int | None = None, synthetic: bool = False
    ) -> Cell:
        """Return the mean of values that would be 0 without an effect, and its sign-flip p."""
        test = sign_flip_test(values, n_tried=self.n_resamples, seed=self.seed)
        cell = self.mean(values, n_seeds=n_seeds, synthetic=synthetic)
        return replace(cell, p=test.p) if isinstance(test, Permutation) else cell

    def mean(
        self, values: Sequence[float], *, n_seeds: int | None = None, synthetic: bool = False
    ) -> Cell:
        """Return the plain mean of units of one kind, with its interval over them."""
        import numpy as np

        if not len(values):
            return missing("nothing to average", n=0)
        figures = np.asarray(values, dtype=np.float64)
        interval = None
        if len(figures) > 1:
            points = np.ones(len(figures))
            drawn = resampled_scores(
                np.stack([figures, figures], axis=-1)[None],
                points,
                _exact_match,
                n_resamples=self.n_resamples,
                seed=self.seed,
            )
            interval = self._interval(drawn[:, 0], points)
        value = float(figures.mean())
        return Cell(value, len(figures), n_seeds, interval, synthetic=synthetic)

    def _drawn(self, grid: Grid, statistic: Callable[[Floats], Floats]) -> Floats:
        return resampled_scores(
            grid.values, grid.points, statistic, n_resamples=self.n_resamples, seed=self.seed
        )

    def _interval(self, resampled: Floats, points: Floats) -> Interval | None:
        if int((points > 0).sum()) < MIN_UNITS:
            return None
        n_effective = float(points.sum() ** 2 / (points * points).sum())
        return expanded_interval(resampled, n_effective, level=self.level, seed=self.seed)


def corrected(cells: Iterable[Cell], method: str = "holm") -> tuple[Cell, ...]:
    """Correct the p-values of cells that are read together; cells without one stay as they are."""
    cells = tuple(cells)
    fixed = iter(CORRECTIONS[method]([cell.p for cell in cells if cell.p is not None]))
    return tuple(cell if cell.p is None else replace(cell, p=next(fixed)) for cell in cells)
