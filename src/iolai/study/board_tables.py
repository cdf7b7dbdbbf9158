"""A challenge's board in a study: its top, the organisers' baselines, the best per problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iolai.records import Board, BoardRow, Cell, Column, SplitScore, Table
from iolai.study.comparing import missing, number, text
from iolai.study.material import Material

__all__ = ["TOP", "board_tables"]

TOP = 10
_ORGANISERS = ("organizer", "organiser")
_NONE = "no board was handed in"
_NO_RECORD = "no record of this entry is here"


def board_tables(material: Material) -> tuple[Table, ...]:
    """Return ``board-top``, ``board-baselines`` (organisers' rows), ``board-problems`` and
    ``board-types`` (exact match of the best whose record is there)."""
    board = material.board
    rows = board.rows if board is not None else ()
    own = [row for row in rows if row.account_type.lower() in _ORGANISERS]
    return (
        _ranked("board-top", f"The top {TOP} of the board", rows[:TOP], board, _NONE),
        _ranked(
            "board-baselines",
            "The organisers' baselines",
            own,
            board,
            "no row of the board is the organisers'" if rows else _NONE,
        ),
        _best("board-problems", "Exact match by problem", board, "by_problem"),
        _best("board-types", "Exact match by task type", board, "by_task_type"),
    )


def _ranked(
    name: str, title: str, rows: Sequence[BoardRow], board: Board | None, reason: str
) -> Table:
    columns = (
        Column("rank", "Rank", "count"),
        Column("team", "Team"),
        Column("score", "Score", "score"),
        Column("exact_match", "EM", "score"),
        Column("chrf", "chrF", "score"),
        Column("line_match", "Line-format match", "share"),
        Column("explanations", "Explanations", "share"),
        Column("band", "Band", "count"),
        Column("model", "Model"),
    )
    n_tasks = board.resampling.n_tasks if board is not None else 0
    cells = tuple(_cells(row, n_tasks) for row in rows)
    notes: tuple[str, ...] = ()
    if board is not None:
        made = board.resampling
        notes = (
            f"{made.n_tasks} tasks with points; intervals: {100 * made.level:.0f}%, percentile "
            f"bootstrap over tasks, {made.n_resamples} resamples, seed {made.seed}, as on the "
            "board. So few tasks make them somewhat too narrow (docs/study-coverage.md).",
            "A row without a record has its published figures; entries of one band cannot be told "
            "apart.",
        )
    return Table(name, title, columns, cells, notes, "" if cells else reason)


def _cells(row: BoardRow, n_tasks: int) -> tuple[Cell, ...]:
    rates = row.rates
    n = n_tasks if rates is not None else None
    line_match = None if rates is None else rates.format_line_match_rate / 100
    told = None if row.explanation_rate is None else row.explanation_rate / 100
    score: Cell = number(row.score, "not scored")
    if row.score is not None:
        score = Cell(row.score, n, interval=row.interval)
    return (
        number(row.rank, "not ranked"),
        text(row.team),
        score,
        number(row.exact_match, "not scored"),
        number(row.chrf, "not scored"),
        number(line_match, _NO_RECORD),
        number(told, "not published"),
        number(row.band, _NO_RECORD),
        text(row.model),
    )


def _best(name: str, title: str, board: Board | None, by: str) -> Table:
    """Return the exact match of the best entries, part by part, and of the best of each part."""
    rows = [row for row in (board.rows if board is not None else ()) if getattr(row, by)]
    parts = list(dict.fromkeys(part for row in rows for part in getattr(row, by)))
    parts = [part for part in parts if any(_em(row, by, part) is not None for row in rows)]
    columns = (
        Column("team", "Entry"),
        Column("rank", "Rank", "count"),
        *(Column(part, part.replace("_", " "), "score") for part in parts),
    )
    cells = [
        (text(row.team), number(row.rank, "not ranked"), *_parts(getattr(row, by), parts))
        for row in rows[:TOP]
    ]
    if rows:
        best: list[Cell] = []
        for part in parts:
            values = [value for row in rows if (value := _em(row, by, part)) is not None]
            best.append(Cell(max(values), len(values)))
        cells.append((text("best of each"), missing("of all the entries"), *best))
    notes = (
        f"The first {TOP} whose record is there; the best of each is found with the key, over n "
        "entries. n of an entry counts its tasks; one without points is among them and weighs "
        "nothing.",
    )
    return Table(name, title, columns, tuple(cells), notes, "" if cells else _NONE)


def _em(row: BoardRow, by: str, part: str) -> float | None:
    found: Mapping[str, SplitScore] = getattr(row, by)
    return found[part].exact_match if part in found else None


def _parts(scores: Mapping[str, SplitScore], parts: Sequence[str]) -> list[Cell]:
    cells = []
    for part in parts:
        score = scores.get(part)
        if score is None or score.exact_match is None:
            cells.append(missing("no task with points"))
        else:
            cells.append(Cell(score.exact_match, score.n_tasks))
    return cells
