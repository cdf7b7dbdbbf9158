"""Who stands where: ranks, intervals, bands.

All entries are ranked together, those of the organisers too, by score at the 4 decimals that are
published; ties go to the earlier submission. An entry without a score stands last, without a rank.
A baseline stands where its score puts it, without a rank and without a band: who is behind it loses
no place by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from iolai.board.entry import BoardEntry, submission_time
from iolai.board.tasks import problem_of
from iolai.records import BoardRow, Resampling, Score, SplitScore, TaskScore
from iolai.stats import (
    DEFAULT_LEVEL,
    DEFAULT_RESAMPLES,
    Interval,
    bands,
    geometric_mean,
    percentile_intervals,
    resampled_scores,
    why_no_interval,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DECIMALS", "Summarise", "in_order", "rank", "resample"]

#: Published scores have this many decimals; what they do not show decides no rank.
DECIMALS = 4

#: Makes the aggregate figures of some tasks: handed in, since the metric is another room's.
Summarise = Callable[[Iterable[TaskScore]], SplitScore]


def in_order(entries: Iterable[BoardEntry]) -> tuple[BoardEntry, ...]:
    """Return the entries best first, of equal scores the one that came first.

    Equal in both: by team name, never by accident.
    """

    def key(entry: BoardEntry) -> tuple[bool, float, int, tuple[bool, float, str], str]:
        score = entry.ranked_score
        shown = 0.0 if score is None else -round(score, DECIMALS)
        came = submission_time(entry.submitted_at)
        return (score is None, shown, entry.arrival, came, entry.team)

    return tuple(sorted(entries, key=key))


def rank(
    entries: Iterable[BoardEntry],
    summarise: Summarise,
    *,
    level: float = DEFAULT_LEVEL,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
) -> tuple[tuple[BoardRow, ...], Resampling]:
    """Rank the entries; return the rows, best first, and how their intervals were made.

    Intervals and bands are over the entries scored here, on the same resamples for all of them;
    rows without a score of ours stand between them without a band.
    """
    ordered = in_order(entries)
    scores = [entry.score for entry in ordered if entry.score is not None and entry.is_scored]
    resampling, resampled = resample(scores, level=level, n_resamples=n_resamples, seed=seed)
    spread: list[tuple[Interval, int | None]] = []
    if resampled is not None:
        scored = [entry for entry in ordered if entry.is_scored]
        in_bands = [column for column, entry in enumerate(scored) if not entry.is_baseline]
        band_of = dict(zip(in_bands, bands(in_bands, resampled, level=level), strict=True))
        intervals = percentile_intervals(resampled, level=level, seed=seed)
        spread = [(interval, band_of.get(column)) for column, interval in enumerate(intervals)]
    rows: list[BoardRow] = []
    remaining, place = iter(spread), 0
    for entry in ordered:
        interval, band = next(remaining, (None, None)) if entry.is_scored else (None, None)
        is_ranked = entry.state != "unscored" and not entry.is_baseline
        place += is_ranked
        rows.append(_row(entry, place if is_ranked else None, interval, band, summarise))
    return tuple(rows), resampling


def resample(
    scores: Sequence[Score], *, level: float, n_resamples: int, seed: int
) -> tuple[Resampling, NDArray[np.float64] | None]:
    """Measure all scores on the same resamples of the tasks that carry points.

    Returns how that was done and the resampled scores, shape (n_resamples, n_scores), or None
    where there are none: no entry, no points, one task.
    """
    tasks = [task for task in scores[0].tasks if task.points > 0] if scores else []
    reason = why_no_interval([task.points for task in tasks]) if scores else "no entry"
    made = Resampling(level, n_resamples, seed, len(tasks), reason)
    if reason:
        return made, None
    values = [
        [(task.exact_match, task.chrf) for task in score.tasks if task.points > 0]
        for score in scores
    ]
    points = [task.points for task in tasks]
    return made, resampled_scores(
        values, points, geometric_mean, n_resamples=n_resamples, seed=seed
    )


def _row(
    entry: BoardEntry,
    number: int | None,
    interval: Interval | None,
    band: int | None,
    summarise: Summarise,
) -> BoardRow:
    line, score = entry.published, entry.score if entry.is_scored else None
    figures = score.overall if score else line
    published_rate = line.explanation_rate if line else None
    return BoardRow(
        rank=number,
        team=entry.team,
        state=entry.state,
        account_type=entry.account_type,
        score=figures.score if figures else None,
        exact_match=figures.exact_match if figures else None,
        chrf=figures.chrf if figures else None,
        interval=interval,
        band=band,
        by_task_type=score.by_task_type if score else {},
        by_problem=_by_problem(score, summarise) if score else {},
        splits=score.splits if score else {},
        rates=score.rates if score else None,
        explanation_rate=score.rates.explanation_rate if score else published_rate,
        model=entry.model,
        submitted_at=entry.submitted_at,
        published_rank=line.rank if line else None,
        differences=entry.differences or (),
    )


def _by_problem(score: Score, summarise: Summarise) -> dict[str, SplitScore]:
    groups: dict[str, list[TaskScore]] = {}
    for task in score.tasks:
        groups.setdefault(problem_of(task.id), []).append(task)
    return {problem: summarise(tasks) for problem, tasks in groups.items()}
