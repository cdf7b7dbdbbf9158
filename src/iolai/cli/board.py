"""``iolai board``: rank archived records, and verify what was published about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import FAULTS, error_console, output_console, print_json, progress, warn
from iolai.cli.options import Json
from iolai.cli.outputs import require_output

if TYPE_CHECKING:
    from iolai.records import Board

__all__ = ["command"]

_Records = Annotated[
    Path,
    typer.Argument(help="A release: a folder with leaderboard.csv, task/ and submissions/."),
]
_Verify = Annotated[
    bool,
    typer.Option("--verify", help="Compare with the published figures; exit 1 where any differs."),
]
_Csv = Annotated[bool, typer.Option("--csv", help="Write the board to stdout as CSV.")]
_Html = Annotated[
    Path | None,
    typer.Option("--html", readable=False, help="Write the board to this file as one HTML page."),
]
_Title = Annotated[str | None, typer.Option("--title", help="The title of the HTML page.")]


def command(
    records: _Records,
    verify: _Verify = False,
    as_json: Json = False,
    as_csv: _Csv = False,
    html: _Html = None,
    title: _Title = None,
) -> None:
    """Score archived records again and rank them, with intervals and bands.

    Rows whose record the release does not hold keep their published figures, and say so.

    Example: iolai board iol2026-records --verify --html board.html
    """
    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv both write to stdout: choose one.")
    require_output(html, records)
    board = _board(records)
    if html is not None:
        _write_html(board, html, title or f"Board of {board.name or records.resolve().name}")
    if as_json:
        from iolai.reports.board_rows import board_rows

        print_json(board_rows(board, verify=verify))
    elif as_csv:
        from iolai.reports.board_rows import board_csv

        typer.echo(board_csv(board), nl=False)
    elif html is None or verify:
        _print_table(board)
    if verify:
        _say_verdict(board)
        if board.differing:
            raise typer.Exit(FAULTS)


def _board(path: Path) -> Board:
    from iolai.evaluation import board_of_records
    from iolai.formats import read_records

    records = read_records(path, on_warning=warn)
    with progress() as bar:
        task = bar.add_task("Scoring", total=len(records.board))
        return board_of_records(records, on_entry=lambda _: bar.advance(task))


def _write_html(board: Board, path: Path, title: str) -> None:
    from iolai.files import write_whole
    from iolai.reports.board_html import render_board

    write_whole(path, render_board(board, title=title))
    error_console().print(f"The page is in {path}.", markup=False)


def _print_table(board: Board) -> None:
    from iolai.reports.board_text import board_table

    console = output_console()
    console.print(board_table(board, console.width))


def _say_verdict(board: Board) -> None:
    from iolai.reports.board_text import difference_lines, verdict

    console = error_console()
    for line in difference_lines(board):
        console.print(line, markup=False)
    console.print(verdict(board), markup=False, style="bold")
