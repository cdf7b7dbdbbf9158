"""Between scores and what the database keeps of them, and the cut to what is public.

A score row has two JSON texts. ``figures`` is {task id: [exact match, chrF]}: all that ranking
needs. ``body`` is {task id: [digest of the task's key, exact match, chrF, answered, n_read,
is_json_list, has_explanation, [[predicted, exact match, chrF], ...]]}. Splits, points and task
types are not in it: they are the key's, so that a task can change its weight without being scored
again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from iolai.metrics import score_of_tasks, summarise
from iolai.records import (
    ItemScore,
    KeyRow,
    KeyTask,
    Rates,
    Score,
    ScoreRow,
    Signature,
    SplitScore,
    TaskScore,
)

__all__ = [
    "PublicPart",
    "digests_in",
    "parse_signature",
    "public_part",
    "read_score",
    "read_tasks",
    "weighted",
    "with_digests",
    "with_tasks",
    "write_tasks",
]

_MAX_SHOWN = 300


@dataclass(frozen=True, slots=True)
class PublicPart:
    """What a score says about the tasks of the public split, and about no other.

    It is made from a score that was cut to those tasks first, so that nothing in it depends on a
    private task. ``tasks`` and their items are empty where participants do not see them.
    """

    score: SplitScore
    by_task_type: Mapping[str, SplitScore]
    tasks: tuple[TaskScore, ...]
    rates: Rates
    signature: str


def write_tasks(tasks: Iterable[TaskScore], digests: Mapping[str, str]) -> tuple[str, str]:
    """Return (figures, body) of some tasks; ``digests`` gives what each was scored with."""
    return _texts({task.id: _values(task, digests[task.id]) for task in tasks})


def with_tasks(
    body: str, tasks: Iterable[TaskScore], digests: Mapping[str, str]
) -> tuple[str, str]:
    """Return (figures, body) with some tasks scored anew; the others stay as they were written.

    ``digests`` gives the digest of every task of the key, in its order; tasks that are not among
    them are left out.
    """
    values = json.loads(body) | {task.id: _values(task, digests[task.id]) for task in tasks}
    return _texts({task: values[task] for task in digests if task in values})


def _values(task: TaskScore, digest: str) -> list[object]:
    return [
        digest,
        task.exact_match,
        task.chrf,
        int(task.answered),
        task.n_read,
        int(task.is_json_list),
        int(task.has_explanation),
        [[item.predicted, item.exact_match, item.chrf] for item in task.items],
    ]


def _texts(body: Mapping[str, list[object]]) -> tuple[str, str]:
    figures = {task: values[1:3] for task, values in body.items()}
    return _compact(figures), _compact(body)


def _compact(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which no database takes
        return json.dumps(value, separators=(",", ":"))
    return text


def digests_in(body: str) -> dict[str, str]:
    """Return what each task of a body was scored with."""
    return {task: values[0] for task, values in json.loads(body).items()}


def with_digests(body: str, digests: Mapping[str, str]) -> str:
    """Return a body with other digests, for a home with another secret."""
    values = json.loads(body)
    return _compact({t: [digests.get(t, v[0]), *v[1:]] for t, v in values.items()})


def read_tasks(body: str, tasks: Iterable[KeyTask]) -> tuple[TaskScore, ...]:
    """Return the scores of some tasks of the key from a body, weighed as that key does."""
    values = json.loads(body)
    return tuple(_task(task, values[task.id]) for task in tasks if task.id in values)


def _task(task: KeyTask, values: list[object]) -> TaskScore:
    _, exact_match, chrf, answered, n_read, is_json_list, has_explanation, items = values
    return TaskScore(
        id=task.id,
        task_type=task.task_type,
        split=task.split,
        points=task.points,
        items=tuple(ItemScore(*item) for item in items),  # type: ignore[attr-defined]
        exact_match=exact_match,  # type: ignore[arg-type]
        chrf=chrf,  # type: ignore[arg-type]
        answered=bool(answered),
        n_read=n_read,  # type: ignore[arg-type]
        is_json_list=bool(is_json_list),
        has_explanation=bool(has_explanation),
    )


def parse_signature(text: str) -> Signature:
    """Read what ``str(Signature)`` wrote."""
    metric, reading, normalisation, version = text.split("|")
    return Signature(
        version=version.removeprefix("iolai:"),
        metric=metric,
        reading=reading.removeprefix("reading:"),
        normalisation=normalisation.removeprefix("norm:"),
    )


def read_score(row: ScoreRow, key: KeyRow, split: str = "all") -> Score:
    """Return a score over the tasks of one split, or of all: nothing else goes into it."""
    tasks = [task for task in key.tasks if split in ("all", task.split)]
    return score_of_tasks(read_tasks(row.body, tasks), parse_signature(row.signature))


def public_part(
    row: ScoreRow, key: KeyRow, *, show_tasks: bool = True, show_readings: bool = True
) -> PublicPart:
    """Cut a score to the public split and return what a team may see of it."""
    score = read_score(row, key, "public")
    shown = score.tasks if show_tasks else ()
    if not show_readings:
        shown = tuple(replace(task, items=()) for task in shown)
    return PublicPart(
        score=summarise(score.tasks),
        by_task_type=score.by_task_type,
        tasks=tuple(map(_shortened, shown)),
        rates=score.rates,
        signature=row.signature,
    )


def _shortened(task: TaskScore) -> TaskScore:
    items = tuple(replace(item, predicted=item.predicted[:_MAX_SHOWN]) for item in task.items)
    return replace(task, items=items)


def weighted(
    figures: Mapping[str, tuple[float, float]], tasks: Collection[KeyTask]
) -> float | None:
    """Return the score that figures give over some tasks (see ``metrics.summarise``)."""
    points = sum(task.points for task in tasks)
    if points <= 0:
        return None
    exact_match = chrf = 0.0
    for task in tasks:
        values = figures.get(task.id)
        if values is not None:
            exact_match += task.points * values[0]
            chrf += task.points * values[1]
    return float((exact_match / points * (chrf / points)) ** 0.5)
