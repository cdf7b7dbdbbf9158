"""What a researcher hands in beside the outcomes: entries with their techniques, a jury's figures.

Both are CSV, with scores as boards show them (x100, from 0 to 100).

- entries: ``name, team`` and any of ``public, private, at, techniques, script, predictions``;
  techniques parted by ``;``, ``script`` and ``predictions`` as paths from the file's folder.
- a jury's figures: ``contestant, problem, jury`` and any of ``automatic, kind, criterion``; or
  the jury's own result as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.files import read_text
from iolai.formats import OnWarning, read_predictions
from iolai.formats.csv_table import Row, parse_table
from iolai.formats.document import Notes
from iolai.study.jury_results import read_jury_result
from iolai.study.material import JuryFigure, StudyEntry

__all__ = ["read_entries", "read_jury"]

_ENTRY = ("public", "private", "at", "techniques", "script", "predictions")
_KINDS = ("system", "people")


def read_entries(path: Path, *, on_warning: OnWarning | None = None) -> tuple[StudyEntry, ...]:
    """Read entries for the effects of techniques and for likeness; scripts are read as text only.

    ``on_warning`` is told of columns that are left out. Raises InputError, FormatError naming
    file, line and column.
    """
    rows = _rows(path, ("name", "team"), _ENTRY, on_warning)
    return tuple(_entry(row, path) for row in rows)


def _rows(
    path: Path, required: Sequence[str], optional: Sequence[str], on_warning: OnWarning | None
) -> list[Row]:
    notes = Notes(path)
    rows = parse_table(read_text(path), path, required, optional, notes)
    if on_warning is not None:
        for warning in notes.warnings:
            on_warning(warning)
    return rows


def _entry(row: Row, path: Path) -> StudyEntry:
    script, predictions = row["script"].strip(), row["predictions"].strip()
    return StudyEntry(
        name=row["name"],
        team=row["team"],
        public=_score(row, "public", path),
        private=_score(row, "private", path),
        at=row["at"].strip(),
        techniques=tuple(tag for part in row["techniques"].split(";") if (tag := part.strip())),
        script=read_text(path.parent / script) if script else "",
        predictions=read_predictions(path.parent / predictions) if predictions else None,
    )


def read_jury(path: Path, *, on_warning: OnWarning | None = None) -> tuple[JuryFigure, ...]:
    """Read a jury's figures, warning and raising as ``read_entries`` does.

    A ``.json`` file is read as the jury's own result, see ``jury_results``.
    """
    if path.suffix == ".json":
        return read_jury_result(path)
    optional = ("automatic", "kind", "criterion")
    rows = _rows(path, ("contestant", "problem", "jury"), optional, on_warning)
    seen: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = tuple(row[name].strip() for name in ("contestant", "problem", "criterion"))
        first = seen.setdefault(key, row.line)
        if first != row.line:
            raise FormatError(
                f"{' / '.join(filter(None, key))} has a figure already, in line {first}",
                place=Place(path, row.line, "jury"),
                hint="Leave one row for each contestant, problem and criterion.",
            )
    return tuple(_figure(row, path) for row in rows)


def _figure(row: Row, path: Path) -> JuryFigure:
    jury, kind = _score(row, "jury", path), row["kind"].strip() or "system"
    if jury is None or kind not in _KINDS:
        column = "jury" if jury is None else "kind"
        raise FormatError(
            f"{row[column]!r} cannot stand here",
            place=Place(path, row.line, column),
            hint=f"Every row has a figure from 0 to 100; a kind is one of {', '.join(_KINDS)}.",
        )
    return JuryFigure(
        contestant=row["contestant"],
        problem=row["problem"],
        jury=jury,
        automatic=_score(row, "automatic", path),
        kind=kind,
        criterion=row["criterion"].strip(),
    )


def _score(row: Row, column: str, path: Path) -> float | None:
    """Return a score in [0, 1], None where the cell is blank."""
    text = row[column].strip()
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0 <= score <= 100:
        raise FormatError(
            f"{text!r} is no score",
            place=Place(path, row.line, column),
            hint="Write a number from 0 to 100, as boards show scores, or leave the cell empty.",
        )
    return score / 100
