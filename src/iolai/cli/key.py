"""``iolai key``: care for an answer key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import FAULTS, output_console, print_json, warn
from iolai.cli.options import Json, Key, Password
from iolai.cli.outputs import require_output

if TYPE_CHECKING:
    from iolai.evaluation import LintFinding

__all__ = ["app"]

app = typer.Typer(help="Care for an answer key.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    """Care for an answer key."""


@app.command("lint")
def lint(
    key: Key,
    problems: Annotated[
        Path | None, typer.Argument(help="The problems, where the key file has none itself.")
    ] = None,
    password: Password = None,
    as_json: Json = False,
) -> None:
    """Look an answer key through; exit 1 where a fault is found, notes alone are no fault.

    Example: iolai key lint solution.csv test.csv
    """
    from iolai.evaluation import lint_key
    from iolai.formats import read_document, read_key, read_problems

    answer_key = read_key(key, password=password, on_warning=warn)
    problem_set = (
        read_document(key, password=password).problems
        if problems is None
        else read_problems(problems, password=password, on_warning=warn)
    )
    findings = lint_key(answer_key, problem_set)
    if as_json:
        print_json([_json(finding) for finding in findings])
    else:
        _print(findings, len(answer_key), compared=problem_set is not None)
    if any(finding.is_fault for finding in findings):
        raise typer.Exit(FAULTS)


@app.command("perfect")
def perfect(
    key: Key,
    out: Annotated[
        Path, typer.Option("--out", readable=False, help="The submission.csv to write.")
    ],
    password: Password = None,
) -> None:
    """Write the submission that answers every item with the key's first reference.

    It scores 1.0 on a sound key: a way to try a platform, or a scorer, from end to end.

    Example: iolai key perfect solution.csv --out perfect.csv
    """
    from iolai.evaluation import perfect_predictions
    from iolai.formats import read_key, write_submission_csv

    require_output(out, key)
    write_submission_csv(out, perfect_predictions(read_key(key, password=password)))


def _json(finding: LintFinding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "level": finding.level,
        "id": finding.id,
        "item": finding.item,
        "text": finding.text,
        "hint": finding.hint,
    }


def _print(findings: tuple[LintFinding, ...], n_tasks: int, *, compared: bool) -> None:
    from rich.text import Text

    from iolai.reports import count

    console = output_console()
    for finding in findings:
        where = f"task {finding.id}" if finding.id else "the key"
        where += f", item {finding.item}" if finding.item else ""
        style = "bold red" if finding.is_fault else "yellow"
        console.print(
            Text.assemble((finding.level, style), f" {finding.kind}: {where}: {finding.text}")
        )
        console.print(Text(f"    {finding.hint}", style="dim"))
    n_faults = sum(finding.is_fault for finding in findings)
    n_notes = len(findings) - n_faults
    counts = count(n_tasks, "task"), count(n_faults, "fault"), count(n_notes, "note")
    against = "" if compared else " (not compared with problems: none were given)"
    console.print(f"{', '.join(counts)}{against}", markup=False)
