"""Cells that a sheet leaves empty: kept where tabs part them, marked where they are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iolai.reading.layout import BLANK, labels_mentioned

__all__ = ["tabs_as_bars", "with_open_cells"]

#: How a cell to be filled in is written.
_OPEN = "____"
#: What asks by itself, beside which an empty cell asks for nothing.
_ASKED = re.compile(
    rf"{BLANK.pattern}|\(\d{{1,3}}\)|(?:^|[|\t])\s*(?:\?|…|\.\.\.)\s*(?:[|\t]|$)", re.M
)
#: What share of the lines of a table has all its tabs: behind the last cells they may be lost.
_WHOLE = 0.6


def tabs_as_bars(text: str) -> str:
    """Return a text with the rows of tables of tabs that have open cells parted by bars.

    Where tabs only align columns, a whole column would be empty: such lines stay as they are.
    """
    if "\t" not in text:
        return text
    lines = text.split("\n")
    for start, end in _blocks(lines, "\t"):
        rows = [line.split("\t") for line in lines[start:end]]
        width = max(map(len, rows))
        n_whole = sum(len(row) == width for row in rows)
        if len(rows[0]) == width - 1:  # the corner is left out
            rows[0].insert(0, "")
        rows = [[cell.strip() for cell in row] + [""] * (width - len(row)) for row in rows]
        columns = list(zip(*rows[1:], strict=True))
        is_open = any("" in row or "?" in row for row in rows)
        if is_open and n_whole >= _WHOLE * len(rows) and columns and all(map(any, columns)):
            lines[start:end] = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def with_open_cells(context: str, query: str) -> tuple[str, str]:
    """Return context and query of a task that asks to fill in, its empty cells marked as blanks.

    Those of the query if it has some, else those of the context; none where anything else is marked
    as a blank. The first row of a table is its header and stays.
    """
    if _ASKED.search(context) or _ASKED.search(query) or labels_mentioned(query):
        return context, query
    marked = _marked(query)
    return (context, marked) if marked != query else (_marked(context), query)


def _marked(text: str) -> str:
    lines = text.split("\n")
    for start, end in _blocks(lines, "|"):
        for n in range(start + 1, end):
            bare = lines[n].strip()
            is_fenced = len(bare) > 1 and bare[0] == bare[-1] == "|"
            cells = (bare[1:-1] if is_fenced else lines[n]).split("|")
            if any(not cell.strip() for cell in cells):
                lines[n] = f"| {' | '.join(cell.strip() or _OPEN for cell in cells)} |"
    return "\n".join(lines)


def _blocks(lines: Sequence[str], sign: str) -> Iterator[tuple[int, int]]:
    """Yield where runs of two or more lines with a sign begin and end."""
    start = 0
    for n in range(len(lines) + 1):
        if n == len(lines) or sign not in lines[n]:
            if n - start > 1:
                yield start, n
            start = n + 1
