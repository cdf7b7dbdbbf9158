"""CSV tables: strict, each row with the line where it starts, cells kept exactly."""

from __future__ import annotations

import csv
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.document import CERTAIN, NO, PERHAPS, Notes
from iolai.formats.source import MAX_CELL, storable, too_long
from iolai.formats.values import suggestion

__all__ = ["Row", "claims_columns", "header_of", "parse_table", "render_table"]

#: One cell of a row, and what follows it; used only to find which cell was too long.
_CELL = re.compile(r'(?:"(?:[^"]++|"")*+"?|[^,\r\n]*+),?')
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")
_HEADER_LENGTH = 1 << 16

# csv.field_size_limit is one setting for the whole process.
_limit_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells by column, and the line where it starts."""

    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


def header_of(text: str) -> tuple[str, ...]:
    """Return the column names in the first line, or nothing where it is no CSV."""
    first = re.split(r"[\r\n]", text[:_HEADER_LENGTH].lstrip(), maxsplit=1)[0]
    try:
        return tuple(name.strip() for name in next(csv.reader([first], strict=True), []))
    except csv.Error:
        return ()


def claims_columns(text: str, required: Sequence[str], telling: Sequence[str]) -> int:
    """Say how sure a table is that a text is its own, by the columns in the first line."""
    header = header_of(text)
    if all(name in header for name in required):
        return CERTAIN
    return PERHAPS if any(name in header for name in telling) else NO


def parse_table(
    text: str, path: Path | str, required: Sequence[str], optional: Sequence[str], notes: Notes
) -> list[Row]:
    """Read a table with at least one row.

    Line ends are LF, CRLF or CR; those inside quotes are kept exactly. Columns that are not asked
    for are left out with a warning. Raises FormatError for missing or repeated columns, a row with
    too many or too few cells, an unclosed or misplaced quote, a cell over ``MAX_CELL``, and a
    table without rows.
    """
    rows = _records(text, path)
    line, header = rows[0] if rows else (1, [])
    names = [name.strip() for name in header]
    _check_header(names, required, Place(path, line))
    extra = [name for name in names if name not in required and name not in optional]
    if extra:
        notes.add(f"columns that this format does not have are left out: {', '.join(extra)}", line)
    wanted = [name for name in names if name not in extra]
    table = [_row(names, wanted, cells, Place(path, line)) for line, cells in rows[1:]]
    if not table:
        raise FormatError(
            "the table has a header and no rows",
            place=Place(path, line),
            hint="Check that the file was written completely.",
        )
    return table


def render_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table by RFC 4180: CRLF between rows, quotes where a cell needs them."""
    lines = [",".join(map(_render_cell, row)) for row in (columns, *rows)]
    return "".join(f"{line}\r\n" for line in lines)


def _render_cell(text: str) -> str:
    cell = storable(text)
    plain = cell == cell.strip() and not any(mark in cell for mark in '",\r\n')
    return cell if plain else '"' + cell.replace('"', '""') + '"'


def _check_header(names: list[str], required: Sequence[str], place: Place) -> None:
    missing = [name for name in required if name not in names]
    if missing:
        near = suggestion(missing[0], [name for name in names if name not in required])
        raise FormatError(
            f"the table lacks {_columns(missing)}; it has {_columns(names)}",
            place=place,
            hint=f"{near}The first line must name the columns {', '.join(required)}.",
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FormatError(
            f"more than one column is named {', '.join(map(repr, twice))}",
            place=place,
            hint="Give each column a name of its own.",
        )


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(name[:40] or "(blank)" for name in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"the column{'s' if len(names) != 1 else ''} {shown}{more}"


def _row(names: list[str], wanted: list[str], cells: list[str], place: Place) -> Row:
    if len(cells) != len(names):
        too_few = len(cells) < len(names)
        column = names[len(cells)] if too_few else names[-1]
        where = f"the cell of {column!r} is missing" if too_few else f"{column!r} is the last"
        raise FormatError(
            f"the row has {len(cells)} cells, the header {len(names)}: {where}",
            place=Place(place.path, place.row, column),
            hint="Put quotes around cells that hold a comma or a line end, and double the quotes "
            "inside them.",
        )
    by_name = dict(zip(names, cells, strict=True))
    return Row(place.row or 1, {name: by_name[name] for name in wanted})


def _records(text: str, path: Path | str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, each with the line where it starts."""
    reader = csv.reader((match[0] for match in _LINE.finditer(text)), strict=True)
    rows, start = [], 1
    with _limited():
        try:
            for cells in reader:
                if cells:
                    rows.append((start, cells))
                start = reader.line_num + 1
        except csv.Error as error:
            raise _row_error(error, text, path, start) from error
    return rows


@contextmanager
def _limited() -> Iterator[None]:
    with _limit_lock:
        before = csv.field_size_limit(MAX_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _row_error(error: csv.Error, text: str, path: Path | str, row: int) -> FormatError:
    """Name the row and, where it can be told, the column of what the csv module refused."""
    message = str(error)
    if "field limit" in message:
        return too_long(Place(path, row, _too_long_column(text, row - 1)))
    unclosed = "unexpected end" in message
    return FormatError(
        "a quote that opens in this row is never closed" if unclosed else f"not CSV: {message}",
        place=Place(path, row),
        hint="Put quotes around a cell that holds quotes, commas or line ends, and double the "
        'quotes inside it: "".',
    )


def _too_long_column(text: str, lines_before: int) -> str:
    """Return the column of the first cell over the limit in the row after so many lines."""
    position = 0
    for _, line in zip(range(lines_before), _LINE.finditer(text), strict=False):
        position = line.end()
    names = header_of(text) if lines_before else ()
    number, cell = 0, _CELL.match(text, position)
    while cell is not None and cell[0] and cell.end() - cell.start() <= MAX_CELL:
        number, cell = number + 1, _CELL.match(text, cell.end())
    return names[number][:40] if number < len(names) else f"{number + 1}"
