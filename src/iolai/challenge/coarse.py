"""What is told of scores before the results are published: rounded, for pages and programs alike.

chrF depends on how long an answer is, so with all its digits one figure can say of every answer at
once whether it was right: a team would read off a public key in a few submissions. A figure over
tasks keeps the digits that ranks go by, one of a single task (or of a task type or a problem,
which may be a single task) fewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from iolai.challenge.scorebook import PublicPart, PublicTask, ShownItem
from iolai.records import Board, BoardRow, SplitScore, TaskLine

__all__ = ["TASK_DIGITS", "TOTAL_DIGITS", "coarse_board", "coarse_part", "coarse_total"]

#: Digits after the point of figures in [0, 1]: percent to two digits, and whole percent.
TOTAL_DIGITS, TASK_DIGITS = 4, 2


def coarse_total(value: float | None) -> float | None:
    """Round a figure over tasks."""
    return None if value is None else round(value, TOTAL_DIGITS)


def coarse_part(part: PublicPart) -> PublicPart:
    """Round all figures of what a team gets of a score."""
    return replace(
        part,
        score=_split(part.score, TOTAL_DIGITS),
        by_task_type=_splits(part.by_task_type),
        tasks=tuple(_task(task) for task in part.tasks),
    )


def coarse_board(board: Board) -> Board:
    """Round all figures of a public board; the ranks stay those of the exact figures."""
    return replace(
        board,
        rows=tuple(_row(row) for row in board.rows),
        tasks=tuple(_line(line) for line in board.tasks),
    )


def _split(score: SplitScore, digits: int) -> SplitScore:
    return replace(
        score,
        score=_rounded(score.score, digits),
        exact_match=_rounded(score.exact_match, digits),
        chrf=_rounded(score.chrf, digits),
    )


def _splits(scores: Mapping[str, SplitScore]) -> dict[str, SplitScore]:
    return {name: _split(score, TASK_DIGITS) for name, score in scores.items()}


def _task(task: PublicTask) -> PublicTask:
    return replace(
        task,
        exact_match=round(task.exact_match, TASK_DIGITS),
        chrf=round(task.chrf, TASK_DIGITS),
        items=tuple(_item(item) for item in task.items),
    )


def _item(item: ShownItem) -> ShownItem:
    chrf = _rounded(item.chrf, TASK_DIGITS)
    return replace(item, exact_match=_rounded(item.exact_match, TASK_DIGITS), chrf=chrf)


def _row(row: BoardRow) -> BoardRow:
    interval = row.interval
    if interval is not None:
        low, high = round(interval.low, TOTAL_DIGITS), round(interval.high, TOTAL_DIGITS)
        interval = replace(interval, low=low, high=high)
    return replace(
        row,
        score=coarse_total(row.score),
        exact_match=coarse_total(row.exact_match),
        chrf=coarse_total(row.chrf),
        interval=interval,
        by_task_type=_splits(row.by_task_type),
        by_problem=_splits(row.by_problem),
        splits={name: _split(score, TOTAL_DIGITS) for name, score in row.splits.items()},
    )


def _line(line: TaskLine) -> TaskLine:
    mean, best = _rounded(line.mean, TASK_DIGITS), _rounded(line.best, TASK_DIGITS)
    return replace(line, mean=mean, best=best)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
