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
from iolai.jury.marking import own_marks
from iolai.jury.resampling import Resampler
from iolai.records import (
    Agreement,
    Figure,
    MarkedPaper,
    MarkKind,
    NoFigure,
    ProblemAgreement,
    Rubric,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["agreement", "alpha", "first_marks", "problem_agreement"]

Pairs = Sequence[tuple[float, float]]


def problem_agreement(
    rubric: Rubric, papers: Iterable[MarkedPaper], resampler: Resampler
) -> ProblemAgreement:
    """Measure the agreement on one problem: on the papers' totals and on each criterion.

    The marks are those with which a juror handed over before seeing another's (``first_marks``),
    by whichever version of the rubric they were given, on the criteria that it has in the end. A
    paper's total is of the criteria that both marked then.
    """
    sheets = [sheet for one in papers if (sheet := _sheets(rubric, one)) is not None]
    totals = [(math.fsum(a.values()), math.fsum(b.values())) for a, b in sheets]
    return ProblemAgreement(
        problem=rubric.problem,
        totals=agreement("total", totals, resampler),
        criteria=tuple(
            agreement(one.id, [(a[one.id], b[one.id]) for a, b in sheets if one.id in a], resampler)
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


def first_marks(marked: MarkedPaper) -> tuple[dict[str, float], dict[str, float]] | None:
    """Return the marks of each of the pair as they stood when both had first handed over.

    After that moment each saw the other's, so that what was marked again later is no independent
    mark. Where somebody stood in, a juror who stayed had seen the marks of who went: theirs are of
    the earlier moment. None where the two have never both handed over.
    """
    closed: set[str] = set()
    found: dict[str, dict[str, float]] = {}
    for place, mark in enumerate(marked.marks, 1):
        if mark.kind == MarkKind.REOPENED:
            closed.discard(mark.juror)
        elif mark.kind == MarkKind.HANDED_OVER:
            closed.add(mark.juror)
            if len(closed) > 1:
                for juror in closed - found.keys():
                    own = own_marks(marked.marks[:place], juror)
                    found[juror] = {
                        name: one.points for name, one in own.items() if one.points is not None
                    }
    first, second = marked.assignment.pair
    return (found[first], found[second]) if first in found and second in found else None


def _sheets(
    rubric: Rubric, marked: MarkedPaper
) -> tuple[dict[str, float], dict[str, float]] | None:
    """Return the first marks on the criteria that the rubric has and both marked; None if none."""
    given = first_marks(marked)
    if given is None:
        return None
    both = [one.id for one in rubric.criteria if one.id in given[0] and one.id in given[1]]
    if not both:
        return None
    first, second = ({name: sheet[name] for name in both} for sheet in given)
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
