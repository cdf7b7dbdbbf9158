"""The table of commands. A command is one file in this package plus one line here.

A command's file imports at its top only what its options need; everything heavy is imported
inside the function, so that ``iolai --help`` stays fast.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from iolai.cli import (
    admin,
    bench,
    board,
    challenge,
    check,
    demo,
    doctor,
    entry,
    jury,
    key,
    report,
    score,
    serve,
    solve,
    submit,
    team,
    worker,
)
from iolai.cli import eval as evaluate
from iolai.cli.console import OK, UNUSABLE, complain, warn
from iolai.cli.streams import ended_by_signals, open_streams
from iolai.errors import InputError, IolaiError, OutputError
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
app.command("bench")(bench.command)
app.command("report")(report.command)
app.command("doctor")(doctor.command)
app.command("worker")(worker.command)
app.add_typer(key.app, name="key")
app.add_typer(entry.app, name="entry")
app.add_typer(jury.app, name="jury")
app.add_typer(challenge.app, name="challenge")
app.add_typer(admin.app, name="admin")
app.command("serve")(serve.command)
app.command("submit")(submit.command)
app.add_typer(team.app, name="team")


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
    open_streams()
    try:
        with ended_by_signals():
            code = _run()
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:
            raise  # a file of ours, not stdout: a fault of the program, to be seen whole
        code = _output_lost(error)
    sys.exit(code)


def _run() -> int:
    """Run one command and return its exit code; errors with a hint are printed here."""
    try:
        app()
    except IolaiError as error:
        complain(error)
        return UNUSABLE
    except SystemExit as stop:
        # The framework makes exit 1 of a broken pipe, which would read as "found faults".
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        return stop.code if isinstance(stop.code, int) else OK
    finally:
        warn.finish()
    return OK


def _output_lost(error: OSError) -> int:
    """Say why stdout could not be written; a reader that left (``head``) is no fault."""
    # What is still buffered goes nowhere, so that the interpreter's last flush stays silent too.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    if isinstance(error, BrokenPipeError):
        return OK
    if isinstance(error, FileNotFoundError):  # no write fails so: a relative path led nowhere
        complain(
            InputError(
                "the current folder is there no more", hint="Change to a folder that exists."
            )
        )
        return UNUSABLE
    complain(
        OutputError(
            f"the output cannot be written: {error.strerror}",
            hint="Check that the place it goes to has room, or write to a file elsewhere.",
        )
    )
    return UNUSABLE
