"""The coverage simulation: do the statistics find what was planted, and how often?

Each repeat plants a truth, draws a study from it, and asks the analyses' own functions. An interval
covers where the truth lies in it; a test errs where it rejects although nothing is there. What is
written here is run by ``benchmarks/bench_coverage.py``; the results stand in
``docs/study-coverage.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from iolai.records import Cell, Condition
from iolai.stats import (
    Correlation,
    Interval,
    Permutation,
    correlation,
    percentile_interval,
    within_groups_test,
)
from iolai.study.comparing import Resampler, corrected, expanded_interval
from iolai.study.outcomes import task_grid
from iolai.study.power import rejection_rate, tasks_needed
from iolai.study.simulating import PlantedModel, PlantedWorld, planted_tasks, simulate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "METHODS",
    "Covered",
    "correlations_covered",
    "families_erring",
    "figures_covered",
    "methods_covered",
    "power_reached",
    "techniques_covered",
]

PLAIN, ABLATED = Condition(), Condition(context="ablated")
_N_RESAMPLES = 999


@dataclass
class Covered:
    """What came of the repeats for one figure: truth, found on average, and how often covered.

    ``width`` is the mean width of the intervals, ``rejected`` the share of tests with p <= 0.05
    (None where there is none). All in the units of the figure; shares in [0, 1].
    """

    what: str
    n: int
    truth: float
    nominal: float
    found: list[float] = field(default_factory=list)
    hits: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    rejections: list[bool] = field(default_factory=list)

    def add(self, value: float, interval: Interval | None, p: float | None = None) -> None:
        """Count one repeat; a repeat without an interval covers nothing and has no width."""
        self.found.append(value)
        self.hits.append(interval is not None and interval.low <= self.truth <= interval.high)
        if interval is not None:
            self.widths.append(interval.high - interval.low)
        if p is not None:
            self.rejections.append(p <= 0.05)

    def add_cell(self, cell: Cell) -> None:
        """Count the cell of one repeat."""
        if isinstance(cell.value, float):
            self.add(cell.value, cell.interval, cell.p)

    @property
    def mean(self) -> float:
        return _mean(self.found)

    @property
    def covered(self) -> float:
        return _mean(self.hits)

    @property
    def error(self) -> float:
        """The standard error of ``covered``."""
        return math.sqrt(self.covered * (1 - self.covered) / max(1, len(self.hits)))

    @property
    def width(self) -> float:
        return _mean(self.widths)

    @property
    def rejected(self) -> float | None:
        return _mean(self.rejections) if self.rejections else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


#: The models of a repeat: one with an effect planted, one below it, and that one's twin.
_ABLE = PlantedModel("able", 0.3, {"ablated": -0.8})
_LESS = PlantedModel("less", -0.5)
_TWIN = PlantedModel("twin", -0.5)


def figures_covered(n_tasks: int, n_repeats: int, *, seed: int = 0) -> tuple[Covered, ...]:
    """Try scores, differences and an ablation's effect on studies of so many tasks, two seeds each.

    The last row is the difference of two equal models: what it rejects, it rejects wrongly.
    """
    world = PlantedWorld(difficulty=1.0, effect=0.4, noise=0.3)
    able, less = _ABLE.expected(PLAIN, world), _LESS.expected(PLAIN, world)
    chrf = able + (1 - able) * _ABLE.partial
    effect = _ABLE.expected(ABLATED, world) - able
    mean = Covered("exact match of a model", n_tasks, able, 0.90)
    score = Covered("score of a model", n_tasks, math.sqrt(able * chrf), 0.90)
    difference = Covered("difference of two models", n_tasks, able - less, 0.90)
    ablation = Covered("effect of an ablation", n_tasks, effect, 0.95)
    nothing = Covered("difference of two equal models", n_tasks, 0.0, 0.90)
    for repeat in range(n_repeats):
        here = PlantedWorld(world.difficulty, world.effect, world.noise, seed * 1_000_003 + repeat)
        tasks = planted_tasks(n_tasks, here)
        plain = simulate(tasks, (_ABLE, _LESS, _TWIN), (PLAIN,), (0, 1), here)
        ablated = simulate(tasks, (_ABLE,), (ABLATED,), (0, 1), here)
        grid = task_grid([*plain, *ablated], lambda o: f"{o.model} {o.condition.context}")
        usual, wide = (Resampler(level, _N_RESAMPLES, repeat) for level in (0.90, 0.95))
        mean.add_cell(usual.figure(grid, "able whole", "exact_match"))
        score.add_cell(usual.figure(grid, "able whole"))
        difference.add_cell(usual.difference(grid, "able whole", "less whole", "exact_match"))
        ablation.add_cell(wide.difference(grid, "able ablated", "able whole", "exact_match"))
        nothing.add_cell(usual.difference(grid, "less whole", "twin whole", "exact_match"))
    return mean, score, difference, ablation, nothing


def families_erring(
    n_tasks: int, n_repeats: int, *, n_models: int = 6, seed: int = 0
) -> tuple[float, float]:
    """Return how often a table of equal models shows a difference: as it is, and by Holm.

    Each repeat compares ``n_models`` twins with one more; it errs where any p is at most 0.05.
    """
    names = [PlantedModel(f"twin {number}", -0.5) for number in range(n_models + 1)]
    erring = [0, 0]
    for repeat in range(n_repeats):
        world = PlantedWorld(seed=seed * 1_000_003 + repeat)
        grid = task_grid(simulate(planted_tasks(n_tasks, world), names, (PLAIN,), (0,), world))
        resampler = Resampler(0.90, _N_RESAMPLES, repeat)
        cells = [resampler.difference(grid, one.name, names[0].name) for one in names[1:]]
        for place, tried in enumerate((cells, corrected(cells))):
            erring[place] += any(cell.p is not None and cell.p <= 0.05 for cell in tried)
    return erring[0] / n_repeats, erring[1] / n_repeats


def correlations_covered(n: int, planted: float, n_repeats: int, *, seed: int = 0) -> Covered:
    """Try Spearman's correlation of n pairs drawn from a normal law of correlation ``planted``.

    Its true value there is 6 / pi asin(planted / 2) (M. Kendall, "Rank Correlation Methods").
    """
    import numpy as np

    generator = np.random.default_rng([seed, n])
    result = Covered("correlation", n, 6 / math.pi * math.asin(planted / 2), 0.90)
    for repeat in range(n_repeats):
        one = generator.normal(size=n)
        other = planted * one + math.sqrt(1 - planted * planted) * generator.normal(size=n)
        found = correlation(one, other, n_resamples=_N_RESAMPLES, seed=repeat)
        if isinstance(found, Correlation):
            result.add(found.value, found.interval, found.p)
    return result


def techniques_covered(
    n_teams: int, n_runs: int, effect: float, n_repeats: int, *, seed: int = 0
) -> Covered:
    """Try the within-team effect of a tag that half the runs have, teams differing far more."""
    import numpy as np

    generator = np.random.default_rng([seed, n_teams, n_runs])
    result = Covered("effect of a technique", n_teams * n_runs, effect, 0.90)
    teams = np.repeat(np.arange(n_teams), n_runs)
    for repeat in range(n_repeats):
        tags = generator.integers(0, 2, len(teams)).astype(bool)
        level = generator.normal(0, 0.06, n_teams)
        private = level[teams] + effect * tags + generator.normal(0, 0.02, len(teams))
        found = within_groups_test(
            private, tags.tolist(), teams.tolist(), n_tried=_N_RESAMPLES, seed=repeat
        )
        if isinstance(found, Permutation):
            result.add(found.effect, found.interval, found.p)
    return result


def power_reached(
    d: float, n_repeats: int, *, n_seen: int = 30, seed: int = 0
) -> tuple[float, float, float]:
    """Return the median number of tasks that the power analysis asks for, and what it is worth.

    Each repeat sees ``n_seen`` paired differences of a known law (normal, spread 0.2) and is told
    how many tasks it needs. Returned are the median of that, the number that the law itself asks
    for, and the power which the median number really has.
    """
    import numpy as np

    generator = np.random.default_rng([seed, n_seen])
    asked = [
        tasks_needed(generator.normal(0.0, 0.2, n_seen).tolist(), d, seed=repeat) or math.inf
        for repeat in range(n_repeats)
    ]
    law = np.random.default_rng(1).normal(0.0, 0.2, 20_000).tolist()
    median = float(np.median(asked))
    truly = rejection_rate(law, d, round(median), n_studies=4000, seed=seed)
    return median, float(tasks_needed(law, d, seed=seed) or math.inf), truly


Method = Callable[["Floats", float, int], Interval]


def _percentile(values: Floats, level: float, seed: int) -> Interval:
    return percentile_interval(_resampled(values, seed), level=level)


def _expanded(values: Floats, level: float, seed: int) -> Interval:
    return expanded_interval(_resampled(values, seed), len(values), level=level, seed=seed)


def _bca(values: Floats, level: float, seed: int) -> Interval:
    import numpy as np
    from scipy import stats

    if np.ptp(values) == 0:
        return Interval(float(values[0]), float(values[0]), level)
    found = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=level,
        n_resamples=_N_RESAMPLES,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(found.low), float(found.high), level)


def _studentised(values: Floats, level: float, seed: int) -> Interval:
    """The bootstrap-t interval: resampled t values in place of those of the table."""
    import numpy as np

    drawn = np.random.default_rng(seed).choice(values, size=(_N_RESAMPLES, len(values)))
    errors = drawn.std(axis=1, ddof=1) / math.sqrt(len(values))
    own = values.std(ddof=1) / math.sqrt(len(values))
    moving = errors > 1e-12
    if not moving.any():
        return Interval(float(values.mean()), float(values.mean()), level)
    t_values = (drawn.mean(axis=1)[moving] - values.mean()) / errors[moving]
    low, high = np.quantile(t_values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(values.mean() - high * own), float(values.mean() - low * own), level)


def _resampled(values: Floats, seed: int) -> Floats:
    import numpy as np

    drawn = np.random.default_rng(seed).choice(values, size=(_N_RESAMPLES, len(values)))
    return np.asarray(drawn.mean(axis=1), dtype=np.float64)


#: Ways to an interval of a mean over tasks that were tried against each other.
METHODS: dict[str, Method] = {
    "percentile": _percentile,
    "BCa": _bca,
    "studentised": _studentised,
    "expanded percentile": _expanded,
}


def methods_covered(
    n_tasks: int, n_repeats: int, *, names: Iterable[str] = tuple(METHODS), seed: int = 0
) -> tuple[Covered, ...]:
    """Try the ways to an interval on the exact match of a weak model and on paired differences."""
    import numpy as np

    names = tuple(names)
    world = PlantedWorld(difficulty=1.2, noise=0.3)
    weak, other = PlantedModel("weak", -1.5), PlantedModel("other", -0.8)
    truths = [weak.expected(PLAIN, world)]
    truths.append(other.expected(PLAIN, world) - truths[0])
    rows = {
        (what, name): Covered(f"{what}, {name}", n_tasks, truth, 0.90)
        for what, truth in zip(("mean", "difference"), truths, strict=True)
        for name in names
    }
    generator = np.random.default_rng([seed, n_tasks])
    for repeat in range(n_repeats):
        difficulty = generator.normal(0, world.difficulty, n_tasks)
        n_items = generator.integers(3, 9, n_tasks)
        one, two = (
            _answered(model.ability, difficulty, n_items, world.noise, generator)
            for model in (weak, other)
        )
        for what, values in (("mean", one), ("difference", two - one)):
            for name in names:
                interval = METHODS[name](values, 0.90, repeat)
                rows[what, name].add(float(values.mean()), interval)
    return tuple(rows.values())


def _answered(
    ability: float,
    difficulty: Floats,
    n_items: NDArray[np.int64],
    noise: float,
    generator: np.random.Generator,
) -> Floats:
    """Return the exact match of each task by the law of ``simulating``, drawn all at once."""
    import numpy as np

    logits = ability - difficulty + generator.normal(0, noise, len(difficulty))
    right = generator.binomial(n_items, 1 / (1 + np.exp(-logits)))
    return np.asarray(right / n_items, dtype=np.float64)
