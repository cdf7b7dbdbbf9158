"""Statements in the language about two named persons: who, whose, and the words between."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["BLANK", "Frame", "Statement", "find_frame", "read_names", "tokens_of"]

BLANK = "___"
_BLANK = re.compile(r"_{2,}|\.{3,}|…|\(\?\)|(?<!\w)\?(?!\w)")
_TOKEN = re.compile(r"___|[^\W\d_]+(?:[-'’ʼ][^\W_]+)*(?:[-](?=\s|$))?|\w+")
_LABEL = re.compile(r"^\s*(?:[-*•]|\(?\w{1,3}[.)])\s+")
_ENGLISH_WORDS = """
the of is are was were and in which who all a an that their called means following
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_COMMON = 0.8
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Statement:
    """``first`` and ``second`` are the persons in order, ``words`` what is said but names.

    Names stand in ``shape`` as ``X`` and ``Y``, the words that differ as ``T``.
    """

    first: str
    second: str
    words: tuple[str, ...]
    shape: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """How statements are built: words that all have, the shape, whether the first is the relative.

    ``affixes`` are what stands on names, before or after.
    """

    shape: tuple[str, ...]
    common: frozenset[str]
    end: str = ""

    def say(self, first: str, second: str, term: str) -> str:
        """Return a statement; words on names are joined to them by ``+``."""
        fillers = {"X": first, "Y": second, "T": term}
        text = " ".join(fillers.get(part, part) for part in self.shape)
        text = re.sub(r" \+|\+ ", "", text)
        return text[:1].upper() + text[1:] + self.end


def tokens_of(text: str, names: Sequence[str]) -> list[str]:
    """Return the words of a text; what a name carries is cut from it and marked with ``+``."""
    text = _BLANK.sub(f" {BLANK} ", _LABEL.sub("", text))
    known = set(names)
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if token in known or token == BLANK:
            found.append(token)
        else:
            found += _cut(token, names)
    return found


def _cut(token: str, names: Sequence[str]) -> list[str]:
    """Cut a name with an affix into both; any other word is itself, in small letters."""
    for name in sorted(names, key=len, reverse=True):
        if len(name) < _SHORTEST:
            break
        if len(token) == len(name):
            continue
        if token.startswith(name):
            return [name, "+" + token.removeprefix(name)]
        if token.endswith(name) or token.endswith(name.lower()):
            return [token[: -len(name)].lower() + "+", name]
    return [token.lower()]


def read_names(lines: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return capitalised words of short lines that stand with a known name or one found so far."""
    found: Counter[str] = Counter()
    n_lines = 0
    for line in lines:
        words = _TOKEN.findall(_LABEL.sub("", line))
        if not 3 <= len(words) <= 8 or _ENGLISH & set(words):
            continue
        n_lines += 1
        found.update({w for w in words if w[0].isupper() and w not in known})
    often = max(2.0, 0.5 * n_lines)
    return [word for word, n in found.items() if n <= often]


def find_frame(lines: Sequence[str], names: Sequence[str]) -> tuple[list[Statement], Frame | None]:
    """Return the statements of some lines and the frame most of them share."""
    rows = [(line, tokens_of(line, names)) for line in lines]
    known = set(names)
    rows = [
        (line, tokens) for line, tokens in rows
        if sum(token in known for token in tokens) == 2 and 3 <= len(tokens) <= 9
        and not _ENGLISH & set(tokens) and BLANK not in tokens
    ]  # fmt: skip
    counts = Counter(token for _, tokens in rows for token in set(tokens) - known)
    # words on names are no terms, however rare
    common = frozenset(
        token for token, n in counts.items()
        if n > _COMMON * len(rows) or token.startswith("+") or token.endswith("+")
    )  # fmt: skip
    statements = [s for _, tokens in rows if (s := statement_of(tokens, known, common))]
    if not statements:
        return [], None
    shape, _ = Counter(s.shape for s in statements).most_common(1)[0]
    ends = Counter("." if line.rstrip().endswith(".") else "" for line, _ in rows)
    return statements, Frame(shape, common, ends.most_common(1)[0][0])


def statement_of(
    tokens: Sequence[str], names: set[str] | Mapping[str, object], common: frozenset[str]
) -> Statement | None:
    """Return a statement from its tokens: two names or blanks for them, and at least one term."""
    persons = [token for token in tokens if token in names]
    if len(persons) != 2 or persons[0] == persons[1]:
        return None
    words = tuple(token for token in tokens if token not in names and token not in common)
    shape: list[str] = []
    for token in tokens:
        part = "XY"[persons.index(token)] if token in names else token
        part = part if part in common or token in names else "T"
        if part != "T" or shape[-1:] != ["T"]:
            shape.append(part)
    return Statement(persons[0], persons[1], words, tuple(shape)) if words else None
