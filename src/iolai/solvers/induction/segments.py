"""Words as sequences of segments, and what a segment is: a vowel, a consonant, a mark.

Unicode's own tables say which letters carry marks; nothing is normalised, so joining the segments
gives the word back, save that :func:`decomposed` parts a letter from its marks.
"""

from __future__ import annotations

from functools import lru_cache

from iolai.text import category, combining_class, letter_parts, nfc, script

__all__ = [
    "INHERENT",
    "base",
    "compose",
    "decomposed",
    "has_inherent_vowels",
    "is_vowel",
    "kind",
    "script",
    "segments",
    "with_inherent_vowels",
]

#: Stands for the vowel that a bare letter of an Indic script has without any sign.
INHERENT = "·"
_VIRAMA_CLASS = 9

_VOWELS = frozenset("aeiouyæœøɑɐɒəɘɚɛɜɝɞɤɨɪɯɵɔʉʊʌʏıɶɿᵻ" + "аеёиоуыэюяъьіїє" + "αεηιουω")
_SPECIAL = {"ł": "l", "ø": "o", "đ": "d", "ħ": "h"}


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
def is_vowel(segment: str) -> bool:
    """Say whether a segment is a vowel letter."""
    return bool(segment) and (segment[:1].lower() in _VOWELS or base(segment) in _VOWELS)


@lru_cache(maxsize=4096)
def kind(segment: str) -> str:
    """Return ``V`` vowel, ``C`` consonant, ``M`` combining mark, ``-`` anything else."""
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
