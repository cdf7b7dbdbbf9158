"""Sampled passes while time allows, and the vote after each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iolai.solvers.llm.draft import Draft, TaskDraft
from iolai.solvers.llm.stages.anchor import read_answer
from iolai.solvers.llm.stages.base import Context
from iolai.solvers.llm.voting import choose
from iolai.text import normalise_answer

__all__ = ["samples", "voted"]


def samples(draft: Draft, context: Context) -> Iterator[Draft]:
    """Sample every open task once a pass; vote and yield after each pass.

    Another pass begins while more than ``time_factor`` times the cost of the first pass is left,
    at most ``max_samples`` of them.
    """
    for n_pass in range(1, context.config.max_samples + 1):
        left = context.meter.seconds_left - context.reserve_s
        if left <= context.config.time_factor * context.first_pass_s:
            draft = draft.noting(f"samples: time for {n_pass - 1} passes")
            return
        before = draft
        for place, task in enumerate(draft.tasks):
            if task.is_final:
                continue
            messages = context.messages(context.config.prompt, task)
            completion = context.ask(
                "samples", messages, context.config.sampling, context.seed + n_pass
            )
            if completion is None or completion.is_cut:
                continue  # a text that was cut off may end in half a form
            texts, _ = read_answer(completion.text, task)
            draft = draft.with_task(place, replace(task, samples=(*task.samples, texts)))
        if draft is before:
            return
        draft = replace(draft, tasks=tuple(voted(task) for task in draft.tasks))
        yield draft


def voted(task: TaskDraft) -> TaskDraft:
    """Return the task with the vote over what has been sampled so far."""
    if task.is_final or not (task.samples or task.others):
        return task
    anchor = task.anchor or ("",) * len(task.items)
    choices = tuple(
        choose(
            anchor[place],
            [sample[place] for sample in task.samples],
            others=task.others[place] if task.others else (),
            fold=normalise_answer,
        )
        for place in range(len(task.items))
    )
    return replace(task, choices=choices)
