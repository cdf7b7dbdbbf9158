"""The reader: a problem's text becomes tables, lists, equations and items with a direction."""

from iolai.solvers.induction.reader.build import read_sheet
from iolai.solvers.induction.reader.sheet import (
    Cell,
    Column,
    Entry,
    Lists,
    Note,
    Row,
    Sheet,
    SheetItem,
    Table,
    TaskSheet,
)

__all__ = [
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
    "read_sheet",
]
