"""``iolai check``: what would be read into which slot, and what looks wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import FAULTS, output_console, print_json, warn
from iolai.cli.options import Json, Password, Predictions, Problems

if TYPE_CHECKING:
    from iolai.evaluation import CheckReport

__all__ = ["command"]

_All = Annotated[bool, typer.Option("--all", help="Show every task, not only those with findings.")]


def command(
    predictions: Predictions,
    problems: Problems,
    show_all: _All = False,
    password: Password = None,
    as_json: Json = False,
) -> None:
    """Show how predictions are read, slot by slot, and what looks wrong; exit 1 where it does.

    Where the problems carry their references, it also says what each finding costs.

    Example: iolai check submission.csv test.csv
    """
    from iolai.evaluation import check_files
    from iolai.reports import check_json

    report = check_files(predictions, problems, password=password, on_warning=warn)
    if as_json:
        print_json(check_json(report.tasks))
    else:
        _print(report, show_all=show_all)
    if report.n_findings:
        raise typer.Exit(FAULTS)


def _print(report: CheckReport, *, show_all: bool) -> None:
    from iolai.reports import check_lines, check_summary

    console = output_console()
    for line in check_lines(report.tasks, all_tasks=show_all):
        console.print(line)
    score = report.score.overall.score if report.score is not None else None
    meant = report.lenient_score.overall.score if report.lenient_score is not None else None
    for text in check_summary(report.tasks, score, meant):
        console.print(text, style="bold", markup=False)
