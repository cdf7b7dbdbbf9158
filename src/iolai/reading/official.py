"""The official reading: how the text of a prediction becomes items, by the published rule.

Rule 1 of the official score (IOL-AI Challenge 2026): a blank prediction is n empty items; a JSON
list gives its elements as text; anything else is read line by line. Nothing is guessed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

__all__ = ["OfficialReading", "parse_json_list", "read_official"]

_LINE_LABEL = re.compile(r"\d+[.)]\s*")


@dataclass(frozen=True, slots=True)
class OfficialReading:
    """What the rule makes of one prediction.

    ``items`` has exactly the number of items the key asks for; ``n_read`` is how many the
    prediction itself gives, before padding or cutting. ``n_counted`` is the count of the published
    line-match rate (rule 8): list elements, else lines that are not blank, so that a bare ``1.``
    counts although it gives no item.
    """

    items: tuple[str, ...]
    n_read: int
    n_counted: int
    is_json_list: bool
    is_blank: bool


def parse_json_list(text: str) -> list[object] | None:
    """Return the list that ``text`` is as JSON, or None where it is not one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _element_text(element: object) -> str:
    return "" if element is None else str(element).strip()


def _line_text(line: str) -> str:
    return _LINE_LABEL.sub("", line, count=1).strip() if _LINE_LABEL.match(line) else line.strip()


def read_official(text: str, n_items: int) -> OfficialReading:
    """Read a prediction into exactly ``n_items`` items: padded with empty ones, or cut."""
    if not text.strip():
        return OfficialReading(("",) * n_items, 0, 0, is_json_list=False, is_blank=True)
    elements = parse_json_list(text)
    if elements is not None:
        own = [_element_text(element) for element in elements]
        n_counted = len(own)
    else:
        lines = text.split("\n")
        own = [read for read in map(_line_text, lines) if read]
        n_counted = sum(1 for line in lines if line.strip())
    return OfficialReading(
        items=tuple(own[:n_items]) + ("",) * (n_items - len(own)),
        n_read=len(own),
        n_counted=n_counted,
        is_json_list=elements is not None,
        is_blank=False,
    )
