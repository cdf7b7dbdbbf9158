"""``iolai entry run``: rehearse an entry at home as it will run in the challenge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import FAULTS, error_console, output_console, print_json, warn
from iolai.cli.options import Entry, Json, Password
from iolai.cli.outputs import require_output

if TYPE_CHECKING:
    from iolai.evaluation import Rehearsal
    from iolai.records import AnswerKey, ProblemSet
    from iolai.runners import Limits, Runner

__all__ = ["command"]

_Problems = Annotated[
    Path | None,
    typer.Option("--problems", help="The problems to run on; by default the built-in ones."),
]
_Key = Annotated[
    Path | None,
    typer.Option("--key", help="Their answer key; by default the references that they carry."),
]
_TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", min=0.1, help="Seconds; by default 1800.")
]
_Memory = Annotated[
    int | None, typer.Option("--memory", min=16, help="MiB of memory; by default 30720.")
]
_Scale = Annotated[
    float,
    typer.Option("--scale", min=0.001, max=1, help="Scale the limits of time, memory and disk."),
]
_Python = Annotated[
    Path | None, typer.Option("--python", help="The interpreter that runs the entry.")
]
_Trusted = Annotated[
    bool,
    typer.Option("--trusted", help="Run it without a sandbox: for your own code only."),
]
_Out = Annotated[
    Path | None,
    typer.Option("--out", readable=False, help="Keep the entry's submission.csv as this file."),
]
_All = Annotated[bool, typer.Option("--all", help="Show every task, not only those with findings.")]


def command(
    folder: Entry = Path(),
    problems: _Problems = None,
    key: _Key = None,
    password: Password = None,
    time_limit: _TimeLimit = None,
    memory: _Memory = None,
    scale: _Scale = 1.0,
    python: _Python = None,
    trusted: _Trusted = False,
    out: _Out = None,
    show_all: _All = False,
    as_json: Json = False,
) -> None:
    """Run an entry in the sandbox under the challenge's limits; exit 1 where it does not end well.

    Then it shows how each task's answers were read, as iolai check does, and the scores.

    Example: iolai entry run my-entry --scale 0.1
    """
    from iolai.evaluation import rehearse

    require_output(out, folder, problems, key)
    problem_set, answer_key = _read(problems, key, password)
    limits = _limits(time_limit, memory, scale)
    view = _View(limits.wall_s, len(problem_set.tasks))
    runner = _runner(trusted=trusted, python=python, on_answered=view.take_answered)
    with view.shown(), _pointing_to_trusted():
        done = rehearse(
            folder, problem_set, runner, key=answer_key, limits=limits, on_log=view.take_log
        )
    if out is not None and done.run.output is not None:
        from iolai.files import write_whole

        write_whole(out, done.run.output)
    if as_json:
        print_json(_json(done))
    else:
        _print(done, show_all=show_all)
    if done.run.outcome != "ok" or done.partial:
        raise typer.Exit(FAULTS)


def _read(
    problems: Path | None, key: Path | None, password: str | None
) -> tuple[ProblemSet, AnswerKey | None]:
    """Return the problems, and the key that was named or that they carry themselves."""
    from iolai.errors import InputError
    from iolai.formats import builtin_path, read_document, read_key

    document = read_document(problems or builtin_path(), password=password)
    if document.problems is None:
        raise InputError(
            f"{problems} has no problems",
            hint="Name a test.csv, a Linguini file, a plain-text problem, or a folder of these.",
        )
    answer_key = document.key if key is None else read_key(key, password=password)
    return document.problems, answer_key


def _limits(time_limit: float | None, memory: int | None, scale: float) -> Limits:
    from iolai.runners import Limits

    full = Limits()
    return replace(
        full,
        wall_s=time_limit if time_limit is not None else full.wall_s * scale,
        memory_mib=memory if memory is not None else max(64, round(full.memory_mib * scale)),
        disk_mib=max(16, round(full.disk_mib * scale)),
    )


def _runner(*, trusted: bool, python: Path | None, on_answered: Callable[[int], None]) -> Runner:
    from iolai.runners import TrustedRunner, get_runner

    if not trusted:
        _say_interpreter(python)
        return get_runner("local", python=python, on_answered=on_answered)
    warn(
        "--trusted: the entry runs without a sandbox, as you, with your files and your network; "
        "of the limits only the time is kept"
    )
    return TrustedRunner(python=python, on_answered=on_answered)


def _say_interpreter(python: Path | None) -> None:
    """Say so where the sandbox cannot use this interpreter: its libraries are then not there."""
    import sys

    from iolai.errors import MissingPartError
    from iolai.runners import usable_python

    if python is not None:
        return
    try:
        usable_python(Path(sys.executable))
    except MissingPartError as error:
        with suppress(MissingPartError):  # with no interpreter at all, the run says so itself
            instead = usable_python(None)
            warn(
                f"{error.message}. {instead} is taken instead, without the libraries that are "
                f"installed for this one. {error.hint}"
            )


@contextmanager
def _pointing_to_trusted() -> Iterator[None]:
    """Where the machine cannot isolate, say so with the one way around it."""
    from iolai.errors import MissingPartError

    try:
        yield
    except MissingPartError as error:
        hint = f"{error.hint}\niolai doctor says what this machine offers. --trusted runs your own "
        raise MissingPartError(error.message, hint=f"{hint}code without a sandbox.") from error


class _View:
    """What is seen while an entry runs: its log, and on a terminal the time left below it."""

    def __init__(self, wall_s: float, n_tasks: int) -> None:
        self._console = error_console()
        self._wall_s, self._n_tasks, self._n_answered = wall_s, n_tasks, 0
        self._start = time.monotonic()

    def take_log(self, text: str) -> None:
        """Print a piece of the log."""
        self._console.print(text, end="", markup=False)

    def take_answered(self, n_answered: int) -> None:
        """Note how many tasks are answered."""
        self._n_answered = n_answered

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the line below the log while the block runs, where stderr is a terminal."""
        if not self._console.is_terminal:
            yield
            return
        from rich.live import Live

        self._start = time.monotonic()
        with Live(console=self._console, transient=True, get_renderable=self._line):
            yield

    def _line(self) -> str:
        left = max(0, round(self._wall_s - (time.monotonic() - self._start)))
        answered = f"{self._n_answered} of {self._n_tasks} tasks answered"
        return f"{left // 60}:{left % 60:02} left of {self._wall_s:g} s, {answered}"


def _json(done: Rehearsal) -> dict[str, Any]:
    from iolai.reports import check_json, score_json

    run = done.run
    return {
        **(score_json(done.score) if done.score is not None else {}),
        "outcome": run.outcome.value,
        "owner": run.owner.value,
        "detail": run.detail,
        "partial": done.partial,
        "exit_code": run.exit_code,
        "n_answered": run.n_answered,
        "n_tasks": run.n_tasks,
        "wall_s": run.wall_s,
        "cpu_s": run.cpu_s,
        "peak_mib": run.peak_mib,
        "mechanism": run.mechanism,
        "log_tail": run.log_tail,
        "tasks": check_json(done.checks),
    }


def _print(done: Rehearsal, *, show_all: bool) -> None:
    from iolai.reports import check_lines, check_summary, score_table
    from iolai.text import visible

    run = done.run
    console = output_console()
    for line in check_lines(done.checks, all_tasks=show_all):
        console.print(line)
    if done.checks:
        for text in check_summary(done.checks):
            console.print(text, markup=False)
    if done.score is not None:
        console.print(score_table(done.score))
    style = "bold green" if run.outcome == "ok" else "bold red"
    console.print(f"\n{run.outcome.value}: {run.detail}", markup=False, style=style)
    if done.fault:
        console.print(f"The rows cannot be read: {done.fault}", markup=False, style="bold red")
    if done.partial:
        said = f"submission.csv is a partial one: {visible(done.partial)}"
        console.print(said, markup=False, style="bold red")
    used = f"{run.wall_s:.1f} s, {run.cpu_s:.1f} s of CPU time, at most {run.peak_mib:.0f} MiB"
    console.print(f"It took {used} ({run.mechanism}).", markup=False, style="dim")
