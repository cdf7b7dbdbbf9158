"""For release: a result without the names of people, jurors and, where wanted, systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from iolai.records import (
    Comparison,
    Contestant,
    ContestantKind,
    ContestantResult,
    JuryResult,
    MedalClash,
    NoFigure,
    Sensitivity,
)

__all__ = ["anonymised"]


def anonymised(result: JuryResult, *, systems: bool = True) -> JuryResult:
    """Return the result with ``Person 1``, ``juror 1`` and, with ``systems``, ``System 1`` in it.

    Contestants are numbered as they come, by falling total, jurors in the order of their names.
    What scores tell of somebody they tell still: who knows a score knows the number.
    """
    names = _names(result, systems=systems)
    jurors = _jurors(result)
    return replace(
        result,
        contestants=tuple(_contestant(row, names, jurors) for row in result.contestants),
        comparison=_comparison(result.comparison, names),
        clashes=tuple(
            MedalClash(f"person {n} of the table", one.total, one.given, one.by_thresholds)
            for n, one in enumerate(result.clashes, 1)
        ),
    )


def _names(result: JuryResult, *, systems: bool) -> dict[str, str]:
    names: dict[str, str] = {}
    counts = dict.fromkeys(ContestantKind, 0)
    for row in result.contestants:
        kind = row.contestant.kind
        counts[kind] += 1
        hidden = systems or kind == ContestantKind.PERSON
        shown = f"{str(kind).capitalize()} {counts[kind]}"
        names[row.contestant.id] = shown if hidden else row.contestant.name
    return names


def _jurors(result: JuryResult) -> dict[str, str]:
    known = {
        juror
        for row in result.contestants
        for juror in (row.sensitivity.by_juror if row.sensitivity else ())
    }
    return {juror: f"juror {n}" for n, juror in enumerate(sorted(known), 1)}


def _contestant(
    row: ContestantResult, names: Mapping[str, str], jurors: Mapping[str, str]
) -> ContestantResult:
    name = names[row.contestant.id]
    kept = name == row.contestant.name
    contestant = Contestant(
        row.contestant.id if kept else name,
        name,
        row.contestant.kind,
        row.contestant.team if kept else "",
    )
    firmness = row.sensitivity
    if firmness is not None:
        firmness = Sensitivity(
            firmness.n_steps,
            firmness.changes,
            {jurors[juror]: medal for juror, medal in firmness.by_juror.items()},
        )
    return replace(row, contestant=contestant, sensitivity=firmness)


def _comparison(
    comparison: Comparison | NoFigure, names: Mapping[str, str]
) -> Comparison | NoFigure:
    if isinstance(comparison, NoFigure):
        return comparison
    return replace(
        comparison,
        by_contestant={names[name]: value for name, value in comparison.by_contestant.items()},
        jury={names[name]: value for name, value in comparison.jury.items()},
    )
