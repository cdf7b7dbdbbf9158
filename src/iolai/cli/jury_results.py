"""``iolai jury results``: the result of a marking made anywhere, from a table of marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import error_console, output_console, print_json, warn
from iolai.cli.options import Json, Seed
from iolai.cli.outputs import require_output

if TYPE_CHECKING:
    from iolai.records import Contestant, ContestantTable, JuryResult, MarkedPaper, Rubric

__all__ = ["command"]

_Marks = Annotated[
    Path, typer.Argument(help="Marks: CSV with contestant, problem, juror, criterion, points.")
]
_Rubrics = Annotated[
    list[Path],
    typer.Option("--rubrics", help="A rubric.toml or a folder with rubrics; may be given again."),
]
_Contestants = Annotated[
    Path,
    typer.Option("--contestants", help="Contestants: CSV of systems, people's scores, thresholds."),
]
_Html = Annotated[
    Path | None, typer.Option("--html", readable=False, help="Write one HTML page to this file.")
]
_Markdown = Annotated[
    Path | None, typer.Option("--markdown", readable=False, help="Write Markdown to this file.")
]
_Csv = Annotated[
    Path | None, typer.Option("--csv", readable=False, help="Write the tables to this folder.")
]
_Anonymous = Annotated[
    bool, typer.Option("--anonymous", help="Leave out all names: for a release.")
]
_Resamples = Annotated[
    int, typer.Option("--resamples", min=1, max=1_000_000, help="Resamples for intervals.")
]


def command(
    marks: _Marks,
    rubrics: _Rubrics,
    contestants: _Contestants,
    html: _Html = None,
    markdown: _Markdown = None,
    csv: _Csv = None,
    anonymous: _Anonymous = False,
    resamples: _Resamples = 10_000,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Find out the result of a marking: totals, ranks, medals, agreement, automatic against jury.

    The marks may come from anywhere; rows without a kind are jurors' own marks, "agreed" what a
    pair settled on, "third" the decision of a third.

    Example: iolai jury results marks.csv --rubrics rubrics --contestants contestants.csv
    """
    inputs = (marks, contestants, *rubrics)
    for out in (html, markdown):
        require_output(out, *inputs)
    result = _result(marks, rubrics, contestants, resamples, seed)
    if anonymous:
        from iolai.jury.release import anonymised

        result = anonymised(result)
    _write(result, html, markdown, csv, inputs)
    if as_json:
        from iolai.reports.jury_tables import jury_json

        print_json(jury_json(result))
    elif html is None and markdown is None and csv is None:
        _print(result)


def _result(
    marks: Path, rubrics: list[Path], contestants: Path, resamples: int, seed: int
) -> JuryResult:
    from iolai.formats import read_contestants, read_marks
    from iolai.jury.resampling import Resampler
    from iolai.jury.results import jury_result
    from iolai.jury.tables import marked_papers

    rows = read_marks(marks)
    marked = {row.problem for row in rows}
    given = _rubrics(rubrics)
    known = {one: rubric for one, rubric in _newest(given).items() if one in marked}
    papers = marked_papers(rows, known, given)
    table = read_contestants(contestants)
    resampler = Resampler(resamples, seed)
    return jury_result(
        known, papers, _contestants(papers, table), table, name=marks.stem, resampler=resampler
    )


def _rubrics(paths: list[Path]) -> dict[tuple[str, int], Rubric]:
    """Return the rubrics by problem and version, in the order of the files."""
    from iolai.errors import InputError
    from iolai.formats import read_document

    found: dict[tuple[str, int], Rubric] = {}
    for path in paths:
        for rubric in read_document(path, on_warning=warn).rubrics:
            place = (rubric.problem, rubric.version)
            if found.setdefault(place, rubric) != rubric:
                raise InputError(
                    f"there are two rubrics of problem {rubric.problem}, version {rubric.version}",
                    hint="Name only one, or give the later one a higher version.",
                )
    return found


def _newest(rubrics: dict[tuple[str, int], Rubric]) -> dict[str, Rubric]:
    """Return the version of each problem that counts, the highest, in the order of the files."""
    found: dict[str, Rubric] = {}
    for (problem, version), rubric in rubrics.items():
        if problem not in found or version > found[problem].version:
            found[problem] = rubric
    return found


def _contestants(papers: tuple[MarkedPaper, ...], table: ContestantTable) -> list[Contestant]:
    """Return the contestants whose papers were marked, as the table orders and names them."""
    from iolai.errors import InputError
    from iolai.records import Contestant

    names = dict.fromkeys(one.paper.contestant for one in papers)
    unknown = [name for name in names if name not in table.kinds]
    if unknown:
        raise InputError(
            f"the table of contestants does not have {unknown[0]!r}, whose work was marked",
            hint="Add a row with the contestant and the kind: system or person.",
        )
    return [Contestant(name, name, kind) for name, kind in table.kinds.items() if name in names]


def _write(
    result: JuryResult,
    html: Path | None,
    markdown: Path | None,
    csv: Path | None,
    inputs: tuple[Path, ...],
) -> None:
    from iolai.files import write_whole
    from iolai.reports.jury_report import jury_csv, jury_html, jury_markdown
    from iolai.reports.jury_tables import jury_tables

    tables = jury_tables(result)
    if csv is not None:
        for table in tables:
            require_output(csv / f"{table.id}.csv", *inputs)
    if html is not None:
        write_whole(html, jury_html(result))
    if markdown is not None:
        write_whole(markdown, jury_markdown(result))
    if csv is not None:
        for table in tables:
            write_whole(csv / f"{table.id}.csv", jury_csv(table))
    for out in filter(None, (html, markdown, csv)):
        error_console().print(f"The result is in {out}.", markup=False)


def _print(result: JuryResult) -> None:
    from iolai.reports.jury_report import rich_table
    from iolai.reports.jury_tables import facts, jury_tables

    console = output_console()
    for table in jury_tables(result):
        console.print(rich_table(table))
        if table.note:
            console.print(table.note, markup=False)
        console.print()
    for fact in facts(result):
        console.print(fact, markup=False)
