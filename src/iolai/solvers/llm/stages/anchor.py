"""The greedy pass: one answer to each task, which only agreement can replace later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iolai.reading import read_lenient
from iolai.solvers.llm.draft import Draft, TaskDraft
from iolai.solvers.llm.stages.base import Context

__all__ = ["anchor", "read_answer"]


def anchor(draft: Draft, context: Context) -> Iterator[Draft]:
    """Ask for every task once, greedily; yield after each."""
    before = context.meter.seconds
    calls = [(context.messages(context.config.prompt, task), context.seed) for task in draft.tasks]
    for place, completion in context.ask_all("anchor", calls, context.config.anchor):
        task = draft.tasks[place]
        if completion is None:
            draft = draft.noting(f"anchor: no answer to {task.task.id}")
        else:
            if completion.is_cut:
                draft = draft.noting(f"anchor: {task.task.id} was cut off ({completion.finish})")
            texts, n_read = read_answer(completion.text, task)
            draft = draft.with_task(place, replace(task, anchor=texts, n_read=n_read))
        yield draft
    context.first_pass_s = context.meter.seconds - before


def read_answer(text: str, task: TaskDraft) -> tuple[tuple[str, ...], int]:
    """Return one text per item, blank where the model gave none, and how many it gave."""
    reading = read_lenient(
        text,
        task.labels,
        options=task.options,
        texts=tuple(item.text for item in task.items),
    )
    return reading.items, reading.n_read
