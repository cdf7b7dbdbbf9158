"""Lists and objects as models write them: JSON, Python literals, and what is nearly one of them.

A parser of its own, since ``ast.literal_eval`` can exhaust the interpreter's stack on hostile text
and knows nothing of curly quotes or of a list cut off in the middle. It is bounded in depth and in
the number of values, and linear in the length of the text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Literal", "Pairs", "Value", "find_literals", "read_literal"]

_MAX_DEPTH = 8
_MAX_VALUES = 20_000
_MAX_CANDIDATES = 40

_CLOSE = {"[": "]", "(": ")", "{": "}"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}
_SPACE = re.compile(r"\s*")
#: A quote ends a string where a separator follows; an apostrophe inside a word does not.
_AFTER_STRING = re.compile(r"\s*(?:[,\])}:]|\Z|\n\s*[\"'“])")
_BARE = re.compile(r"[^,\[\](){}:\n\"“]{1,200}")
_WORDS = {"null": None, "None": None, "none": None}
_START = re.compile(r"[\[{(]\s{0,200}(?:[\"'“‘«„{\[]|\d{1,9}\s{0,9}[,\]:])")


@dataclass(frozen=True, slots=True)
class Pairs:
    """An object: its keys and values in the order written, repeated keys included."""

    pairs: tuple[tuple[str, Value], ...]


Value = str | None | tuple["Value", ...] | Pairs


@dataclass(frozen=True, slots=True)
class Literal:
    """A list or an object found in a text, where it stands, and whether it was cut off."""

    value: Value
    start: int
    end: int
    is_cut_off: bool
    has_bare_words: bool


@dataclass(slots=True)
class _Budget:
    left: int = _MAX_VALUES


class _NotALiteral(Exception):  # noqa: N818 -- never leaves this module
    """The text at hand is neither a list nor an object."""


@dataclass(slots=True)
class _Parser:
    text: str
    place: int
    budget: _Budget
    is_cut_off: bool = False
    has_bare_words: bool = False
    depth: int = field(default=0)

    def value(self) -> Value:
        self.budget.left -= 1
        if self.budget.left < 0:
            raise _NotALiteral
        first = self._peek()
        if first in _CLOSE:
            return self._container(first)
        if first in _QUOTES:
            return self._string(first)
        return self._bare()

    def _peek(self) -> str:
        space = _SPACE.match(self.text, self.place)
        self.place = space.end() if space else self.place
        return self.text[self.place : self.place + 1]

    def _container(self, opening: str) -> Value:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _NotALiteral
        self.place += 1
        members: list[tuple[str | None, Value]] = []
        while not self._closes(_CLOSE[opening]):
            key, value = self._member(opening)
            if self.is_cut_off and isinstance(value, str):
                break  # half a string is no answer
            members.append((key, value))
            if self._peek() == ",":
                self.place += 1
        self.depth -= 1
        keys = [key for key, _ in members]
        if opening == "{" and None not in keys:
            return Pairs(tuple((str(key), value) for key, value in members))
        return tuple(value for _, value in members)

    def _closes(self, closing: str) -> bool:
        following = self._peek()
        if not following or self.is_cut_off:
            self.is_cut_off = True
            return True
        if following == closing:
            self.place += 1
            return True
        if following in "])}:,":
            raise _NotALiteral
        return False

    def _member(self, opening: str) -> tuple[str | None, Value]:
        value = self.value()
        if opening != "{" or self._peek() != ":":
            return None, value
        self.place += 1
        if not self._peek():
            self.is_cut_off = True
            return str(value), ""
        return str(value), self.value()

    def _string(self, opening: str) -> str:
        start = self.place
        closing = _QUOTES[opening]
        reached = start + 1
        while True:
            end = self.text.find(closing, reached)
            if end < 0:
                self.is_cut_off = True
                self.place = len(self.text)
                return self.text[start + 1 :]
            reached = end + 1
            if not _is_escaped(self.text, end) and _AFTER_STRING.match(self.text, reached):
                self.place = reached
                return _unescape(self.text[start:reached])

    def _bare(self) -> Value:
        word = _BARE.match(self.text, self.place)
        if word is None:
            raise _NotALiteral
        self.place = word.end()
        text = word[0].strip()
        if text in _WORDS:
            return _WORDS[text]
        if not text:
            raise _NotALiteral
        if not re.fullmatch(r"-?\d+(?:\.\d+)?", text):
            self.has_bare_words = True
        return text


def _is_escaped(text: str, place: int) -> bool:
    """Say whether an odd number of backslashes stands before ``place``."""
    before = place
    while before > 0 and text[before - 1] == "\\" and place - before < 50:
        before -= 1
    return (place - before) % 2 == 1


def _unescape(token: str) -> str:
    """Return what a string token (its quotes included) stands for."""
    inside = token[1:-1]
    if "\\" not in inside:
        return inside
    try:
        value = json.loads(f'"{inside}"') if token[0] != "'" else ast.literal_eval(token)
    except (ValueError, SyntaxError):
        return re.sub(r"\\(.)", r"\1", inside)
    return value if isinstance(value, str) else inside


def read_literal(text: str, start: int = 0) -> Literal | None:
    """Return the list, tuple or object that begins at ``start``, or None."""
    return _read(text, start, _Budget())


def _read(text: str, start: int, budget: _Budget) -> Literal | None:
    parser = _Parser(text, start, budget)
    try:
        value = parser.value()
    except _NotALiteral:
        return None
    if isinstance(value, str) or value is None:
        return None
    return Literal(value, start, parser.place, parser.is_cut_off, parser.has_bare_words)


def find_literals(text: str) -> Iterator[Literal]:
    """Yield the lists and objects that stand somewhere in ``text``, outermost ones only.

    Where quoted strings or numbers begin them, that is: ``[a.ˈtaː]`` is a transcription.
    """
    budget = _Budget()
    reached = 0
    for _ in range(_MAX_CANDIDATES):
        match = _START.search(text, reached)
        if match is None:
            return
        literal = _read(text, match.start(), budget)
        if literal is not None:
            yield literal
        reached = literal.end if literal is not None else match.start() + 1
