"""The table of commands. A command is one file in this package plus one line here.

A command's file imports at its top only what its options need; everything heavy is imported
inside the function, so that ``iolai --help`` stays fast.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from iolai.cli import board, check, demo, key, score, solve
from iolai.cli import eval as evaluate
from iolai.cli.console import UNUSABLE, complain
from iolai.errors import IolaiError
from iolai.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(
    name="iolai",
    help="Run, enter, judge and study a linguistics-olympiad AI challenge, and solve its problems.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("demo")(demo.command)
app.command("solve")(solve.command)
app.command("score")(score.command)
app.command("eval")(evaluate.command)
app.command("check")(check.command)
app.command("board")(board.command)
app.add_typer(key.app, name="key")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"iolai {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options that come before any command."""


def main() -> None:
    """Run the command line; exit 0 (fine), 1 (ran, found faults) or 2 (unusable input)."""
    try:
        app()
    except IolaiError as error:
        complain(error)
        sys.exit(UNUSABLE)
    except BrokenPipeError:
        # The reader of our output (head, less) has left: that is not a fault. Point stdout at
        # nothing so that the interpreter's last flush stays silent too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
