"""The automatic score against the jury's: Spearman, Pearson, and inflation, over contestants.

Both scores are out of 100: a jury score is the points got of the points that the marked problems
are worth, which for the olympiad's five problems is the total itself. Inflation is the automatic
score less the jury's. A correlation takes three contestants: two always correlate perfectly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from iolai.errors import MissingPartError
from iolai.jury.resampling import Resampler, plural
from iolai.records import Comparison, Figure, NoFigure, ProblemComparison

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["compare", "inflation", "pearson", "spearman"]

#: Values that lie closer together than this share of their size are one value.
_ROUNDING = 1e-12
_N_CORRELATED = 3
#: Values that are equal to so many decimals share a rank: 1 - 4/12 is 1 - 10/30.
_RANKED_DECIMALS = 9

Scores = Mapping[str, float]


def compare(
    automatic: Scores,
    jury: Scores,
    resampler: Resampler,
    automatic_by_problem: Mapping[str, Scores] | None = None,
    jury_by_problem: Mapping[str, Scores] | None = None,
) -> Comparison | NoFigure:
    """Compare the scores (out of 100, by contestant) of the contestants that have both.

    The scores by problem are by problem first, then by contestant.
    """
    names = [name for name in jury if name in automatic]
    if not names:
        return NoFigure("no contestant has both an automatic and a jury score")
    xs, ys = [automatic[name] for name in names], [jury[name] for name in names]
    by_problem = []
    for problem, scores in (jury_by_problem or {}).items():
        given = (automatic_by_problem or {}).get(problem, {})
        both = [name for name in scores if name in given]
        figure = inflation([given[n] for n in both], [scores[n] for n in both], resampler)
        by_problem.append(ProblemComparison(problem, figure, len(both)))
    return Comparison(
        spearman=spearman(xs, ys, resampler, _SIDES, "contestant"),
        pearson=pearson(xs, ys, resampler, _SIDES, "contestant"),
        inflation=inflation(xs, ys, resampler),
        by_contestant={name: automatic[name] - jury[name] for name in names},
        by_problem=tuple(by_problem),
        jury={name: jury[name] for name in names},
    )


_SIDES = ("automatic scores", "jury scores")


def spearman(
    xs: Sequence[float],
    ys: Sequence[float],
    resampler: Resampler,
    sides: tuple[str, str],
    what: str,
) -> Figure | NoFigure:
    """Return Spearman's rank correlation, equal values sharing their mean rank.

    ``sides`` and ``what`` are the words for the two lists and for one of what they are of.
    """
    import numpy as np

    none = _why_no_correlation(xs, ys, sides, what)
    if none:
        return NoFigure(none)
    stats = _scipy_stats()
    columns = np.asarray(np.round([xs, ys], _RANKED_DECIMALS), dtype=np.float64)
    value = float(stats.spearmanr(columns[0], columns[1]).statistic)

    def statistic(drawn: Floats) -> Floats:
        return _correlations(stats.rankdata(drawn, axis=2))

    return Figure(value, resampler.interval(columns, statistic, what), len(xs))


def pearson(
    xs: Sequence[float],
    ys: Sequence[float],
    resampler: Resampler,
    sides: tuple[str, str],
    what: str,
) -> Figure | NoFigure:
    """Return Pearson's correlation; the words as for ``spearman``."""
    import numpy as np

    none = _why_no_correlation(xs, ys, sides, what)
    if none:
        return NoFigure(none)
    columns = np.asarray([xs, ys], dtype=np.float64)
    value = float(_scipy_stats().pearsonr(columns[0], columns[1]).statistic)
    return Figure(value, resampler.interval(columns, _correlations, what), len(xs))


def inflation(
    automatic: Sequence[float], jury: Sequence[float], resampler: Resampler
) -> Figure | NoFigure:
    """Return the mean of the automatic score less the jury's, with its interval."""
    import numpy as np

    if not automatic:
        return NoFigure("no contestant has both an automatic and a jury score")
    columns = np.asarray([automatic, jury], dtype=np.float64)

    def statistic(drawn: Floats) -> Floats:
        return np.asarray((drawn[0] - drawn[1]).mean(axis=1), dtype=np.float64)

    value = float((columns[0] - columns[1]).mean())
    return Figure(value, resampler.interval(columns, statistic, "contestant"), len(automatic))


def _why_no_correlation(
    xs: Sequence[float], ys: Sequence[float], sides: tuple[str, str], what: str
) -> str:
    if len(xs) < _N_CORRELATED:
        number = ("no", "one", "two")[len(xs)]
        return f"{number} {what if len(xs) == 1 else plural(what)}"
    for name, values in zip(sides, (xs, ys), strict=True):
        size = max(1.0, *map(abs, values))
        if max(values) - min(values) <= _ROUNDING * size:
            return f"the {name} are all equal"
    return ""


def _correlations(columns: Floats) -> Floats:
    """Return Pearson's r of each resample: (2, n_resamples, n) to (n_resamples,)."""
    import numpy as np

    centred = columns - columns.mean(axis=2, keepdims=True)
    sizes = np.sqrt((centred**2).sum(axis=2))
    scale = _ROUNDING * np.maximum(1.0, np.abs(columns).max(axis=2))
    there = (sizes > scale).all(axis=0)
    result = np.full(columns.shape[1], np.nan)
    products = (centred[0] * centred[1]).sum(axis=1)
    result[there] = products[there] / (sizes[0] * sizes[1])[there]
    return np.asarray(np.clip(result, -1.0, 1.0), dtype=np.float64)


def _scipy_stats() -> ModuleType:
    try:
        import scipy.stats
    except ImportError as error:
        raise MissingPartError(
            "the package scipy is not installed, which compares the scores",
            hint="Install it with: pip install 'iolai[jury]'",
        ) from error
    return scipy.stats  # type: ignore[no-any-return]
