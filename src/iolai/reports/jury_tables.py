"""A jury's result as tables of texts, the same for the terminal, CSV, Markdown and HTML.

Points have up to 2 decimals, scores out of 100 two, correlations three. Where a figure does not
exist the cell says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from iolai.records import (
    Agreement,
    Comparison,
    ContestantResult,
    Figure,
    JuryResult,
    NoFigure,
)
from iolai.reports.figures import DASH
from iolai.stats import Interval, NoInterval
from iolai.text import squeeze, visible

__all__ = ["JuryTable", "facts", "jury_json", "jury_tables"]

_NAMED = 4


@dataclass(frozen=True, slots=True)
class JuryTable:
    """A table: its id and title, the heads of its columns, rows of cells, and what to know of it.

    ``n_texts`` is how many columns from the left hold texts; the others hold figures.
    """

    id: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    n_texts: int = 1


def jury_tables(result: JuryResult) -> tuple[JuryTable, ...]:
    """Return the tables of a result; one that would have no rows is left out."""
    made = (
        _results(result),
        _firmness(result),
        _clashes(result),
        _agreement(result),
        _comparison(result),
        _inflation(result),
        _criteria(result),
    )
    return tuple(_shown(table) for table in made if table.rows)


def jury_json(result: JuryResult) -> Any:
    """Return a result as JSON data; a figure is ``{value, interval, n}`` or ``{reason}``.

    Contestants are called by their names everywhere, never by the ids of the service. A criterion
    has its difficulty for systems and for people, 1 less the mean share of its points, as in the
    tables.
    """
    names = {row.contestant.id: row.contestant.name for row in result.contestants}
    data = asdict(result)
    for row in data["contestants"]:
        row["contestant"] = {what: row["contestant"][what] for what in ("name", "kind")}
    for what in ("by_contestant", "jury"):
        if what in data["comparison"]:
            data["comparison"][what] = {
                names[one]: value for one, value in data["comparison"][what].items()
            }
    for line in data["difficulty"]["criteria"]:
        for kind in ("systems", "people"):
            share = line.pop(kind)
            line[f"difficulty_{kind}"] = None if share is None else 1 - share
    return data


def _shown(table: JuryTable) -> JuryTable:
    """Make what strangers chose fit for one line, with nothing in it that draws nothing."""
    rows = tuple(tuple(squeeze(visible(cell)) for cell in row) for row in table.rows)
    return replace(table, rows=rows, heads=tuple(squeeze(visible(head)) for head in table.heads))


def _results(result: JuryResult) -> JuryTable:
    problems = [one.problem for one in result.agreement]
    n_people = max((row.n_people for row in result.contestants), default=0)
    return JuryTable(
        id="results",
        title="Results",
        heads=(
            "Contestant",
            "Kind",
            "Medal",
            "Rank",
            "Total",
            *(_called(result, problem) for problem in problems),
            "Automatic",
            "Inflation",
        ),
        rows=tuple(_result_row(row, problems, result) for row in result.contestants),
        note=f"The rank is among {n_people} people: 1 + the number with a higher total."
        if n_people
        else "There are no people to rank among.",
        n_texts=3,
    )


def _result_row(row: ContestantResult, problems: list[str], result: JuryResult) -> tuple[str, ...]:
    inflation = None
    if isinstance(result.comparison, Comparison):
        inflation = result.comparison.by_contestant.get(row.contestant.id)
    return (
        row.contestant.name,
        str(row.contestant.kind),
        " or ".join(row.medals) or DASH,
        DASH if row.rank is None else str(row.rank),
        _points(row.total),
        *(_points(row.by_problem.get(problem)) for problem in problems),
        DASH if row.automatic is None else f"{row.automatic:.2f}",
        DASH if inflation is None else f"{inflation:+.2f}",
    )


def _called(result: JuryResult, problem: str) -> str:
    """Return a problem's title, or its id where it has none."""
    return result.titles.get(problem, problem)


def _firmness(result: JuryResult) -> JuryTable:
    return JuryTable(
        id="firmness",
        title="How firmly the medals stand",
        heads=("Contestant", "Medal", "Marks that would change it", "By each juror", "Steps"),
        rows=tuple(
            (
                row.contestant.name,
                " or ".join(row.medals),
                _changes(row),
                "; ".join(f"{name}: {medal}" for name, medal in row.sensitivity.by_juror.items()),
                DASH if row.sensitivity.n_steps is None else str(row.sensitivity.n_steps),
            )
            for row in result.contestants
            if row.sensitivity is not None
        ),
        note="Steps: how many steps of one criterion would change the medal, at the least. By each "
        "juror: the medal with this juror's own marks in the place of those that count.",
        n_texts=4,
    )


def _changes(row: ContestantResult) -> str:
    changes = row.sensitivity.changes if row.sensitivity else ()
    if not changes:
        return "no single mark"
    listed = "; ".join(
        f"{one.criterion} {_points(one.from_points)} → {_points(one.to_points)}: {one.medal}"
        for one in changes[:_NAMED]
    )
    return listed + (f"; and {len(changes) - _NAMED} more" if len(changes) > _NAMED else "")


def _clashes(result: JuryResult) -> JuryTable:
    return JuryTable(
        id="clashes",
        title="Medals in the table that the thresholds do not give",
        heads=("Person", "Medal in the table", "By the thresholds", "Total"),
        rows=tuple(
            (one.name, one.given, " or ".join(one.by_thresholds), _points(one.total))
            for one in result.clashes
        ),
        n_texts=3,
    )


def _agreement(result: JuryResult) -> JuryTable:
    return JuryTable(
        id="agreement",
        title="Agreement before consensus",
        heads=("Problem", "Criterion", "Alpha", _interval_head(result), "Papers", "Equal"),
        rows=tuple(
            (_called(result, one.problem), *_agreement_row(line))
            for one in result.agreement
            for line in (one.totals, *one.criteria)
        ),
        note="Krippendorff's alpha, interval metric; 1 is full agreement, 0 that of chance. "
        "Intervals: papers drawn again. Equal: papers on which both gave the same.",
        n_texts=2,
    )


def _agreement_row(line: Agreement) -> tuple[str, ...]:
    value, interval, _ = _figure(line.alpha, "z.3f")
    return line.name, value, interval, str(line.n_papers), str(line.n_equal)


def _comparison(result: JuryResult) -> JuryTable:
    comparison = result.comparison
    if isinstance(comparison, NoFigure):
        rows: tuple[tuple[str, ...], ...] = (("all", comparison.reason, DASH, "0"),)
    else:
        rows = (
            ("Spearman", *_figure(comparison.spearman, "z.3f")),
            ("Pearson", *_figure(comparison.pearson, "z.3f")),
            ("Inflation", *_figure(comparison.inflation, "+z.2f")),
        )
    return JuryTable(
        id="comparison",
        title="Automatic against jury",
        heads=("Figure", "Value", _interval_head(result), "Systems"),
        rows=rows,
        note="Inflation: the automatic score less the jury's, both out of 100. Intervals: systems "
        "drawn again.",
    )


def _inflation(result: JuryResult) -> JuryTable:
    by_problem = () if isinstance(result.comparison, NoFigure) else result.comparison.by_problem
    return JuryTable(
        id="inflation",
        title="Inflation by problem",
        heads=("Problem", "Inflation", _interval_head(result), "Systems"),
        rows=tuple(
            (_called(result, one.problem), *_figure(one.inflation, "+z.2f"))
            for one in by_problem
            if one.n or any(other.n for other in by_problem)
        ),
    )


def _criteria(result: JuryResult) -> JuryTable:
    value, interval, n = _figure(result.difficulty.correlation, "z.3f")
    return JuryTable(
        id="criteria",
        title="Criteria",
        heads=(
            "Problem",
            "Criterion",
            "Kind",
            "Points",
            "Difficulty for systems",
            "Difficulty for people",
            "Systems",
            "People",
        ),
        rows=tuple(
            (
                _called(result, one.problem),
                one.criterion,
                one.kind,
                _points(one.points),
                DASH if one.systems is None else f"{1 - one.systems:.2f}",
                DASH if one.people is None else f"{1 - one.people:.2f}",
                str(one.n_systems),
                str(one.n_people),
            )
            for one in result.difficulty.criteria
        ),
        note="Difficulty: 1 less the mean share of the points. Spearman's correlation of the two "
        f"over {n} criteria: {value}, interval {interval}.",
        n_texts=3,
    )


def _figure(figure: Figure | NoFigure, form: str) -> tuple[str, str, str]:
    """Return value, interval and number; in the place of a value why there is none."""
    if isinstance(figure, NoFigure):
        return figure.reason, DASH, DASH
    return f"{figure.value:{form}}", _interval(figure.interval, form), str(figure.n)


def _interval(interval: Interval | NoInterval, form: str) -> str:
    if isinstance(interval, NoInterval):
        return interval.reason
    return f"{interval.low:{form}} to {interval.high:{form}}"


def _interval_head(result: JuryResult) -> str:
    return f"{100 * result.level:g}% interval"


def _points(value: float | None) -> str:
    return DASH if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def facts(result: JuryResult) -> Iterator[str]:
    """Yield, in sentences, what a reader must know before the figures."""
    known = [
        f"{medal} from {_points(value)}"
        for medal, value in result.thresholds.by_medal.items()
        if value is not None
    ]
    if known:
        yield f"Thresholds: {', '.join(known)}."
    for note in result.notes:
        yield f"{note[:1].upper()}{note[1:]}."
    yield (
        f"Intervals hold the middle {100 * result.level:g}% of {result.n_resamples:,} resamples, "
        f"seed {result.seed}."
    )
