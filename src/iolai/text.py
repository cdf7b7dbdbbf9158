"""Unicode: the only module that normalises text."""

from __future__ import annotations

import re
import unicodedata

__all__ = [
    "APOSTROPHES",
    "ZERO_WIDTH",
    "category",
    "combining_class",
    "fold_apostrophes",
    "fold_case_and_form",
    "fold_colons",
    "fold_diacritics",
    "fold_lookalikes",
    "fold_punctuation",
    "fold_spaces",
    "is_mark",
    "is_nfc",
    "letter_parts",
    "nfc",
    "normalise_answer",
    "printable",
    "script",
    "squeeze",
    "visible",
]

#: Characters that people use for one and the same apostrophe, glottal stop or quote. The official
#: normalisation folds only U+2018 and U+2019; the others count as near misses, never as equal.
APOSTROPHES = "'\u2018\u2019\u02bc\u02bb\u02b9\u02c8\u0060\u00b4\u2032\uff07"

#: Characters that draw nothing but change what stands around them: controls other than tab and
#: line feed, lone surrogates, and those that turn the direction of writing.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")

#: What turns a terminal's colours on or sets its title (ECMA-48, 5.4 and 8.3.89).
_TERMINAL = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?|\x1b[@-Z]?"
)
#: What ends a line, but for the line feed itself.
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")

#: Characters without width that copying from pages brings along; a joiner (U+200C, U+200D) may
#: belong to the spelling of a language and is none of them.
ZERO_WIDTH = "\u00ad\u200b\u200e\u200f\u2060\ufeff"

_CURLY_TO_STRAIGHT = str.maketrans({"\u2019": "'", "\u2018": "'"})
_ANY_COLON = str.maketrans(dict.fromkeys("\u02d0\u02d1\ua789\u2236\uff1a", ":"))
_LOOKALIKES = str.maketrans("аеорсухікһјѕԁԛɡοαειɑ", "aeopcyxikhjsdqgoaɛia")
_ANY_APOSTROPHE = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))


def nfc(text: str) -> str:
    """Return ``text`` in Unicode Normalisation Form C."""
    return unicodedata.normalize("NFC", text)


def is_nfc(text: str) -> bool:
    """Say whether ``text`` already is in Normalisation Form C."""
    return unicodedata.is_normalized("NFC", text)


def is_mark(text: str) -> bool:
    """Say whether ``text`` is one combining mark."""
    return len(text) == 1 and unicodedata.category(text) in ("Mn", "Mc", "Me")


def squeeze(text: str) -> str:
    """Strip ``text`` and make each run of white space one space."""
    return re.sub(r"\s+", " ", text).strip()


def visible(text: str) -> str:
    """Return ``text`` with each unseen character as U+FFFD: for names that strangers chose."""
    return _UNSEEN.sub("\ufffd", text)


def printable(text: str) -> str:
    """Return what a model wrote as a person could have typed it.

    Sequences for terminals and unseen characters go; all ends of lines become line feeds.
    """
    return _UNSEEN.sub("", _LINE_ENDS.sub("\n", _TERMINAL.sub("", text)))


def fold_case_and_form(text: str) -> tuple[str, list[int]]:
    """Make upper and lower case, composed and decomposed one: for finding a text in another.

    Returns the folded text and, for each of its characters, the place in ``text`` it comes from.
    """
    if text.isascii():
        return text.lower(), list(range(len(text)))
    parts = [unicodedata.normalize("NFD", character.casefold()) for character in text]
    return "".join(parts), [place for place, part in enumerate(parts) for _ in part]


def fold_apostrophes(text: str) -> str:
    """Make every apostrophe-like character ``'``: for finding near misses, never for scoring."""
    return text.translate(_ANY_APOSTROPHE)


def fold_colons(text: str) -> str:
    """Make every mark that is written for length ``:``: for finding near misses only.

    ``:`` is a letter of its own in some orthographies, so this must never be done for scoring.
    """
    return text.translate(_ANY_COLON)


def fold_diacritics(text: str) -> str:
    """Take off all combining marks: for finding near misses, never for scoring."""
    apart = unicodedata.normalize("NFD", text)
    return nfc("".join(c for c in apart if unicodedata.category(c) != "Mn"))


def fold_lookalikes(text: str) -> str:
    """Make Cyrillic and Greek letters that look Latin Latin: for finding near misses only."""
    return text.translate(_LOOKALIKES)


def fold_punctuation(text: str) -> str:
    """Leave out punctuation and brackets: for finding near misses, never for scoring."""
    return squeeze("".join(c for c in text if unicodedata.category(c)[0] != "P"))


def fold_spaces(text: str) -> str:
    """Leave out white space, hyphens and equals signs: for finding near misses only."""
    return re.sub(r"[\s\-\u2010-\u2015=]", "", text)


def normalise_answer(text: str) -> str:
    """Normalise a prediction or a reference by rule 2 of the official score.

    NFC; U+2019 and U+2018 become ``'``; strip; one pair of equal straight quotes around the whole
    is taken off and the rest stripped; lower case; runs of white space become one space; trailing
    periods go; strip. Source: the scoring rules of the IOL-AI Challenge 2026.
    """
    text = nfc(text).translate(_CURLY_TO_STRAIGHT).strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1].strip()
    text = re.sub(r"\s+", " ", text.lower())
    return text.rstrip(".").strip()


def category(character: str) -> str:
    """Return Unicode's general category of a character (``Lu``, ``Mn``, ...); "" for no text."""
    return unicodedata.category(character) if character else ""


def combining_class(character: str) -> int:
    """Return the canonical combining class of a character: 0 where it stands by itself."""
    return unicodedata.combining(character)


def script(letter: str) -> str:
    """Return the script of a letter: the first word of its name in Unicode."""
    return unicodedata.name(letter, "?").split(" ")[0]


def letter_parts(character: str) -> tuple[str, ...]:
    """Return the bare letter and the marks that a character is made of, by its canonical parts."""
    decomposition = unicodedata.decomposition(character)
    if not decomposition or decomposition.startswith("<"):
        return (character,)
    points = [chr(int(point, 16)) for point in decomposition.split()]
    return tuple(part for point in points for part in letter_parts(point))
