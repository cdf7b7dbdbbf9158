"""``iolai eval``: solvers on a problem set that carries its references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import print_json, progress
from iolai.cli.options import Jobs, Json, Password, Problems, Seed, TimeLimit

if TYPE_CHECKING:
    from iolai.evaluation import SolverScore

__all__ = ["command"]


def command(
    problems: Problems,
    solver: Annotated[
        list[str] | None, typer.Option("--solver", help="A solver; repeat it for several.")
    ] = None,
    jobs: Jobs = 1,
    time_limit: TimeLimit = None,
    seed: Seed = 0,
    password: Password = None,
    as_json: Json = False,
) -> None:
    """Solve a problem set that carries its references, and score the answers.

    Example: iolai eval problems.zip --password secret --solver nearest --solver identity
    """
    from iolai.evaluation import evaluate, read_problems_with_key
    from iolai.solvers import DEFAULT_SOLVER, get_solver

    names = solver or [DEFAULT_SOLVER]
    for name in names:
        get_solver(name)
    problem_set, key = read_problems_with_key(problems, password=password)
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
                on_progress=lambda state, bar=bar: bars.update(bar, completed=state.n_solved),
            )
            results.append(result)
    if as_json:
        print_json([_json(result, seed) for result in results])
    else:
        _print(results)


def _json(result: SolverScore, seed: int) -> dict[str, Any]:
    from iolai.reports import score_json

    return {
        "solver": result.solver,
        **score_json(result.score),
        "interval": list(result.interval) if result.interval else None,
        "seconds": round(result.seconds, 3),
        "seed": seed,
    }


def _print(results: list[SolverScore]) -> None:
    from rich.console import Console

    from iolai.reports import comparison_table

    console = Console(highlight=False)
    rows = [(r.solver, r.score, r.interval, r.seconds) for r in results]
    console.print(comparison_table(rows))
    console.print(f"Signature: {results[0].score.signature}", style="dim", markup=False)
