"""What failed goes back to the model, once: answers, and rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from iolai.reading import read_lenient
from iolai.solvers.hybrid.checks import Checker
from iolai.solvers.hybrid.joining import Opinion
from iolai.solvers.hybrid.rules import failing_rules, without_failing
from iolai.solvers.induction.reader import Sheet
from iolai.solvers.llm.draft import Draft, TaskDraft
from iolai.solvers.llm.stages.base import Context
from iolai.text import normalise_answer

__all__ = ["check_answers", "check_rules", "opinions_of"]


def opinions_of(
    task: TaskDraft, task_place: int, checker: Checker
) -> dict[tuple[int, str], Opinion]:
    """Return an opinion for every form of every pass over a task, by item and normalised form."""
    found: dict[tuple[int, str], Opinion] = {}
    for texts in (task.anchor, *task.samples):
        for place, text in enumerate(texts):
            key = place, normalise_answer(text)
            if key[1] and key not in found:
                found[key] = checker.opinion(task_place, place, text)
    return found


def check_answers(draft: Draft, context: Context, checker: Checker) -> Iterator[Draft]:
    """Tell the model what is wrong with its answers, once a task; a better answer replaces one.

    An answer is better where less is wrong with it.
    """
    for task_place, task in enumerate(draft.tasks):
        if task.is_final or task.options:
            continue
        failures = {
            place: failed
            for place, text in enumerate(task.anchor)
            if (failed := checker.opinion(task_place, place, text).failures)
        }
        if not failures:
            continue
        anchor, n_mended = list(task.anchor), 0
        for place, text in _asked_again(task, failures, context).items():
            after = checker.opinion(task_place, place, text).failures
            if text.strip() and len(after) < len(failures[place]):
                anchor[place] = text
                n_mended += 1
        draft = draft.with_task(task_place, replace(task, anchor=tuple(anchor))).noting(
            f"check: {len(failures)} answers to {task.task.id} failed, {n_mended} were mended"
        )
        yield draft


def _name(task: TaskDraft, place: int) -> str:
    item = task.items[place]
    return " ".join(part for part in (item.label, item.text) if part) or str(place + 1)


def _asked_again(
    task: TaskDraft, failures: Mapping[int, Sequence[str]], context: Context
) -> dict[int, str]:
    """Return what the model says when it is told, by the item's place; nothing where it fails."""
    items = [task.items[place] for place in failures]
    told = "\n".join(
        f"{_name(task, place)}: {'; '.join(failed)}." for place, failed in failures.items()
    )
    labels = ", ".join(item.label or item.text or str(k + 1) for k, item in enumerate(items))
    messages = context.messages("check", task, n_items=str(len(items)), labels=labels, failed=told)
    completion = context.ask("check", messages, context.config.anchor, context.seed)
    if completion is None:
        return {}
    reading = read_lenient(
        completion.text,
        tuple(item.label for item in items),
        texts=tuple(item.text for item in items),
    )
    return dict(zip(failures, reading.items, strict=True))


def check_rules(draft: Draft, context: Context, sheet: Sheet) -> Iterator[Draft]:
    """Tell the model, once, where the data say otherwise than its rules; drop what still fails."""
    if not draft.explanation or not draft.tasks:
        return
    failed = failing_rules(draft.explanation, sheet)
    if not failed:
        return
    messages = context.messages(
        "rules", draft.tasks[0], answers=draft.explanation, failed="\n".join(failed)
    )
    completion = context.ask("explanation", messages, context.config.anchor, context.seed)
    told = completion.text.strip() if completion is not None else ""
    candidates = [without_failing(text, sheet) for text in (told, draft.explanation)]
    best = max(candidates, key=len)
    note = f"rules: {len(failed)} said otherwise than the data"
    yield replace(draft, explanation=best).noting(note)
