"""What all commands share: data to stdout, progress and complaints to stderr, exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from iolai.errors import IolaiError
from iolai.text import visible

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.progress import Progress

    from iolai.errors import InputError
    from iolai.evaluation import Solving

__all__ = [
    "FAULTS",
    "INTERRUPTED",
    "OK",
    "UNUSABLE",
    "Unread",
    "complain",
    "error_console",
    "output_console",
    "print_json",
    "progress",
    "warn",
    "warn_of_endings",
]

OK, FAULTS, UNUSABLE = 0, 1, 2
INTERRUPTED = 130
_NARROWEST, _UNBOUNDED = 40, 1_000
_NAMED = 8


def error_console() -> Console:
    """Return a console on stderr; rich is imported only when something is printed."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def output_console() -> Console:
    """Return a console on stdout.

    Where it is no terminal nothing is cut to a width: a file or a pipe has none. A terminal too
    narrow for a table is written to as if it were wide enough, and wraps.
    """
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = _UNBOUNDED
    console.width = max(console.width, _NARROWEST)
    return console


def print_json(data: Any) -> None:
    """Write ``data`` to stdout as JSON, one document, ending in a newline."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    # A prediction may hold half of a surrogate pair, which UTF-8 cannot write and JSON escapes.
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


class _Warnings:
    """Says on stderr what is odd but does not stop the command; a flood is cut and counted."""

    SHOWN = 20

    def __init__(self) -> None:
        self._n_said = 0

    def __call__(self, message: str) -> None:
        """Print one warning, or count it where enough were printed."""
        self._n_said += 1
        if self._n_said <= self.SHOWN:
            sys.stderr.write(f"warning: {visible(message)}\n")

    def finish(self) -> None:
        """Say how many warnings were left out; the next command begins anew."""
        if self._n_said > self.SHOWN:
            sys.stderr.write(f"warning: and {self._n_said - self.SHOWN:,} more like these\n")
        self._n_said = 0


warn = _Warnings()


def warn_of_endings(state: Solving) -> None:
    """Say which problems were not solved to the end, and what becomes of their answers."""
    for name, reason in state.failed:
        warn(f"the solver failed on problem {name}, which keeps what was answered before: {reason}")
    if state.came_to_nothing:
        warn("no problem was solved: on each the solver failed or the model answered no call")
    if state.out_of_time:
        warn(
            f"out of time on {len(state.out_of_time)} of {state.n_problems} problems "
            f"({_named(state.out_of_time)}); they keep their best answers until then, more time "
            "may improve them"
        )
    if state.unanswered:
        warn(
            f"the model answered no call on {len(state.unanswered)} of {state.n_problems} problems "
            f"({_named(state.unanswered)}); they keep what stood before it was asked"
        )
    reasons = state.why_calls_failed
    for reason, n_calls in reasons[:_NAMED]:
        warn(f"{n_calls} {'call' if n_calls == 1 else 'calls'} failed: {reason}")
    if len(reasons) > _NAMED:
        warn(f"calls failed for {len(reasons) - _NAMED} further reasons; --record keeps them all")
    if state.n_placeholders:
        warn(f"{state.n_placeholders} items have a placeholder, not an answer")


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


def complain(error: IolaiError) -> None:
    """Print an error and its hint on stderr, without a traceback."""
    console = error_console()
    console.print("error:", style="bold red", end=" ")
    console.print(visible(error.message), markup=False)
    console.print("hint:", style="cyan", end=" ")
    console.print(visible(error.hint), markup=False)


class Unread:
    """The files of a folder that could not be read; each is named on stderr as it is met."""

    def __init__(self) -> None:
        self.files: list[dict[str, str]] = []

    def __call__(self, file: Path, error: InputError) -> None:
        """Take one file and say why it is left out."""
        warn(f"left out: {error.message} ({error.hint})")
        self.files.append({"file": str(file), "reason": error.message})


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
