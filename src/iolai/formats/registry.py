"""The table of formats that are one text. A format is one file in this package plus one line here.

A format is found by content, never by file name. Where two are equally sure, the first wins.
"""

from __future__ import annotations

from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.formats import (
    linguini,
    plain_text,
    predictions_json,
    rubric_toml,
    solution_csv,
    submission_csv,
    test_csv,
)
from iolai.formats.csv_table import header_of
from iolai.formats.document import NO, Document, TextFormat
from iolai.formats.pasted import looks_pasted
from iolai.formats.source import first_mark
from iolai.formats.values import suggestion

__all__ = ["FORMATS", "find_format", "parse_document"]

FORMATS: tuple[TextFormat, ...] = (
    test_csv.FORMAT,
    solution_csv.FORMAT,
    submission_csv.FORMAT,
    linguini.FORMAT,
    predictions_json.FORMAT,
    rubric_toml.FORMAT,
    plain_text.FORMAT,
)

#: Columns of the tables that are read.
_TELLING = ("pred", "answer", "context", "query")

#: How much of a text is looked at to find its format, in characters.
_HEAD = 1 << 16


def find_format(text: str) -> TextFormat | None:
    """Return the format that is surest of a text, by its beginning; None where none is."""
    start = first_mark(text) or 0
    head = text[start : start + _HEAD]
    surest = max(FORMATS, key=lambda known: known.claims(head))
    return surest if surest.claims(head) > NO else None


def parse_document(text: str, path: Path | str = "the text", first_number: int = 1) -> Document:
    """Read a text of any known format.

    ``path`` is the name used in messages; ``first_number`` the number of the first problem, for
    ids that have to be made. Raises InputError that lists the known formats where
    the text is of none, FormatError where it is of one and not right.
    """
    known = find_format(text)
    if known is None:
        if looks_pasted(text) and not _is_near_a_table(text):
            return plain_text.parse_plain_text(text, path, first_number)
        raise _unknown(text, path)
    if known.parse_numbered is not None:
        return known.parse_numbered(text, path, first_number)
    return known.parse(text, path)


def _is_near_a_table(text: str) -> bool:
    """Say whether the first line looks like the columns of a CSV, misspelt or not all there."""
    names = header_of(text)
    return any(name.lower() in ("id", *_TELLING) or suggestion(name, _TELLING) for name in names)


def _unknown(text: str, path: Path | str) -> InputError:
    listed = ", ".join(f"{known.name} ({known.starts_with} ...)" for known in FORMATS)
    hint = f"Known, by their beginnings: {listed}; a .zip of one; a folder."
    header = header_of(text)
    if len(header) == 1 and any(mark in header[0] for mark in ";\t"):
        return FormatError(
            "the columns are not separated by commas",
            place=Place(path, 1),
            hint=f"Save the table as CSV with commas between the columns. {hint}",
        )
    if len(header) > 1 and "\n" in text.strip():
        names = ", ".join(name[:40] for name in header[:12])
        near = next(filter(None, (suggestion(name, _TELLING) for name in header)), "")
        return InputError(
            f"{path} is of no known format; its first line has the columns {names}",
            hint=f"{near}{hint}",
        )
    return InputError(f"{path} is of no known format", hint=hint)
