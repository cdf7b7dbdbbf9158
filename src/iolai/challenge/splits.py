"""Proposing a split: so many public tasks, balanced over the task types."""

from __future__ import annotations

import random
from collections.abc import Mapping

from iolai.errors import InputError
from iolai.records import AnswerKey, TaskKey

__all__ = ["propose_split"]


def propose_split(key: AnswerKey, n_public: int, seed: int = 0) -> dict[str, str]:
    """Return the split of every task by id, ``n_public`` of them public.

    Each task type gives its share of public tasks by the largest remainders, and at least one to
    each split where it has two tasks or more and the numbers allow it. Which tasks of a type are
    public is drawn with the seed. Tasks without points are not counted and are public: they are
    shown and never scored. Raises InputError where ``n_public`` leaves one split empty.
    """
    weighted = [task for task in key if task.points > 0]
    if not 0 < n_public < len(weighted):
        raise InputError(
            f"{n_public} of {len(weighted)} tasks with points cannot be public",
            hint="Both splits need a task: ask for at least 1 and fewer than all.",
        )
    groups: dict[str, list[TaskKey]] = {}
    for task in weighted:
        groups.setdefault(task.task_type, []).append(task)
    shares = _shares({name: len(tasks) for name, tasks in groups.items()}, n_public)
    draw = random.Random(seed)  # noqa: S311 -- a split that anyone can draw again
    public = {task.id for task in key if task.points <= 0}
    for name in sorted(groups):
        public.update(task.id for task in draw.sample(groups[name], shares[name]))
    return {task.id: "public" if task.id in public else "private" for task in key}


def _shares(sizes: Mapping[str, int], n_public: int) -> dict[str, int]:
    """Share ``n_public`` out in proportion to the sizes (largest remainders, ties by name)."""
    total = sum(sizes.values())
    exact = {name: size * n_public / total for name, size in sizes.items()}
    shares = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(sizes, key=lambda name: (shares[name] - exact[name], name))
    for name in by_remainder[: n_public - sum(shares.values())]:
        shares[name] += 1
    _even_out(shares, sizes)
    return shares


def _even_out(shares: dict[str, int], sizes: Mapping[str, int]) -> None:
    """Give each type of two tasks or more one task in each split, where another can spare it."""
    for name in sorted(sizes):
        if sizes[name] < 2 or 0 < shares[name] < sizes[name]:
            continue
        step = 1 if shares[name] == 0 else -1
        spare = [
            other
            for other in sorted(sizes, key=lambda one: (-sizes[one], one))
            if other != name and 1 <= shares[other] - step <= sizes[other] - 1
        ]
        if spare:
            shares[name] += step
            shares[spare[0]] -= step
