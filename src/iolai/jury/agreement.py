"""Agreement before consensus: Krippendorff's alpha, interval metric.

Source: K. Krippendorff, *Content Analysis: An Introduction to Its Methodology*. The value comes
from the package ``krippendorff``; the resamples of the interval from the same formula for two
marks on each of n papers, with nothing missing:
``alpha = 1 - (sum (a - b)^2 / n) / (2 sum (v - mean v)^2 / (2n - 1))``, v being all 2n marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from iolai.errors import MissingPartError
from iolai.jury.marking import has_handed_over, own_marks
from iolai.jury.resampling import Resampler
from iolai.records import Agreement, Figure, MarkedPaper, NoFigure, ProblemAgreement, Rubric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["agreement", "alpha", "problem_agreement"]

Pairs = Sequence[tuple[float, float]]


def problem_agreement(
    rubric: Rubric, papers: Iterable[MarkedPaper], resampler: Resampler
) -> ProblemAgreement:
    """Measure the agreement on one problem: on the papers' totals and on each criterion.

    Only papers count which both of the pair have handed over with a mark on every criterion; the
    marks are those that stood then.
    """
    sheets = [sheet for one in papers if (sheet := _sheets(rubric, one)) is not None]
    totals = [(math.fsum(a.values()), math.fsum(b.values())) for a, b in sheets]
    return ProblemAgreement(
        problem=rubric.problem,
        totals=agreement("total", totals, resampler),
        criteria=tuple(
            agreement(one.id, [(a[one.id], b[one.id]) for a, b in sheets], resampler)
            for one in rubric.criteria
        ),
    )


def agreement(name: str, pairs: Pairs, resampler: Resampler) -> Agreement:
    """Measure the agreement of pairs of marks, one pair a paper."""
    return Agreement(
        name=name,
        alpha=alpha(pairs, resampler),
        n_papers=len(pairs),
        n_equal=sum(one == other for one, other in pairs),
    )


def alpha(pairs: Pairs, resampler: Resampler) -> Figure | NoFigure:
    """Return Krippendorff's alpha (interval) with its interval over papers.

    There is none for fewer than two papers, nor where all marks are equal: nothing could then
    have disagreed. Raises MissingPartError where the package is absent.
    """
    import numpy as np

    if len(pairs) < 2:
        return NoFigure(("no paper was marked by two", "one paper")[len(pairs)])
    marks = np.asarray(pairs, dtype=np.float64).T
    if (marks == marks[0, 0]).all():
        return NoFigure("all marks are equal")
    value = _krippendorff_alpha(marks)
    return Figure(value, resampler.interval(marks, _alphas, "paper"), len(pairs))


def _alphas(marks: Floats) -> Floats:
    """Return alpha of each resample: (2, n_resamples, n_papers) to (n_resamples,)."""
    import numpy as np

    n = marks.shape[2]
    observed = ((marks[0] - marks[1]) ** 2).mean(axis=1)
    means = marks.mean(axis=(0, 2))
    expected = 2 * ((marks - means[None, :, None]) ** 2).sum(axis=(0, 2)) / (2 * n - 1)
    varied = (marks != marks[:1, :, :1]).any(axis=(0, 2))
    result = np.full(len(observed), np.nan)
    result[varied] = 1 - observed[varied] / expected[varied]
    return result


def _sheets(
    rubric: Rubric, marked: MarkedPaper
) -> tuple[dict[str, float], dict[str, float]] | None:
    sheets = []
    for juror in marked.assignment.pair:
        own = own_marks(marked.marks, juror)
        sheet = {
            one.id: mark.points
            for one in rubric.criteria
            if (mark := own.get(one.id)) is not None and mark.points is not None
        }
        if len(sheet) < len(rubric.criteria) or not has_handed_over(marked.marks, juror):
            return None
        sheets.append(sheet)
    first, second = sheets
    return first, second


def _krippendorff_alpha(marks: Floats) -> float:
    try:
        import krippendorff
    except ImportError as error:
        raise MissingPartError(
            "the package krippendorff is not installed, which measures agreement",
            hint="Install it with: pip install 'iolai[jury]'",
        ) from error
    return float(krippendorff.alpha(reliability_data=marks, level_of_measurement="interval"))
