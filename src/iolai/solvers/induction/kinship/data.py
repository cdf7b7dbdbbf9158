"""What a sheet tells of a family and of its language: persons, statements, names to be placed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from iolai.solvers.induction.kinship.family import Family
from iolai.solvers.induction.kinship.glosses import Glosses, read_glosses
from iolai.solvers.induction.kinship.json_family import persons_of_json
from iolai.solvers.induction.kinship.statements import (
    Frame,
    Statement,
    find_frame,
    read_names,
    tokens_of,
)
from iolai.solvers.induction.kinship.told_family import family_told
from iolai.solvers.induction.printed.kin_relations import join_relations
from iolai.solvers.induction.reader import Sheet

__all__ = ["KinData", "kin_examples", "read_kin"]

_MIN_PERSONS, _MIN_STATEMENTS = 3, 3
_MAX_LINES = 600
_CALLED = re.compile(r"\b(?:called|named|names are|names of)\b(?P<names>[^.:]*)")
_NAME = re.compile(r"\b[^\W\d_a-z][^\W\d_]+\b")
_MEANING = re.compile(
    r"[\"“‘'](?P<a>[A-Z])\b[^\"“”\n]{1,40}?\b(?P<b>[A-Z])\b[.]?[\"”’'],? (?:means|says|=)"
    r"(?: that)? [\"“‘']?(?P<c>[A-Z]) is"
)
_IS_JSON = re.compile(r"^\s*[\[{}\]]|\"\s*:")


@dataclass(frozen=True)
class KinData:
    """``loose`` are names whose bearers are not told; ``way`` is whether the person named first
    in a statement is the relative, None where the sheet does not say."""

    family: Family
    loose: tuple[str, ...]
    statements: tuple[Statement, ...]
    frame: Frame
    way: bool | None
    glosses: Glosses = field(default_factory=Glosses)

    @property
    def names(self) -> tuple[str, ...]:
        """All names that statements and items may use."""
        told = (p.name for p in self.family.persons if p.name and not p.name.startswith("?"))
        return (*told, *self.loose)

    def ids(self, bearers: Mapping[str, str]) -> dict[str, str]:
        """Return the person's id of each name, loose names by ``bearers``."""
        return {**{p.name: p.id for p in self.family.persons if p.name}, **bearers}

    def sex(self, name: str, bearers: Mapping[str, str]) -> str:
        """Return the sex of whoever bears a name, ``-`` where that is not told."""
        who = self.ids(bearers).get(name, "")
        return next((p.sex for p in self.family.persons if p.id == who), "-")


def read_kin(sheet: Sheet) -> KinData | None:
    """Return a sheet's kinship data, or None where it has no family with statements about it."""
    lines = list(dict.fromkeys(_lines(sheet)))[:_MAX_LINES]
    text = "\n".join(lines)
    family = _family(lines, text)
    if len(family.persons) < _MIN_PERSONS:
        return None
    told = [p.name for p in family.persons if p.name and not p.name.startswith("?")]
    plain = [line for line in lines if not _IS_JSON.search(line)]
    loose = _loose(plain, text, told)[: len(family.unnamed)] if family.unnamed else []
    statements, frame = find_frame(plain, [*told, *loose])
    usual = [s for s in statements if frame and s.shape.count("T") == 1]
    if frame is None or len(usual) < _MIN_STATEMENTS:
        return None
    glosses = read_glosses(_rows(sheet), [*told, *loose], frame)
    way = _way(text)
    way = glosses.is_first if way is None else way
    return KinData(family, tuple(loose), tuple(dict.fromkeys(usual)), frame, way, glosses)


def _lines(sheet: Sheet) -> Iterator[str]:
    for task in sheet.tasks:
        yield from task.prose.split("\n")
        for table in task.tables:
            for row in table.rows:
                yield from (cell.text for cell in row.cells if cell.text)


def _rows(sheet: Sheet) -> list[tuple[str, ...]]:
    rows = (
        tuple(cell.text for cell in row.cells if cell.text)
        for task in sheet.tasks for table in task.tables for row in table.rows
    )  # fmt: skip
    return list(dict.fromkeys(rows))[:_MAX_LINES]


def _family(lines: Sequence[str], text: str) -> Family:
    persons = persons_of_json(text)
    told = family_told(lines)
    if not persons:
        return told
    return replace(told, persons=persons, elders=frozenset())


def _loose(lines: Sequence[str], text: str, told: Sequence[str]) -> list[str]:
    """Return names that no person of the family has: told to be names, or used as such."""
    said = [name for match in _CALLED.finditer(text) for name in _NAME.findall(match["names"])]
    said = [name for name in said if name not in told and text.count(name) > 1]
    used = [
        name for name in read_names(lines, told)
        if any(name in tokens_of(line, [*told, name]) for line in lines)
    ]  # fmt: skip
    return list(dict.fromkeys([*said, *used]))


def _way(text: str) -> bool | None:
    match = _MEANING.search(text)
    return None if match is None else match["a"] == match["c"]


def kin_examples(
    data: KinData, bearers: Mapping[str, str], is_first: bool
) -> list[tuple[str, str]]:
    """Return the examples: how the relative is related, in words, and what the relative is called.

    Statements about persons who are not related are left out.
    """
    ids = data.ids(bearers)
    found = []
    for said in data.statements:
        pair = (said.first, said.second) if is_first else (said.second, said.first)
        relations = data.family.relations.get((ids.get(pair[0], ""), ids.get(pair[1], "")), ())
        if relations:
            found.append((join_relations(relations), " ".join(said.words)))
    return list(dict.fromkeys(found))
