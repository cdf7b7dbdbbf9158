"""CSV as a hostile entry may write it: split row by row, each row judged by itself.

The formats' reader refuses a faulty file as a whole. Here the rows that are sound are kept and
counted, whatever stands around them, since a run that was cut short leaves its file unfinished.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from iolai.errors import FormatError, Place

__all__ = ["RawRow", "split_rows", "task_ids_of"]

_CELL = re.compile(r'"((?:[^"]++|"")*+)"|((?!")[^,\r\n]*+)')
_ROW_END = re.compile(r"\r\n|\n|\r|\Z")
_BLANK_LINES = re.compile(r"[\r\n]*+")
#: More than any honest output has; a bound on the work that a row can make.
_MAX_CELLS = 256


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row: its cells, its own text, the line where it starts.

    ``fault`` says what breaks the CSV rule; nothing can be read after such a row.
    ``is_finished`` is false where the file might go on in the middle of the last cell.
    """

    cells: tuple[str, ...]
    text: str
    line: int
    fault: str = ""
    is_finished: bool = True


def split_rows(text: str) -> Iterator[RawRow]:
    """Yield the rows of a CSV text (RFC 4180, line ends LF, CRLF or CR), blank lines left out."""
    position, line = 0, 1
    while position < len(text):
        end = _BLANK_LINES.match(text, position).end()  # type: ignore[union-attr]
        line += _count_lines(text[position:end])
        if end == len(text):
            return
        row = _read_row(text, end, line)
        yield row
        if row.fault:
            return
        position = end + len(row.text)
        line += _count_lines(row.text)


def _count_lines(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _read_row(text: str, start: int, line: int) -> RawRow:
    cells: list[str] = []
    position = start
    while True:
        cell = _CELL.match(text, position)
        if cell is None:
            fault = "a quote that opens in this row is never closed"
            return RawRow((), text[start:], line, fault, is_finished=False)
        cells.append(cell[1].replace('""', '"') if cell[1] is not None else cell[2])
        position = cell.end()
        if text.startswith(",", position) and len(cells) < _MAX_CELLS:
            position += 1
            continue
        end = _ROW_END.match(text, position)
        if end is None:
            fault = "text stands after the closing quote of a cell"
            if text.startswith(",", position):
                fault = f"the row has more than {_MAX_CELLS} cells"
            return RawRow((), text[start:], line, fault, is_finished=False)
        is_finished = bool(end[0]) or cell[1] is not None
        return RawRow(tuple(cells), text[start : end.end()], line, is_finished=is_finished)


def task_ids_of(test_csv: str) -> tuple[str, ...]:
    """Return the ids of a test set; raises FormatError where it has no column ``id``."""
    rows = split_rows(test_csv.removeprefix("\ufeff"))
    header = next(rows, None)
    names = [name.strip() for name in header.cells] if header else []
    if "id" not in names:
        raise FormatError(
            "the test set has no column 'id'",
            place=Place("test.csv", 1),
            hint="Hand over the challenge's test.csv.",
        )
    column = names.index("id")
    return tuple(row.cells[column] for row in rows if len(row.cells) > column)
