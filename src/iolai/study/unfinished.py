"""What the tables and figures of an unfinished study say of the calls that are yet to be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from iolai.records.study import Cell, Chart, Column, Condition, Table
from iolai.study.material import Material
from iolai.study.plan import Call
from iolai.study.running import Ran
from iolai.study.study_file import BEST

__all__ = ["PLANNED", "Waiting", "left_by_model", "marked_chart", "marked_table", "waiting_for"]

PLANNED = "planned, not asked yet"
#: How the cells begin that lack a figure since a model was not asked.
_ABSENT = ("not asked", "no outcome")


@dataclass(frozen=True, slots=True)
class Waiting:
    """The calls that a table rests on: ``planned`` and ``left`` by model, the latter not made.

    ``to_plan`` names models whose further calls are known once their best format is.
    """

    planned: Mapping[str, int]
    left: Mapping[str, int]
    to_plan: tuple[str, ...] = ()

    @property
    def is_untouched(self) -> bool:
        """Whether none of the calls has been made."""
        return sum(self.planned.values()) == sum(self.left.values())

    @property
    def said(self) -> str:
        """Say how many calls are to be made, and of which models."""
        parts = []
        if self.left:
            n, n_all = sum(self.left.values()), sum(self.planned.values())
            own = (f"{model}: {k:,} of {self.planned[model]:,}" for model, k in self.left.items())
            parts.append(f"{n:,} of {n_all:,} calls are {PLANNED} ({', '.join(own)})")
        if self.to_plan:
            parts.append(f"calls of {', '.join(self.to_plan)} follow when the best format is known")
        return "; ".join(parts)


def left_by_model(ran: Ran) -> dict[str, int]:
    """Return how many calls of each model have no result; models without any are left out."""
    return dict(Counter(c.model.name for c in ran.plan.distinct if c.id not in ran.results))


def waiting_for(ran: Ran, material: Material, name: str) -> Waiting | None:
    """Return the calls that the tables of an analysis rest on, where any is yet to be made.

    ``name`` is the analysis', or that of a single table with calls of its own. None where all are
    made, and for analyses of what was handed in.
    """
    rests_on = _rests_on(ran, material, name)
    if rests_on is None:
        return None
    calls = [call for call in ran.plan.calls if rests_on(call)]
    planned = Counter(call.model.name for call in calls)
    left = Counter(call.model.name for call in calls if call.id not in ran.results)
    to_plan = () if name == "probes" else tuple(_to_plan(ran, name))
    return Waiting(planned, left, to_plan) if left or to_plan else None


def _rests_on(ran: Ran, material: Material, name: str) -> Callable[[Call], bool] | None:
    if name == "probes":
        return lambda call: call.kind == "probe"
    if name == "probe-correlation":
        return lambda call: call.kind == "probe" or _is_compared(call, material)
    if name in _CHANGED:
        pairs = _pairs(ran, name)
        return lambda call: call.kind == "task" and (call.model.name, call.condition) in pairs
    if name in ("traces", "states"):
        return lambda call: call.kind == "task"
    handed_in = {"board": "board" in ran.plan.study.beside, "presence": not material.presence}
    compared = ("scores", "robustness", "ensembles", "power", *handed_in)
    if name not in compared or handed_in.get(name, False):
        return None
    return lambda call: _is_compared(call, material)


def _is_compared(call: Call, material: Material) -> bool:
    if call.kind != "task":
        return False
    return not material.tasks or call.condition == material.base_of(call.model.name)


#: The analyses of a change in what is asked, and the condition after it.
_CHANGED: dict[str, Callable[[Condition], Condition]] = {
    "explanation": lambda condition: replace(condition, explanation=True),
    "ablation": lambda condition: replace(condition, context="ablated"),
}


def _pairs(ran: Ran, name: str) -> set[tuple[str, Condition]]:
    """Return the conditions of each model that stand before or after a change."""
    asked = {(call.model.name, call.condition) for call in ran.plan.of_kind("task")}
    pairs = set()
    for model, condition in asked:
        after = _CHANGED[name](condition)
        if after != condition and (model, after) in asked:
            pairs |= {(model, condition), (model, after)}
    return pairs


def _to_plan(ran: Ran, name: str) -> list[str]:
    study, found = ran.plan.study, {call.model.name for call in ran.plan.calls if call.asked_with}
    waiting = []
    for model in study.models:
        own = study.conditions if model.conditions is None else model.conditions
        best = [condition for condition in own if condition.prompt == BEST]
        if name in _CHANGED:
            best = [one for one in best if _CHANGED[name](one) == one]
        if best and model.kind != "solver" and model.name not in found:
            waiting.append(model.name)
    return waiting


def marked_table(table: Table, waiting: Waiting | None) -> Table:
    """Return a table that says which calls it rests on are yet to be made."""
    if waiting is None:
        return table
    if not table.rows:
        return replace(table, reason=_reason(table.reason, waiting))
    rows = tuple(
        tuple(
            _marked_cell(cell, column, row, waiting)
            for cell, column in zip(row, table.columns, strict=True)
        )
        for row in table.rows
    )
    return replace(table, rows=rows, notes=(f"Not finished: {waiting.said}.", *table.notes))


def marked_chart(chart: Chart, waiting: Waiting | None) -> Chart:
    """Return a figure that says which calls it rests on are yet to be made."""
    if waiting is None:
        return chart
    if chart.reason:
        return replace(chart, reason=_reason(chart.reason, waiting))
    return replace(chart, notes=(f"Not finished: {waiting.said}.", *chart.notes))


def _reason(reason: str, waiting: Waiting) -> str:
    if not waiting.is_untouched:
        return f"{reason}, so far; {waiting.said}"
    return f"{PLANNED}: {waiting.said}" if not waiting.left else waiting.said


def _marked_cell(cell: Cell, column: Column, row: tuple[Cell, ...], waiting: Waiting) -> Cell:
    if cell.value is not None or not cell.reason.startswith(_ABSENT):
        return cell
    models = {*waiting.left, *waiting.to_plan}
    named = {column.name, *(str(one.value) for one in row[:2])}
    return replace(cell, reason=PLANNED) if models & named else cell
