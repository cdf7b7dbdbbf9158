"""``shared``: the same text, to the letter, in entries of several teams."""

from __future__ import annotations

from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole

__all__ = ["CHECK"]

_NAMED = 4


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    teams = dict.fromkeys(row.team for row in whole.by_text.get(one.plain, ()))
    others = [team for team in teams if team != one.team]
    if others:
        named = ", ".join(others[:_NAMED]) + (", …" if len(others) > _NAMED else "")
        yield Found(f"the same text is in entries of other teams: {named}", one.plain)


CHECK = Check("shared", "one text is in entries of several teams", _find)
