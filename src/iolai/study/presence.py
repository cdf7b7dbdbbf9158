"""Web presence: how much of a language there is to learn from, beside how well it is solved.

The counts are the user's: a CSV file with a column of ISO 639-3 codes and a column for each
resource, or a folder in the CLDF form (Glottolog's export is one), whose values are counted by
language and whose numeric columns of the languages' table are taken as they are. Source of the
form: R. Forkel et al. 2018, "Cross-Linguistic Data Formats".
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from iolai.errors import FormatError, InputError, Place
from iolai.files import read_text
from iolai.records import Cell, Column, Table
from iolai.study.comparing import corrected, missing, p_cell, text
from iolai.study.material import Material
from iolai.study.outcomes import grouped
from iolai.study.probe_accuracy import correlation_cell, language_means

__all__ = ["presence_tables", "read_presence"]

#: What a column with ISO 639-3 codes is called, in lower case without anything but letters.
_CODE_NAMES = ("iso", "isocode", "isocodes", "isopcode", "language", "code")
_VALUES = "values"
_NO_COUNTS = "no counts of resources were given"


def read_presence(path: Path) -> dict[tuple[str, str], float]:
    """Read counts by (ISO 639-3 code, resource) from a CSV file or a CLDF folder.

    Raises InputError, FormatError (naming file, row and column).
    """
    if path.is_dir():
        return dict(_cldf_counts(path))
    counts: dict[tuple[str, str], float] = {}
    for number, key, count in _table_counts(path):
        if key in counts:
            raise FormatError(
                f"the language {key[0]!r} has a count of this resource already",
                place=Place(path, number, key[1]),
                hint="Leave one row for each language.",
            )
        counts[key] = count
    return counts


def _rows(path: Path) -> tuple[list[dict[str, str]], str]:
    """Return the rows of a CSV file and the name of its column with language codes ("": none)."""
    try:
        rows = list(csv.DictReader(io.StringIO(read_text(path)), strict=True))
    except csv.Error as error:
        hint = "Save it as CSV, with a comma between cells."
        raise FormatError(f"no CSV: {error}", place=Place(path), hint=hint) from error
    names = list(rows[0]) if rows else []
    for number, row in enumerate(rows, start=2):
        if None in row:
            raise FormatError(
                f"the row has more cells than the {len(names)} columns have names",
                place=Place(path, number),
                hint="Put cells with commas in double quotes.",
            )
    code = next((name for name in names if _plain(name) in _CODE_NAMES), "")
    return rows, code


def _plain(name: str | None) -> str:
    return "".join(letter for letter in (name or "").lower() if letter.isalpha())


def _table_counts(path: Path) -> Iterator[tuple[int, tuple[str, str], float]]:
    """Yield each count with its row and its key."""
    rows, code = _rows(path)
    if not code:
        raise FormatError(
            "no column holds the languages' codes",
            place=Place(path, 1),
            hint="Name a column `iso639_3`, with codes such as swh, and one for each resource.",
        )
    for number, row in enumerate(rows, start=2):
        for resource, value in row.items():
            if resource == code or not (value or "").strip():
                continue
            count = _number(value)
            if count is None:
                raise FormatError(
                    f"{value!r} is no count",
                    place=Place(path, number, resource),
                    hint="Write a number that is 0 or more, or leave the cell empty.",
                )
            yield number, (row[code].strip(), resource), count


def _number(value: str | None) -> float | None:
    try:
        count = float((value or "").replace(" ", ""))
    except ValueError:
        return None
    return count if math.isfinite(count) and count >= 0 else None


def _cldf_counts(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    languages = folder / "languages.csv"
    if not languages.is_file():
        raise InputError(
            f"{folder} has no languages.csv",
            hint="Name the `cldf` folder of a data set, or a CSV file of counts.",
        )
    rows, code = _rows(languages)
    if not code or "ID" not in rows[0]:
        raise FormatError(
            "the languages have no ISO 639-3 codes, or no ID",
            place=Place(languages, 1),
            hint="CLDF names these columns `ISO639P3code` and `ID`.",
        )
    codes = {row["ID"]: row[code].strip() for row in rows if row[code].strip()}
    for name in rows[0]:
        if name not in (code, "ID", "Latitude", "Longitude"):
            numbers = {row["ID"]: _number(row[name]) for row in rows if row["ID"] in codes}
            for key, value in numbers.items():
                if value is not None:
                    yield (codes[key], name), value
    if (folder / "values.csv").is_file():
        values, _ = _rows(folder / "values.csv")
        members = (codes.get(row.get("Language_ID", ""), "") for row in values)
        found: dict[str, int] = {}
        for member in filter(None, members):
            found[member] = found.get(member, 0) + 1
        yield from (((member, _VALUES), float(count)) for member, count in found.items())


def presence_tables(material: Material) -> tuple[Table, ...]:
    """Return ``presence`` (by language) and ``presence-correlation`` (by model and resource)."""
    resources = tuple(dict.fromkeys(resource for _, resource in material.presence))
    return _by_language(material, resources), _correlations(material, resources)


def _by_language(material: Material, resources: tuple[str, ...]) -> Table:
    outcomes = grouped(material.compared, lambda outcome: outcome.model)
    scores = {model: _coded(language_means(found)) for model, found in outcomes.items()}
    languages = dict.fromkeys(
        o.language for o in material.compared if o.language not in ("", "art")
    )
    columns = (
        Column("language", "Language (ISO 639-3)"),
        *(Column(resource, resource, "count") for resource in resources),
        *(Column(model, f"EM, {model}", "score") for model in scores),
    )
    rows = tuple(
        (
            text(language),
            *(_count(material, language, resource) for resource in resources),
            *(
                _score(scores[model].get(language), outcomes[model][0].synthetic)
                for model in scores
            ),
        )
        for language in languages
    )
    notes = ("The counts are as supplied; invented languages are left out.",)
    reason = _reason(material, bool(rows))
    title = "Web presence and scores"
    return Table("presence", title, columns, () if reason else rows, notes, reason)


def _reason(material: Material, has_languages: bool) -> str:
    if not material.presence:
        return _NO_COUNTS
    return "" if has_languages else "no problem is on a language with a code"


def _coded(means: Mapping[str, float]) -> dict[str, float]:
    return {language: mean for language, mean in means.items() if len(language) == 3}


def _count(material: Material, language: str, resource: str) -> Cell:
    value = material.presence.get((language, resource))
    if value is None:
        return missing("not in the counts supplied")
    return Cell(value, synthetic=material.presence_synthetic)


def _score(value: float | None, synthetic: bool) -> Cell:
    return missing("not asked") if value is None else Cell(value, synthetic=synthetic)


def _correlations(material: Material, resources: tuple[str, ...]) -> Table:
    columns = (
        Column("model", "Model"),
        Column("resource", "Resource"),
        Column("correlation", "Spearman correlation", "number"),
        Column("p", "p (Holm)", "p"),
    )
    pairs, cells = [], []
    for model, outcomes in grouped(material.compared, lambda outcome: outcome.model).items():
        means = _coded(language_means(outcomes))
        for resource in resources:
            shared = [name for name in means if (name, resource) in material.presence]
            counts = [material.presence[name, resource] for name in shared]
            solved = [means[name] for name in shared]
            pairs.append((model, resource))
            fake = material.presence_synthetic or outcomes[0].synthetic
            cells.append(correlation_cell(material, counts, solved, synthetic=fake))
    rows = tuple(
        (text(model), text(resource), cell, p_cell(cell))
        for (model, resource), cell in zip(pairs, corrected(cells), strict=True)
    )
    notes = (
        "Counts against exact match over languages (n), by ranks; p corrected over the table. A "
        "correlation over so few languages shows no cause.",
        f"Intervals: {100 * material.level:.0f}%, bootstrap over languages, "
        f"{material.n_resamples} resamples, seed {material.seed}; none "
        "where too many resamples do not vary.",
    )
    reason = _reason(material, bool(rows))
    title = "Web presence against score"
    return Table("presence-correlation", title, columns, () if reason else rows, notes, reason)
