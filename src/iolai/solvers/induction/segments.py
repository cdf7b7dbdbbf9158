"""Words as sequences of segments, and what a segment is: a vowel, a consonant, a mark.

Unicode's own tables say which letters carry marks; nothing is normalised, so joining the segments
gives the word back, save that :func:`decomposed` parts a letter from its marks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache

from iolai.text import category, combining_class, letter_parts, nfc, script

__all__ = [
    "INHERENT",
    "Sounds",
    "base",
    "compose",
    "decomposed",
    "has_inherent_vowels",
    "has_known_sound",
    "is_known_vowel",
    "is_vowel",
    "kind",
    "script",
    "segments",
    "sounds_in_force",
    "taken_for",
    "with_inherent_vowels",
]

#: Stands for the vowel that a bare letter of an Indic script has without any sign.
INHERENT = "·"
_VIRAMA_CLASS = 9

_VOWELS = frozenset("aeiouyæœøɑɐɒəɘɚɛɜɝɞɤɨɪɯɵɔʉʊʌʏıɶɿᵻ" + "аеёиоуыэюяъьіїє" + "αεηιουω")
_SPECIAL = {"ł": "l", "ø": "o", "đ": "d", "ħ": "h"}


@dataclass(frozen=True, slots=True)
class Sounds:
    """What bare letters are in a problem that uses them otherwise than its script does.

    Letters in neither set are what they are known as.
    """

    vowels: frozenset[str]
    consonants: frozenset[str]


_IN_FORCE: ContextVar[Sounds | None] = ContextVar("sounds", default=None)


@contextmanager
def taken_for(sounds: Sounds | None) -> Iterator[None]:
    """Let :func:`is_vowel` and :func:`kind` go by ``sounds`` (None: by what letters are known as).

    It holds for this thread, until the block is left.
    """
    token = _IN_FORCE.set(sounds)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


def sounds_in_force() -> Sounds | None:
    """Return what letters are taken for now; None where it is what they are known as."""
    return _IN_FORCE.get()


def segments(word: str) -> tuple[str, ...]:
    """Split a word into letters, each with the marks that combine with it."""
    out: list[str] = []
    for character in word:
        if out and combining_class(character):
            out[-1] += character
        else:
            out.append(character)
    return tuple(out)


def decomposed(word: str) -> tuple[str, ...]:
    """Split a word into base letters and marks, each a segment of its own."""
    out: list[str] = []
    for character in word:
        out.extend(_parts(character))
    return tuple(out)


def compose(parts: tuple[str, ...] | list[str]) -> str:
    """Join segments into a word, marks set on their letters."""
    return nfc("".join(parts))


_parts = lru_cache(maxsize=4096)(letter_parts)


@lru_cache(maxsize=4096)
def base(segment: str) -> str:
    """Return the bare letter of a segment, in lower case."""
    first = _parts(segment[:1])[0].lower() if segment else ""
    return _SPECIAL.get(first, first)


@lru_cache(maxsize=4096)
def is_known_vowel(segment: str) -> bool:
    """Say whether a segment is a vowel letter in its script."""
    return bool(segment) and (segment[:1].lower() in _VOWELS or base(segment) in _VOWELS)


def has_known_sound(segment: str) -> bool:
    """Say whether a segment is taken for what it is known as."""
    sounds = _IN_FORCE.get()
    return sounds is None or base(segment) not in sounds.vowels | sounds.consonants


def is_vowel(segment: str) -> bool:
    """Say whether a segment is a vowel letter."""
    sounds = _IN_FORCE.get()
    if sounds is not None:
        letter = base(segment)
        if letter in sounds.vowels or letter in sounds.consonants:
            return letter in sounds.vowels
    return is_known_vowel(segment)


def kind(segment: str) -> str:
    """Return ``V`` vowel, ``C`` consonant, ``M`` combining mark, ``-`` anything else."""
    return _kind(segment, _IN_FORCE.get())


@lru_cache(maxsize=8192)
def _kind(segment: str, _sounds: Sounds | None) -> str:
    if not segment or segment == "#":
        return "#"
    if combining_class(segment[0]):
        return "M"
    if is_vowel(segment):
        return "V"
    return "C" if segment[0].isalpha() else "-"


def has_inherent_vowels(text: str) -> bool:
    """Say whether a text has a sign that takes a letter's inherent vowel away."""
    return any(combining_class(character) == _VIRAMA_CLASS for character in text)


def with_inherent_vowels(word: str) -> tuple[str, ...]:
    """Split a word into letters and signs, an inherent vowel after each letter without a sign."""
    out: list[str] = []
    for place, character in enumerate(word):
        out.append(character)
        following = category(word[place + 1 : place + 2])
        if category(character) == "Lo" and not following.startswith("M"):
            out.append(INHERENT)
    return tuple(out)
