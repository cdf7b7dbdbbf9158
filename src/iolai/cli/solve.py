"""``iolai solve``: answers for every item of a problem set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iolai.cli.console import (
    FAULTS,
    INTERRUPTED,
    Unread,
    error_console,
    output_console,
    print_json,
    progress,
    warn,
    warn_of_endings,
)
from iolai.cli.options import Jobs, Json, Password, Problems, Seed, SolverName, TimeLimit
from iolai.cli.outputs import require_output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from iolai.cli.solving_record import RunRecord
    from iolai.evaluation import Solving
    from iolai.records import ProblemSet

__all__ = ["command"]


_Out = Annotated[
    Path | None,
    typer.Option("--out", readable=False, help="Write a submission.csv here, kept complete."),
]
_Record = Annotated[
    Path | None,
    typer.Option(
        "--record",
        readable=False,
        help="Write here, as JSON, what the run was made by and what it cost.",
    ),
]


def command(
    problems: Problems,
    solver: SolverName = None,
    out: _Out = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print answers, confidence and explanation.")
    ] = False,
    record: _Record = None,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
    seed: Seed = 0,
    password: Password = None,
    as_json: Json = False,
) -> None:
    """Solve problems: an answer for every item, at any moment.

    Without --out the answers go to stdout: for reading on a terminal, else as a submission.csv.

    --solver llm:CONFIG asks a language model, by a configuration's name or file. The exit code is 1
    where it answered nothing at all, a solver failed on every problem, or a file of a folder could
    not be read: the others are solved all the same.

    Example: iolai solve problem.txt --explain
    """
    from iolai.cli.solving_record import RunRecord
    from iolai.evaluation import solve
    from iolai.files import is_stream
    from iolai.formats import read_problems, write_submission_csv
    from iolai.solvers import DEFAULT_SOLVER

    _require_outputs(out, record, problems, _config_file(solver))
    unread = Unread()
    problem_set = read_problems(problems, password=password, on_warning=warn, on_failure=unread)
    run = RunRecord(solver or DEFAULT_SOLVER, seed, time_limit)
    kept = None if out is None or is_stream(out) else out
    state = _followed(
        solve(problem_set, run.solver, seed=seed, jobs=jobs, time_limit=time_limit), run, kept
    )
    if out is not None and kept is None:
        write_submission_csv(out, state.predictions)
    if record is not None:
        run.write(record, state)
    _say_how_it_went(run, state, kept)
    if as_json:
        print_json(_json(state, unread.files))
    elif explain or out is None:
        _print_answers(problem_set, state, for_people=explain or sys.stdout.isatty())
    if run.is_interrupted or state.came_to_nothing or unread.files:
        raise typer.Exit(INTERRUPTED if run.is_interrupted else FAULTS)


def _print_answers(problems: ProblemSet, state: Solving, *, for_people: bool) -> None:
    from iolai.formats import render_submission_csv

    if for_people:
        _print(problems, state)
    else:
        sys.stdout.write(render_submission_csv(state.predictions))


def _say_how_it_went(run: RunRecord, state: Solving, kept: Path | None) -> None:
    if run.is_interrupted:
        warn("interrupted: what was answered until then follows or is written")
    _say(run.summary(state))
    warn_of_endings(state)
    _say(f"answers written to {kept}" if kept is not None else "")


def _config_file(solver: str | None) -> Path | None:
    """Return the file of a configuration that the solver's name gives, if it gives one."""
    _, colon, config = (solver or "").partition(":")
    return Path(config) if colon and config.endswith((".toml", ".json")) else None


def _require_outputs(
    out: Path | None, record: Path | None, problems: Path, config: Path | None
) -> None:
    """Refuse outputs that would write over the problems, the configuration or each other."""
    from iolai.errors import InputError

    require_output(out, problems, config)
    require_output(record, problems, config)
    if out is not None and record is not None and out.absolute() == record.absolute():
        raise InputError(
            f"{out} cannot be both --out and --record", hint="Give the record another name."
        )


def _followed(states: Iterator[Solving], run: RunRecord, kept: Path | None) -> Solving:
    """Show how a run goes, keep its file complete, and return how it ended.

    An interrupt ends the run with the answers so far, where there are any.
    """
    from iolai.formats import write_submission_csv

    state, answers = None, None
    try:
        with progress() as bars:
            bar = bars.add_task(f"solving with {run.solver}", total=None)
            for state in states:
                n_solved, total = state.n_solved, state.n_problems
                bars.update(bar, completed=n_solved, total=total, description=run.line(state))
                if kept is not None and state.answers != answers:
                    write_submission_csv(kept, state.predictions)
                    answers = state.answers
    except KeyboardInterrupt:
        if state is None:
            raise
        run.is_interrupted = True
    assert state is not None, "the first state is there at once"  # noqa: S101
    return state


def _say(line: str) -> None:
    if line:
        error_console().print(line, markup=False, style="dim")


def _json(state: Solving, unread: list[dict[str, str]]) -> list[dict[str, object]]:
    answered: list[dict[str, object]] = [
        {
            "id": answer.id,
            "items": [
                {
                    "text": item.text,
                    "confidence": item.confidence,
                    "is_placeholder": item.is_placeholder,
                    "candidates": [
                        {"text": candidate.text, "weight": candidate.weight}
                        for candidate in item.candidates
                    ],
                }
                for item in answer.items
            ],
            "explanation": answer.explanation,
            "understood": answer.understood.split("\n") if answer.understood else [],
        }
        for answer in state.answers
    ]
    return answered + [_unread_json(file) for file in unread]


def _unread_json(file: dict[str, str]) -> dict[str, object]:
    """Return what stands in the list for a file that could not be read: no items, and why."""
    return {
        "id": file["file"],
        "items": [],
        "explanation": "",
        "understood": [],
        "failed": file["reason"],
    }


def _print(problems: ProblemSet, state: Solving) -> None:
    from iolai.reports import answer_tables

    console = output_console()
    for part in answer_tables(problems, state.answers):
        console.print(part)
