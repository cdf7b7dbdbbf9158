"""A sheet that somebody pasted: its questions found where no heading ``## Task`` says where.

A question is a line that tells the reader to do something, with something to do it to below or
behind it; the data stand above the first. Where no line asks, blanks in the data do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iolai.reading.layout import BLANK, TOLD

__all__ = ["FILL_IN", "find_questions", "has_blanks", "looks_pasted", "title_of"]

#: The query of a sheet that asks by nothing but its blanks.
FILL_IN = "Fill in the blanks."

#: ``(a)``, ``Task 2.``, ``2.``: what may stand before the words of a question.
_LABEL = (
    r"(?:(?:task|question|exercise|assignment|part)\s{0,3}[\w.]{0,5}[.:)–—-]?\s{1,4})?"
    r"(?:\(?[A-Za-z0-9]{1,2}[.)]\s{1,4})?"
)
_TOLD = re.compile(rf"\s{{0,20}}(?i:{_LABEL})(?:Now\s|Please\s|Then\s)?(?i:{TOLD})\b")
_ASKED = re.compile(rf"\s{{0,20}}(?i:{_LABEL})(?:What|How|Which)\b[^?]{{0,200}}(?::|\?)\s{{0,9}}$")
#: Words of a question that are about words, so that it is none of the meanings in the data.
_ABOUT_WORDS = re.compile(
    r"\b(?:means?|meanings?|(?:say|said)\b.{0,60}\sin|written|write|translat\w+|plurals?|singulars?|forms?|words?"
    r"|sentences?|numbers?|numerals?|in english|correspond\w*|trans\w+|figures|digits|script"
    r"|orthography|blanks?|gaps?|missing|tables?|pairs?)\b",
    re.IGNORECASE,
)
_TASK_ALONE = re.compile(
    r"\s{0,20}(?:task|question|exercise|assignment)s?\s{0,3}[\w.]{0,5}[.:)]?\s{0,9}", re.IGNORECASE
)
_GIVEN = re.compile(
    r"(?:here|below|given|consider|these|the following|look at|study)\b.{0,200}:$", re.IGNORECASE
)
#: A line of data: cells, or a form beside its meaning.
_ROW = re.compile(r"\||\t|\s[–—−=→]\s|\s-\s")
_ITEM = re.compile(r"\s{0,20}(?:\(?\d{1,4}[.)]|\(?[A-Za-z][.)]|[-*•–])\s{1,20}\S")
_ITEM_BEHIND = re.compile(r":\s{1,20}\S")
_BLANK = re.compile(
    rf"{BLANK.pattern}|(?<!\w)\(\d{{1,3}}\)(?!\s{{0,3}}\w)|(?:^|[|\t]|\s[–—=→-]\s)\s?\?"
)
_FILL = re.compile(r"\b(?:blanks?|gaps?|missing|fill|complete|empty|correspond\w*|match)\b", re.I)
_NUMBERED_TITLE = re.compile(r"\s{0,20}problem\b.{0,60}", re.IGNORECASE)
#: A longer line asks nothing; a longer text is no sheet.
_LONGEST, _MOST_LINES = 600, 20_000
#: How many lines of data a sheet has at least.
_LEAST_DATA = 2


def looks_pasted(text: str) -> bool:
    """Say whether a text without any heading is plainly a sheet: data, and a question below."""
    lines = text.split("\n")
    if len(lines) > _MOST_LINES or any(line.startswith("#") for line in lines):
        return False
    return text.lstrip()[:1] not in ("{", "[", "<") and bool(
        find_questions(lines) or has_blanks(lines)
    )


def find_questions(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return (where its part of the sheet begins, where its words stand) of each question.

    Both are places in ``lines``. Nothing where no line asks for something, or no data are above.
    """
    places = [n for n, line in enumerate(lines) if _asks(line)]
    found: list[tuple[int, int]] = []
    for at, place in enumerate(places):
        end = places[at + 1] if at + 1 < len(places) else len(lines)
        if not _has_items(lines, place, end):
            continue
        if not found and not _has_data(lines[:place]):
            continue
        found.append((_beginning(lines, place, found[-1][1] if found else -1), place))
    return found


def title_of(lines: Sequence[str]) -> int | None:
    """Return the line that is a sheet's title: its first, with nothing in it that is said or given.

    A blank line follows it, or it says ``Problem 3``; None where there is no such line.
    """
    at = next((n for n, line in enumerate(lines) if line.strip()), None)
    if at is None or at + 1 >= len(lines):
        return None
    text = lines[at].strip()
    is_plain = len(text) <= 100 and not text.endswith((":", ".", "?", "!")) and "\\" not in text
    is_apart = not lines[at + 1].strip() or _NUMBERED_TITLE.fullmatch(text) is not None
    is_given = _ROW.search(text) or _ITEM.match(text) or _asks(text)
    return at if is_plain and is_apart and not is_given else None


def has_blanks(lines: Sequence[str]) -> bool:
    """Say whether the rows of a sheet's data have blanks to fill in."""
    rows = [line for line in lines if len(line) <= _LONGEST and _ROW.search(line)]
    return len(rows) > _LEAST_DATA and any(_BLANK.search(line) for line in rows)


def _asks(line: str) -> bool:
    if len(line) > _LONGEST:
        return False
    said = line.split(": ", maxsplit=1)[0]
    if _ROW.search(said):
        return False
    if _ASKED.match(line):
        return line.rstrip().endswith(":") or _ABOUT_WORDS.search(line) is not None
    if _TOLD.match(line) is None:
        return False
    # "Put the dog in the house." may be a meaning among the data
    is_open = line.rstrip().endswith(":") or _ITEM_BEHIND.search(line) is not None
    return is_open or (" " in line.strip() and _ABOUT_WORDS.search(line) is not None)


def _has_items(lines: Sequence[str], place: int, end: int) -> bool:
    """Say whether a question has something it asks of: on its line, below it, or blanks above."""
    line = lines[place]
    if _ITEM_BEHIND.search(line):
        return True
    below = [other for other in lines[place + 1 : end] if other.strip()]
    if line.rstrip().endswith(":"):
        return bool(below)
    if any(_ITEM.match(other) or _BLANK.search(other) for other in below):
        return True
    return _FILL.search(line) is not None


def _has_data(above: Sequence[str]) -> bool:
    return sum(1 for line in above if line.strip()) >= _LEAST_DATA


def _beginning(lines: Sequence[str], place: int, last: int) -> int:
    """Return where a question's part begins: at its number, or at further data given for it.

    ``last`` is the line of the question before, -1 for none: data above the first are everyone's.
    """
    above = [n for n in range(last + 1, place) if lines[n].strip()]
    numbered = [n for n in above if _TASK_ALONE.fullmatch(lines[n])]
    if numbered:
        return numbered[-1]
    given = [n for n in above if last >= 0 and _GIVEN.match(lines[n].strip())]
    return given[0] if given else place
