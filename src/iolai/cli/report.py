"""``iolai report``: the tables, the figures, the page and the release of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from iolai.cli.console import output_console, print_json, progress, warn
from iolai.cli.options import Json

__all__ = ["command"]

_Study = Annotated[
    Path, typer.Argument(help="A study's folder, or its study.toml, with its journal.")
]
_Out = Annotated[
    Path | None, typer.Option("--out", help="The folder to write; by default STUDY/report.")
]
_Release = Annotated[
    Path | None,
    typer.Option("--release", help="Write a release for others too, into this new folder."),
]


def command(
    study: _Study,
    out: _Out = None,
    release: _Release = None,
    as_json: Json = False,
) -> None:
    """Work out a study's tables and figures from what is stored; no model is asked.

    Example: iolai report iolai-study --release iolai-release
    """
    from functools import partial

    from iolai.study.release import write_release
    from iolai.study.report import make_report, study_tables, write_report
    from iolai.study.running import finished_plan
    from iolai.study.study_file import read_study

    ran = finished_plan(read_study(study))
    with progress() as bars:
        bar = bars.add_task("working out", total=None)
        step = lambda name: bars.update(bar, description=name)  # noqa: E731
        report = make_report(ran, step)
        page = write_report(report, ran, out or ran.plan.study.folder / "report", step)
        if release is not None:
            write_release(release, ran, report.material, partial(study_tables, ran=ran))
    tables = {
        table.name: {"n_rows": len(table.rows), "reason": table.reason} for table in report.tables
    }
    figures = {chart.name: {"reason": chart.reason} for chart in report.charts}
    if as_json:
        print_json(
            {
                "page": str(page),
                "release": str(release) if release is not None else None,
                "n_calls": len(ran.plan.distinct),
                "n_left": ran.n_left,
                "tables": tables,
                "figures": figures,
            }
        )
        return
    if ran.n_left:
        warn(
            f"the study is not finished: {ran.n_left:,} of {len(ran.plan.distinct):,} calls are "
            f"planned and not asked yet; to make them: iolai bench {study}"
        )
    _print(page, release, tables, figures)


def _print(
    page: Path, release: Path | None, tables: dict[str, Any], figures: dict[str, Any]
) -> None:
    console = output_console()
    for kind, made in (("tables", tables), ("figures", figures)):
        empty = {name: about["reason"] for name, about in made.items() if about["reason"]}
        console.print(f"{len(made) - len(empty)} of {len(made)} {kind} have figures.", markup=False)
        for name, reason in empty.items():
            console.print(f"  {name}: {reason}", markup=False, style="dim")
    if release is not None:
        said = f"The release is in {release}; check it with: iolai board {release} --verify"
        console.print(said, markup=False)
    console.print(f"The report is in {page.resolve()}", markup=False, style="bold")
