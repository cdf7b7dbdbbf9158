"""What the models score: exact match, chrF, score, line-format match rate; by type and problem."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from iolai.records import CALL_STATES, Cell, Column, Outcome, Table
from iolai.study.comparing import (
    Resampler,
    corrected,
    count,
    interval_note,
    number,
    p_cell,
    plain_scores,
    text,
)
from iolai.study.material import Material
from iolai.study.outcomes import grouped, task_grid

__all__ = ["model_order", "score_tables"]

_SECONDS_NOTE = "Tokens, seconds and cost are sums over all calls of the row, failed ones too."


def score_tables(material: Material) -> tuple[Table, ...]:
    """Return the tables ``models``, ``model-differences``, ``models-by-type``,
    ``models-by-problem`` and ``states``, all under the condition of comparison."""
    return (
        _models(material),
        _differences(material),
        _by(material, "models-by-type", "Score by task type", "score", _type),
        _by(material, "models-by-problem", "Exact match by problem", "exact_match", _problem),
        _states(material),
    )


def model_order(material: Material) -> tuple[str, ...]:
    """Return the models, best score first, under the condition of comparison."""
    values = plain_scores(task_grid(material.compared))
    return tuple(sorted(values, key=lambda row: -values[row]))


def _models(material: Material) -> Table:
    columns = (
        Column("model", "Model"),
        Column("tier", "Kind"),
        Column("score", "Score", "score"),
        Column("exact_match", "EM", "score"),
        Column("chrf", "chrF", "score"),
        Column("line_match", "Line-format match", "share"),
        Column("failed", "Calls not answered in full", "count"),
        Column("tokens", "Tokens", "count"),
        Column("seconds", "Seconds", "number"),
        Column("cost", "Cost, $", "number"),
    )
    grid = task_grid(material.compared)
    resampler = Resampler.of(material)
    calls = grouped(material.compared, lambda outcome: outcome.model)
    rows = tuple(
        (
            text(model),
            text(material.tiers.get(model, "")),
            *(resampler.figure(grid, model, name) for name in ("score", "exact_match", "chrf")),
            *_totals(calls[model]),
        )
        for model in model_order(material)
    )
    notes = (
        material.condition_note,
        "n counts tasks with points; seeds are averaged before tasks are.",
        "Line-format match: predictions whose own number of items is the key's.",
        _SECONDS_NOTE,
        interval_note(material),
    )
    return Table("models", "Models", columns, rows, notes, material.why_no_tasks)


def _totals(calls: tuple[Outcome, ...]) -> Iterator[Cell]:
    synthetic = any(call.synthetic for call in calls)
    matching = sum(call.has_right_count for call in calls)
    yield Cell(matching / len(calls), len(calls), synthetic=synthetic)
    yield count(sum(call.state != "answered" for call in calls))
    tokens = sum(call.tokens_in + call.tokens_out for call in calls)
    yield number(tokens or None, "no tokens were counted")
    yield number(sum(call.seconds for call in calls) or None, "no time was measured")
    yield number(sum(call.cost for call in calls) or None, "no price was given")


def _differences(material: Material) -> Table:
    columns = (
        Column("model", "Model"),
        Column("next", "Against the next one"),
        Column("difference", "Difference in score", "difference"),
        Column("p", "p (Holm)", "p"),
    )
    order = model_order(material)
    grid = task_grid(material.compared)
    resampler = Resampler.of(material)
    pairs = tuple(itertools.pairwise(order))
    cells = corrected(resampler.difference(grid, *pair) for pair in pairs)
    rows = tuple(
        (text(one), text(other), cell, p_cell(cell))
        for (one, other), cell in zip(pairs, cells, strict=True)
    )
    notes = (
        "Neighbours by score, on the tasks that both have (n); p: exchange of the two task by "
        "task, two-sided, corrected over this table.",
        interval_note(material),
    )
    reason = "" if rows else material.why_no_tasks or "there is one model; nothing to compare"
    return Table("model-differences", "Differences of neighbours", columns, rows, notes, reason)


def _type(outcome: Outcome) -> str:
    return outcome.task_type


def _problem(outcome: Outcome) -> str:
    return outcome.problem


def _by(
    material: Material, name: str, title: str, figure: str, part: Callable[[Outcome], str]
) -> Table:
    resampler = Resampler.of(material)
    parts = grouped((o for o in material.compared if o.points > 0), part)
    grids = {key: task_grid(outcomes) for key, outcomes in parts.items()}
    columns = (
        Column("model", "Model"),
        *(Column(key, key.replace("_", " "), "score") for key in grids),
    )
    rows = tuple(
        (text(model), *(resampler.figure(grid, model, figure) for grid in grids.values()))
        for model in model_order(material)
    )
    notes = (
        "n counts tasks; a figure over one task has no interval.",
        interval_note(material),
    )
    return Table(name, title, columns, rows, notes, material.why_no_tasks)


def _states(material: Material) -> Table:
    columns = (
        Column("model", "Model"),
        Column("calls", "Calls", "count"),
        *(Column(state, state, "count") for state in CALL_STATES),
    )
    rows = tuple(
        (
            text(model),
            count(len(calls)),
            *(count(sum(call.state == state for call in calls)) for state in CALL_STATES),
        )
        for model, calls in grouped(material.replies, lambda outcome: outcome.model).items()
    )
    notes = (
        "Over all conditions. What text there is counts for the score in every state; none is 0.",
    )
    return Table("states", "How the calls ended", columns, rows, notes, material.why_no_tasks)
