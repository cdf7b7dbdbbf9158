"""A table of marks as CSV, so that a marking made anywhere can be evaluated.

Columns: ``contestant, problem, juror, criterion, points`` and, where there is more to say,
``kind, note, at, role, rubric_version``. A row without a kind is a juror's own mark. ``agreed`` is
what a pair settled on; ``third`` the decision of a third; the other kinds are those of the
service's own record. ``role`` and ``rubric_version`` are of that record too: where the juror stood
in the end (``first``, ``second``, ``third``, ``replaced``), and by which version of the rubric the
mark was given.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.csv_table import Row, parse_table, render_table
from iolai.formats.document import Notes
from iolai.formats.source import load_text
from iolai.formats.values import format_number, parse_number, short, suggestion
from iolai.records import JurorRole, MarkKind, MarkRow

__all__ = ["AGREED", "parse_marks", "read_marks", "render_marks"]

REQUIRED = ("contestant", "problem", "juror", "criterion", "points")
OPTIONAL = ("kind", "note", "at", "role", "rubric_version")
AGREED = "agreed"
_KINDS = (*(str(kind) for kind in MarkKind), AGREED)
_WITHOUT_CRITERION = (str(MarkKind.HANDED_OVER), str(MarkKind.REOPENED))
_POINTLESS = (*_WITHOUT_CRITERION, str(MarkKind.ESCALATED))
_ROLES = tuple(str(role) for role in JurorRole)
_MAX_POINTS = 1000.0
_MAX_VERSION = 1_000_000


def read_marks(path: Path | str) -> tuple[MarkRow, ...]:
    """Read a table of marks; raises as ``parse_marks`` does."""
    return parse_marks(load_text(Path(path)), path)


def parse_marks(text: str, path: Path | str = "marks.csv") -> tuple[MarkRow, ...]:
    """Read a table of marks, in its order.

    Raises FormatError naming line and column for an unknown kind or role, a name that is blank, a
    version that is no whole number, points that are no number from 0 to 1000, and points that are
    absent where the kind needs them.
    """
    rows = parse_table(text, path, REQUIRED, OPTIONAL, Notes(path))
    return tuple(_mark_row(row, path) for row in rows)


def render_marks(rows: Iterable[MarkRow]) -> str:
    """Write a table of marks; reading it gives the same rows."""
    cells = (
        [
            row.contestant,
            row.problem,
            row.juror,
            row.criterion,
            "" if row.points is None else format_number(row.points),
            row.kind,
            row.note,
            row.at,
            row.role,
            str(row.rubric_version) if row.rubric_version else "",
        ]
        for row in rows
    )
    return render_table((*REQUIRED, *OPTIONAL), cells)


def _mark_row(row: Row, path: Path | str) -> MarkRow:
    kind = row["kind"].strip() or str(MarkKind.OWN)
    if kind not in _KINDS:
        raise FormatError(
            f"there is no kind of mark {short(kind)}",
            place=Place(path, row.line, "kind"),
            hint=f"{suggestion(kind, _KINDS)}Known: {', '.join(_KINDS)}.",
        )
    names = {column: row[column].strip() for column in REQUIRED[:-1]}
    needed = [name for name in names if not _may_be_blank(name, kind)]
    for column in needed:
        if not names[column]:
            raise FormatError(
                f"the {column} is blank",
                place=Place(path, row.line, column),
                hint=f"Name the {column} in every row of kind {kind}.",
            )
    return MarkRow(
        **names, kind=kind, points=_points(row, kind, path), note=row["note"], at=row["at"],
        role=_role(row, path), rubric_version=_version(row, path), row=row.line,
    )  # fmt: skip


def _role(row: Row, path: Path | str) -> str:
    role = row["role"].strip()
    if role and role not in _ROLES:
        raise FormatError(
            f"there is no role {short(role)}",
            place=Place(path, row.line, "role"),
            hint=f"{suggestion(role, _ROLES)}Known: {', '.join(_ROLES)}.",
        )
    return role


def _version(row: Row, path: Path | str) -> int:
    cell = row["rubric_version"].strip()
    if not cell:
        return 0
    if not (cell.isascii() and cell.isdigit() and 1 <= int(cell[:9]) <= _MAX_VERSION):
        raise FormatError(
            f"{short(cell)} is no version of a rubric",
            place=Place(path, row.line, "rubric_version"),
            hint="Write a whole number from 1 up, or leave the cell blank.",
        )
    return int(cell)


def _may_be_blank(column: str, kind: str) -> bool:
    if column == "juror":
        return kind == AGREED
    return column == "criterion" and kind in _WITHOUT_CRITERION


def _points(row: Row, kind: str, path: Path | str) -> float | None:
    cell, place = row["points"].strip(), Place(path, row.line, "points")
    if cell:
        return parse_number(cell, place, low=0.0, high=_MAX_POINTS)
    if kind in (MarkKind.OWN, MarkKind.LATE) or kind in _POINTLESS:
        return None  # an own mark without points takes one back
    raise FormatError(
        f"a mark of kind {kind} has no points", place=place, hint="Give the points; 0 is a mark."
    )
