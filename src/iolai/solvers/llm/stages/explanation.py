"""One analysis for each problem, in time held back for it, shared by its tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iolai.solvers.llm.draft import Draft
from iolai.solvers.llm.stages.base import Context

__all__ = ["explanation"]


def explanation(draft: Draft, context: Context) -> Iterator[Draft]:
    """Ask for the rules behind the answers; a text cut off loses its unfinished sentence."""
    if not draft.tasks:
        return
    answers = "\n".join(
        f"{item.label} {item.text}: {answer.text}".strip()
        for task in draft.tasks
        for item, answer in zip(task.items, task.answer("").items, strict=True)
    )
    messages = context.messages("explanation", draft.tasks[0], answers=answers)
    completion = context.ask("explanation", messages, context.config.anchor, context.seed)
    if completion is None:
        return
    text = completion.text.strip()
    if completion.is_cut:
        end = max(text.rfind(mark) for mark in (". ", ".\n", "\n"))
        text = text[: end + 1].strip() if end > 0 else ""
    if text:
        yield replace(draft, explanation=text)
