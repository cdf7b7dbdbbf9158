"""What the jury gave beside what the automatic score gave, per contestant and problem."""

from __future__ import annotations

from iolai.records import Cell, Column, Table
from iolai.study.comparing import FEW_UNITS, Resampler, corrected, missing, p_cell, text
from iolai.study.material import JuryFigure, Material

__all__ = ["jury_tables"]

_NONE = "no jury's results were handed in"


def jury_tables(material: Material) -> tuple[Table, ...]:
    """Return ``jury`` (contestant, problem, automatic, jury) and ``jury-problems``."""
    whole = tuple(figure for figure in material.jury if not figure.criterion)
    return _plain(whole), _by_problem(material, whole)


def _plain(figures: tuple[JuryFigure, ...]) -> Table:
    columns = (
        Column("contestant", "Contestant"),
        Column("problem", "Problem"),
        Column("automatic", "Automatic", "score"),
        Column("jury", "Jury", "score"),
        Column("difference", "Jury minus automatic", "difference"),
    )
    rows = tuple(
        (
            text(figure.contestant),
            text(figure.problem),
            _automatic(figure),
            Cell(figure.jury, synthetic=figure.synthetic),
            _automatic(figure)
            if figure.automatic is None
            else Cell(figure.jury - figure.automatic, synthetic=figure.synthetic),
        )
        for figure in figures
    )
    notes = ("Both as shares of what can be had.",)
    return Table("jury", "Jury and automatic score", columns, rows, notes, "" if rows else _NONE)


def _automatic(figure: JuryFigure) -> Cell:
    if figure.automatic is None:
        return missing("people have no automatic score" if figure.kind == "people" else "no score")
    return Cell(figure.automatic, synthetic=figure.synthetic)


def _by_problem(material: Material, figures: tuple[JuryFigure, ...]) -> Table:
    columns = (
        Column("problem", "Problem"),
        Column("automatic", "Automatic", "score"),
        Column("jury", "Jury", "score"),
        Column("difference", "Jury minus automatic", "difference"),
        Column("p", "p (Holm)", "p"),
    )
    resampler = Resampler.of(material)
    problems: dict[str, list[tuple[float, float, bool]]] = {}
    for figure in figures:
        if figure.automatic is not None:
            pair = (figure.jury, figure.automatic, figure.synthetic)
            problems.setdefault(figure.problem, []).append(pair)
    cells = corrected(
        resampler.tested([jury - auto for jury, auto, _ in pairs], synthetic=any(_fakes(pairs)))
        for pairs in problems.values()
    )
    rows = tuple(
        (
            text(problem),
            resampler.mean([auto for _, auto, _ in pairs], synthetic=any(_fakes(pairs))),
            resampler.mean([jury for jury, _, _ in pairs], synthetic=any(_fakes(pairs))),
            cell,
            p_cell(cell),
        )
        for (problem, pairs), cell in zip(problems.items(), cells, strict=True)
    )
    notes = (
        "n counts contestants that have both; p: sign flips over them, two-sided, corrected over "
        "the problems.",
        f"Intervals: {100 * material.level:.0f}%, expanded percentile bootstrap over contestants, "
        f"{material.n_resamples} resamples, seed {material.seed}; {FEW_UNITS}.",
    )
    reason = "" if rows else _NONE
    return Table("jury-problems", "Jury minus automatic by problem", columns, rows, notes, reason)


def _fakes(pairs: list[tuple[float, float, bool]]) -> list[bool]:
    return [synthetic for *_, synthetic in pairs]
