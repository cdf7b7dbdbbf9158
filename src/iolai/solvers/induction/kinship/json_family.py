"""Families given as JSON: a list of persons with whatever names their fields have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from iolai.solvers.induction.kinship.family import Person

__all__ = ["persons_of_json"]

_FIELDS = {
    "id": ("id", "key", "code"),
    "name": ("name", "person"),
    "sex": ("sex", "gender"),
    "born": ("birth_year", "born", "birth", "year", "year_of_birth"),
    "age": ("age",),
    "parents": ("parents", "parent", "father", "mother", "child_of"),
    "spouses": ("spouse", "spouses", "partner", "partners", "husband", "wife", "married",
                "married_to"),
    "children": ("children", "child", "parent_of"),
}  # fmt: skip
_SEXES = {"m": "m", "male": "m", "man": "m", "f": "f", "female": "f", "woman": "f", "w": "f"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def persons_of_json(text: str) -> tuple[Person, ...]:
    """Return the persons of the JSON value in a text; none where it holds no such list."""
    start = text.find("{")
    while start >= 0:
        begin = start
        if text[:start].rstrip().endswith("["):
            begin = text.rfind("[", 0, start)
        try:
            value, _ = json.JSONDecoder().raw_decode(text, begin)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        rows = max(_lists(value), key=len, default=())
        if len(rows) > 1:
            return _persons(rows)
        start = text.find("{", start + 1)
    return ()


def _lists(value: object) -> Iterator[Sequence[Mapping[str, object]]]:
    """Yield every list of objects that name somebody."""
    if isinstance(value, list):
        rows = [row for row in value if isinstance(row, dict)]
        if rows and all(_text(row, "id") or _text(row, "name") for row in rows):
            yield rows
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _lists(inner)


def _persons(rows: Sequence[Mapping[str, object]]) -> tuple[Person, ...]:
    ids = {_text(row, "name"): _id(row) for row in rows if _text(row, "name")}
    parents: dict[str, list[str]] = {_id(row): _many(row, "parents", ids) for row in rows}
    for row in rows:
        for child in _many(row, "children", ids):
            parents.setdefault(child, []).append(_id(row))
    return tuple(
        Person(
            _id(row),
            _text(row, "name"),
            _SEXES.get(_text(row, "sex").lower(), "-"),
            _born(row),
            tuple(dict.fromkeys(parents[_id(row)])),
            tuple(_many(row, "spouses", ids)),
        )
        for row in rows
    )


def _values(row: Mapping[str, object], field: str) -> list[object]:
    return [
        v for key, v in row.items() if key.lower() in _FIELDS[field] and v not in (None, "", [])
    ]


def _text(row: Mapping[str, object], field: str) -> str:
    value = next(iter(_values(row, field)), "")
    return str(value).strip() if isinstance(value, str | int) else ""


def _id(row: Mapping[str, object]) -> str:
    return _text(row, "id") or _text(row, "name")


def _born(row: Mapping[str, object]) -> float | None:
    for field, sign in (("born", 1), ("age", -1)):
        match = _NUMBER.search(str(next(iter(_values(row, field)), "")))
        if match:
            return sign * float(match[0][:12])
    return None


def _many(row: Mapping[str, object], field: str, ids: Mapping[str, str]) -> list[str]:
    """Return the ids a field names, be it one or a list."""
    values = _values(row, field)
    flat = [each for v in values for each in (v if isinstance(v, list) else [v])]
    return [ids.get(str(each), str(each)) for each in flat if isinstance(each, str | int)]
