"""Sampled passes while time allows, and the vote after each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from iolai.solvers.llm.draft import Draft, TaskDraft
from iolai.solvers.llm.stages.anchor import read_answer
from iolai.solvers.llm.stages.base import Context
from iolai.solvers.llm.voting import choose
from iolai.text import normalise_answer

__all__ = ["samples", "voted"]


def samples(draft: Draft, context: Context) -> Iterator[Draft]:
    """Sample every open task once a pass; vote and yield after each round of passes.

    Another round begins while more than ``time_factor`` times the cost of the first pass is left;
    there are at most ``max_samples`` passes. A round is one pass, or as many as the backend can
    work on at a time.
    """
    places = [place for place, task in enumerate(draft.tasks) if not task.is_final]
    if not places:
        return
    n_done, most = 0, context.config.max_samples
    while n_done < most:
        left = context.meter.seconds_left - context.reserve_s
        if left <= context.config.time_factor * context.first_pass_s:
            yield draft.noting(f"samples: time for {n_done} passes")
            return
        n_passes = min(most - n_done, max(1, context.backend.concurrency // len(places)))
        sampled = _one_round(draft, context, places, range(n_done + 1, n_done + n_passes + 1))
        if sampled is draft:
            yield draft.noting(f"samples: no answer in pass {n_done + 1}, the last")
            return
        n_done += n_passes
        draft = replace(sampled, tasks=tuple(voted(task) for task in sampled.tasks))
        yield draft


def _one_round(draft: Draft, context: Context, places: Sequence[int], passes: range) -> Draft:
    """Sample open tasks once a pass; return the very same draft where nothing came of it."""
    asked = [(place, n_pass) for n_pass in passes for place in places]
    prompts = {
        place: context.messages(context.config.prompt, draft.tasks[place]) for place in places
    }
    calls = [(prompts[place], context.seed + n_pass) for place, n_pass in asked]
    for nth, completion in context.ask_all("samples", calls, context.config.sampling):
        if completion is None or completion.is_cut:
            continue  # a text that was cut off may end in half a form
        place, _ = asked[nth]
        task = draft.tasks[place]
        texts, _ = read_answer(completion.text, task)
        draft = draft.with_task(place, replace(task, samples=(*task.samples, texts)))
    return draft


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
