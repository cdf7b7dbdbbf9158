"""A sheet's plain text as blocks that can be set: paragraphs, lists, tables, aligned columns.

Nothing is lost and nothing is added: the texts of the blocks, read in order, are the sheet's
characters without white space, the bars of its tables and the rules under their heads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from iolai.reading.labels import is_sequence, label_at_start

__all__ = ["Block", "Line", "typeset"]

#: What parts the columns of a line, the surest first; signs that may mean something are kept.
_GAPS = (re.compile(r"\t+"), re.compile(r"[ \u2003\u3000]{2,}"))
_SIGNS = tuple(
    re.compile(rf"\s+({sign})\s+") for sign in ("—", "–", "→|⟶|=>|->", "↔", "=", "~|≈", ":", "-")
)
_RULE = re.compile(r"[\s|:+=-]*-{2,}[\s|:+=-]*")
_INDENTED = re.compile(r"\s{2,}[\[{\"\w]")
_MAX_COLUMNS = 12
#: So many of the lines must part alike for the others to be taken as short rows.
_ALIKE = 0.7
#: Entries so short, and so many, stand in several columns beside each other.
_SHORT, _MANY = 34, 6


@dataclass(frozen=True, slots=True)
class Line:
    """One line: the label before it as it is written (``1.``, ``(a)``, ``""``), and its cells."""

    cells: tuple[str, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that are set alike. ``kind`` is ``paragraph``, ``list``, ``table`` or ``verbatim``.

    All but a table have one cell a line; the lines of ``verbatim`` keep their indentation. In a
    table whose ``signs`` is set every second cell is the sign between two columns. ``head`` says
    that a table's first line names its columns, ``short`` that a list may stand in several columns.
    """

    kind: str
    lines: tuple[Line, ...]
    head: bool = False
    signs: bool = False
    short: bool = False

    @property
    def labelled(self) -> bool:
        """Whether any of its lines has a label."""
        return any(line.label for line in self.lines)

    @property
    def n_columns(self) -> int:
        """The number of cells of its longest line."""
        return max(len(line.cells) for line in self.lines)


def typeset(text: str) -> tuple[Block, ...]:
    """Return the blocks of a context or a query, in order."""
    found: list[Block] = []
    for empty, group in groupby(text.splitlines(), key=lambda line: not line.strip()):
        if not empty:
            found += _blocks(list(group))
    return tuple(found)


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    for barred, group in groupby(lines, key=_has_bars):
        members = list(group)
        if barred and len(members) > 1:
            yield _barred_table(members)
        elif any(_INDENTED.match(line) for line in members) and len(members) > 2:
            yield Block("verbatim", tuple(Line((line.rstrip(),)) for line in members))
        else:
            yield from _plain_blocks(members)


def _has_bars(line: str) -> bool:
    return "|" in line


def _barred_table(lines: Sequence[str]) -> Block:
    """Make a table of lines with bars; a rule in second place says that the first is the head."""
    rules = [number for number, line in enumerate(lines) if _RULE.fullmatch(line)]
    rows = [_bar_cells(line) for number, line in enumerate(lines) if number not in rules]
    return Block("table", tuple(map(Line, rows)), head=rules[:1] == [1] and len(rows) > 1)


def _bar_cells(line: str) -> tuple[str, ...]:
    bare = line.strip()
    bare = bare.removeprefix("|").removesuffix("|")
    return tuple(cell.strip() for cell in bare.split("|"))


def _plain_blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Part lines with labels in sequence from those without."""
    labelled = [_split_label(line) for line in lines]
    position = 0
    for has_label, group in groupby(labelled, key=lambda line: bool(line.label)):
        members = list(group)
        whole = lines[position : position + len(members)]
        position += len(members)
        if has_label and not _in_sequence(members):
            members = [Line((line.strip(),)) for line in whole]
        yield from _labelled(members) if members[0].label else _unlabelled(members)


def _split_label(line: str) -> Line:
    mark = label_at_start(line)
    if mark is None or not line[mark.end :].strip():
        return Line((line.strip(),))
    return Line((line[mark.end :].strip(),), line[: mark.end].strip())


def _in_sequence(lines: Sequence[Line]) -> bool:
    marks = [label_at_start(f"{line.label} {line.cells[0]}") for line in lines]
    labels = [mark.label for mark in marks if mark is not None]
    return len(labels) == len(lines) > 1 and is_sequence(labels)


def _labelled(lines: Sequence[Line]) -> Iterator[Block]:
    table = _aligned(lines)
    if table is not None:
        yield table
        return
    short = len(lines) >= _MANY and all(len(line.cells[0]) <= _SHORT for line in lines)
    yield Block("list", tuple(lines), short=short)


def _unlabelled(lines: Sequence[Line]) -> Iterator[Block]:
    """Find columns in lines without labels; lines of introduction may stand above them."""
    for start in range(len(lines) - 1):
        table = _aligned(lines[start:])
        if table is not None and len(table.lines[0].cells) > 1:
            if start:
                yield Block("paragraph", tuple(lines[:start]))
            yield table
            return
    yield Block("paragraph", tuple(lines))


def _aligned(lines: Sequence[Line]) -> Block | None:
    """Return the lines as a table where they part alike, None where they do not."""
    if len(lines) < 2:
        return None
    for signs, patterns in ((False, _GAPS), (True, _SIGNS)):
        for pattern in patterns:
            rows = [tuple(pattern.split(line.cells[0])) for line in lines]
            if _part_alike(rows):
                made = (Line(row, line.label) for row, line in zip(rows, lines, strict=True))
                return Block("table", tuple(made), signs=signs)
    return None


def _part_alike(rows: Sequence[tuple[str, ...]]) -> bool:
    (width, n_rows), *_ = Counter(map(len, rows)).most_common(1)
    widest = max(map(len, rows))
    return 1 < width == widest <= _MAX_COLUMNS and n_rows >= max(2, _ALIKE * len(rows))
