"""``repeated``: the same text, to the letter, under several tasks of one entry."""

from __future__ import annotations

from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole

__all__ = ["CHECK"]


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    same = [row for row in whole.by_text.get(one.plain, ()) if row.entry == one.entry]
    if len(same) > 1:
        of_one = len({row.problem for row in same}) == 1
        where = "tasks, all of this problem" if of_one else "tasks of the entry"
        yield Found(f"the same text stands under {len(same)} {where}", one.plain)


CHECK = Check("repeated", "one text stands under several tasks", _find)
