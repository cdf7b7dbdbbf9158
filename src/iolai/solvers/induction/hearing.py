"""Which letters are vowels by the company they keep, where they are not what their script says.

Vowels and consonants alternate. What the letters of a script are known as is believed as long as
it explains at least half of the alternation that any parting of the letters in two explains; in
words in cipher it does not, and the best parting takes its place. It is found from Sukhotin's
algorithm (Sukhotin 1962; Guy 1991) by moving single letters.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from iolai.solvers.induction.matching.clues import are_two_spellings, without_remark
from iolai.solvers.induction.reader import Sheet
from iolai.solvers.induction.segments import Sounds, base, is_known_vowel, script, segments

__all__ = ["alternation", "parting", "sounds_of"]

Meetings = Counter[tuple[str, str]]

_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f])*")
_LEAST_LETTERS = 6
_BELIEVED = 0.5
_MAX_WORDS = 2000


def sounds_of(sheet: Sheet) -> Sounds | None:
    """Return what the letters of a sheet's forms are, None where they are what they are known as.

    Each script is judged by itself; one without known vowels is left alone.
    """
    words: dict[str, list[tuple[str, ...]]] = {}
    for word in _words(dict.fromkeys(_texts(sheet))):
        words.setdefault(script(word[0]), []).append(word)
    vowels: set[str] = set()
    consonants: set[str] = set()
    for _, found in sorted(words.items()):
        meetings = _meetings(found)
        letters = sorted({letter for pair in meetings for letter in pair})
        known = frozenset(letter for letter in letters if is_known_vowel(letter))
        if len(letters) < _LEAST_LETTERS or not known:
            continue
        best = parting(meetings)
        if alternation(meetings, known) < _BELIEVED * alternation(meetings, best):
            vowels |= best
            consonants |= set(letters) - best
    return Sounds(frozenset(vowels), frozenset(consonants)) if vowels else None


def alternation(meetings: Meetings, vowels: frozenset[str]) -> float:
    """Return how regularly two sets of letters take turns: minus phi over neighbours, in [-1, 1].

    0 where who follows is independent of who stands before.
    """
    counts = [[0, 0], [0, 0]]
    for (one, other), n in meetings.items():
        counts[one in vowels][other in vowels] += n
    rows = [sum(row) for row in counts]
    columns = [counts[0][k] + counts[1][k] for k in (0, 1)]
    spread = math.sqrt(rows[0] * rows[1] * columns[0] * columns[1])
    if not spread:
        return 0.0
    return (counts[0][1] * counts[1][0] - counts[0][0] * counts[1][1]) / spread


def parting(meetings: Meetings) -> frozenset[str]:
    """Return the vowels: the smaller of the two sets of letters that take turns best."""
    letters = sorted({letter for pair in meetings for letter in pair})
    vowels = _by_sukhotin(meetings, letters)
    best = alternation(meetings, vowels)
    while True:
        moved = max((vowels ^ {one} for one in letters), key=lambda v: alternation(meetings, v))
        reached = alternation(meetings, moved)
        if reached <= best + 1e-9:
            break
        vowels, best = moved, reached
    others = frozenset(letters) - vowels
    return min(vowels, others, key=len)


def _by_sukhotin(meetings: Meetings, letters: Sequence[str]) -> frozenset[str]:
    """Return vowels one by one, each the letter that most often stands beside consonants."""
    beside: Meetings = Counter()
    for (one, other), n in meetings.items():
        if one != other:
            beside[one, other] += n
            beside[other, one] += n
    sums = {one: sum(beside[one, other] for other in letters) for one in letters}
    vowels: list[str] = []
    while sums:
        top = max(sums, key=lambda one: (sums[one], one))
        if sums.pop(top) <= 0:
            break
        vowels.append(top)
        for one in sums:
            sums[one] -= 2 * beside[top, one]
    return frozenset(vowels)


def _meetings(words: Iterable[Sequence[str]]) -> Meetings:
    """Count which letter stands before which; doubled letters say nothing of turns."""
    pairs = (pair for word in words for pair in pairwise(word))
    return Counter((one, other) for one, other in pairs if one != other and other.isalpha())


def _words(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield words as bare letters, the first ones only where there are very many."""
    n = 0
    for text in texts:
        for word in _WORD.findall(without_remark(text).lower()):
            yield tuple(base(segment) for segment in segments(word))
            n += 1
        if n > _MAX_WORDS:
            return


def _texts(sheet: Sheet) -> Iterator[str]:
    """Yield what the sheet gives in the language: words, sentences and their transcriptions."""
    for table in sheet.tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                if column.role in ("form", "phonetic"):
                    yield cell.text
    for lists in sheet.lists:
        forms, glosses = ([e.text for e in entries] for entries in (lists.forms, lists.glosses))
        yield from forms
        if forms and glosses and are_two_spellings(forms, glosses):
            yield from glosses
    for task in sheet.tasks:
        yield from (item.text for item in task.items if item.source in ("form", "phonetic"))
        yield from (entry.text for entry in task.equations)
