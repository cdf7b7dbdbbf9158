"""The figures of a study by name: what each shows. How it is drawn is for ``iolai.reports``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from iolai.metrics import score_predictions
from iolai.records import Cell, Chart, Dot, Outcome, Series, Table
from iolai.reports.figures import problem_label
from iolai.study.comparing import Resampler, interval_note
from iolai.study.jury_compared import jury_tables
from iolai.study.material import JuryFigure, Material
from iolai.study.outcomes import grouped, task_grid
from iolai.study.scores import model_order

__all__ = ["FIGURES", "MakeChart"]

MakeChart = Callable[[Material], Chart]
_OTHER = "models"


def _dot(name: str, cell: Cell) -> Dot | None:
    if not isinstance(cell.value, float):
        return None
    low, high = (cell.interval.low, cell.interval.high) if cell.interval else (None, None)
    return Dot(name, cell.value, low, high)


def tiers(material: Material) -> Chart:
    """Scores across tiers of systems: every model with its interval, tier by tier."""
    grid = task_grid(material.compared)
    resampler = Resampler.of(material)
    order = model_order(material)
    names = dict.fromkeys(material.tiers.get(model, _OTHER) for model in reversed(order))
    series = []
    for tier in names:
        members = [m for m in reversed(order) if material.tiers.get(m, _OTHER) == tier]
        dots = [dot for m in members if (dot := _dot(m, resampler.figure(grid, m)))]
        synthetic = any(grid.synthetic[grid.rows.index(m)] for m in members)
        series.append(Series(tier, tuple(dots), synthetic))
    return Chart(
        "tiers",
        "Scores across tiers of systems",
        "dots",
        tuple(series),
        x_title="Score",
        notes=(f"{len(grid.common.tasks)} tasks that all have. {interval_note(material)}",),
        reason=material.why_no_tasks
        or ("" if any(one.dots for one in series) else "no task with points was asked"),
    )


def problems(material: Material) -> Chart:
    """Exact match per problem and task, entries and models side by side."""
    series = []
    entries = list(_entry_dots(material))
    if entries:
        fake = any(entry.synthetic for entry in material.entries)
        series.append(Series("entries", tuple(entries), fake))
    models = list(_task_dots(material.compared))
    if models:
        fake = any(outcome.synthetic for outcome in material.compared)
        series.append(Series("models", tuple(models), fake))
    n_entries = sum(entry.predictions is not None for entry in material.entries)
    n_models = len({outcome.model for outcome in material.compared})
    said = [f"{n_entries} entries"] if entries else []
    said += [f"{n_models} models, their seeds averaged"] if models else []
    return Chart(
        "problems",
        "Exact match per problem and task",
        "strip",
        tuple(series),
        x_title="Problem and task",
        y_title="Exact match",
        notes=(f"Small dots: {'; '.join(said)}. Large dots are their means.",) if said else (),
        reason="" if series else "neither entries with predictions nor models",
    )


def _task_dots(outcomes: Iterable[Outcome]) -> Iterable[Dot]:
    groups = grouped(outcomes, lambda o: (o.problem, o.task, o.model, o.points > 0))
    labels = _task_labels((problem, task) for problem, task, *_ in groups)
    for (_, task, model, counts), members in groups.items():
        if counts:
            mean = sum(outcome.exact_match for outcome in members) / len(members)
            yield Dot(labels[task], mean, label=model)


def _entry_dots(material: Material) -> Iterable[Dot]:
    places = {task.id: problem.id for problem in material.problems for task in problem.tasks}
    pairs = [(places.get(task.id, task.id[:-4]), task.id) for task in material.key]
    labels = _task_labels(pairs)
    for entry in material.entries:
        if entry.predictions is None or not len(material.key):
            continue
        for task in score_predictions(entry.predictions, material.key).tasks:
            if task.points > 0:
                yield Dot(labels[task.id], task.exact_match, label=entry.name)


def _task_labels(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Name each task by its problem's short number and its place there: ``5.2``."""
    ordered: dict[str, dict[str, None]] = {}
    for problem, task in pairs:
        ordered.setdefault(problem, {})[task] = None
    return {
        task: f"{problem_label(problem)}.{place}"
        for problem, tasks in ordered.items()
        for place, task in enumerate(tasks, start=1)
    }


def explanation(material: Material) -> Chart:
    """An explanation beside the reference: that of the best answer which has one."""
    title = "An explanation beside the reference"
    able = [
        (outcome, key)
        for outcome in material.tasks
        if outcome.explanation.strip()
        and (key := material.key.get(outcome.task)) is not None
        and key.explanation.strip()
    ]
    if not able:
        reason = "no answer with an explanation belongs to a task whose key has one"
        return Chart("explanation", title, "texts", reason=reason)
    outcome, key = max(able, key=lambda pair: (pair[0].exact_match, pair[0].chrf))
    return Chart(
        "explanation",
        title,
        "texts",
        notes=(
            f"Task {outcome.task}, exact match {100 * outcome.exact_match:.0f}%: of all answers "
            "with an explanation the one that scored best, the first of equals.",
        ),
        texts=(
            (outcome.model, outcome.explanation.strip()),
            ("Reference", key.explanation.strip()),
        ),
        text_synthetic=outcome.synthetic,
    )


def jury(material: Material) -> Chart:
    """Jury minus automatic score per problem, with intervals over contestants."""
    table: Table = jury_tables(material)[1]
    dots = []
    for row in table.rows:
        dot = _dot(f"problem {problem_label(str(row[0].value))}", row[3])
        if dot is not None:
            dots.append(dot)
    return Chart(
        "jury",
        "Jury minus automatic score per problem",
        "dots",
        (Series("mean over contestants", tuple(reversed(dots)), table.synthetic),) if dots else (),
        x_title="Jury minus automatic",
        notes=(f"Over {_range(table)} contestants.", *table.notes[1:]),
        reason=table.reason or ("" if dots else "no contestant has both figures"),
        reference=0.0,
    )


def _range(table: Table) -> str:
    """Say how many contestants the rows rest on: ``3``, or ``3 to 5``."""
    counts = [cell.n or 0 for cell in table.column("difference")] or [0]
    return f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def criteria(material: Material) -> Chart:
    """Difficulty of criteria: what systems get of each against what people get."""
    groups: dict[str, list[JuryFigure]] = {}
    for figure in material.jury:
        if figure.criterion:
            name = f"{problem_label(figure.problem)}: {figure.criterion}"
            groups.setdefault(name, []).append(figure)
    dots = []
    for name, figures in groups.items():
        means = [
            [figure.jury for figure in figures if figure.kind == kind]
            for kind in ("people", "system")
        ]
        if all(means):
            x, y = (sum(values) / len(values) for values in means)
            dots.append(Dot(x, y, label=name))
    fake = any(figure.synthetic for figure in material.jury)
    return Chart(
        "criteria",
        "Difficulty of criteria, systems against people",
        "scatter",
        (Series("criteria", tuple(dots), fake),) if dots else (),
        x_title="Share of the marks, people",
        y_title="Share of the marks, systems",
        notes=(f"{len(dots)} criteria marked for both; above the line systems do better.",),
        reason="" if dots else "no criterion was marked both for systems and for people",
    )


def runs(material: Material) -> Chart:
    """Private score over time, team by team."""
    teams: dict[str, list[Dot]] = {}
    for entry in sorted(material.entries, key=lambda entry: entry.at):
        at = _seconds(entry.at)
        if at is not None and entry.private is not None:
            teams.setdefault(entry.team, []).append(Dot(at, entry.private, label=entry.name))
    fake = any(entry.synthetic for entry in material.entries)
    return Chart(
        "runs",
        "Private score over time",
        "lines",
        tuple(Series(team, tuple(dots), fake) for team, dots in teams.items()),
        x_title="Handed in",
        y_title="Private score",
        reason="" if teams else "no entry has both a time and a private score",
    )


def _seconds(at: str) -> float | None:
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


#: One function above and one line here.
FIGURES: dict[str, MakeChart] = {
    "tiers": tiers,
    "problems": problems,
    "explanation": explanation,
    "jury": jury,
    "criteria": criteria,
    "runs": runs,
}
