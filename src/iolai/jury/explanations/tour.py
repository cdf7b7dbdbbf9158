"""``tour``: one example after the other, and never a rule.

A statement is a sentence or a line. It is an example where it says what one form, word or item
is; it is a rule where it speaks of parts of words, their order or place, or of all, every, when.
A tour has four examples at least, they are four in five of its statements, and none is a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole

__all__ = ["CHECK"]

_STATEMENT = re.compile(r"[^\n.!?;]+(?:[.!?;](?!\s|$)[^\n.!?;]*)*")
_EXAMPLE = re.compile(
    r"[\"“‘«`'][^\"”’»`'\n]{1,80}[\"”’»`'].{0,30}?(?:=|→|->|\bmeans?\b|\bis\b|\bare\b|\bcorresponds?\b"
    r"|\btranslates?\b|\bmatch(?:es)?\b|\brefers?\b|\bdescribes?\b|\bindicat\w+\b)"
    r"|^\W*(?:\d{1,3}|[A-Za-z]{1,2})\b\W{0,3}(?:=|→|->|:|\)|–|—|\bis\b|\bcorresponds?\b|\bmatch(?:es)?\b)"
    r"|^\W*[^\s:=→|]{1,30}(?: [^\s:=→|]{1,30}){0,4}\s*(?:=|→|->|\||: )\s*\S"
    r"|\b(?:means?|translates? to|corresponds? to|matches|refers to)\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"(?<![\w-])-[^\W\d_]|(?<![^\W\d_])[^\W\d_]+-(?![\w-])|\d\s*[×·*+=]|[×+]\s*\d|/\s*[_#]|∅"
    r"|\b(?:prefix|suffix|infix|circumfix|affix|ending|stem|root|morpheme|particle|marker|clitic"
    r"|vowels?|consonants?|syllables?|stress\w*|tone|length|reduplicat\w*|plural|singular|dual|past"
    r"|present|future|tense|subject|object|verb|noun|adjective|possess\w*|negat\w*|case|gender"
    r"|agree\w*|order|before|after|precedes?|follows?|first|last|initial|final|when|whenever|if"
    r"|unless|where|each|every|all|always|never|only|both|becomes?|change\w*|drop\w*|delet\w*"
    r"|insert\w*|add\w*|sum|times|multipl\w*|base|plus|minus|generation|sibling|elder|younger|class"
    r"|rule|depend\w*|mark\w*|formed|derived|built|composed|combin\w*)\b",
    re.IGNORECASE,
)
_LEAST = 4
_SHARE = 0.8


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    statements = [
        part for found in _STATEMENT.finditer(one.text) if (part := found[0].strip(" -*•"))
    ]
    examples = [part for part in statements if _EXAMPLE.search(part)]
    if len(examples) < _LEAST or len(examples) < _SHARE * len(statements):
        return
    if not any(_RULE.search(part) for part in statements):
        start = one.text.find(examples[0])
        yield Found(f"{len(examples)} examples and no rule", examples[0], start)


CHECK = Check("tour", "one example after the other, never a rule", _find)
