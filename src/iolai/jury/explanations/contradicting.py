"""``contradicting``: the explanation gives an item another answer than the entry did.

Two ways of writing are read. In a matching task, ``3 – B``, ``3 is B``, ``3 corresponds to B``. In
any task, lines that begin with the label of an item and hold nothing but an answer: where most of
them are the entry's answers, those that are not contradict them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole
from iolai.text import normalise_answer

__all__ = ["CHECK"]

_MATCHED = re.compile(
    r"(?<![\w-])\(?([A-Za-z]{1,2}|\d{1,3})[).]?\s*(?:=|→|->|–|—|:|\bis\b|\bcorresponds to\b"
    r"|\bmatches\b|\bgoes with\b)\s*(?:option |number |letter )?\(?"
    r"([A-Za-z]{1,2}|\d{1,3})\b(?![\w'’-])"
)
_LINE = re.compile(
    r"^[ \t]*+(?:[-*•][ \t]*+)?\(?([A-Za-z]{1,2}|\d{1,3})[).:][ \t]++(\S.*)$", re.MULTILINE
)
_AROUND = "\"'“”‘’«»`*_ "


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    given = {
        label: normalise_answer(answer)
        for label, answer in zip(one.labels, one.answers, strict=True)
        if label and answer.strip()
    }
    if len(given) < 1:
        return
    yield from _matched(one, given) if one.options else _listed(one, given)


def _matched(one: Explained, given: dict[str, str]) -> Iterator[Found]:
    legal = {option.lower() for option in one.options}
    said: dict[str, list[re.Match[str]]] = {}
    for found in _MATCHED.finditer(one.text):
        if found[1] in given and found[2].lower() in legal and found[1].lower() not in legal:
            said.setdefault(found[1], []).append(found)
    for label, places in said.items():
        if all(found[2].lower() != given[label].strip("()") for found in places):
            yield _found(label, given[label], places[0][0], places[0].start())


def _listed(one: Explained, given: dict[str, str]) -> Iterator[Found]:
    lines = [found for found in _LINE.finditer(one.text) if found[1] in given]
    right = [f for f in lines if _plain(f[2]) == given[f[1]]]
    if len(lines) < 3 or 2 * len(right) <= len(lines):
        return
    answered = {found[1] for found in right}
    for found in lines:
        if found[1] not in answered and len(found[2].split()) <= 2 * len(given[found[1]].split()):
            yield _found(found[1], given[found[1]], found[0].strip(), found.start())


def _plain(text: str) -> str:
    return normalise_answer(text.rstrip().strip(_AROUND))


def _found(label: str, answer: str, quotation: str, start: int) -> Found:
    return Found(f"the answer given to item {label} is {answer!r}", quotation, start)


CHECK = Check(
    "contradicting", "the explanation has another answer than the entry", _find, needs_context=True
)
