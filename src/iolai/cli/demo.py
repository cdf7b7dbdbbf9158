"""``iolai demo``: a whole small challenge on the built-in problems, from sheet to board.

The solvers answer in this process; the entries are written by ``entry new`` and run as a
challenge runs them, in the sandbox, where this machine has one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import error_console, output_console, print_json, progress, warn
from iolai.cli.options import Json, Seed

if TYPE_CHECKING:
    from iolai.errors import IolaiError
    from iolai.evaluation import Rehearsal
    from iolai.records import AnswerKey, Board, PredictionSet, ProblemSet
    from iolai.runners import Runner

__all__ = ["command"]

#: What an entry has for all built-in problems: enough for ours, and the demo stays short.
_ENTRY_SECONDS = 15.0

_Out = Annotated[
    Path, typer.Option("--out", help="The folder for the predictions and the board's page.")
]

_DemoJobs = Annotated[
    int | None, typer.Option("--jobs", min=1, help="How many processes; by default one a core.")
]
#: A demo is looked at while it runs: each solver gets so many seconds for all problems.
_SOLVING_SECONDS = 25.0
_MOST_JOBS = 4


def command(
    out: _Out = Path("iolai-demo"),
    jobs: _DemoJobs = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Solve the built-in problems, run entries in the sandbox, check, score, rank, write the board.

    Example: iolai demo --out iolai-demo
    """
    from iolai.evaluation import board_of_predictions, read_builtin

    problems, key = read_builtin()
    n_jobs = jobs or min(os.cpu_count() or 1, _MOST_JOBS)
    predictions = _solve_all(problems, out, jobs=n_jobs, seed=seed)
    runs = _run_entries(problems, key, out)
    predictions |= {name: run.predictions for name, run in runs.items()}
    findings = _check_all(problems, key, predictions)
    board = board_of_predictions(predictions, key, name="built-in problems", seed=seed)
    page = _write_page(board, problems, out)
    if as_json:
        print_json(_json(board, findings, runs, page))
    else:
        _print(board, problems, findings, runs, page)


def _solve_all(
    problems: ProblemSet, out: Path, *, jobs: int, seed: int
) -> dict[str, PredictionSet]:
    """Solve with each solver; its answers are also written, as its submission.csv."""
    from iolai.evaluation import solve
    from iolai.formats import write_submission_csv
    from iolai.solvers import SOLVERS

    predictions = {}
    with progress() as bars:
        for name in SOLVERS:
            bar = bars.add_task(f"solving with {name}", total=len(problems))
            for state in solve(problems, name, seed=seed, jobs=jobs, time_limit=_SOLVING_SECONDS):
                bars.update(bar, completed=state.n_solved)
            predictions[name] = state.predictions
            write_submission_csv(out / name / "submission.csv", state.predictions)
    return predictions


def _run_entries(problems: ProblemSet, key: AnswerKey, out: Path) -> dict[str, Rehearsal]:
    """Write an entry from each starting point, and run it; one that is there already is kept."""
    from iolai.entry import NEED_WEIGHTS, STARTERS, new_entry
    from iolai.errors import MissingPartError
    from iolai.evaluation import rehearse
    from iolai.files import write_whole
    from iolai.runners import Limits, TrustedRunner

    runs: dict[str, Rehearsal] = {}
    limits = Limits(wall_s=_ENTRY_SECONDS, memory_mib=2048, disk_mib=256)
    said: set[str] = set()
    with progress() as bars:
        starters = [name for name in STARTERS if name not in NEED_WEIGHTS]
        bar = bars.add_task("running entries", total=len(starters))
        for starter in starters:
            folder = out / "entries" / starter
            if not folder.exists():
                new_entry(folder, starter)
            try:
                done = rehearse(folder, problems, _sandbox(folder), key=key, limits=limits)
            except MissingPartError as error:
                _say_trusted(error, said)
                done = rehearse(folder, problems, TrustedRunner(), key=key, limits=limits)
            runs[f"entry {starter}"] = done
            if done.run.output is not None:
                write_whole(out / f"entry-{starter}" / "submission.csv", done.run.output)
            bars.advance(bar)
    return runs


def _sandbox(folder: Path) -> Runner:
    """Return the sandbox; what is vendored may need the libraries of this interpreter."""
    from iolai.runners import get_runner

    return get_runner(
        "local", python=Path(sys.executable) if (folder / "vendor").exists() else None
    )


def _say_trusted(error: IolaiError, said: set[str]) -> None:
    """Say, once for each reason, that an entry of the demo runs without a sandbox."""
    if error.message in said:
        return
    said.add(error.message)
    warn(
        f"an entry of the demo cannot run in the sandbox: {error.message}. It is our own code, so "
        "it runs without a sandbox; nobody else's would."
    )
    error_console().print(error.hint, markup=False, style="cyan")


def _check_all(
    problems: ProblemSet, key: AnswerKey, predictions: dict[str, PredictionSet]
) -> dict[str, int]:
    """Return how many findings ``iolai check`` has for each solver's answers."""
    from iolai.evaluation import check_predictions

    return {
        name: sum(len(task.findings) for task in check_predictions(problems, key, rows))
        for name, rows in predictions.items()
    }


def _write_page(board: Board, problems: ProblemSet, out: Path) -> Path:
    from iolai.files import write_whole
    from iolai.reports import render_board

    titles = {problem.id: problem.title for problem in problems if problem.title}
    page = out / "board.html"
    title = "The built-in problems"
    write_whole(page, render_board(board, title=title, problem_titles=titles))
    return page.resolve()


def _json(
    board: Board, findings: dict[str, int], runs: dict[str, Rehearsal], page: Path
) -> dict[str, Any]:
    from iolai.reports import board_rows

    entries = {
        name: {
            "outcome": done.run.outcome.value,
            "n_answered": done.run.n_answered,
            "n_tasks": done.run.n_tasks,
            "wall_s": done.run.wall_s,
            "mechanism": done.run.mechanism,
        }
        for name, done in runs.items()
    }
    return {
        "board": board_rows(board),
        "entries": entries,
        "findings": findings,
        "seconds": {"solver": _SOLVING_SECONDS, "entry": _ENTRY_SECONDS},
        "page": str(page),
    }


def _print(
    board: Board,
    problems: ProblemSet,
    findings: dict[str, int],
    runs: dict[str, Rehearsal],
    page: Path,
) -> None:
    from iolai.reports import board_table

    console = output_console()
    n_items = sum(task.n_items for task in board.tasks)
    console.print(
        f"{len(problems)} problems, {len(problems.tasks)} tasks, {n_items} items; "
        f"{len(board.rows) - len(runs)} solvers, {len(runs)} entries.\n",
        markup=False,
    )
    console.print(board_table(board, width=console.width))
    console.print()
    for name, done in runs.items():
        run = done.run
        said = f"{name}: {run.outcome.value}, {run.detail}, {run.wall_s:.1f} s ({run.mechanism})"
        console.print(said, markup=False)
    said = ", ".join(f"{name} {count}" for name, count in findings.items())
    console.print(f"\nFindings of iolai check: {said}", markup=False, style="dim")
    console.print(
        f"A solver had {_SOLVING_SECONDS:.0f} s for all problems, an entry {_ENTRY_SECONDS:.0f} s: "
        "with up to a minute a problem (iolai eval) they find more.",
        markup=False,
        style="dim",
    )
    console.print(f"\nThe board is in {page}", markup=False, style="bold")
