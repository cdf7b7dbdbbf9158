"""Which column holds what: numbers, transcriptions in brackets, English, or the language's words.

The working language is taken to be English. Evidence for a gloss column, by weight: what the items
to be translated look like, a header, English function words, plain letters, its place at the end.
A column of words that resemble their neighbours row by row holds other forms of them, no glosses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from iolai.solvers.induction.reader.sheet import Column, Row

__all__ = [
    "column_likeness",
    "column_roles",
    "english_share",
    "is_common",
    "is_number",
    "similarity",
    "words_alike",
]

_NUMBER = re.compile(r"[\d\s.,^{}+*×−=/–-]*\d[\d\s.,^{}+*×−=/–-]*")
_BRACKETED = re.compile(r"[\[/].*[\]/]")
_COMMON = """
the of to an and is are was were will would did does do not be been being has have had he she
    they we you his her their our your my me him them us it its in on at from with without for by
    who whom what where when which that this these those there if as into up out off one two three
    something somebody someone can could may must because about who's isn't aren't somebody's sg pl
    again very man woman child dog house water
"""
_FUNCTION_WORDS = frozenset(_COMMON.split())
_GLOSS_HEADER = re.compile(r"\b(?:translations?|english|gloss|meaning)\b", re.IGNORECASE)
#: Names of forms of one word: columns beside each other that have them hold no glosses.
_OF_FORMS = re.compile(
    r"(?:singular|plural|dual|paucal|masculine|feminine|neuter|present|past|future|perfect"
    r"|sg|pl|du)\.?",
    re.IGNORECASE,
)
#: What a capital in a header, as names of languages have, says against a gloss.
_CAPITAL = 0.5
#: How alike two cells of a row are to be forms of one word; in what share of the rows; how many
#: rows are looked at.
_ALIKE, _MOSTLY, _LOOKED_AT = 0.6, 0.7, 60
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def is_number(text: str) -> bool:
    """Say whether a cell is a number or a sum of numbers."""
    return _NUMBER.fullmatch(text.strip()) is not None


def english_share(texts: Sequence[str]) -> float:
    """Return how English some texts look, in [0, 1]: function words, plain letters."""
    words = [word.lower() for text in texts for word in _WORD.findall(text)]
    if not words:
        return 0.0
    known = sum(1 for word in words if word in _FUNCTION_WORDS) / len(words)
    plain = sum(1 for word in words if word.replace("’", "'").isascii()) / len(words)
    return 0.6 * min(1.0, 3 * known) + 0.4 * plain**4


def is_common(word: str) -> bool:
    """Say whether a word is one of the most common of English."""
    return word in _FUNCTION_WORDS


def similarity(texts: Sequence[str], others: Sequence[str]) -> float:
    """Return the share of the texts' letter triples that others have, in [0, 1]."""
    wanted, known = _triples(tuple(texts)), _triples(tuple(others))
    total = wanted.total()
    return sum(n for triple, n in wanted.items() if triple in known) / total if total else 0.0


@lru_cache(maxsize=1024)
def _triples(texts: tuple[str, ...]) -> Counter[str]:
    """Count triples of letters; kept, since all items are compared with every column."""
    padded = [f" {text.lower().strip(' .?!')} " for text in texts]
    return Counter(text[i : i + 3] for text in padded for i in range(len(text) - 2))


def column_roles(
    rows: Sequence[Row],
    header: Sequence[str],
    into_english: Sequence[str],
    from_english: Sequence[str],
    quoted: frozenset[int] = frozenset(),
) -> tuple[Column, ...]:
    """Return the columns of a table.

    ``into_english`` are the texts of items to be translated into English, ``from_english`` of
    those to be translated from it; ``quoted`` are the places of columns in quotation marks, as
    meanings are.
    """
    width = len(rows[0].cells) if rows else len(header)
    names = tuple(header) if len(header) == width else ("",) * width
    columns = [[row.cells[i].text for row in rows if row.cells[i].text] for i in range(width)]
    roles = [_plain_role(texts) for texts in columns]
    open_places = [i for i, role in enumerate(roles) if role == "form"]
    if "form" not in roles and "phonetic" in roles:
        first = roles.index("phonetic")
        roles[first] = "form"
        open_places = [first] if roles.count("form") + roles.count("value") < width else []
    of_forms = [i for i in open_places if _OF_FORMS.fullmatch(names[i].strip())]
    if len(of_forms) > 1:
        open_places = [i for i in open_places if i not in of_forms]
    if len(open_places) > 1 or (open_places and len(of_forms) > 1):
        scores = {
            i: _gloss_score(columns[i], names[i], i == width - 1, into_english, from_english)
            + (0.5 if i in quoted else 0.0)
            for i in open_places
        }
        best = max(open_places, key=lambda i: scores[i])
        is_named = any(_GLOSS_HEADER.search(name) for name in names)
        if not (into_english or is_named or best in quoted) and any(
            column_likeness(rows, best, i) > 0 for i in open_places if i != best
        ):
            return tuple(Column(role, name) for role, name in zip(roles, names, strict=True))
        # where all headers have capitals, one says nothing against a gloss that items ask for
        is_asked = bool(into_english) and all(names[i][:1].isupper() for i in open_places)
        if scores[best] + (_CAPITAL if is_asked else 0.0) > 0.35:
            roles[best] = "gloss"
            for i in open_places:
                if scores[i] > max(0.75, scores[best] - 0.25) and len(open_places) > 3:
                    roles[i] = "gloss"
    elif len(open_places) == 1 and width == 2 and roles.count("phonetic") == 1:
        _settle_bracketed(roles, columns)
    return tuple(Column(role, name) for role, name in zip(roles, names, strict=True))


def column_likeness(rows: Sequence[Row], one: int, other: int) -> float:
    """Return how much more alike two columns of words are row by row than across rows, in [0, 1].

    0 where their cells are neither single words nor as many words in either column, or no forms
    of the same words.
    """
    pairs = [(row.cells[one].text, row.cells[other].text) for row in rows[:_LOOKED_AT]]
    pairs = [(a.casefold(), b.casefold()) for a, b in pairs if a and b]
    n_phrases = sum(" " in a or " " in b for a, b in pairs)
    n_uneven = sum(len(a.split()) != len(b.split()) for a, b in pairs)
    if len(pairs) < 3 or min(n_phrases, n_uneven) > 0.2 * len(pairs):
        return 0.0
    beside = [words_alike(a, b) for a, b in pairs]
    across = [words_alike(a, pairs[n - 1][1]) for n, (a, _) in enumerate(pairs)]
    if sum(found >= _ALIKE for found in beside) < _MOSTLY * len(pairs):
        return 0.0
    return max(0.0, (sum(beside) - sum(across)) / len(pairs))


def words_alike(one: str, other: str) -> float:
    """Return how alike two words are in their letters, in [0, 1]."""
    return SequenceMatcher(None, one[:100], other[:100], autojunk=False).ratio()


def _settle_bracketed(roles: list[str], columns: Sequence[Sequence[str]]) -> None:
    """Where brackets and one more column are all there is, the other column may be the gloss."""
    other = next(i for i, role in enumerate(roles) if role != "phonetic")
    if english_share(columns[other]) > 0.5:
        roles[other] = "gloss"
        roles[1 - other] = "form"


def _plain_role(texts: Sequence[str]) -> str:
    if not texts:
        return "form"
    if sum(1 for text in texts if is_number(text)) >= 0.8 * len(texts):
        return "value"
    if sum(1 for text in texts if _BRACKETED.fullmatch(text)) >= 0.6 * len(texts):
        return "phonetic"
    return "form"


def _gloss_score(
    texts: Sequence[str],
    name: str,
    is_last: bool,
    into_english: Sequence[str],
    from_english: Sequence[str],
) -> float:
    score = english_share(texts) + (0.2 if is_last else 0.0)
    if _GLOSS_HEADER.search(name):
        score += 2.0
    elif name[:1].isupper():
        score -= _CAPITAL
    score += 1.5 * similarity(from_english, texts) - 1.5 * similarity(into_english, texts)
    return score
