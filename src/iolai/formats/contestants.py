"""The table of contestants as CSV: people's scores, systems' automatic scores, thresholds.

Columns: ``contestant, kind`` and as many as are known of ``total, medal, automatic``, and for each
problem ``points:ID`` and ``automatic:ID``. A row of kind ``person`` has points (0 up) and may have
the medal that was given; of kind ``system``, automatic scores out of 100; of kind ``threshold``,
the points (in ``total``) from which the medal named in ``contestant`` is given. A person's total
is the sum of the points by problem where the cell is blank. A file of thresholds alone will do.
"""

from __future__ import annotations

import math
from pathlib import Path

from iolai.errors import FormatError, Place
from iolai.formats.csv_table import Row, header_of, parse_table, render_table
from iolai.formats.document import Notes
from iolai.formats.source import load_text
from iolai.formats.values import format_number, parse_number, short, suggestion
from iolai.records import (
    MEDALS,
    NO_MEDAL,
    ContestantKind,
    ContestantTable,
    PersonScore,
    Thresholds,
)

__all__ = ["parse_contestants", "read_contestants", "render_contestants"]

REQUIRED = ("contestant", "kind")
OPTIONAL = ("total", "medal", "automatic")
_POINTS, _AUTOMATIC = "points:", "automatic:"
_THRESHOLD = "threshold"
_KINDS = (*(str(kind) for kind in ContestantKind), _THRESHOLD)
_MAX_TOTAL = 1e6


def read_contestants(path: Path | str) -> ContestantTable:
    """Read a table of contestants; raises as ``parse_contestants`` does."""
    return parse_contestants(load_text(Path(path)), path)


def parse_contestants(text: str, path: Path | str = "contestants.csv") -> ContestantTable:
    """Read a table of contestants. Raises FormatError naming line and column."""
    by_problem = [one for one in header_of(text) if one.startswith((_POINTS, _AUTOMATIC))]
    rows = parse_table(text, path, REQUIRED, (*OPTIONAL, *by_problem), Notes(path))
    kinds: dict[str, ContestantKind] = {}
    people: list[PersonScore] = []
    limits: dict[str, float] = {}
    automatic: dict[str, float] = {}
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        name, kind = row["contestant"].strip(), _kind(row, path)
        if not name or name in kinds or name in limits:
            raise FormatError(
                f"the contestant {short(name)} stands there twice" if name else "a blank name",
                place=Place(path, row.line, "contestant"),
                hint="Give each contestant one row, with a name of its own.",
            )
        if kind == _THRESHOLD:
            limits[_medal_name(name, row, path, "contestant")] = _needed(row, path)
            continue
        kinds[name] = ContestantKind(kind)
        if kind == ContestantKind.PERSON:
            people += _person(name, row, path, by_problem)
            continue
        score = _number(row, "automatic", path, 100)
        if score is not None:
            automatic[name] = score
        scores[name] = _by_problem(row, path, by_problem, _AUTOMATIC, 100)
    return ContestantTable(
        kinds=kinds,
        people=tuple(people),
        thresholds=Thresholds(*(limits.get(medal) for medal in MEDALS)),
        automatic=automatic,
        automatic_by_problem={name: given for name, given in scores.items() if given},
    )


def render_contestants(table: ContestantTable) -> str:
    """Write a table of contestants; reading it gives the same."""
    scored = {one.name: one for one in table.people}
    problems = dict.fromkeys(
        [problem for one in table.people for problem in one.by_problem]
        + [problem for given in table.automatic_by_problem.values() for problem in given]
    )
    columns = [*REQUIRED, *OPTIONAL]
    columns += [f"{prefix}{problem}" for prefix in (_POINTS, _AUTOMATIC) for problem in problems]
    rows = []
    for name, kind in table.kinds.items():
        person = scored.get(name)
        points = person.by_problem if person else {}
        given = table.automatic_by_problem.get(name, {})
        rows.append(
            [
                name,
                str(kind),
                _text(person.total if person else None),
                person.medal if person else "",
                _text(table.automatic.get(name)),
                *(_text(points.get(problem)) for problem in problems),
                *(_text(given.get(problem)) for problem in problems),
            ]
        )
    for medal, threshold in table.thresholds.by_medal.items():
        if threshold is not None:
            blank = [""] * (len(columns) - 3)
            rows.append([medal, _THRESHOLD, format_number(threshold), *blank])
    return render_table(columns, rows)


def _text(value: float | None) -> str:
    return "" if value is None else format_number(value)


def _kind(row: Row, path: Path | str) -> str:
    kind = row["kind"].strip()
    if kind not in _KINDS:
        raise FormatError(
            f"there is no kind {short(kind)}",
            place=Place(path, row.line, "kind"),
            hint=f"{suggestion(kind, _KINDS)}Known: {', '.join(_KINDS)}.",
        )
    return kind


def _medal_name(text: str, row: Row, path: Path | str, column: str) -> str:
    name = text.strip().lower()
    known = MEDALS if column == "contestant" else (*MEDALS, NO_MEDAL)
    if name not in known:
        raise FormatError(
            f"there is no medal {short(text)}",
            place=Place(path, row.line, column),
            hint=f"{suggestion(name, known)}Known: {', '.join(known)}.",
        )
    return name


def _needed(row: Row, path: Path | str) -> float:
    value = _number(row, "total", path, _MAX_TOTAL)
    if value is None:
        raise FormatError(
            "the threshold has no points",
            place=Place(path, row.line, "total"),
            hint="Write in the column total from how many points on the medal is given.",
        )
    return value


def _person(name: str, row: Row, path: Path | str, by_problem: list[str]) -> list[PersonScore]:
    """Return the person's score; nothing where the row has none (a paper marked here)."""
    points = _by_problem(row, path, by_problem, _POINTS, _MAX_TOTAL)
    total = _number(row, "total", path, _MAX_TOTAL)
    if total is None and not points:
        return []
    medal = row["medal"].strip()
    return [
        PersonScore(
            name=name,
            total=round(math.fsum(points.values()), 6) if total is None else total,
            by_problem=points,
            medal=_medal_name(medal, row, path, "medal") if medal else "",
        )
    ]


def _by_problem(
    row: Row, path: Path | str, columns: list[str], prefix: str, high: float
) -> dict[str, float]:
    values = {
        column.removeprefix(prefix): _number(row, column, path, high)
        for column in columns
        if column.startswith(prefix)
    }
    return {problem: value for problem, value in values.items() if value is not None}


def _number(row: Row, column: str, path: Path | str, high: float) -> float | None:
    cell = row[column].strip()
    place = Place(path, row.line, column)
    return parse_number(cell, place, low=0.0, high=high) if cell else None
