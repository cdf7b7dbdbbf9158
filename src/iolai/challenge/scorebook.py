"""Between scores and what the database keeps of them, and the cut to what is public.

A score row has two texts. ``figures`` is JSON, {task id: [exact match, chrF]}: all that ranking
needs. ``body`` has one line a task, so that one task can be read, or copied, without the others:
its id, a tab, and [digest of the task's key, exact match, chrF, answered, n_read, is_json_list,
has_explanation, [[predicted, exact match, chrF], ...]], both as JSON. Splits, points and task types
are not in it: they are the key's, so that a task can change its weight without being scored again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from iolai.challenge.settings import Seen
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
    "PublicTask",
    "ShownItem",
    "digests_in",
    "parse_signature",
    "public_part",
    "read_outline",
    "read_score",
    "read_tasks",
    "weighted",
    "with_digests",
    "with_tasks",
    "write_tasks",
]

_MAX_SHOWN = 300


@dataclass(frozen=True, slots=True)
class ShownItem:
    """What was read into one slot: its beginning, how many characters it has in all.

    What it scored is None where participants do not see that.
    """

    predicted: str
    n_characters: int
    exact_match: float | None = None
    chrf: float | None = None


@dataclass(frozen=True, slots=True)
class PublicTask:
    """What a team may see of one task: its score, and what was read into which slot."""

    id: str
    task_type: str
    split: str
    points: float
    exact_match: float
    chrf: float
    answered: bool
    n_read: int
    is_json_list: bool
    has_explanation: bool
    items: tuple[ShownItem, ...]


@dataclass(frozen=True, slots=True)
class PublicPart:
    """What a score says about the tasks of the public split, and about no other.

    It is made from a score that was cut to those tasks first, so that nothing in it depends on a
    private task. ``tasks`` and their items are empty where participants do not see them.
    """

    score: SplitScore
    by_task_type: Mapping[str, SplitScore]
    tasks: tuple[PublicTask, ...]
    rates: Rates
    signature: str


def write_tasks(tasks: Iterable[TaskScore], digests: Mapping[str, str]) -> tuple[str, str]:
    """Return (figures, body) of some tasks; ``digests`` gives what each was scored with."""
    tasks = tuple(tasks)
    figures = {task.id: (task.exact_match, task.chrf) for task in tasks}
    return _compact(figures), "\n".join(_line(task, digests[task.id]) for task in tasks)


def with_tasks(
    row: ScoreRow, tasks: Iterable[TaskScore], digests: Mapping[str, str]
) -> tuple[str, str]:
    """Return (figures, body) of a row with some tasks scored anew.

    The others are copied as they were written, unread. ``digests`` gives the digest of every task
    of the key, in its order; tasks that are not among them are left out.
    """
    tasks = tuple(tasks)
    figures = json.loads(row.figures) | {t.id: (t.exact_match, t.chrf) for t in tasks}
    fresh = {task.id: _line(task, digests[task.id]) for task in tasks}
    kept = _lines(row.body)
    order = [task for task in digests if task in figures]
    lines = [fresh.get(task) or kept[_compact(task)] for task in order]
    return _compact({task: figures[task] for task in order}), "\n".join(lines)


def _line(task: TaskScore, digest: str) -> str:
    return f"{_compact(task.id)}\t{_compact(_values(task, digest))}"


def _lines(body: str) -> dict[str, str]:
    """Return the whole line of each task by its first column; JSON has no bare tab or newline."""
    return {line[: line.index("\t")]: line for line in body.split("\n") if line}


def _values_of(line: str) -> list[Any]:
    values: list[Any] = json.loads(line[line.index("\t") + 1 :])
    return values


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


_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def _compact(value: object) -> str:
    text = _encode(value)
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which no database takes
        return json.dumps(value, separators=(",", ":"))
    return text


def digests_in(body: str) -> dict[str, str]:
    """Return what each task of a body was scored with."""
    return {json.loads(name): _values_of(line)[0] for name, line in _lines(body).items()}


def with_digests(body: str, digests: Mapping[str, str]) -> str:
    """Return a body with other digests, for a home with another secret."""
    lines = []
    for name, line in _lines(body).items():
        before = _values_of(line)
        values = [digests.get(json.loads(name), before[0]), *before[1:]]
        lines.append(f"{name}\t{_compact(values)}")
    return "\n".join(lines)


def read_tasks(body: str, tasks: Iterable[KeyTask]) -> tuple[TaskScore, ...]:
    """Return the scores of some tasks of the key from a body, weighed as that key does.

    What the body holds of other tasks is not read.
    """
    lines = _lines(body)
    names = [(task, _compact(task.id)) for task in tasks]
    return tuple(_whole_task(task, lines[name]) for task, name in names if name in lines)


def _whole_task(task: KeyTask, line: str) -> TaskScore:
    *values, items = _values_of(line)
    return _task(task, values, tuple(ItemScore(*item) for item in items))


def _task(task: KeyTask, values: Sequence[Any], items: tuple[ItemScore, ...]) -> TaskScore:
    _, exact_match, chrf, answered, n_read, is_json_list, has_explanation = values
    return TaskScore(
        id=task.id,
        task_type=task.task_type,
        split=task.split,
        points=task.points,
        items=items,
        exact_match=exact_match,
        chrf=chrf,
        answered=bool(answered),
        n_read=n_read,
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


def read_outline(row: ScoreRow, key: KeyRow, split: str = "all") -> Score:
    """Return what ``read_score`` does, with blank items: their number alone is what a board needs.

    A board of thousands of entries would else hold every answer of each.
    """
    tasks = [task for task in key.tasks if split in ("all", task.split)]
    return score_of_tasks(_outlines(row.body, tasks), parse_signature(row.signature))


def _outlines(body: str, tasks: Iterable[KeyTask]) -> Iterable[TaskScore]:
    lines = _lines(body)
    for task in tasks:
        line = lines.get(_compact(task.id))
        if line is not None:
            *values, items = _values_of(line)
            yield _task(task, values, (_BLANK,) * len(items))


_BLANK = ItemScore("", 0.0, 0.0)


def public_part(row: ScoreRow, key: KeyRow, seen: Seen) -> PublicPart:
    """Cut a score to the public split and to what a team sees, and return what is left of it."""
    score = read_score(row, key, "public")
    return PublicPart(
        score=summarise(score.tasks),
        by_task_type=score.by_task_type,
        tasks=tuple(_public_task(task, seen) for task in score.tasks) if seen.tasks else (),
        rates=score.rates,
        signature=row.signature,
    )


def _public_task(task: TaskScore, seen: Seen) -> PublicTask:
    values = {f.name: getattr(task, f.name) for f in fields(PublicTask) if f.name != "items"}
    items = task.items if seen.readings else ()
    return PublicTask(**values, items=tuple(_shown_item(item, seen) for item in items))


def _shown_item(item: ItemScore, seen: Seen) -> ShownItem:
    scored = (item.exact_match, item.chrf) if seen.items else (None, None)
    return ShownItem(item.predicted[:_MAX_SHOWN], len(item.predicted), *scored)


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
