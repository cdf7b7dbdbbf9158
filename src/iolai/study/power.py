"""Power: how many tasks would tell two systems apart, given how much they were seen to vary.

A new study is imagined of n tasks whose paired differences are like those that were seen, moved so
that their mean is d; its test is the exchange within tasks (sign flips), at 0.05, two-sided. The
number of tasks is the smallest on a grid at which 80% of imagined studies reject. Beside it stands
the textbook's normal approximation, ((1.96 + 0.84) s / d)^2. The interval says how little is known
of the spread s: the number grows with s^2, which is resampled with the tasks that were seen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

from iolai.records import Cell, Column, Table
from iolai.stats import Interval
from iolai.study.comparing import missing, text
from iolai.study.material import Material
from iolai.study.outcomes import task_grid
from iolai.study.scores import model_order

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["DIFFERENCES", "normal_tasks_needed", "power_tables", "rejection_rate", "tasks_needed"]

#: True differences in exact match for which the number of tasks is given.
DIFFERENCES = (0.05, 0.10, 0.20)
LEVEL = 0.05
POWER = 0.80
_GRID = tuple(sorted({round(6 * 1.15**step) for step in range(45)}))
_N_STUDIES = 400
_N_SIGNS = 199
_N_REPEATS = 2000


def rejection_rate(
    differences: Sequence[float],
    d: float,
    n_tasks: int,
    *,
    n_studies: int = _N_STUDIES,
    seed: int = 0,
) -> float:
    """Return the share of imagined studies of ``n_tasks`` tasks that tell the two apart."""
    import numpy as np

    generator = np.random.default_rng([seed, n_tasks])
    pool = np.asarray(differences, dtype=np.float64)
    scale = math.sqrt(len(pool) / max(1, len(pool) - 1))  # a sample varies less than its source
    pool = (pool - pool.mean()) * scale + d
    studies = generator.choice(pool, size=(n_studies, n_tasks))
    signs = 1.0 - 2.0 * generator.integers(0, 2, size=(_N_SIGNS, n_tasks))
    arranged = abs(studies @ signs.T) >= abs(studies.sum(axis=1))[:, None] - 1e-12
    p_values = (arranged.sum(axis=1) + 1) / (_N_SIGNS + 1)
    return float((p_values <= LEVEL).mean())


def tasks_needed(differences: Sequence[float], d: float, *, seed: int = 0) -> int | None:
    """Return the fewest tasks of a grid with enough power; None where even the most are too few."""
    low, high = 0, len(_GRID)
    while low < high:
        middle = (low + high) // 2
        if rejection_rate(differences, d, _GRID[middle], seed=seed) >= POWER:
            high = middle
        else:
            low = middle + 1
    return _GRID[low] if low < len(_GRID) else None


def normal_tasks_needed(spread: float, d: float) -> int:
    """Return the number of tasks by the normal approximation, from the differences' spread."""
    normal = NormalDist()
    reach = normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(POWER)
    return max(2, math.ceil((reach * spread / d) ** 2))


def power_tables(material: Material) -> tuple[Table, ...]:
    """Return ``power``: for each pair of neighbours by score, the tasks needed for each d."""
    columns = (
        Column("model", "Model"),
        Column("next", "Against"),
        Column("spread", "Spread of differences in EM", "score"),
        *(
            column
            for d in DIFFERENCES
            for column in (
                Column(f"tasks_{100 * d:.0f}", f"Tasks for {100 * d:.0f} points", "count"),
                Column(f"normal_{100 * d:.0f}", "by normal approximation", "count"),
            )
        ),
    )
    grid = task_grid(material.compared)
    rows = []
    for one, other in itertools.pairwise(model_order(material)):
        places = [grid.rows.index(one), grid.rows.index(other)]
        pair = grid.values[places][:, :, 0]
        seen = (pair[0] - pair[1])[grid.points > 0]
        seen = seen[seen == seen]  # tasks that both have
        synthetic = grid.synthetic[places[0]] or grid.synthetic[places[1]]
        rows.append((text(one), text(other), *_cells(seen, material.seed, synthetic)))
    notes = (
        f"Level {LEVEL}, power {POWER}; n is the number of tasks from which the spread is known, "
        "with the seeds as many as they were.",
        f"Found by {_N_STUDIES} imagined studies of each size on a grid in steps of 15%; interval: "
        f"90%, of the spread over {_N_REPEATS} resamples of the tasks seen, seed {material.seed}.",
    )
    reason = "" if rows else material.why_no_tasks or "there is one model; nothing to tell apart"
    title = "How many tasks tell two systems apart"
    return (Table("power", title, columns, tuple(rows), notes, reason),)


def _cells(seen: Floats, seed: int, synthetic: bool) -> list[Cell]:
    n = len(seen)
    spread = float(seen.std(ddof=1)) if n > 1 else 0.0
    if spread == 0:
        why = missing("one task in common" if n < 2 else "no task tells the two apart", n=n)
        return [why] * (1 + 2 * len(DIFFERENCES))
    cells = [Cell(spread, n, synthetic=synthetic)]
    for d in DIFFERENCES:
        cells.append(_needed(seen, d, seed, synthetic))
        cells.append(Cell(float(normal_tasks_needed(spread, d)), n, synthetic=synthetic))
    return cells


def _needed(seen: Floats, d: float, seed: int, synthetic: bool) -> Cell:
    import numpy as np

    needed = tasks_needed(seen.tolist(), d, seed=seed)
    if needed is None:
        return missing(f"more than {_GRID[-1]} tasks", n=len(seen))
    resampled = np.random.default_rng(seed).choice(seen, size=(_N_REPEATS, len(seen)))
    growth = resampled.var(axis=1, ddof=1) / seen.var(ddof=1)
    # Of fewer tasks than the grid's first no arrangement is rare enough to reject at all.
    low, high = np.maximum(needed * np.quantile(growth, (0.05, 0.95)), _GRID[0])
    interval = Interval(float(low), float(high), 0.90, _N_REPEATS, seed)
    return Cell(float(needed), len(seen), None, interval, synthetic=synthetic)
