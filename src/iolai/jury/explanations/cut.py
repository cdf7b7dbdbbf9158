"""``cut``: the text breaks off in mid-sentence.

A last line that is an item of a list, a row of a table or a formula need not end with a full stop
where the other such lines of the text do not either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole
from iolai.reading import ends_unfinished

__all__ = ["CHECK"]

#: A line that is no running sentence: a list item, a row, a formula, a gloss; it is short.
_LISTED = re.compile(
    r"^\s*(?:[-–—*•+|]|\(?[0-9]{1,3}[.):]|\(?[A-Za-z]{1,2}[.):])|[=→|:+]|\s[–—-]\s"
)
_FORMULA = re.compile("[=→|+]")
_LISTED_WORDS = 12
#: Words, and marks, after which something must follow.
_GOES_ON = re.compile(
    r"(?:\b(?:the|a|an|of|to|in|and|or|but|with|for|from|by|as|is|are|was|that|which|because|since"
    r"|where|when|if|than|so|its|their|this|these|be|not|at|on|into|has|have|we|it|after|before)"
    r"|[,:;(\[{“‘«=→/-])$",
    re.IGNORECASE,
)
_TAIL = 60


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    text = one.text.rstrip()
    if not ends_unfinished(text):
        return
    lines = [line for line in text.splitlines() if line.strip()]
    last = lines[-1]
    if _is_listed(lines) and not _GOES_ON.search(last.rstrip("*_` ")) and not _is_open(last):
        return
    start = max(len(text) - _TAIL, len(text) - len(last))
    yield Found("it breaks off without the end of a sentence", text[start:], start)


def _is_listed(lines: list[str]) -> bool:
    """Say whether the last line is a list's, and most of the list's lines have no end mark."""
    listed = [line for line in lines if _LISTED.search(line) and _is_short(line)]
    if not listed or listed[-1] != lines[-1]:
        return False
    if len(listed) == 1:
        return _FORMULA.search(lines[-1]) is not None
    return 2 * sum(map(ends_unfinished, listed[:-1])) >= len(listed) - 1


def _is_short(line: str) -> bool:
    return len(line.split()) <= _LISTED_WORDS


def _is_open(line: str) -> bool:
    """Say whether a bracket, a quote or an emphasis opens in the line and does not close."""
    pairs = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
    return any(line.count(one) > line.count(two) for one, two in pairs) or line.count("**") % 2 == 1


CHECK = Check("cut", "the text breaks off in mid-sentence", _find)
