"""A score for people (terminal tables) and for scripts (the JSON contract)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from iolai.records import Rates, Score, SplitScore, TaskScore
from iolai.reports.figures import hundredfold

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["comparison_tables", "item_table", "score_json", "score_table"]

_DECIMALS = 4  # as the challenge published its figures
_ITEM_DECIMALS = 6


def score_json(score: Score, *, per_item: bool = False) -> dict[str, Any]:
    """Return the score in the shape that scripts rely on: scores in [0, 1], to 4 decimals."""
    data: dict[str, Any] = {
        **_summary(score.overall),
        "splits": {name: _summary(part) for name, part in score.splits.items()},
        "by_task_type": {name: _summary(part) for name, part in score.by_task_type.items()},
        "rates": _rates(score.rates),
        "signature": str(score.signature),
        "warnings": list(score.warnings),
    }
    if per_item:
        data["tasks"] = [_task(task) for task in score.tasks]
    return data


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)


def _summary(part: SplitScore) -> dict[str, Any]:
    return {
        "score": _rounded(part.score),
        "exact_match": _rounded(part.exact_match),
        "chrf": _rounded(part.chrf),
        "n_tasks": part.n_tasks,
        "n_items": part.n_items,
    }


def _rates(rates: Rates) -> dict[str, Any]:
    return {name: getattr(rates, name) for name in Rates.__slots__}


def _task(task: TaskScore) -> dict[str, Any]:
    return {
        "id": task.id,
        "task_type": task.task_type,
        "split": task.split,
        "points": task.points,
        "exact_match": round(task.exact_match, _ITEM_DECIMALS),
        "chrf": round(task.chrf, _ITEM_DECIMALS),
        "n_read": task.n_read,
        "items": [
            {
                "predicted": item.predicted,
                "exact_match": item.exact_match,
                "chrf": round(item.chrf, _ITEM_DECIMALS),
            }
            for item in task.items
        ],
    }


def score_table(score: Score) -> Table:
    """Return a table with one row for the whole, each split and each task type."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for name in ("Score", "EM", "chrF", "Tasks", "Items"):
        table.add_column(name, justify="right")
    parts = [("all tasks", score.overall), *score.splits.items(), *score.by_task_type.items()]
    for name, part in parts:
        figures = [hundredfold(part.score), hundredfold(part.exact_match), hundredfold(part.chrf)]
        table.add_row(name or "(no type)", *figures, str(part.n_tasks), str(part.n_items))
    return table


def item_table(score: Score) -> Table:
    """Return a table with one row an item: what was read, exact match, chrF."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Task")
    table.add_column("Item", justify="right")
    table.add_column("Read as", overflow="fold")
    table.add_column("EM", justify="right")
    table.add_column("chrF", justify="right")
    for task in score.tasks:
        for number, item in enumerate(task.items, start=1):
            figures = hundredfold(item.exact_match), hundredfold(item.chrf)
            table.add_row(escape(task.id), str(number), escape(item.predicted), *figures)
    return table


def comparison_tables(
    rows: Sequence[tuple[str, Score, tuple[float, float] | None, float]],
) -> Iterator[Table]:
    """Yield a table with one row a solver (name, score, 90% interval, seconds), and one by type.

    The second gives the score of each task type, with its number of tasks in the heading.
    """
    overall = _solver_table(("Score", "90% interval", "EM", "chrF", "Seconds"))
    for solver, score, interval, seconds in rows:
        span = f"{hundredfold(interval[0])}–{hundredfold(interval[1])}" if interval else "–"
        whole = score.overall
        figures = (
            hundredfold(whole.score),
            span,
            hundredfold(whole.exact_match),
            hundredfold(whole.chrf),
        )
        overall.add_row(escape(solver), *figures, f"{seconds:.1f}")
    yield overall
    types = rows[0][1].by_task_type
    by_type = _solver_table(tuple(f"{name} ({part.n_tasks})" for name, part in types.items()))
    for solver, score, *_ in rows:
        by_type.add_row(escape(solver), *(hundredfold(score.by_task_type[t].score) for t in types))
    yield by_type


def _solver_table(columns: Sequence[str]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Solver")
    for name in columns:
        table.add_column(escape(name), justify="right", overflow="fold")
    return table
