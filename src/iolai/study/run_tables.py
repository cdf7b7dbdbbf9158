"""Tables about the run itself: what was asked and spent, and how the formats were chosen."""

from __future__ import annotations

from collections.abc import Sequence

from iolai.records.study import Cell, Column, Table
from iolai.study.collecting import best_formats, format_scores
from iolai.study.comparing import count, missing, text
from iolai.study.journal import CallResult
from iolai.study.plan import Call
from iolai.study.running import Ran

__all__ = ["run_tables"]


def run_tables(ran: Ran) -> tuple[Table, ...]:
    """Return ``spending`` (calls, tokens, seconds, dollars by model) and ``formats``."""
    return _spending(ran), _formats(ran)


def _spending(ran: Ran) -> Table:
    columns = (
        Column("model", "Model"),
        Column("target", "Asked through"),
        Column("settings", "Settings sent"),
        Column("calls", "Calls", "count"),
        Column("left", "Not made", "count"),
        Column("tokens_in", "Tokens in", "count"),
        Column("tokens_out", "Tokens out", "count"),
        Column("most_out", "Most tokens out in a call", "count"),
        Column("seconds", "Seconds", "number"),
        Column("longest", "Longest call, s", "number"),
        Column("ready", "Loading, s", "number"),
        Column("cost", "Cost, $", "number"),
    )
    spending = ran.plan.study.spending
    rows = []
    for model in ran.plan.study.models:
        calls = [call for call in ran.plan.distinct if call.model.name == model.name]
        done = [(call, ran.results[call.id]) for call in calls if call.id in ran.results]
        settings = ", ".join(f"{name} {value:g}" for name, value in model.settings.items())
        fake = model.planted is not None
        rows.append(
            (
                text(model.name),
                text(model.target or "a truth that was planted", synthetic=fake),
                text(settings or "the provider's own"),
                count(len(done)),
                count(len(calls) - len(done)),
                *_spent(done),
            )
        )
    limit = "no limit" if spending.dollars is None else f"{spending.dollars:g} dollars in all"
    notes = (
        f"Every model had the same budget: {spending.tokens} tokens of output and "
        f"{spending.seconds:g} seconds a task; {limit}. A solver that answers a whole problem at "
        "once has its tasks' budgets together.",
        "What a model of ours took to load is beside the calls' seconds, not in them: it is on no "
        "budget.",
        f"Seeds: {', '.join(map(str, ran.plan.study.seeds))}, unless a model has its own.",
    )
    return Table("spending", "What was asked and spent", columns, tuple(rows), notes)


def _spent(done: Sequence[tuple[Call, CallResult]]) -> tuple[Cell, ...]:
    if not done:
        return tuple(missing("no call was made") for _ in range(7))
    results = [result for _, result in done]
    tokens_in, tokens_out = (
        sum(getattr(result, name) for result in results) for name in ("tokens_in", "tokens_out")
    )
    dollars = sum(
        (result.tokens_in * call.model.dollars_in + result.tokens_out * call.model.dollars_out)
        for call, result in done
    )
    none = missing("no tokens were counted")
    return (
        count(tokens_in) if tokens_in else none,
        count(tokens_out) if tokens_out else none,
        count(max(result.tokens_out for result in results)) if tokens_out else none,
        Cell(sum(result.seconds for result in results)),
        Cell(max(result.seconds for result in results)),
        Cell(sum(result.ready_seconds for result in results)),
        Cell(dollars / 1e6) if dollars else missing("no price was given"),
    )


def _formats(ran: Ran) -> Table:
    among = ran.plan.study.formats.among
    columns = (
        Column("model", "Model"),
        *(Column(prompt, f"Score with “{prompt}”", "score") for prompt in among),
        Column("best", "Asked with"),
    )
    title = "Each model's best answer format"
    if not among:
        reason = "the study does not look for formats; every model was asked with the same prompt"
        return Table("formats", title, columns, reason=reason)
    scores = format_scores(ran.plan, ran.results)
    best = best_formats(ran.plan, ran.results)
    rows = []
    for model in ran.plan.study.models:
        tried = scores.get(model.name, {})
        fake = model.planted is not None
        cells = [
            Cell(tried[prompt][0], tried[prompt][1], 1, synthetic=fake)
            if prompt in tried
            else missing("a solver has one format" if model.kind == "solver" else "not asked yet")
            for prompt in among
        ]
        chosen = best.get(model.name)
        rows.append((text(model.name), *cells, text(chosen) if chosen else missing("none chosen")))
    left = ", ".join(ran.plan.sheets.left_out)
    notes = (
        f"Found on problems that were left out of every comparison ({left}), with one seed; a tie "
        f"goes to the prompt named first. n counts tasks. The condition is called “best”.",
    )
    return Table("formats", title, columns, tuple(rows), notes)
