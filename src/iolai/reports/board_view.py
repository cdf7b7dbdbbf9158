"""What the board's HTML page shows, cell by cell: texts and sort keys, no markup."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iolai.records import BASELINE, Board, BoardRow, SplitScore
from iolai.reports.figures import (
    DASH,
    STATE_WORDS,
    count,
    hundredfold,
    interval_text,
    percent,
    problem_label,
    time_text,
    type_label,
)
from iolai.text import visible

__all__ = [
    "Cell",
    "Column",
    "columns",
    "difference_rows",
    "explanation_rows",
    "groups",
    "scale",
    "similar_rows",
    "table_rows",
    "task_rows",
    "text_groups",
]

#: The drawing of an interval leaves this much of its width, in percent, free on either side.
_MARGIN = 3
_CLIP = 320
_SHOWN = 6
_MARKS = {"published": "†", "differs": "‡", "unscored": "*"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: ``group`` is the view it belongs to, ``""`` where every view shows it."""

    key: str
    label: str
    name: str
    kind: str = "number"
    group: str = ""
    first: str = "descending"
    spanned: bool = False
    sortable: bool = True

    @property
    def css(self) -> str:
        """The classes of its cells."""
        names = [self.key] if self.key in {"rank", "team", "spread", "state"} else []
        names += ["strong"] if self.key == "score" else []
        names += ["wide"] if self.key == "model" else []
        names += ["n"] if self.kind == "number" and self.key != "spread" else []
        names += ["group", f"group-{self.group}"] if self.group else []
        return " ".join(names)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows and what it is sorted by; an empty ``sort`` stands last."""

    text: str
    sort: str


def columns(board: Board, titles: Mapping[str, str]) -> list[Column]:
    """Return the columns that the board has figures for, in their order."""
    level = f"{100 * board.resampling.level:g}% interval"
    above = Column("above", "above chance", "exact match above chance", group="overview")
    found = [
        Column("rank", "Rank", "rank", first="ascending"),
        Column("team", "Team", "team", "text", first="ascending"),
        Column("score", "Score", "score"),
        Column("band", "Band", "band", group="overview", first="ascending"),
        Column("spread", "", "interval", group="overview", sortable=False),
        Column("interval", level, "lower end of the interval", group="overview"),
        Column("em", "EM", "exact match", group="overview"),
        *([above] if board.chance else []),
        Column("chrf", "chrF", "chrF", group="overview"),
    ]
    if any(row.state != "scored" for row in board.rows):
        found.append(Column("state", "State", "state", "text", "overview", "ascending"))
    if any(row.by_task_type for row in board.rows):
        found += [
            Column(
                f"type-{index}",
                type_label(name),
                f"score in {type_label(name)}",
                group="types",
                spanned=True,
            )
            for index, name in enumerate(board.task_types)
        ]
    if any(row.by_problem for row in board.rows):
        found += [
            Column(
                f"problem-{index}",
                label,
                f"score in problem {label}",
                group="problems",
                spanned=True,
            )
            for index, label in enumerate(_problem_labels(board, titles))
        ]
    return found + _rate_columns(board) + _about_columns(board)


def groups(
    all_columns: Sequence[Column],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Return the heads over several columns, the views, and the last column without such a head."""
    heads = {
        "types": "Score by task type",
        "problems": "Score by problem",
        "rates": "Share of all tasks, %",
    }
    views = {
        "overview": "Overview",
        "types": "Task types",
        "problems": "Problems",
        "rates": "Rates",
        "about": "About the entries",
    }
    members = {group: [c for c in all_columns if c.group == group] for group in views}
    spans = [
        {"group": group, "name": name, "n": len(members[group])}
        for group, name in heads.items()
        if members[group]
    ]
    shown = [{"key": group, "name": name} for group, name in views.items() if members[group]]
    last = [column.key for column in all_columns if column.group == "overview"][-1]
    return spans, shown, last


def table_rows(
    board: Board, all_columns: Sequence[Column], places: Container[int] | None = None
) -> list[dict[str, Any]]:
    """Return the rows of the board, each with a cell a column.

    ``places`` names those that are shown by their places, counted from 0; all where it is None.
    """
    top = _top(board)
    rows, last_band, last_rank = [], 0, 0
    for place, row in enumerate(board.rows):
        begins = row.band is not None and row.band != last_band
        last_band, last_rank = row.band or last_band, row.rank or last_rank
        if places is not None and place not in places:
            continue
        cells = _cells(board, row)
        if row.is_baseline:  # sorted by rank it stays where its score puts it
            cells["rank"] = Cell("", f"{last_rank}.5")
        marks = [name for name, on in (("begins", begins), (BASELINE, row.is_baseline)) if on]
        rows.append(
            {
                "css": " ".join([row.state, *marks]),
                "id": "" if places is None else f"place-{place + 1}",
                "tag": BASELINE if row.is_baseline else "",
                "mark": _MARKS.get(row.state, ""),
                "state": STATE_WORDS[row.state],
                "cells": {column.key: cells[column.key] for column in all_columns},
                "drawn": {
                    "score": _position(row.score, top),
                    "low": _position(row.interval.low if row.interval else None, top),
                    "high": _position(row.interval.high if row.interval else None, top),
                },
            }
        )
    return rows


def scale(board: Board) -> dict[str, Any]:
    """Return the ticks of the drawn intervals' common scale, from 0."""
    top = _top(board)
    step = _step(top)
    values = [index * step for index in range(round(top / step) + 1)]
    return {"ticks": [{"x": _position(v, top), "label": f"{100 * v:.0f}"} for v in values]}


def task_rows(board: Board, titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rows of the table of tasks."""
    n_scored = board.summary.n_recomputed
    return [
        {
            "id": visible(task.id),
            "problem": visible(titles.get(task.problem) or problem_label(task.problem)),
            "type": visible(type_label(task.task_type)),
            "split": visible(task.split or DASH),
            "points": f"{task.points:g}",
            "n_items": task.n_items,
            "options": task.n_options or DASH,
            "chance": hundredfold(task.chance),
            "mean": hundredfold(task.mean),
            "best": hundredfold(task.best),
            "above": f"{task.n_above} of {n_scored}",
        }
        for task in board.tasks
    ]


def similar_rows(board: Board) -> list[dict[str, Any]]:
    """Return the rows of the table of similar outputs."""
    return [
        {
            "first": visible(pair.first),
            "second": visible(pair.second),
            "equal": f"{pair.n_equal} of {pair.n_items}",
            "share": hundredfold(pair.share),
            "shared": pair.n_shared_explanations,
            "gap": hundredfold(pair.score_gap),
        }
        for pair in board.similar
    ]


def explanation_rows(board: Board) -> list[dict[str, Any]]:
    """Return the rows of the table of explanations."""
    return [
        {
            "team": visible(use.team),
            "n": use.n_explanations,
            "distinct": use.n_distinct,
            "repeated": f"{use.repeated[0][1]} times" if use.repeated else DASH,
            "unfinished": f"{use.n_unfinished} of {use.n_explanations}",
        }
        for use in board.explanations
    ]


def text_groups(board: Board) -> list[dict[str, Any]]:
    """Return the explanations that stand more than once, in two lists."""
    within = [
        {"who": f"{visible(use.team)}: under {count(n, 'task')}", "text": _clip(text)}
        for use in board.explanations
        for text, n in use.repeated
    ]
    between = [
        {"who": ", ".join(visible(team) for team in item.teams), "text": _clip(item.text)}
        for item in board.shared_explanations
    ]
    titled = (
        ("One text under several tasks of an entry", within),
        ("One text in the entries of several teams", between),
    )
    return [
        {
            "title": title,
            "first": texts[:_SHOWN],
            "rest": texts[_SHOWN:],
            "more": f"Show {count(len(texts) - _SHOWN, 'more text')}",
        }
        for title, texts in titled
        if texts
    ]


def difference_rows(board: Board) -> list[dict[str, Any]]:
    """Return the rows of the table of differences; a rank that moved is one of them."""
    rows = []
    for row in board.differing:
        found = [(item.field, item.published, item.computed) for item in row.differences]
        if row.moved:
            found.append(("rank", row.published_rank, row.rank))
        rows += [
            {
                "team": visible(row.team),
                "field": visible(field),
                "published": _shown(published),
                "computed": _shown(computed),
            }
            for field, published, computed in found
        ]
    return rows


def _problem_labels(board: Board, titles: Mapping[str, str]) -> Iterable[str]:
    return (visible(titles.get(name) or problem_label(name)) for name in board.problems)


def _rate_columns(board: Board) -> list[Column]:
    found = []
    if any(row.rates is not None for row in board.rows):
        found = [
            Column(
                "clean",
                "JSON list",
                "predictions that are a JSON list",
                group="rates",
                spanned=True,
            ),
            Column(
                "matching",
                "Right count",
                "predictions with the right number of items",
                group="rates",
                spanned=True,
            ),
            Column("blank", "Blank", "blank predictions", group="rates", spanned=True),
        ]
    if any(row.explanation_rate is not None for row in board.rows):
        found.insert(
            0,
            Column(
                "explained", "Explained", "tasks with an explanation", group="rates", spanned=True
            ),
        )
    return found


def _about_columns(board: Board) -> list[Column]:
    named = (
        ("account", "Account", "kind of account", [row.account_type for row in board.rows]),
        ("model", "Model", "model", [row.model for row in board.rows]),
        (
            "submitted",
            "Submitted, UTC",
            "time of submission",
            [row.submitted_at for row in board.rows],
        ),
    )
    return [
        Column(key, label, name, "text", "about", "ascending")
        for key, label, name, values in named
        if any(values)
    ]


def _cells(board: Board, row: BoardRow) -> dict[str, Cell]:
    above = None
    if row.exact_match is not None and board.chance is not None:
        above = row.exact_match - board.chance
    rates = row.rates
    cells = {
        "rank": _whole(row.rank),
        "team": _text(row.team),
        "score": _score(row.score),
        "band": _whole(row.band),
        "spread": Cell("", ""),
        "interval": Cell(
            interval_text(row.interval), _key(row.interval.low if row.interval else None)
        ),
        "em": _score(row.exact_match),
        "chrf": _score(row.chrf),
        "state": _text(STATE_WORDS[row.state]),
        "above": _score(above),
        "explained": _rate(row.explanation_rate),
        "clean": _rate(rates.format_clean_rate if rates else None),
        "matching": _rate(rates.format_line_match_rate if rates else None),
        "blank": _rate(rates.empty_prediction_rate if rates else None),
        "account": _text(row.account_type),
        "model": _text(row.model),
        "submitted": Cell(time_text(row.submitted_at) or DASH, visible(row.submitted_at)),
    }
    cells |= _splits("type", board.task_types, row.by_task_type)
    return cells | _splits("problem", board.problems, row.by_problem)


def _splits(kind: str, names: Sequence[str], splits: Mapping[str, SplitScore]) -> dict[str, Cell]:
    found = (splits.get(name) for name in names)
    return {
        f"{kind}-{index}": _score(split.score if split else None)
        for index, split in enumerate(found)
    }


def _score(value: float | None) -> Cell:
    return Cell(hundredfold(value).replace("-", "−"), _key(value))


def _rate(value: float | None) -> Cell:
    return Cell(percent(value), _key(value))


def _whole(value: int | None) -> Cell:
    return Cell(DASH, "") if value is None else Cell(str(value), str(value))


def _text(value: str) -> Cell:
    shown = visible(value)
    return Cell(shown or DASH, shown)


def _key(value: float | None) -> str:
    return "" if value is None else repr(float(value))


def _top(board: Board) -> float:
    ends = [row.interval.high if row.interval else row.score for row in board.rows]
    highest = max((end for end in ends if end is not None), default=0.0)
    step = _step(highest)
    return max(step, math.ceil(highest / step - 1e-9) * step)


def _step(top: float) -> float:
    return next((step for step in (0.01, 0.02, 0.05, 0.1) if top <= 5 * step), 0.2)


def _position(value: float | None, top: float) -> float | None:
    if value is None:
        return None
    return round(_MARGIN + min(value / top, 1.0) * (100 - 2 * _MARGIN), 2)


def _shown(value: object) -> str:
    if value is None:
        return "not there"
    return f"{value:.6g}" if isinstance(value, float) else visible(str(value))


def _clip(text: str) -> str:
    shown = visible(text)
    if len(shown) <= _CLIP:
        return shown
    head = shown[:_CLIP]
    return f"{head.rsplit(' ', 1)[0] if ' ' in head else head} …"
