"""Answers on lines of their own: numbers the official rule eats, answers below their labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from iolai.reading.labels import Mark, answer_labels, is_only_label
from iolai.text import normalise_answer

__all__ = ["join_below", "numbers_eaten", "says_nothing"]

_EATEN = re.compile(r"(\d{1,20})[.)]\s*")
_AROUND = " \t*_`\"':=-–—→>"


def numbers_eaten(lines: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return the answers where some are a number with a period, which the official rule takes off.

    Nothing where these are the items' labels in their places (``1.``, ``16.``: slots left empty),
    or where other lines carry labels.
    """
    found = [_EATEN.fullmatch(line) for line in lines]
    rest = [line for line, match in zip(lines, found, strict=True) if match is None]
    if len(lines) != len(labels) or any(map(_EATEN.match, rest)) or not any(found):
        return []
    places = [(place, match[1]) for place, match in enumerate(found) if match is not None]
    if all(number in (str(place + 1), labels[place]) for place, number in places):
        return []
    return [
        line.strip() if match is None else match[1]
        for line, match in zip(lines, found, strict=True)
    ]


def join_below(lines: Sequence[str], labels: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Put each answer behind the label above it, ``1.`` or ``1. katon`` with the item's own form.

    Forms without labels go altogether. Nothing where the lines are not n pairs of these.
    """
    heads, below = list(lines[::2]), [line.strip() for line in lines[1::2]]
    if not heads or len(heads) != len(below) or len(heads) != len(labels):
        return []
    if all(map(is_only_label, heads)):
        return [f"{head.strip()} {line}" for head, line in zip(heads, below, strict=True)]
    marks = [_mark(head.strip()) for head in heads]
    if not says_nothing(heads, texts):
        return []
    if not any(marks):
        return below
    return [f"{mark.label}: {line}" for mark, line in zip(marks, below, strict=True) if mark]


def says_nothing(lines: Sequence[str], texts: Sequence[str]) -> bool:
    """Say whether all lines are only labels, or all have the items' own forms and no answer."""
    if all(map(is_only_label, lines)):
        return True
    if len(lines) != len(texts) or not all(texts):
        return False
    bare = [normalise_answer(_without_mark(line).strip(_AROUND)) for line in lines]
    return bare == [normalise_answer(text.strip(_AROUND)) for text in texts]


def _mark(line: str) -> Mark | None:
    return next((mark for mark in answer_labels(line) if mark is not None), None)


def _without_mark(line: str) -> str:
    bare = line.strip()
    mark = _mark(bare)
    return bare[mark.end :] if mark is not None else bare
