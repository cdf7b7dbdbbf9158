"""What all commands share: data to stdout, progress and complaints to stderr, exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from iolai.errors import IolaiError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = [
    "FAULTS",
    "OK",
    "UNUSABLE",
    "complain",
    "error_console",
    "print_json",
    "progress",
    "warn",
]

OK, FAULTS, UNUSABLE = 0, 1, 2


def error_console() -> Console:
    """Return a console on stderr; rich is imported only when something is printed."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """Write ``data`` to stdout as JSON, one document, ending in a newline."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    # A prediction may hold half of a surrogate pair, which UTF-8 cannot write and JSON escapes.
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def warn(message: str) -> None:
    """Say on stderr what is odd but does not stop the command."""
    error_console().print("warning:", style="yellow", end=" ")
    error_console().print(message, markup=False)


def complain(error: IolaiError) -> None:
    """Print an error and its hint on stderr, without a traceback."""
    console = error_console()
    console.print("error:", style="bold red", end=" ")
    console.print(error.message, markup=False)
    console.print("hint:", style="cyan", end=" ")
    console.print(error.hint, markup=False)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show progress bars on stderr while the block runs, where stderr is a terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = error_console()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        yield bar
