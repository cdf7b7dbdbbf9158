"""The grammar of a translation problem in words: order, morphs of words, morphs of features."""

from __future__ import annotations

from collections import defaultdict

from iolai.solvers.induction.translation.corpus import Corpus, Parsed

__all__ = ["described", "is_person", "readable"]

_SURE = 0.7
_NAMES = {
    "n.S": "subject", "n.O": "object", "v": "verb", "n.P": "possessor", "adj.S": "adjective",
    "adj.": "adjective", "adj.O": "adjective", "n.": "noun",
}  # fmt: skip
_PERSONS = {
    "1sg": "I", "1pl": "we", "2": "you", "2sg": "you (one)", "2pl": "you (many)", "1du": "we two",
    "2du": "you two", "3sg": "he, she, it", "3pl": "they", "3sg.m": "he", "3sg.f": "she",
    "3sg.n": "it", "none": "none", "3sg.c": "he or she", "3du": "they two",
}  # fmt: skip
_FEATURES = {
    "PL": "plural", "SG": "singular", "DEF": "definite", "INDEF": "indefinite", "NEG": "negation",
    "Q": "question", "PAST": "past", "PRES": "present", "FUT": "future", "PROG": "progressive",
    "PERF": "perfect", "PASS": "passive", "INF": "infinitive", "IMP": "imperative",
    "CAN": "ability",
}  # fmt: skip
_ROLES = {"S": "subject", "O": "object", "P": "possessor", "T": "tense"}


def described(corpus: Corpus) -> tuple[str, ...]:
    """Return the grammar as lines, each rule once: word order, then features, then words."""
    features: list[str] = []
    words: list[str] = []
    stems = {u.name for e in corpus.examples for u in e.units if u.is_stem}
    for name in corpus.lexicons.names():
        morphs = [
            _shape(corpus, name, text) for text, n in corpus.lexicons.morphs(name, 3) if n > _SURE
        ]
        if morphs:
            line = f"{readable(name)}: {', '.join(morphs)}"
            (words if name in stems else features).append(line)
    return (*_order(corpus.examples), *sorted(features), *sorted(words, key=str.lower))


def is_person(name: str) -> bool:
    """Whether a unit's name in words is that of a pronoun: ``I``, ``they two``."""
    return name in _PERSONS.values()


def readable(name: str) -> str:
    """Return a unit's name in words: ``T:PAST&S:1sg`` is "past tense with subject I"."""
    if "&" in name:
        first, _, second = name.partition("&")
        return f"{readable(first)} with {readable(second)}"
    if name.startswith("@"):
        person, _, mark = name[1:].partition("~")
        return _PERSONS.get(person, person) + (f" ({mark})" if mark else "")
    kind, _, value = name.partition(":")
    if value and kind in _ROLES:
        if kind == "T":
            return " ".join(_FEATURES.get(part, part.lower()) for part in value.split("+"))
        return f"{_ROLES[kind]} {_PERSONS.get(value, value)}"
    if name.endswith("-case"):
        role = name.removesuffix("-case")
        if role == "C":
            return "noun that says what somebody is"
        return f"noun as {_ROLES[role]}" if role in _ROLES else f"noun after “{role}”"
    return _FEATURES.get(name, f"“{name}”")


def _shape(corpus: Corpus, name: str, text: str) -> str:
    """Write a morph with hyphens where it is bound: ``-su``, ``bi-``, ``kade``."""
    edges = {
        link.span.edge
        for example in corpus.examples
        for link in example.links
        if link.unit is not None and link.unit.name == name and link.span.text == text
    }
    if not edges or edges & {3}:
        return text
    before = "" if any(edge & 1 for edge in edges) else "-"
    after = "" if any(edge & 2 for edge in edges) else "-"
    return f"{before}{text}{after}"


def _order(examples: tuple[Parsed, ...]) -> list[str]:
    """Say in which order the kinds of words stand, where the examples agree on it."""
    before: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for example in examples:
        place: dict[str, int] = {}
        for link in example.links:
            if link.unit is not None and link.unit.is_stem and link.unit.group in _NAMES:
                place.setdefault(_NAMES[link.unit.group], link.span.start)
        for one, start in place.items():
            for other, other_start in place.items():
                if one < other:
                    before[one, other][start > other_start] += 1
    rules = []
    for (one, other), (kept, turned) in sorted(before.items()):
        if kept + turned >= 3 and min(kept, turned) <= 0.1 * (kept + turned):
            first, second = (one, other) if kept > turned else (other, one)
            rules.append(f"The {first} stands before the {second}.")
    return rules
