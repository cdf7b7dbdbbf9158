"""Matching tasks: legal letters alone, each used once, by their log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from iolai.solvers.llm.draft import Draft, TaskDraft, options_listed
from iolai.solvers.llm.letters import assign_letters, calibrated
from iolai.solvers.llm.request import Request
from iolai.solvers.llm.stages.base import Context

__all__ = ["letters"]


def letters(draft: Draft, context: Context) -> Iterator[Draft]:
    """Answer each matching task whose letters the backend can score; else leave its anchor."""
    for place, task in enumerate(draft.tasks):
        if len(task.options) < 2:
            continue
        rows = _scores(task, context)
        if rows is None:
            draft = draft.noting(f"letters: {task.task.id} keeps its anchor, nothing was scored")
            yield draft
            continue
        found = assign_letters(calibrated(np.array(rows)), task.options)
        done = replace(task, anchor=tuple(found), n_read=len(found), is_final=True)
        draft = draft.with_task(place, done)
        yield draft


def _scores(task: TaskDraft, context: Context) -> list[list[float]] | None:
    """Return log-probabilities (n_items, n_options), or None where any is missing."""
    rows = []
    for item in task.items:
        if context.meter.seconds_left <= context.reserve_s:
            return None
        shown = " ".join(part for part in (item.label, item.text) if part)
        messages = context.messages("letter", task, item=shown, options=options_listed(task.task))
        end = context.meter.end_in_real_time(context.reserve_s)
        request = Request(messages, max_tokens=1, seed=context.seed, deadline=end)
        row = context.score("letters", request, task.options)
        if row is None:
            return None
        rows.append(row)
    return rows
