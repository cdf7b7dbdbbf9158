"""``iolai doctor``: what isolation, limits, GPU and services this machine offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from iolai.cli.console import FAULTS, print_json
from iolai.cli.options import Json

if TYPE_CHECKING:
    from iolai.runners.preflight import Report

__all__ = ["command"]


def command(as_json: Json = False) -> None:
    """Try what running entries needs, and name the command that mends what is missing.

    Exits with 1 where this machine may not run entries that nobody trusts.

    Example: iolai doctor
    """
    from iolai.runners.preflight import examine

    report = examine()
    if as_json:
        print_json(_json(report))
    else:
        _print(report)
    if not report.is_safe:
        raise typer.Exit(FAULTS)


def _json(report: Report) -> dict[str, object]:
    return {
        "safe": report.is_safe,
        "checks": [
            {
                "name": check.name,
                "works": check.works,
                "needed": check.is_needed,
                "detail": check.detail,
                "hint": check.hint,
            }
            for check in report.checks
        ],
    }


def _print(report: Report) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for check in report.checks:
        mark, style = ("yes", "green") if check.works else ("no", "yellow")
        if check.is_needed and not check.works:
            mark, style = "NO", "bold red"
        console.print(Text.assemble((f"{mark:4}", style), f"{check.name}: {check.detail}"))
        if check.hint and not check.works:
            console.print(Text(f"    {check.hint}", style="dim"))
    if report.is_safe:
        console.print(
            f"This machine can run untrusted entries; limits are held by {report.limits_by}."
        )
    else:
        console.print("This machine must not run untrusted entries.", style="bold red")
