"""Contexts in words: ``_ě``, ``#_``, ``[vowel]_``; what a segment counts as in a context."""

from __future__ import annotations

from iolai.solvers.induction.segments import base, decomposed, has_known_sound, is_vowel

__all__ = ["CLASSES", "counts_as", "is_plain", "sounds_as"]

CLASSES = {
    "voiceless": frozenset("ptkqfsxcʃθçχħʈʂɸʦʧ"),
    "voiced": frozenset("bdgvzɡʒðɣʁɖʐβɟʣʤɦ"),
    "nasal": frozenset("mnŋɲɳɴɱ"),
    "liquid": frozenset("lrɾɭʎɫɹʀɽ"),
    "front vowel": frozenset("eiyɛɪøœæě"),
    "back vowel": frozenset("aouɔʊɑʌɯ"),
}
_FRONTING = frozenset("\u0308\u030b")
_SYNTAX = frozenset("/;:→_∅[]“”,+=")


def counts_as(segment: str) -> tuple[str, ...]:
    """Return what a neighbour counts as, the least special first: ``""``, classes, itself."""
    if segment in ("", "#"):
        return ("", "#")
    known = base(segment) if has_known_sound(segment) else ""
    classes = [f"[{name}]" for name, members in CLASSES.items() if known in members]
    kinds = ["[vowel]"] if is_vowel(segment) else ["[consonant]"] if segment.isalpha() else []
    return ("", *kinds, *classes, segment)


def sounds_as(segment: str) -> tuple[str, ...]:
    """Return what a sound counts as; a vowel with an umlaut or a double acute is a front vowel."""
    known = counts_as(segment)
    if "[back vowel]" in known and _FRONTING.intersection(decomposed(segment)):
        return tuple("[front vowel]" if name == "[back vowel]" else name for name in known)
    return known


def is_plain(text: str) -> bool:
    """Say whether a text can stand in a printed rule: no sign of the notation, no blank."""
    return not any(sign in _SYNTAX or sign.isspace() or sign == "#" for sign in text)
