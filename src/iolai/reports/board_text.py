"""A board for the terminal: a table, and what was found in sentences."""

from __future__ import annotations

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from iolai.records import BASELINE, Board, BoardRow
from iolai.reports.figures import (
    DASH,
    ITEM_DECIMALS,
    STATE_WORDS,
    count,
    hundredfold,
    interval_text,
    rounded,
)
from iolai.text import squeeze, visible

__all__ = ["board_table", "difference_lines", "verdict"]

_TEXTS = ("Team", "State")
_NAMED = 8
_TEAM, _SHORTEST, _PADDING = 1, 8, 2
_STYLES = {"differs": "bold red", "published": "dim", "unscored": "dim"}


def board_table(board: Board, width: int = 80) -> Table:
    """Return the ranked table, scores x100, for a terminal of ``width`` columns.

    Where it is too narrow a team's name is shortened, and no figure is.
    """
    level = f"{100 * board.resampling.level:g}%"
    heads = ("Rank", "Team", "Band", "Score", f"{level} interval", "EM", "chrF", "State")
    lines = [_cells(row) for row in board.rows]
    widths = [max(map(cell_len, column)) for column in zip(heads, *lines, strict=True)]
    for_team = width - sum(widths) + widths[_TEAM] - _PADDING * len(heads)
    table = Table(box=None, padding=(0, 1), header_style="bold")
    for name in heads:
        table.add_column(name, justify="left" if name in _TEXTS else "right", no_wrap=True)
    for row, cells in zip(board.rows, lines, strict=True):
        texts = [Text(cell) for cell in cells]
        texts[_TEAM].truncate(max(_SHORTEST, for_team), overflow="ellipsis")
        table.add_row(*texts, style=_STYLES.get(row.state))
    return table


def verdict(board: Board) -> str:
    """Say in words whether the published figures came out: ``23 of 23 equal ...``."""
    summary = board.summary
    n_compared = summary.n_equal + summary.n_differ
    if not n_compared:
        return "Nothing was published that could be compared."
    said = f"{summary.n_equal} of {n_compared} equal to their published figures"
    moved = sum(row.moved for row in board.rows)
    ranks = (
        "all ranks as published"
        if not moved
        else f"{count(moved, 'rank')} of {len(board.rows)} other than published"
    )
    rest = summary.n_published_only
    kept = f"; {count(rest, 'row')} without a record not recomputed" if rest else ""
    return f"{said}; {ranks}{kept}."


def difference_lines(board: Board) -> list[str]:
    """Return one line for each figure or rank that is not as published.

    Of one row at most 8 figures are named, and the rest is counted.
    """
    lines = []
    for row in board.rows:
        team = visible(row.team)
        lines += [
            f"{team}: {visible(item.field)}: published {item.published!r}, "
            f"computed {rounded(item.computed, ITEM_DECIMALS)!r}"
            for item in row.differences[:_NAMED]
        ]
        if len(row.differences) > _NAMED:
            more = count(len(row.differences) - _NAMED, "more figure")
            lines.append(f"{team}: {more}; --verify --json names them all")
    lines += [
        f"{visible(row.team)}: rank: published {row.published_rank}, computed {row.rank}"
        for row in board.rows
        if row.moved
    ]
    return lines


def _rank(row: BoardRow) -> str:
    if row.is_baseline:
        return ""
    return DASH if row.rank is None else str(row.rank)


def _state(row: BoardRow) -> str:
    words = [BASELINE] if row.is_baseline else []
    is_telling = row.state != "scored" or not words
    return ", ".join([*words, *([STATE_WORDS[row.state]] if is_telling else [])])


def _cells(row: BoardRow) -> tuple[str, ...]:
    values = (
        _rank(row),
        visible(row.team),
        DASH if row.band is None else str(row.band),
        hundredfold(row.score),
        interval_text(row.interval),
        hundredfold(row.exact_match),
        hundredfold(row.chrf),
        _state(row),
    )
    return tuple(squeeze(value) for value in values)
