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
    "unseen_character",
    "visible",
    "without_ignorable",
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

#: Formats (Cf) that are drawn, as the Arabic sign of a year is, and letters that are not, as the
#: Hangul fillers. A joiner (U+200C, U+200D) is a part of the spelling between two letters.
_DRAWN_FORMATS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

#: What Unicode says to draw nothing for where it is not known (Default_Ignorable_Code_Point of
#: DerivedCoreProperties.txt, Unicode 16): variation selectors, joiners, tags, fillers.
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINERS = "\u200c\u200d"
_AS_EMOJI = "\ufe0f"

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


def unseen_character(text: str, *, many_lines: bool = False) -> str:
    """Name the first character of a line that nobody sees, ``""`` where there is none.

    What a line of text that people wrote may be, wherever others read it: no controls, no turns of
    the direction of writing, nothing without width, no letter that draws nothing, no variation
    selectors, no halves of pairs, no line ends and tabs (but with ``many_lines`` line feed and
    tab). A joiner may stand between two characters, neither of them a space: some languages are
    spelled with it. U+FE0F may follow a symbol: a telephone types many emoji with it.
    """
    allowed = "\n\t" if many_lines else ""
    for place, character in enumerate(text):
        if character in allowed or not _is_unseen(character) or _may_stand(text, place):
            continue
        name = unicodedata.name(character, "a control character" if ord(character) < 160 else "")
        return f"U+{ord(character):04X}" + (f" ({name})" if name else "")
    return ""


def _may_stand(text: str, place: int) -> bool:
    """Say whether what draws nothing itself belongs to what stands around it."""
    before, character, after = text[place - 1 : place], text[place], text[place + 1 : place + 2]
    if character in _JOINERS:
        return bool(before.strip(_JOINERS).strip() and after.strip(_JOINERS).strip())
    return character == _AS_EMOJI and bool(before) and unicodedata.category(before) == "So"


def _is_unseen(character: str) -> bool:
    if character in _DRAWN_FORMATS:
        return False
    is_format = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")
    return is_format or character in _BLANK_LETTERS or _IGNORABLE.match(character) is not None


def without_ignorable(text: str) -> str:
    """Leave out what may be drawn as nothing: for telling whether two names look the same."""
    return _IGNORABLE.sub("", text)


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
