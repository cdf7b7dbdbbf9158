"""What the reader makes of a problem: tables, lists, equations, notes, and the items of each task.

The shapes are those of olympiad sheets, not of a language: a table whose columns have roles, two
unordered lists, lines of equations. A sheet is frozen; solvers only read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import shorten

__all__ = [
    "LAYOUTS",
    "ROLES",
    "Cell",
    "Column",
    "Entry",
    "Lists",
    "Note",
    "Row",
    "Sheet",
    "SheetItem",
    "Table",
    "TaskSheet",
]

#: What a column holds: words of the language, glosses in the working language, a transcription in
#: brackets, a number.
ROLES = ("form", "gloss", "phonetic", "value")

#: What an item asks for.
LAYOUTS = ("translate", "blank", "match", "number", "kin", "explain", "unknown")


_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its role and the name its header gives (``""`` where it has none)."""

    role: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, or the label of the blank it holds (``""`` for one without a label).

    A cell with neither is left open by the sheet and asked for nowhere.
    """

    text: str
    blank: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; ``group`` is the subheading it stands under."""

    cells: tuple[Cell, ...]
    label: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Aligned data: pairs, triples, paradigms with blanks. Every row is as long as ``columns``."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def places(self, role: str) -> tuple[int, ...]:
        """Return the places of the columns with a role."""
        return tuple(i for i, column in enumerate(self.columns) if column.role == role)

    def described(self, row: int, column: int) -> str:
        """Return the row and column of a cell in words: ``stone: plural``, ``row 3: column 2``.

        A row is called by its first other cell that is filled.
        """
        cells = self.rows[row].cells
        others = (cell.text for c, cell in enumerate(cells) if cell.text and c != column)
        of_row = shorten(next(others, f"row {row + 1}"), _LONGEST_SHOWN, placeholder="…")
        return f"{of_row}: {self.columns[column].name or f'column {column + 1}'}"

    def blanks(self) -> Iterator[tuple[int, int, str]]:
        """Yield (row, column, label) of each blank in reading order."""
        for r, row in enumerate(self.rows):
            for c, cell in enumerate(row.cells):
                if cell.blank is not None:
                    yield r, c, cell.blank


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a list: its label and its text."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Lists:
    """Two lists whose order says nothing: forms, and what they mean (or their values)."""

    forms: tuple[Entry, ...]
    glosses: tuple[Entry, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A single word explained in prose: ``the word ewk means 'tip'``."""

    form: str
    gloss: str


@dataclass(frozen=True, slots=True)
class SheetItem:
    """One answer slot: what it asks, and from which role to which.

    ``place`` is (table, row, column) of the task's tables where the item is a blank in one.
    ``source`` and ``target`` are roles; ``target_name`` and ``source_name`` are languages or
    column headers where the sheet names them.
    """

    label: str
    text: str
    layout: str
    source: str = ""
    target: str = ""
    source_name: str = ""
    target_name: str = ""
    place: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class TaskSheet:
    """One task: its items, the options of a matching task, and the data it may use."""

    id: str
    items: tuple[SheetItem, ...]
    layout: str
    tables: tuple[Table, ...] = ()
    lists: tuple[Lists, ...] = ()
    equations: tuple[Entry, ...] = ()
    notes: tuple[Note, ...] = ()
    matching: tuple[Lists, ...] = ()
    prose: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole problem: its tasks and the distinct data of all of them."""

    id: str
    tasks: tuple[TaskSheet, ...]
    tables: tuple[Table, ...] = ()
    lists: tuple[Lists, ...] = ()
    equations: tuple[Entry, ...] = ()
    notes: tuple[Note, ...] = ()
    language: str = ""
    unread: tuple[str, ...] = field(default=())

    def report(self) -> str:
        """Say in a few lines what was understood and what was not."""
        lines = [_describe_table(table) for table in self.tables]
        lines += [_describe_lists(pair) for pair in self.lists]
        if self.equations:
            lines.append(f"{_counted(len(self.equations), 'equation')}")
        if self.notes:
            lines.append(f"{_counted(len(self.notes), 'word')} explained in prose")
        lines += [_describe_task(n, task) for n, task in enumerate(self.tasks, start=1)]
        loose: dict[str, bool] = {}
        read, ends = self._read_elsewhere()
        for task in self.tasks:
            for line in filter(None, task.prose.split("\n")):
                if any(part in read or part.endswith(ends) for part in line.split(", ")):
                    continue
                loose[line] = loose.get(line, False) or task.layout == "kin"
        n_kin = sum(loose.values())
        if n_kin:
            lines.append(f"{_counted(n_kin, 'line')} about a family")
        if len(loose) > n_kin:
            lines.append(f"not used: {_counted(len(loose) - n_kin, 'line')} of prose")
        lines += [f"not understood: {line}" for line in self.unread]
        return "\n".join(lines)

    def _read_elsewhere(self) -> tuple[frozenset[str], tuple[str, ...]]:
        """Return what is read as equations and as entries of lists, and how its lines may end."""
        entries = [
            *self.equations,
            *(e for pair in self.lists for e in (*pair.forms, *pair.glosses)),
        ]
        texts = frozenset(entry.text for entry in entries if entry.text)
        return texts, tuple(f" {text}" for text in texts)


#: What a role is called where people read it.
_ROLE_NAMES = {"gloss": "meaning", "phonetic": "sound", "value": "number"}


def _role(role: str) -> str:
    return _ROLE_NAMES.get(role, role)


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _describe_table(table: Table) -> str:
    columns = " | ".join(
        f"{_role(column.role)} ({column.name})" if column.name else _role(column.role)
        for column in table.columns
    )
    n_blanks = sum(1 for _ in table.blanks())
    blanks = f", {_counted(n_blanks, 'blank')}" if n_blanks else ""
    return f"a table of {_counted(len(table.rows), 'row')}: {columns}{blanks}"


def _describe_lists(pair: Lists) -> str:
    ends = [
        f"{_counted(len(entries), what)} ({entries[0].label}–{entries[-1].label})"
        for entries, what in ((pair.forms, "form"), (pair.glosses, "meaning"))
        if entries
    ]
    return f"two unordered lists: {', '.join(ends)}"


def _describe_task(n: int, task: TaskSheet) -> str:
    ways = dict.fromkeys((item.layout, item.source, item.target) for item in task.items)
    said = []
    for layout, source, target in ways:
        count = sum((i.layout, i.source, i.target) == (layout, source, target) for i in task.items)
        way = f" ({_role(source) or 'anything'} to {_role(target)})" if target else ""
        if layout == "number" and not source:
            said.append(f"{count} to fill in equations (a {_role(target)} each)")
        else:
            said.append(f"{count} to {_ASKED.get(layout, layout)}{way}")
    return f"task {n}: {_counted(len(task.items), 'item')}, {', '.join(said)}"


#: What an item's layout asks for, in words.
_ASKED = {
    "blank": "fill in",
    "number": "write as a number or a name",
    "kin": "work out from the family",
    "unknown": "answer somehow",
}
