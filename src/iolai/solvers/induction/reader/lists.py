"""Unordered lists: labelled ones, and the unlabelled paragraphs of forms and of glosses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from iolai.reading.layout import Run, find_runs
from iolai.solvers.induction.reader.roles import english_share, is_number
from iolai.solvers.induction.reader.sheet import Entry, Lists

__all__ = ["find_lists"]

_SHUFFLED = re.compile(
    r"arbitrary order|unordered|out of order|(?:mis|un|dis)(?:arranged|ordered)|random order"
    r"|alphabetical order|scrambled|shuffled|not in order|order is",
    re.IGNORECASE,
)
_POWERS = re.compile(
    r"(?:(?P<kind>square|cube)s? of )?the (?:numbers|integers|numerals) (?:from )?(?P<low>\d{1,3})"
    r" (?:to|through|–|-) (?P<high>\d{1,3})",
    re.IGNORECASE,
)
_REMARK = re.compile(r"^\s*\(.*\)\s*$")


def find_lists(text: str) -> tuple[Lists, ...]:
    """Return the pairs of unordered lists in a text; nothing where it has none."""
    labelled = _labelled(text.split("\n"))
    if labelled:
        return labelled
    if _SHUFFLED.search(text) and "|" not in text:
        pair = _paragraphs(text) or _powers(text)
        return (pair,) if pair is not None else ()
    return ()


def _labelled(lines: Sequence[str]) -> tuple[Lists, ...]:
    """Pair each stretch of numbered lines with the stretch of lettered lines nearest below it."""
    runs = [run for run in find_runs(lines) if len(run) > 1 and run.style != "()"]
    entries = sorted(
        ((entry.line, _is_lettered(run), entry) for run in runs for entry in run.entries),
        key=lambda triple: triple[:2],
    )
    stretches: list[tuple[bool, list[Entry]]] = []
    for line, lettered, entry in entries:
        if "|" in entry.text or ("|" in lines[line] and not entry.text):
            return ()
        if not stretches or stretches[-1][0] != lettered:
            stretches.append((lettered, []))
        stretches[-1][1].append(Entry(entry.label, _with_remark(entry.text, lines, line)))
    pairs = []
    for (is_letters, one), (other_is_letters, other) in pairwise(stretches):
        if not is_letters and other_is_letters and min(len(one), len(other)) > 1:
            pairs.append(Lists(tuple(one), tuple(other)))
    return tuple(pairs)


def _with_remark(text: str, lines: Sequence[str], line: int) -> str:
    """Add a remark in brackets that stands on the line below."""
    text = text.strip().rstrip(",;")
    below = lines[line + 1] if line + 1 < len(lines) else ""
    return f"{text} {below.strip()}" if _REMARK.match(below) and below.strip("() ") else text


def _is_lettered(run: Run) -> bool:
    return run.kind == "letter"


def _paragraphs(text: str) -> Lists | None:
    """Read two unlabelled paragraphs of like length: forms, then glosses or values."""
    paragraphs = [
        _entries(paragraph) for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()
    ]
    for one, other in pairwise(paragraphs):
        if len(one) < 3 or abs(len(one) - len(other)) > 1:
            continue
        if all(is_number(entry.text) for entry in other):
            return Lists(one, other)
        shares = [english_share([e.text for e in entries]) for entries in (one, other)]
        return Lists(one, other) if shares[1] >= shares[0] else Lists(other, one)
    return None


def _powers(text: str) -> Lists | None:
    """Read one list of numerals whose values the prose tells: the squares of 1 to 10."""
    match = _POWERS.search(text)
    if match is None:
        return None
    exponent = {"square": 2, "cube": 3}.get((match["kind"] or "").lower(), 1)
    values = [n**exponent for n in range(int(match["low"]), int(match["high"]) + 1)]
    for paragraph in re.split(r"\n\s*\n", text):
        forms = _entries(paragraph)
        if len(forms) == len(values):
            glosses = (Entry(str(i + 1), str(value)) for i, value in enumerate(values))
            return Lists(forms, tuple(glosses))
    return None


def _entries(paragraph: str) -> tuple[Entry, ...]:
    lines = [line.strip().rstrip(";") for line in paragraph.split("\n") if line.strip()]
    if len(lines) == 1 and lines[0].count(",") > 2:
        lines = [part.strip() for part in lines[0].split(",")]
    return tuple(Entry(str(i + 1), line) for i, line in enumerate(lines))
