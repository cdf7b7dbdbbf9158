"""``iolai jury rubric``: look at rubrics, and make them from rule checklists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import FAULTS, error_console, output_console, print_json, warn
from iolai.cli.options import Json
from iolai.cli.outputs import require_output

if TYPE_CHECKING:
    from iolai.records import Rubric

__all__ = ["app"]

app = typer.Typer(help="Look at rubrics, and make them from rule checklists.", no_args_is_help=True)

_Rubrics = Annotated[
    list[Path], typer.Argument(help="Rubrics: rubric.toml files, or folders of problems.")
]
_Set = Annotated[
    Path | None, typer.Option("--problems", help="The problems, to see that the tasks exist.")
]
_Points = Annotated[
    float, typer.Option("--points", min=0.5, max=1000, help="What a problem is worth.")
]
_Checklists = Annotated[
    Path, typer.Argument(help="Rule checklists in LOBSTER's form: JSON, a problem an object.")
]
_Theory = Annotated[
    float, typer.Option("--theory", help="Points for the theory, of 20; shared out over the lines.")
]
_Out = Annotated[
    Path, typer.Option("--out", readable=False, help="The folder for ID.toml, one a problem.")
]


@app.command("lint")
def lint(
    rubrics: _Rubrics, problems: _Set = None, points: _Points = 20.0, as_json: Json = False
) -> None:
    """Look at rubrics: what they sum to, their ids and steps, whether their tasks exist.

    Exits with 1 where there is a fault; a note may well be meant.

    Example: iolai jury rubric lint problems/01-czech-spelling --problems problems
    """
    from dataclasses import asdict

    from iolai.formats import read_problems
    from iolai.jury.linting import lint_rubric

    read = [one for path in rubrics for one in _rubrics(path)]
    known = read_problems(problems, on_warning=warn) if problems is not None else None
    findings = [found for one in read for found in lint_rubric(one, known, points=points)]
    if as_json:
        print_json([asdict(found) for found in findings])
    else:
        console = output_console()
        for found in findings:
            where = " ".join(filter(None, (found.problem, found.criterion)))
            console.print(f"{found.level}: {where}: {found.message}", markup=False)
            console.print(f"  {found.hint}", markup=False)
        n_faults = sum(found.level == "fault" for found in findings)
        n_notes = len(findings) - n_faults
        error_console().print(
            f"{len(read)} rubrics, {n_faults} faults, {n_notes} notes.", markup=False
        )
    if any(found.level == "fault" for found in findings):
        raise typer.Exit(FAULTS)


@app.command("convert")
def convert(checklists: _Checklists, out: _Out, theory: _Theory = 10.0) -> None:
    """Make rubrics from rule checklists: each rule a criterion, the answers one more.

    The points are a first proposal: look at them, and say in notes and steps what gets them.

    Example: iolai jury rubric convert checklists.json --theory 10 --out rubrics
    """
    from iolai.errors import InputError
    from iolai.formats import read_checklists, write_rubric

    made = read_checklists(checklists, theory_points=theory)
    for rubric in made:
        if Path(rubric.problem).name != rubric.problem or rubric.problem.startswith("."):
            raise InputError(
                f"{rubric.problem!r} cannot be the name of a file",
                hint="Give the problem another id.",
            )
    for rubric in made:
        require_output(out / f"{rubric.problem}.toml", checklists)
    for rubric in made:
        write_rubric(out / f"{rubric.problem}.toml", rubric)
    error_console().print(f"{len(made)} rubrics are in {out}.", markup=False)


def _rubrics(path: Path) -> tuple[Rubric, ...]:
    from iolai.errors import InputError
    from iolai.formats import read_document

    document = read_document(path, on_warning=warn)
    if not document.rubrics:
        raise InputError(
            f"{path} holds no rubric", hint="Name a rubric.toml, or a folder of problems with some."
        )
    return document.rubrics
