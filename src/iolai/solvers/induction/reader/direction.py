"""What a query asks for: from which kind of column to which, and in which language."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Direction", "find_direction", "language_names"]

#: A capital letter of any alphabet, or a click before it: what names of languages begin with.
_CAPITAL = r"[ǃǀǁǂ!ʻ]?[^\W\d_a-zß-öø-ÿ]"
_INTO = re.compile(
    r"\b(?i:translate|translated|render|express|write|put|give|spell|say)\b[^.:\n]{0,60}?"
    rf"\b(?:into|in|to)\s+(?:the\s+)?"
    rf"(?P<name>{_CAPITAL}[\w’ʼ'()-]*(?:[ -]{_CAPITAL}[\w’ʼ'()-]*){{0,3}})"
)
_FROM = re.compile(rf"\b[Tt]ranslate\s+from\s+(?:the\s+)?(?P<name>{_CAPITAL}[\w’ʼ'()-]*)")
_ENGLISH = re.compile(r"\b(?:in)?to\s+English\b|\bin\s+English\b", re.IGNORECASE)
_TO_VALUE = re.compile(
    r"\b(?:in|with|as|using|into)\s+(?:\w+\s)?(?:numerals?|digits|figures)\b|\bvalues?\s+of\b"
    r"|\bwhat numbers?\b|\bdetermine the (?:values?|numbers?)\b",
    re.IGNORECASE,
)
#: Number names of the language: numerals that are called by another name than our figures are.
_TO_NUMERALS = re.compile(
    r"\b(?:in|with|as|using|into)\s+(?:an?\s+)?"
    r"(?P<name>(?!(?:Hindu|Arabic|Western|European|Roman|Indian|English|International)\b)[A-Z][\w’ʼ'-]+)"
    r"\s+(?:numerals?|number\s(?:names?|words?))\b"
)
_TO_SOUND = re.compile(r"\btranscri(?:be|ption)|\bphonetic|\bpronunciation", re.IGNORECASE)
_TO_SPELLING = re.compile(
    r"\b(?:in|using)\s+(?:the\s+)?(?:[\w’'-]+\s)?(?:orthography|script)\b", re.IGNORECASE
)
_SPELL_OUT = re.compile(
    r"\bwrite\s+out\b|\bspell\s+out\b|\bwrite\s+the\s+numbers?\b", re.IGNORECASE
)
_LITERAL = re.compile(r"\bliteral(?:ly)?\b|\bwhat (?:does|do)\b.*\bmean", re.IGNORECASE)
#: ``How would you say:``, with the language left out.
_SAY = re.compile(
    r"\bhow\s+(?:would|do|does|could|can|might|is|are)\s[^.:?\n]{0,40}?"
    r"\b(?:say|said|write|written|express(?:ed)?|translated?)\b",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(r"^\s*(?:explain|describe|how\b|why\b)", re.IGNORECASE)
_NAME = re.compile(
    r"\b(?:in|into|the|of|from)\s+(?:the\s+)?"
    rf"({_CAPITAL}[\w’ʼ'-]+(?:[ -]{_CAPITAL}[\w’ʼ'-]+){{0,2}})"
)


@dataclass(frozen=True, slots=True)
class Direction:
    """Source and target roles (``""`` where the query does not say), and the languages' names."""

    source: str = ""
    target: str = ""
    source_name: str = ""
    target_name: str = ""


def find_direction(instruction: str) -> Direction:
    """Read the direction out of an instruction."""
    origin = _FROM.search(instruction)
    source_name = origin["name"] if origin else ""
    if _ENGLISH.search(instruction) or _LITERAL.search(instruction):
        return Direction("form", "gloss", source_name=source_name)
    numerals = _TO_NUMERALS.search(instruction)
    if numerals is not None:
        return Direction("value", "form", source_name, numerals["name"])
    if _TO_VALUE.search(instruction):
        return Direction("form", "value")
    if _TO_SPELLING.search(instruction):
        return Direction("phonetic", "form")
    if _TO_SOUND.search(instruction):
        return Direction("form", "phonetic")
    into = _INTO.search(instruction)
    if into is not None:
        source = "value" if _SPELL_OUT.search(instruction) else "gloss"
        return Direction(source, "form", source_name, into["name"])
    if source_name:
        return Direction("form", "gloss", source_name=source_name)
    if _SAY.search(instruction):
        return Direction("gloss", "form")
    if _EXPLAIN.match(instruction):
        return Direction(target="explanation")
    return Direction()


def language_names(text: str) -> frozenset[str]:
    """Return capitalised names that prose introduces by a preposition, in lower case."""
    return frozenset(match.lower() for match in _NAME.findall(text))
