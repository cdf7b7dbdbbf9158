"""What glosses have in common: stems, parts of compounds, person, number, tense, roles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.induction.english import English, Token
from iolai.solvers.induction.matching.meaning import senses

__all__ = ["Trait", "shared_traits", "trait_table"]

Floats = NDArray[np.float64]

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d{1,9}")
_STOP = frozenset(("the", "a", "an", "of", "to", "be"))
_NO_TRAITS = frozenset(("DEF", "INDEF"))
_PERSON = re.compile(r"([123])(sg|pl|du)?")
_MIN_PART = 3
_MEANING = 0.5
_WORDED = 0.7


@dataclass(frozen=True, slots=True)
class Trait:
    """A property of glosses; ``places`` are the glosses with it, ``weight`` in (0, 1]."""

    name: str
    places: frozenset[int]
    weight: float


def shared_traits(glosses: Sequence[str]) -> tuple[Trait, ...]:
    """Return the traits that two glosses or more have but not all; one of those that coincide."""
    english = English(glosses)
    tokens = [english.parse(gloss) for gloss in glosses]
    stems = {token.stem.lower() for row in tokens for token in row if token.kind != "pro"}
    stems |= {word.lower() for gloss in glosses for word in _WORD.findall(gloss)}
    parts = frozenset(stem for stem in stems if len(stem) >= _MIN_PART and stem not in _STOP)
    weights: dict[str, float] = {}
    places: dict[str, set[int]] = defaultdict(set)
    for place, row in enumerate(tokens):
        for token in row:
            for name, weight in _traits(token, parts):
                places[name].add(place)
                weights[name] = max(weight, weights.get(name, 0.0))
    for place, gloss in enumerate(glosses):
        for name in _number_traits(gloss):
            places[name].add(place)
            weights[name] = 0.9
    if _few_share_words(places, len(glosses)):
        for place, name, weight in _sense_traits(glosses):
            places[name].add(place)
            weights[name] = max(weight, weights.get(name, 0.0))
    best: dict[frozenset[int], str] = {}
    for name, where in sorted(places.items()):
        key = frozenset(where)
        if 2 <= len(key) < len(glosses) and weights[name] > weights.get(best.get(key, ""), 0.0):
            best[key] = name
    return tuple(Trait(name, where, weights[name]) for where, name in best.items())


def _few_share_words(places: Mapping[str, set[int]], n_glosses: int) -> bool:
    """Say whether many glosses have no word in common with another one."""
    words = [where for name, where in places.items() if name.startswith("‘") and len(where) > 1]
    return len(set[int]().union(*words)) < _WORDED * n_glosses


def _sense_traits(glosses: Sequence[str]) -> Iterator[tuple[int, str, float]]:
    for place, characters in enumerate(senses(glosses)):
        for character, share in characters.items():
            yield place, f"sense of {character}", _MEANING * min(1.0, 0.5 + share)


def _traits(token: Token, parts: frozenset[str]) -> Iterator[tuple[str, float]]:
    for feature in token.feats - _NO_TRAITS:
        yield feature, 0.7
    if token.kind == "pro":
        yield from _person_traits(token)
        return
    words = [word.lower() for word in _WORD.findall(token.stem)]
    for word in words:
        if word in _STOP:
            continue
        yield f"‘{word}’", 0.6 if token.kind == "x" else 1.0
        for part in parts:
            rest = len(word) - len(part)
            if rest >= _MIN_PART and (word.startswith(part) or word.endswith(part)):
                yield f"‘{part}’", 1.0
    if token.role and token.role not in "SOPC":
        yield f"‘{token.role}’", 0.5


def _number_traits(gloss: str) -> Iterator[str]:
    """Yield the digits of a number with their places, and how many there are."""
    if not _NUMBER.fullmatch(gloss.strip()):
        return
    digits = gloss.strip()
    yield f"{len(digits)} digits"
    for power, digit in enumerate(reversed(digits)):
        if digit != "0":
            yield f"{digit}{'0' * power}"
            yield f"digit {digit}"


def _person_traits(token: Token) -> Iterator[tuple[str, float]]:
    yield f"{token.stem} {token.role}", 0.9
    yield token.stem, 0.8
    match = _PERSON.match(token.stem)
    if match is not None:
        yield f"person {match[1]}", 0.6
        yield f"person {match[1]} {token.role}", 0.7
        if match[2]:
            yield f"{match[2]} {token.role}", 0.6


def trait_table(traits: Sequence[Trait], n_glosses: int) -> Floats:
    """Return which gloss has which trait, as a matrix (glosses, traits) of 0 and 1."""
    table = np.zeros((n_glosses, len(traits)))
    for column, trait in enumerate(traits):
        table[sorted(trait.places), column] = 1.0
    return table
