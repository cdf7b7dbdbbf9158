"""Lines into tables: what parts the cells, which lines belong together, what is a header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from iolai.reading.labels import label_at_start
from iolai.solvers.induction.reader.sheet import Cell, Row
from iolai.text import squeeze

__all__ = ["RawTable", "label_and_rest", "read_tables"]

# From the surest separator to the weakest. The first two part cells wherever they stand; the
# others only where they part most lines of a text in the same way.
_SURE = (re.compile(r"\s*\|\s?|\s*\t\s*"),)
_WEAK = tuple(
    re.compile(pattern) for pattern in (r"\s+[–—−]\s+", r"\s+-\s+", r"\s+=\s+", r"\s{3,}", r":\s+")
)
_BLANK_CELL = re.compile(r"[\[/]?(?:\(\s?(\d{1,3}|[A-Za-z])\s?\)|_{2,}\s?\(?(\d{1,3})?\)?)[\]/]?")
_OPEN_CELL = re.compile(r"(?:[-–—−?…]{1,3}|\.{3}|\*)?")
_TRIPLE = re.compile(r"(.{1,40}?)\s+(\[[^\]]+\])\s+['‘“\"]([^'’”\"]+)['’”\"]")
_BLANK_ONLY = re.compile(r"_{2,}|\.{4,}|…{2,}|\?{1,3}")
_HEADER_WORDS = re.compile(
    r"\b(?:translations?|english|gloss(?:es)?|meanings?|singular|plural|forms?|words?|numbers?"
    r"|numerals?|values?|person|tense|dialect|language|orthography|transcription|pronunciation"
    r"|base|root|stem|masculine|feminine|dual|sg|pl)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:english )?translations?|english|gloss|meaning", re.IGNORECASE)
_DATA_CELL = re.compile(r"\d+(?!\d|st\b|nd\b|rd\b|th\b)")
_DIFFERENCE = re.compile(
    r"[^=]*\S\s+[-–—−:]\s+[^\s=][^=]*=[^=]+|[^=]+=[^=]*\S\s+[-–—−:]\s+[^\s=][^=]*"
)
_MIN_SHARE = 0.4


@dataclass(slots=True)
class RawTable:
    """Rows of one width before their columns have roles; ``header`` is the names or nothing.

    ``roles`` are the columns' roles where the notation alone settles them, else nothing;
    ``alone`` are lines of one cell that hold a word, its transcription and its gloss.
    """

    rows: list[Row] = field(default_factory=list)
    header: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    alone: list[str] = field(default_factory=list)


def label_and_rest(line: str) -> tuple[str, str]:
    """Take a list label (``12.``, ``b)``) off a line; the label is ``""`` where there is none."""
    mark = label_at_start(line)
    if mark is None or mark.style in ("()", "-", ":"):
        return "", line.strip()
    return mark.label, line[mark.end :].strip()


def read_tables(text: str, names: frozenset[str]) -> tuple[list[RawTable], list[str]]:
    """Return the tables of a text, and the lines that stand in none.

    ``names`` are words that name languages or columns elsewhere on the sheet, in lower case.
    """
    lines = text.split("\n")
    separator = _separator(lines)
    tables: list[RawTable] = []
    loose: list[str] = []
    group, gap = "", True
    for number, line in enumerate(lines):
        if not line.strip():
            gap = True
            continue
        cells = _split(line, separator)
        if len(cells) < 2:
            if tables and not gap and _continues(line):
                _extend(tables[-1], line.strip())
            elif tables and _TRIPLE.fullmatch(line.strip()):
                tables[-1].alone.append(line.strip())
            elif _is_subheading(lines, number, separator):
                group = squeeze(line)
            else:
                loose.append(line.strip())
            continue
        _add(tables, cells, group, gap, names)
        gap = False
    if not tables and (stacked := _stacked(lines)) is not None:
        return [stacked], []
    tables = [_unfolded(_upright(table, names)) for table in tables]
    return tables, loose + [line for table in tables for line in table.alone]


def _unfolded(table: RawTable) -> RawTable:
    """Take cells apart that hold a word, its transcription and its gloss at once.

    Brackets and quotation marks say which is which, whatever the letters look like.
    """
    cells = [cell.text for row in table.rows for cell in row.cells if cell.text] + table.alone
    matches = [match for cell in cells if (match := _TRIPLE.fullmatch(cell))]
    if len(matches) < 3 or len(matches) < 0.6 * len(cells):
        return table
    rows = [Row(tuple(_cell(part.strip()) for part in match.groups())) for match in matches]
    return RawTable(rows, roles=("form", "phonetic", "gloss"))


def _stacked(lines: Sequence[str]) -> RawTable | None:
    """Read pairs across lines: a labelled form, its gloss alone on the line below; or couplets."""
    rows: list[Row] = []
    for number, line in enumerate(lines[:-1]):
        label, form = label_and_rest(line)
        below = lines[number + 1].strip()
        after = lines[number + 2].strip() if number + 2 < len(lines) else ""
        before = lines[number - 1].strip() if number else ""
        is_couplet = not label and not before and not after
        is_labelled = bool(label) and (not after or bool(label_and_rest(after)[0]))
        if form and below and not label_and_rest(below)[0] and (is_couplet or is_labelled):
            rows.append(Row((_cell(squeeze(form)), _cell(squeeze(below))), label))
    n_filled = sum(1 for line in lines if line.strip())
    return RawTable(rows) if len(rows) >= 3 and 2 * len(rows) >= 0.6 * n_filled else None


def _upright(table: RawTable, names: frozenset[str]) -> RawTable:
    """Turn a table whose rows are languages so that its columns are."""
    width = len(table.rows[0].cells) if table.rows else 0
    first = [row.cells[0].text for row in table.rows]
    if table.header or len(first) < 2 or width < 3 or not all(t.lower() in names for t in first):
        return table
    rows = [Row(tuple(row.cells[i] for row in table.rows)) for i in range(1, width)]
    return RawTable(rows, tuple(first))


def _separator(lines: Sequence[str]) -> re.Pattern[str]:
    """Choose what parts the cells of a text."""
    filled = [line.strip() for line in lines if line.strip()]
    for pattern in _SURE:
        if sum(1 for line in filled if pattern.search(line)) >= 1:
            return pattern
    for pattern in _WEAK:
        counts = Counter(len(pattern.split(line)) for line in filled)
        counts.pop(1, None)
        if not counts or _is_equation_sign(pattern, filled):
            continue
        _, n_lines = counts.most_common(1)[0]
        if n_lines >= 3 and n_lines >= _MIN_SHARE * len(filled):
            return pattern
    return _SURE[0]


def _is_equation_sign(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    """Say whether ``=`` or a dash stands in sums, not between a form and its gloss."""
    parted = [line for line in lines if len(pattern.split(line)) > 1]
    differences = sum(_DIFFERENCE.fullmatch(line) is not None for line in parted)
    if differences > 0.5 * len(parted):
        return True
    return "=" in pattern.pattern and any(
        re.search(r"\S\s*[+×*]\s*\S", line) and "=" in line for line in lines
    )


def _split(line: str, separator: re.Pattern[str]) -> list[str]:
    bare = line.strip()
    if bare.startswith("|") and bare.endswith("|") and len(bare) > 1:
        bare = bare[1:-1]
        return [squeeze(cell) for cell in separator.split(bare)]
    return [squeeze(cell) for cell in separator.split(line)]


def _continues(line: str) -> bool:
    """Say whether a line goes on with the cell above it: an explanation in brackets."""
    text = line.strip()
    return text.startswith("(") and text.endswith(")") and not _BLANK_CELL.fullmatch(text)


def _extend(table: RawTable, text: str) -> None:
    last = table.rows[-1]
    cells = (*last.cells[:-1], Cell(f"{last.cells[-1].text} {text}", last.cells[-1].blank))
    table.rows[-1] = Row(cells, last.label, last.group)


def _is_subheading(lines: Sequence[str], number: int, separator: re.Pattern[str]) -> bool:
    """A short line between rows of a table, neither a sentence nor an instruction."""
    text = lines[number].strip()
    if len(text.split()) > 5 or text.endswith((".", ":", "?", "!")):
        return False
    after = next((line for line in lines[number + 1 :] if line.strip()), "")
    return len(_split(after, separator)) > 1


def _add(
    tables: list[RawTable], cells: list[str], group: str, gap: bool, names: frozenset[str]
) -> None:
    """Add a line's cells to the table above where it goes on, else begin a new one."""
    goes_on = tables and tables[-1].rows and len(tables[-1].rows[0].cells) == len(cells)
    label, first = label_and_rest(cells[0])
    if not (goes_on and not gap) and _is_header(cells, names):
        tables.append(RawTable(header=tuple(cells)))
        return
    if tables and not tables[-1].rows and len(tables[-1].header) == len(cells):
        goes_on = True
    if not goes_on or (gap and tables[-1].rows and _is_header(cells, names)):
        tables.append(RawTable())
    row = Row(tuple(_cell(text) for text in [first, *cells[1:]]), label, group)
    tables[-1].rows.append(row)


def _cell(text: str) -> Cell:
    """Read a cell: text, a labelled blank, an unlabelled blank, or left open."""
    match = _BLANK_CELL.fullmatch(text)
    if match is not None:
        return Cell("", match[1] or match[2] or "")
    if _BLANK_ONLY.fullmatch(text):
        return Cell("", "")
    return Cell("") if _OPEN_CELL.fullmatch(text) else Cell(text)


def _is_header(cells: Sequence[str], names: frozenset[str]) -> bool:
    """Say whether a first row names its columns."""
    filled = [cell for cell in cells if cell]
    if not filled or label_and_rest(cells[0])[0]:
        return False
    if any(_BLANK_CELL.fullmatch(cell) or _DATA_CELL.match(cell) for cell in filled):
        return False
    if any(_TITLE.fullmatch(cell) for cell in filled) or not cells[0]:
        return True
    named = sum(1 for cell in filled if _names_column(cell, names))
    return named * 2 > len(filled) or (named > 0 and len(filled) < len(cells))


def _names_column(cell: str, names: frozenset[str]) -> bool:
    return cell.lower() in names or (len(cell) < 60 and _HEADER_WORDS.search(cell) is not None)
