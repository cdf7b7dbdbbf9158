"""The small values inside the files: numbers, references, languages, ids."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.document import Notes
from iolai.formats.json_text import parse_json
from iolai.formats.source import checked_cell, storable
from iolai.records import Reference, canonical_id
from iolai.records.key import SPLITS

__all__ = [
    "MAX_POINTS",
    "IdCheck",
    "format_number",
    "json_line",
    "parse_languages",
    "parse_number",
    "parse_points",
    "parse_split",
    "read_references",
    "references_as_json",
    "render_languages",
    "render_references",
    "short",
    "suggestion",
]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER_LENGTH = 400
#: The points of some thousand tasks add up without leaving the range of floats.
MAX_POINTS = 1e300
_PYTHON_TEXT = r"""(?:'[^'\\]*'|"[^"\\]*")"""
_PYTHON_LIST = re.compile(rf"\[\s*+(?:{_PYTHON_TEXT}(?:\s*+,\s*+{_PYTHON_TEXT})*+\s*+,?\s*+)?\]")


def short(text: str, length: int = 40) -> str:
    """Quote ``text`` for a message, cut where it is long."""
    return repr(text if len(text) <= length else text[: length - 3] + "...")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ``"Did you mean 'x'? "`` for the nearest known name, or nothing."""
    near = difflib.get_close_matches(name[:80], list(known), n=1)
    return f"Did you mean {near[0]!r}? " if near else ""


def json_line(value: object) -> str:
    """Write JSON on one line, in the file's own letters."""
    return storable(json.dumps(value, ensure_ascii=False))


def parse_number(
    text: str, place: Place, *, low: float = -math.inf, high: float = math.inf
) -> float:
    """Read a decimal number from ``low`` to ``high``; raises FormatError for anything else."""
    cell = text.strip()
    if len(cell) > _NUMBER_LENGTH or not _NUMBER.fullmatch(cell):
        raise FormatError(
            f"{short(text)} is not a number", place=place, hint="Write a number such as 1 or 2.5."
        )
    value = float(cell)
    if not (low <= value <= high and math.isfinite(value)):
        limits = f"{low:g} or more" if math.isinf(high) else f"from {low:g} to {high:g}"
        raise FormatError(
            f"{short(text)} is out of range", place=place, hint=f"Write a number, {limits}."
        )
    return value


def parse_points(text: str, place: Place) -> float:
    """Read a task's points: a number from 0 to ``MAX_POINTS``."""
    return parse_number(text, place, low=0.0, high=MAX_POINTS)


def format_number(value: float) -> str:
    """Write a number the short way (``2``, ``0.5``), so that reading gives the same number."""
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e15
    return str(int(value)) if whole else repr(float(value))


def parse_split(text: str, place: Place) -> str:
    """Read a split's name; blank where the key has none."""
    name = text.strip()
    if name and name not in SPLITS:
        raise FormatError(
            f"there is no split named {short(name)}",
            place=place,
            hint=f"{suggestion(name, SPLITS)}Write public or private, or leave it blank.",
        )
    return name


def parse_languages(text: str, place: Place) -> tuple[str, ...]:
    """Read ``task_lang``: a Python list as text, a JSON list, or one bare name; blank is none."""
    cell = text.strip()
    if not cell:
        return ()
    if not cell.startswith("["):
        return (cell,)
    if _PYTHON_LIST.fullmatch(cell):
        return tuple(part[1:-1] for part in re.findall(_PYTHON_TEXT, cell))
    value = parse_json(cell, place)
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise FormatError(
            f"{short(cell)} is not a list of languages",
            place=place,
            hint="Write a list such as ['swh_Latn'].",
        )
    return tuple(value)


def render_languages(languages: tuple[str, ...]) -> str:
    """Write ``task_lang`` the challenge's way; as JSON where Python's form needs a backslash."""
    python = repr([storable(name) for name in languages])
    return json_line(list(languages)) if "\\" in python else python


def read_references(value: object, place: Place, notes: Notes) -> tuple[Reference, ...]:
    """Read the ``answer`` of a task: one element an item, a text or a list of alternatives.

    Elements that are no text become Python's ``str`` of them (null an empty text), with a warning.
    Raises FormatError where ``value`` is no list, has no item, or an item has no answer.
    """
    if not isinstance(value, list):
        raise FormatError(
            f"the answer is {_kind(value)}, not a list",
            place=place,
            hint='Write a JSON list with one element an item, such as ["a", "b"].',
        )
    if not value:
        raise FormatError(
            "the list of answers is empty",
            place=place,
            hint="Give one answer an item; leave the row out where a task has no answer.",
        )
    return tuple(
        _reference(element, number, place, notes) for number, element in enumerate(value, 1)
    )


def _reference(element: object, number: int, place: Place, notes: Notes) -> Reference:
    if not isinstance(element, list):
        return Reference((_answer_text(element, number, place, notes),))
    if not element:
        raise FormatError(
            f"item {number} has no accepted answer",
            place=place,
            hint="Give each item at least one accepted answer.",
        )
    return Reference(
        tuple(_answer_text(alternative, number, place, notes) for alternative in element),
        as_list=True,
    )


def _answer_text(element: object, number: int, place: Place, notes: Notes) -> str:
    if isinstance(element, str):
        return checked_cell(element, place)
    text = "" if element is None else str(element)
    said = (
        f"column {place.column}, item {number}: {_kind(element)} is read as the text {short(text)}"
    )
    notes.add(said, place.row or 1)
    return text


def render_references(references: tuple[Reference, ...]) -> str:
    """Write the ``answer`` of a task as its file had it: texts, and lists of alternatives."""
    return json_line(references_as_json(references))


def references_as_json(references: tuple[Reference, ...]) -> list[str | list[str]]:
    """Return the elements of ``answer``: a bare text only where it was one and is the only one."""
    return [
        list(reference.alternatives)
        if reference.as_list or len(reference.alternatives) != 1
        else reference.alternatives[0]
        for reference in references
    ]


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    names: dict[type, str] = {str: "a text", dict: "an object", list: "a list"}
    return names.get(type(value), "a number")


class IdCheck:
    """Finds blank and repeated ids, leading zeros not counting (as rows are matched)."""

    def __init__(self, path: Path | str, kind: str = "task") -> None:
        self._path = path
        self._kind = kind
        self._rows: dict[str, int] = {}

    def first_row(self, task_id: str, row: int) -> int | None:
        """Remember the id; return the line where it stood before, or None."""
        earlier = self._rows.get(canonical_id(task_id))
        self._rows[canonical_id(task_id)] = row
        return earlier

    def require(self, task_id: str, row: int) -> str:
        """Return the id; raises FormatError where it is blank or was there before."""
        place = Place(self._path, row, "id")
        if not task_id.strip():
            raise FormatError("the id is blank", place=place, hint=f"Give each {self._kind} an id.")
        earlier = self.first_row(task_id, row)
        if earlier is not None:
            raise FormatError(
                f"the id {short(task_id)} was already used in line {earlier}",
                place=place,
                hint=f"Give each {self._kind} an id of its own; leading zeros do not tell two "
                "ids apart.",
            )
        return task_id
