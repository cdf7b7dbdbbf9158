"""``iolai jury explanations``: what in explanations people should look at before marking."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import error_console, output_console, print_json, warn
from iolai.cli.options import Json

if TYPE_CHECKING:
    from iolai.jury.explanations import ExplainedEntry
    from iolai.records import ExplanationReport

__all__ = ["command"]

_Predictions = Annotated[
    list[Path],
    typer.Argument(help="Predictions of one entry each, or one folder of archived records."),
]
_Set = Annotated[
    Path | None,
    typer.Option("--problems", help="The problems; without them four checks are left out."),
]


def command(predictions: _Predictions, problems: _Set = None, as_json: Json = False) -> None:
    """Look at explanations: empty, repeated, cut, hedged, against the sheet or the answers, ...

    A finding is for people to look at and changes no score. Each file is taken for the entry of a
    team of its own, named by the path.

    Example: iolai jury explanations otter.csv heron.csv --problems problems --json
    """
    from dataclasses import asdict

    from iolai.formats import read_problems
    from iolai.jury.explanations import explanation_report

    entries, ids = _entries(predictions)
    known = read_problems(problems, on_warning=warn) if problems is not None else None
    report = explanation_report(entries, known, ids)
    if as_json:
        print_json(asdict(report))
        return
    _print(report)


def _entries(paths: list[Path]) -> tuple[list[ExplainedEntry], tuple[str, ...]]:
    """Return the entries, and the ids of the tasks where the records' key tells them."""
    from iolai.formats import is_records_folder, read_predictions, read_records
    from iolai.jury.explanations import ExplainedEntry

    entries: list[ExplainedEntry] = []
    ids: tuple[str, ...] = ()
    for path in dict.fromkeys(paths):
        if is_records_folder(path):
            records = read_records(path, on_warning=warn)
            ids = tuple(key.id for key in records.key)
            entries += [ExplainedEntry(e.team, e.team, e.predictions) for e in records.entries]
        else:
            read = read_predictions(path, on_warning=warn)
            entries.append(ExplainedEntry(str(path), str(path), read))
    return entries, ids


def _print(report: ExplanationReport) -> None:
    from iolai.text import squeeze, visible

    console = output_console()
    for found in report.findings:
        quotation = squeeze(visible(found.quotation))
        shown = f" “{quotation}”" if quotation else ""
        line = f"{visible(found.entry)} {visible(found.task)} {found.kind}: {found.message}{shown}"
        console.print(line, markup=False)
    for kind, reason in report.not_checked.items():
        console.print(f"{kind}: {reason}", markup=False)
    counts = Counter(found.kind for found in report.findings)
    listed = ", ".join(f"{n} {kind}" for kind, n in counts.most_common()) or "nothing found"
    n_explained, n_tasks = sum(report.n_explained.values()), sum(report.n_tasks.values())
    counted = f"{n_explained} explanations of {n_tasks} tasks in {len(report.n_tasks)} entries"
    error_console().print(f"{counted}: {listed}.", markup=False)
