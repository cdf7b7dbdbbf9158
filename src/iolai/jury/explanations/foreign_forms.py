"""``foreign_forms``: forms or sounds that the problem does not have.

A quoted text is taken for a form of the language where the explanation calls it so ("the suffix
…"), or where it has a letter that English lacks and the problem is worded in English. A form is
the problem's where it stands anywhere in its sheet or in the entry's own answers, hyphens left
out; a sound where its letter does. Phonetic letters between slashes or brackets count as sounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole, folded, quoted
from iolai.text import category

__all__ = ["CHECK"]

_CALLED = re.compile(
    r"\b(?:word|form|suffix|prefix|infix|affix|ending|stem|root|morpheme|particle|marker|clitic|verb"
    r"|noun|adjective|pronoun)s?[\s*_:]{1,4}[\"“‘«„`']{1,2}$",
    re.IGNORECASE,
)
_SOUND = re.compile(
    r"(?<![\w/])/([^\W\d_][\u0300-\u036fʰʲʷːˈ]{0,3})/(?![\w/])|\[([^\W\d_][\u0300-\u036fʰʲʷːˈ]{0,3})\]"
)
_SEPARATORS = re.compile(r"[\s\-‐-–=·.*+~…∅]+")
_NAMED = 3


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    known = one.known
    joined = _SEPARATORS.sub("", known)
    seen: set[str] = set()
    for start, part in _forms(one):
        bare = _SEPARATORS.sub("", folded(part))
        if bare and bare not in joined and bare not in seen and len(seen) < _NAMED:
            seen.add(bare)
            yield Found("this form is not in the problem", part, start)
    for found in _SOUND.finditer(one.text):
        sound = found[1] or found[2]
        letter = folded(sound)[:1]
        if letter not in known and letter not in seen and not letter.isascii():
            seen.add(letter)
            yield Found(
                "this sound is not in the problem", sound, found.start(found.lastindex or 0)
            )


def _forms(one: Explained) -> Iterator[tuple[int, str]]:
    """Yield the quoted texts that are forms of the language."""
    glosses_are_ascii = one.task is None or one.task.work_lang[:3] in ("", "eng")
    for start, part in quoted(one.text):
        words = part.split()
        if not words or len(words) > 4 or "→" in part:
            continue
        called = _CALLED.search(one.text, max(0, start - 30), start)
        has_own_letter = glosses_are_ascii and any(
            category(letter)[0] in "LM" and not letter.isascii() for letter in part
        )
        if (called is not None and len(words) == 1) or has_own_letter:
            yield start, part


CHECK = Check(
    "foreign_forms", "forms or sounds that the problem does not have", _find, needs_context=True
)
