"""``unexplained``: terms that the explanation uses and never explains.

Abbreviations in capitals that stand neither in the sheet nor, spelt out, in the text; and classes
with a name ("class B", "type II") that nothing is said of. Common ones (SOV, SG, PL) pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from iolai.jury.explanations.base import Check, Explained, Found, Whole

__all__ = ["CHECK"]

_ABBREVIATION = re.compile(r"(?<![\w-])[1-3]?[A-Z]{2,6}(?:\.[A-Z]{2,6})?(?![\w-])")
_COMMON = re.compile(
    r"[SVO]{2,3}|[CVNGLX()]+|[IVXLC]+|SG|PL|DU|[1-3](?:SG|PL|DU)|NP|VP|PP|IPA|OK|NB|ID|([A-Z])\1+"
    r"|AND|OR|NOT|IF|THEN|ALL|NO|YES|THE|IS|IN|OF|TO|NEVER|ALWAYS|BUT"
)
_CLASS = re.compile(
    r"\b(class|type|group|series|set|category|paradigm|conjugation|declension) "
    r"((?-i:[A-Z]|[IVX]{1,4})|\d{1,2})\b(?!-)",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\s{0,2}(?:[:=(–—]|- |is\b|are\b|means?\b|contains?\b|consists?\b|covers?\b|stands? for\b"
    r"|includes?\b|ends?\b|begins?\b)"
)
#: What an abbreviation in capitals marks or takes says what it is; of a class that is not enough.
_TELLS = re.compile(r"\s{0,2}(?:has|have|takes?|marks?|adds?|verbs?|nouns?|words?)\b")
_NAMED = 3
#: How far around a term, in characters, is looked for what explains it.
_NEAR = 100


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    terms: dict[str, list[re.Match[str]]] = {}
    for found in _ABBREVIATION.finditer(one.text):
        if not _COMMON.fullmatch(found[0]) and found[0] not in one.options:
            terms.setdefault(found[0], []).append(found)
    for found in _CLASS.finditer(one.text):
        terms.setdefault(found[0].lower(), []).append(found)
    sheet = one.sheet.casefold()
    bare = (
        places[0]
        for term, places in terms.items()
        if not _stands(term.casefold(), sheet)
        and not any(_is_explained(one.text, found) for found in places)
    )
    for found in islice(bare, _NAMED):
        yield Found("this term is never explained", found[0], found.start())


def _stands(term: str, sheet: str) -> bool:
    """Say whether a term stands in the sheet as a whole word; most terms are not in it at all."""
    return term in sheet and bool(re.search(rf"(?<!\w){re.escape(term)}(?!\w)", sheet))


def _is_explained(text: str, found: re.Match[str]) -> bool:
    """Say whether a definition follows, or the term stands in brackets behind what it means."""
    behind = _DEFINES.match(text, found.end()) is not None
    behind = behind or (found.re is _ABBREVIATION and bool(_TELLS.match(text, found.end())))
    opening = text[max(0, found.start() - _NEAR) : found.start()].rstrip()
    closing = text[found.end() : found.end() + _NEAR].lstrip()[:1]
    in_brackets = opening.endswith("(") and closing in (")", ",", ":", "=")
    return behind or in_brackets or opening.endswith(("=", "→", ":", "are", "is", "called"))


CHECK = Check("unexplained", "terms that are never explained", _find, needs_context=True)
