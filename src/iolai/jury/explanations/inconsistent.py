"""``inconsistent``: two tasks of one problem are told things that cannot both hold.

Read are: the order of subject, object and verb; whether something stands before or after something
else; and what one and the same quoted form means, where both meanings stand in quotes and share no
word. The finding is on the later of the two tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from iolai.jury.explanations.base import Check, Explained, Found, Whole, folded

__all__ = ["CHECK"]

_ORDER = re.compile(
    r"(?<!\w)(?:(?P<code>SOV|SVO|VSO|VOS|OVS|OSV)|(?P<words>(?:subject|object|verb)(?:\s*[-–—,+/>]\s*"
    r"(?:subject|object|verb)){2}))(?!\w)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\bthe (subject|object|verb|noun|adjective|possessor|possessed|numeral|pronoun)s? (?:\w+ly )?"
    r"(?:comes?|stands?|is placed|is|goes|appears?|occurs?|precedes?|follows?)"
    r"(?: (before|after))? (?:the |its |an? )?"
    r"(subject|object|verb|noun|adjective|possessor|possessed|numeral|pronoun)s?\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"[\"“‘«`']([^\"“”‘’«»`'\n]{1,40})[\"”’»`']\s*(?:\([^()\n]{1,40}\)\s*)?"
    r"(?:=|→|->|:|means|meaning|is|corresponds to|translates to|indicates|marks)\s*(?:the )?"
    r"[\"“‘«`']([^\"“”‘’«»`'\n]{1,60})[\"”’»`']",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset(("a", "an", "the", "of", "to", "is", "be", "one", "it", "its", "or"))

#: A claim: what it is about, what it says, and where.
_Claim = tuple[str, str, re.Match[str]]


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    if not one.plain:
        return
    rows = whole.by_entry[one.entry]
    earlier = [row for row in whole.of_problem(one) if rows.index(row) < rows.index(one)]
    for about, says, found in _claims(one.text):
        for row in earlier:
            other = _said(row.text).get(about)
            if other is not None and other.clashes(says):
                yield Found(
                    f"task {row.task_id} is told otherwise: {other.first}", found[0], found.start()
                )
                break


def _claims(text: str) -> Iterator[_Claim]:
    for found in _ORDER.finditer(text):
        order = found["code"] or "".join(
            word[0] for word in re.findall(r"subject|object|verb", found["words"], re.IGNORECASE)
        )
        if len(set(order.upper())) == 3:
            yield "word order", order.upper(), found
    for found in _PLACE.finditer(text):
        one, side, other = found[1].lower(), (found[2] or "").lower(), found[3].lower()
        verb = found[0].lower()
        side = side or ("before" if "precede" in verb else "after" if "follow" in verb else "")
        if side and one != other:
            flipped = one > other
            if flipped:
                one, other = other, one
                side = "after" if side == "before" else "before"
            yield f"{one} and {other}", f"the {one} is {side} the {other}", found
    for found in _MEANS.finditer(text):
        yield f"form {folded(found[1]).strip()}", found[2].strip().lower(), found


@dataclass
class _Said:
    """All that one text says about one thing, together: it is asked for each claim of another."""

    about: str
    first: str
    all: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    has_wordless: bool = False

    def add(self, says: str) -> None:
        words = _words(says)
        self.all.add(says)
        self.words |= words
        self.has_wordless = self.has_wordless or not words

    def clashes(self, says: str) -> bool:
        """Say whether nothing of it can hold together with ``says``."""
        if not self.about.startswith("form "):
            return says not in self.all
        words = _words(says)
        return bool(words) and not self.has_wordless and not words & self.words


@lru_cache(maxsize=4096)
def _said(text: str) -> dict[str, _Said]:
    said: dict[str, _Said] = {}
    for about, says, _ in _claims(text):
        said.setdefault(about, _Said(about, says)).add(says)
    return said


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.lower())) - _EMPTY_WORDS


CHECK = Check("inconsistent", "two tasks of a problem are told different things", _find)
