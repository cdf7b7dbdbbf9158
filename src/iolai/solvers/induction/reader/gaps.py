"""Blanks in equations: ``(12) × mik = hano``, ``ka + ___ = su; (b) − pe = ka``, ``pe + ka = ?``.

A blank is a row of underscores or dots, a question mark, a box, or a label in brackets, which may
also stand beside the underscores. A label in brackets is a blank where a number belongs: beside a
sign of the equation; before a number it is the label of the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from iolai.reading.labels import label_at_start
from iolai.records import Item
from iolai.solvers.induction.reader.roles import is_number

__all__ = ["GAP", "Gap", "find_gaps", "gap_of", "sides_of", "target_of"]

#: How the blank that is asked for is written in the equation of an item.
GAP = "___"
_LABEL = r"\d{1,3}[a-z]?|[A-Za-z]|[ivx]{2,5}"
_MARK = re.compile(
    rf"_{{2,}}\s?\((?P<behind>{_LABEL})\)(?:\s?_{{2,}})?|\((?P<before>{_LABEL})\)(?:\s?_{{2,}})?"
    r"|_{2,}|(?<![\w?])\?{1,3}|\.{3,}|…{1,3}|□|☐"
)
_SIGN = r"(?:[=<>+×*·÷/^−]|\s[-–:x](?=\s))"
_OPERATOR = re.compile(r"[+×*^÷·−²³⁴]|\s[-–/:x]\s")
_LABELLED_LINE = re.compile(rf"\((?:{_LABEL})\)\s+(?!\s*{_SIGN}|[-–:x]\s)")
_HEADING = re.compile(r"^[^=+×*]*\w:\s+")
_BETWEEN = re.compile(r";\s*|,\s+|\s{3,}|\t|\|")
_WORD = re.compile(r"[^\W\d_]+")
_NO_NUMBER = re.compile(r"[!?;:“”\"]|\.\s")
_MAX_WORDS, _MAX_GAPS, _MAX_MARKS, _LONGEST = 12, 200, 8, 1000


@dataclass(frozen=True, slots=True)
class Gap:
    """A blank: its label (``""`` for none), and its equation with ``___`` in its place.

    ``is_alone`` says that it is a side of its own, ``is_sum`` that the equation has a sign besides
    that of equality. ``numbers`` are the texts of the other numbers; ``n_open`` counts the other
    blanks.
    """

    label: str
    text: str
    is_alone: bool
    is_sum: bool
    numbers: tuple[str, ...]
    n_open: int = 0


def find_gaps(lines: Iterable[str], most: int = _MAX_GAPS) -> list[Gap]:
    """Return the blanks of all equations of some lines, in the order they are written.

    What comes in lines after ``most`` blanks is not looked at.
    """
    found: list[Gap] = []
    for line in lines:
        if "=" in line and len(line) <= _LONGEST and len(found) < most:
            bare = _without_label(_HEADING.sub("", line, count=1))
            for part in _BETWEEN.split(bare):
                found += _gaps_in(part.strip()) if len(found) < most else []
    return found


def _without_label(line: str) -> str:
    """Take the label of a line off; one that a sign follows is a blank."""
    mark = label_at_start(line)
    if mark is not None and mark.style in (".", ")"):
        return line[mark.end :]
    return _LABELLED_LINE.sub("", line.strip(), count=1) if _MARK.match(line.strip()) else line


def _gaps_in(text: str) -> list[Gap]:
    marks = list(_MARK.finditer(text))
    if len(marks) > _MAX_MARKS:
        return []
    labels = [mark["behind"] or mark["before"] or "" for mark in marks]
    found = []
    for at, label in enumerate(labels):
        if label and label in labels[:at]:
            continue
        written = _written(text, marks, labels, at)
        sides = [side.strip().removesuffix(".").strip() for side in written.split("=")]
        if len(sides) != 2 or not all(map(_is_side, sides)):
            return []
        numbers = _numbers_in(_MARK.sub(" ", text))
        is_sum = _OPERATOR.search(_MARK.sub(" ", text)) is not None
        n_open = sum(other != label for other in labels) if label else len(labels) - 1
        found.append(Gap(label, " = ".join(sides), GAP in sides, is_sum, numbers, n_open))
    return found


def _numbers_in(text: str) -> tuple[str, ...]:
    parts = re.split(rf"{_SIGN}|[(){{}}\[\]]", text)
    return tuple(part for part in map(str.strip, parts) if part)


def sides_of(text: str) -> list[tuple[str, ...]]:
    """Return the sides of an equation without blanks, each as its numbers."""
    return [] if _MARK.search(text) else [_numbers_in(side) for side in text.split("=")]


def _written(text: str, marks: Sequence[re.Match[str]], labels: Sequence[str], asked: int) -> str:
    """Write an equation with one blank as it is asked for, the others as labels in brackets."""
    out, end = "", 0
    for at, (mark, label) in enumerate(zip(marks, labels, strict=True)):
        is_asked = at == asked or (label and label == labels[asked])
        out += text[end : mark.start()] + (GAP if is_asked else f"({label or at + 1})")
        end = mark.end()
    return out + text[end:]


def _is_side(side: str) -> bool:
    """Say whether a side of an equation may be numbers and signs: no sentence, no open end."""
    ends = re.match(rf"\s*{_SIGN}|[-–:x]\s", side) or re.search(rf"{_SIGN}\s*$|\s[-–:x]$", side)
    return (
        bool(side)
        and ends is None
        and _NO_NUMBER.search(side) is None
        and all(len(_WORD.findall(part)) <= _MAX_WORDS for part in re.split(_SIGN, side))
    )


def gap_of(items: Sequence[Item], place: int, gaps: Sequence[Gap]) -> Gap | None:
    """Return the blank that an item asks for: by its label, else in order where counts agree.

    Of several equations with one blank the one with the fewest other blanks is taken.
    """
    item = items[place]
    labelled = [gap for gap in gaps if gap.label and gap.label == item.label]
    if labelled:
        return min(labelled, key=lambda gap: gap.n_open)
    if not any(gap.label for gap in gaps) and len(gaps) == len(items):
        return gaps[place]
    return None


def target_of(gap: Gap, given: Sequence[tuple[str, ...]]) -> str:
    """Return what belongs into a blank, ``form`` or ``value``, where the query does not say.

    ``given`` are the sides of known equations, each as its numbers: a side of its own is written as
    the others are. Without a sign the other side tells: a name stands for figures.
    """
    named = [not is_number(number) for number in gap.numbers]
    if not gap.is_sum:
        return "value" if any(named) else "form"
    alike = [side[0] for side in given if len(side) == 1] if gap.is_alone else []
    alike = alike or [number for side in given if len(side) > 1 for number in side]
    if alike:
        return "value" if 2 * sum(map(is_number, alike)) > len(alike) else "form"
    return "value" if gap.is_alone and not all(named) and any(named) else "form"
