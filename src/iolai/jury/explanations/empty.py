"""``empty``: a task without an explanation."""

from __future__ import annotations

from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole

__all__ = ["CHECK"]


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    if not one.plain:
        yield Found("there is no explanation")


CHECK = Check("empty", "the task has no explanation", _find)
