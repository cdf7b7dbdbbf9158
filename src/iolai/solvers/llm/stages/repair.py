"""Answers with the wrong number of items are asked for once more: the missing items alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iolai.reading import read_lenient
from iolai.solvers.llm.draft import Draft, TaskDraft
from iolai.solvers.llm.stages.base import Context

__all__ = ["repair"]


def repair(draft: Draft, context: Context) -> Iterator[Draft]:
    """Ask for what is missing, once; what was read already stays. Yield after each task."""
    for place, task in enumerate(draft.tasks):
        missing = task.missing
        if not missing or task.is_final:
            continue
        wanted = [task.items[k] for k in missing]
        labels = ", ".join(item.label or item.text or str(k + 1) for k, item in enumerate(wanted))
        messages = context.messages("repair", task, n_items=str(len(missing)), labels=labels)
        completion = context.ask("repair", messages, context.config.anchor, context.seed)
        if completion is None:
            continue
        reading = read_lenient(
            completion.text,
            tuple(item.label for item in wanted),
            options=task.options,
            texts=tuple(item.text for item in wanted),
        )
        draft = draft.with_task(place, _filled(task, missing, reading.items))
        yield draft


def _filled(task: TaskDraft, missing: tuple[int, ...], texts: tuple[str, ...]) -> TaskDraft:
    anchor = list(task.anchor or ("",) * len(task.items))
    for place, text in zip(missing, texts, strict=True):
        anchor[place] = text
    return replace(task, anchor=tuple(anchor))
