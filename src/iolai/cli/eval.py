"""``iolai eval``: solvers on a problem set that carries its references."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import FAULTS, Unread, output_console, print_json, progress, warn
from iolai.cli.options import DEFAULT, Jobs, Json, Password, Problems, Seed, TimeLimit

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from iolai.evaluation import SolverScore, Solving

__all__ = ["command"]


def command(
    problems: Problems,
    solver: Annotated[
        list[str] | None,
        typer.Option("--solver", help=f"A solver, by default {DEFAULT}; repeat it for several."),
    ] = None,
    jobs: Jobs = 1,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    password: Password = None,
    as_json: Json = False,
) -> None:
    """Solve a problem set that carries its references, and score the answers.

    A file of a folder that cannot be read is named and left out; the exit code is 1 then.

    Example: iolai eval problems.zip --password secret --solver nearest --solver identity
    """
    from iolai.evaluation import evaluate, read_problems_with_key
    from iolai.solvers import DEFAULT_SOLVER, get_solver

    names = solver or [DEFAULT_SOLVER]
    for name in names:
        get_solver(name)
    unread = Unread()
    problem_set, key = read_problems_with_key(
        problems, password=password, on_warning=warn, on_failure=unread
    )
    results = []
    with progress() as bars:
        for name in names:
            bar = bars.add_task(name, total=len(problem_set))
            result = evaluate(
                problem_set,
                key,
                name,
                seed=seed,
                jobs=jobs,
                time_limit=time_limit,
                on_progress=partial(_advance, bars, bar),
            )
            results.append(result)
    if as_json:
        print_json([{**_json(result, seed), "failed": unread.files} for result in results])
    else:
        _print(results)
    if unread.files:
        raise typer.Exit(FAULTS)


def _advance(bars: Progress, bar: TaskID, state: Solving) -> None:
    bars.update(bar, completed=state.n_solved)


def _json(result: SolverScore, seed: int) -> dict[str, Any]:
    from iolai.reports import rounded, score_json

    return {
        "solver": result.solver,
        **score_json(result.score),
        "interval": rounded(result.interval),
        "seconds": round(result.seconds, 3),
        "seed": seed,
    }


def _print(results: list[SolverScore]) -> None:
    from iolai.reports import comparison_tables

    console = output_console()
    rows = [(r.solver, r.score, r.interval, r.seconds) for r in results]
    for table in comparison_tables(rows):
        console.print(table)
        console.print()
    console.print(f"Signature: {results[0].score.signature}", style="dim", markup=False)
