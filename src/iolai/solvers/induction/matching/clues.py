"""What a form and a gloss say for each other by themselves: names and loans, digits, doubling."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from iolai.solvers.examples import similarity
from iolai.solvers.induction.matching.forms import form_words, is_reduplicated
from iolai.solvers.induction.reader import Lists, Sheet
from iolai.solvers.induction.segments import script

__all__ = ["anchors", "are_two_spellings", "direct_clues", "spelt_pairs", "without_remark"]

Floats = NDArray[np.float64]

_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_MANY = re.compile(r"\b(?:very|all|many|every|various|repeatedly|often|again)\b|s\b", re.IGNORECASE)
_REMARK = re.compile(r"\s*(?:\([^()]*\)|['‘“\"][^'’”\"]+['’”\"])\s*$")
_LOAN, _NUMBER, _DOUBLED = 3.0, 4.0, 0.7
_LIKE_ENOUGH = 0.5
_MAX_ANCHORS = 20


def direct_clues(forms: Sequence[str], glosses: Sequence[str]) -> Floats:
    """Return what each pair of a form and a gloss speaks for itself, (forms, glosses), in nats."""
    out = np.zeros((len(forms), len(glosses)))
    for row, form in enumerate(forms):
        doubled = any(is_reduplicated(word) for word in form_words(form))
        for column, gloss in enumerate(glosses):
            out[row, column] = _LOAN * _loan(form, gloss) + _NUMBER * _same_digits(form, gloss)
            if doubled and _MANY.search(gloss):
                out[row, column] += _DOUBLED
    return out


def _loan(form: str, gloss: str) -> float:
    words = [similarity(one, two) for one in _WORD.findall(form) for two in _WORD.findall(gloss)]
    best = max(words, default=0.0)
    return best if best >= _LIKE_ENOUGH else 0.0


def _same_digits(form: str, gloss: str) -> float:
    mine, theirs = set(_DIGITS.findall(form)), set(_DIGITS.findall(gloss))
    return float(bool(mine) and mine == theirs)


def anchors(sheet: Sheet, lists: Lists) -> tuple[tuple[str, str], ...]:
    """Return pairs that the sheet aligns elsewhere: in tables of forms and glosses, in prose."""
    pairs = [(note.form, note.gloss) for note in sheet.notes]
    for table in sheet.tables:
        forms, glosses = table.places("form"), table.places("gloss")
        if len(forms) == 1 and glosses:
            pairs += [(r.cells[forms[0]].text, r.cells[glosses[0]].text) for r in table.rows]
    mine = {word for entry in lists.forms for word in form_words(entry.text)}
    known = [(one, two) for one, two in dict.fromkeys(pairs) if one and two]
    # A table of another language shares no words with these forms; its pairs would only mislead.
    telling = [pair for pair in known if mine & set(form_words(pair[0]))]
    return tuple(telling[:_MAX_ANCHORS])


def are_two_spellings(forms: Sequence[str], glosses: Sequence[str]) -> bool:
    """Say whether the second list spells the first one's words, rather than says what they mean.

    So it is with single words where one list is in another script, in brackets or has letters
    that the working language lacks, or where all are names.
    """
    glosses = [without_remark(gloss) for gloss in glosses]
    one_word = [len(text.split()) == 1 for text in (*forms, *glosses)]
    if sum(one_word) < 0.8 * len(one_word):
        return False
    bracketed = sum(text.strip()[:1] in "[/" for text in glosses) > 0.6 * len(glosses)
    foreign = sum(not text.isascii() for text in glosses) > 0.3 * len(glosses)
    names = all(text[:1].isupper() for text in glosses)
    return bracketed or foreign or (names and _scripts(forms) != _scripts(glosses))


def without_remark(text: str) -> str:
    """Take a gloss or remark in brackets or quotes off the end of a word."""
    return _REMARK.sub("", text).strip() or text


def spelt_pairs(
    sheet: Sheet, forms: Sequence[str], glosses: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return pairs of cells that spell a word in the scripts of the two lists."""
    scripts = _scripts(forms), _scripts(glosses)
    pairs = []
    for table in sheet.tables:
        for row in table.rows:
            texts = [cell.text for cell in row.cells if len(cell.text.split()) == 1]
            found = [[t for t in texts if _scripts([t]) == wanted] for wanted in scripts]
            if scripts[0] != scripts[1] and found[0] and found[1]:
                pairs.append((found[0][0], found[1][0]))
    return tuple(dict.fromkeys(pairs))[:_MAX_ANCHORS]


def _scripts(texts: Sequence[str]) -> frozenset[str]:
    letters = {letter for text in texts for letter in text if letter.isalpha()}
    return frozenset(script(letter) for letter in letters)
