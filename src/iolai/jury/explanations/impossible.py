"""``impossible``: answers that cannot be: a letter outside the options, a count of syllables.

A count of syllables is impossible where it is larger than the number of vowel letters of the form
and of consonants that can carry one, or smaller than the number of places where vowels stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iolai.jury.explanations.base import Check, Explained, Found, Whole
from iolai.text import fold_diacritics

__all__ = ["CHECK"]

_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
}  # fmt: skip
_SYLLABLES = re.compile(
    r"[\"“‘«`']([^\"“”‘’«»`'\n\s]{1,40})[\"”’»`'](?: \([^()\n]{1,40}\))? (?:has|have|contains?"
    r"|consists? of|is made of) (?:only |exactly )?"
    r"(\d{1,2}|one|two|three|four|five|six|seven|eight) syllables?\b",
    re.IGNORECASE,
)
_VOWEL = "aeiouyæœøɑɐɒɔəɘɚɛɜɞɤɨɪʊʉʌɯɵʏıаеёиоуыэюяαεηιουω"
_MAY_CARRY = "rlmnŋɲɾɹwjʎñ"
_LETTER = re.compile(r"[A-Za-z]{1,2}")


def _find(one: Explained, whole: Whole) -> Iterator[Found]:
    legal = {option.lower() for option in one.options}
    if legal and all(map(_LETTER.fullmatch, one.options)):
        odd = [
            answer
            for answer in one.answers
            if _LETTER.fullmatch(answer.strip("() .")) and answer.strip("() .").lower() not in legal
        ]
        if odd:
            yield Found(
                f"the letter is outside the options ({one.options[0]}–{one.options[-1]})", odd[0]
            )
    for found in _SYLLABLES.finditer(one.text):
        said = _NUMBERS.get(found[2].lower()) or int(found[2])
        low, high = _possible(found[1])
        if not low <= said <= high:
            yield Found("this form cannot have so many syllables", found[0], found.start())


def _possible(form: str) -> tuple[int, int]:
    """Return the least and the greatest number of syllables that a written form may have."""
    plain = fold_diacritics(form.lower())
    if not plain or not any(letter in _VOWEL for letter in plain):
        return 0, 99  # another script: nothing is known of its vowels
    places = re.findall(rf"[{_VOWEL}]+", plain)
    n_vowels = sum(map(len, places))
    silent = 1 if plain.endswith("e") else 0
    return len(places) - silent, n_vowels + sum(letter in _MAY_CARRY for letter in plain)


CHECK = Check("impossible", "answers or counts that cannot be", _find, needs_context=True)
