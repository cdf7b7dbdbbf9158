"""A board as data: JSON rows, and a CSV that begins with the columns of a published board."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import Any

from iolai.records import Board, BoardRow, SplitScore
from iolai.reports.figures import hundredfold, percent
from iolai.text import visible

__all__ = ["board_csv", "board_rows"]

#: A spreadsheet takes a cell that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def board_rows(board: Board, *, verify: bool = False) -> list[dict[str, Any]]:
    """Return one JSON object a row; scores are in [0, 1], what does not exist is null.

    With ``verify`` each row has ``equal`` (null where there was no record to score again) and
    ``differs``, a list of ``{"field", "published", "computed"}``.
    """
    return [_json_row(board, row, verify) for row in board.rows]


def board_csv(board: Board) -> str:
    """Return the board as CSV (RFC 4180): scores x100 with 2 decimals, as they are published.

    A text that a spreadsheet would run as a formula gets a ``'`` in front.
    """
    target = io.StringIO()
    writer = csv.writer(target)
    lines = [_csv_row(board, row) for row in board.rows]
    writer.writerow(lines[0] if lines else _csv_row(board, BoardRow(None, "", "unscored")))
    writer.writerows(line.values() for line in lines)
    return target.getvalue()


def _json_row(board: Board, row: BoardRow, verify: bool) -> dict[str, Any]:
    above = None
    if row.exact_match is not None and board.chance is not None:
        above = row.exact_match - board.chance
    data: dict[str, Any] = {
        "rank": row.rank,
        "team": row.team,
        "score": row.score,
        "exact_match": row.exact_match,
        "chrf": row.chrf,
        "interval": [row.interval.low, row.interval.high] if row.interval else None,
        "band": row.band,
        "state": row.state,
        "exact_match_above_chance": above,
        "splits": _splits(row.splits),
        "by_task_type": _splits(row.by_task_type),
        "by_problem": _splits(row.by_problem),
        "rates": asdict(row.rates) if row.rates else None,
        "explanation_rate": row.explanation_rate,
        "account_type": row.account_type,
        "model": row.model,
        "submitted_at": row.submitted_at,
        "published_rank": row.published_rank,
    }
    if verify:
        data["equal"] = row.equal
        data["differs"] = [asdict(difference) for difference in row.differences]
    return data


def _splits(splits: Any) -> dict[str, Any]:
    return {name: asdict(split) for name, split in splits.items()}


def _csv_row(board: Board, row: BoardRow) -> dict[str, str]:
    interval, rates = row.interval, row.rates
    cells = {
        "rank": "" if row.rank is None else str(row.rank),
        "team": _safe(row.team),
        "account_type": _safe(row.account_type),
        "score": hundredfold(row.score, ""),
        "exact_match": hundredfold(row.exact_match, ""),
        "chrf": hundredfold(row.chrf, ""),
        "explanation_rate_pct": percent(row.explanation_rate, ""),
        "model": _safe(row.model),
        "submitted_at": _safe(row.submitted_at),
        "state": row.state,
        "band": "" if row.band is None else str(row.band),
        "interval_low": hundredfold(interval.low, "") if interval else "",
        "interval_high": hundredfold(interval.high, "") if interval else "",
        "format_clean_rate_pct": percent(rates.format_clean_rate, "") if rates else "",
        "format_line_match_rate_pct": percent(rates.format_line_match_rate, "") if rates else "",
        "empty_prediction_rate_pct": percent(rates.empty_prediction_rate, "") if rates else "",
    }
    for name in board.task_types:
        cells[f"score_{name}"] = _split_score(row.by_task_type.get(name))
    for name in board.problems:
        cells[f"score_problem_{name}"] = _split_score(row.by_problem.get(name))
    return cells


def _split_score(split: SplitScore | None) -> str:
    return "" if split is None else hundredfold(split.score, "")


def _safe(text: str) -> str:
    shown = visible(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
