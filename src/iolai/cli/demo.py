"""``iolai demo``: a whole small challenge on the built-in problems, from sheet to board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import error_console, print_json, progress
from iolai.cli.options import Jobs, Json, Seed

if TYPE_CHECKING:
    from iolai.records import AnswerKey, Board, PredictionSet, ProblemSet

__all__ = ["command"]

_Out = Annotated[
    Path, typer.Option("--out", help="The folder for the predictions and the board's page.")
]


def command(
    out: _Out = Path("iolai-demo"), jobs: Jobs = 1, seed: Seed = 0, as_json: Json = False
) -> None:
    """Solve the built-in problems with every solver, check, score, rank, and write the board.

    Example: iolai demo --out iolai-demo
    """
    from iolai.evaluation import board_of_predictions, read_builtin

    problems, key = read_builtin()
    predictions = _solve_all(problems, out, jobs=jobs, seed=seed)
    findings = _check_all(problems, key, predictions)
    board = board_of_predictions(predictions, key, name="built-in problems", seed=seed)
    page = _write_page(board, problems, out)
    if as_json:
        print_json(_json(board, findings, page))
    else:
        _print(board, problems, findings, page)


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
            for state in solve(problems, name, seed=seed, jobs=jobs):
                bars.update(bar, completed=state.n_solved)
            predictions[name] = state.predictions
            write_submission_csv(out / name / "submission.csv", state.predictions)
    return predictions


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


def _json(board: Board, findings: dict[str, int], page: Path) -> dict[str, Any]:
    from iolai.reports import board_rows

    return {"board": board_rows(board), "findings": findings, "page": str(page)}


def _print(board: Board, problems: ProblemSet, findings: dict[str, int], page: Path) -> None:
    from rich.console import Console

    from iolai.reports import board_table

    console = Console(highlight=False, soft_wrap=True)
    n_items = sum(task.n_items for task in board.tasks)
    console.print(
        f"{len(problems)} problems, {len(problems.tasks)} tasks, {n_items} items; "
        f"{len(board.rows)} solvers.\n",
        markup=False,
    )
    console.print(board_table(board, width=console.width))
    said = ", ".join(f"{name} {count}" for name, count in findings.items())
    error_console().print(f"Findings of iolai check: {said}", markup=False, style="dim")
    console.print(f"\nThe board is in {page}", markup=False, style="bold")
