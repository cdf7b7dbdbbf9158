"""How the plain-text format keeps any text: escapes inside a line, a backslash before a line."""

from __future__ import annotations

import re

from iolai.errors import FormatError, Place
from iolai.formats.source import storable

__all__ = [
    "ESCAPES",
    "block_lines",
    "block_text",
    "inline_text",
    "join_alternatives",
    "render_inline",
    "split_alternatives",
]

#: What follows a backslash in a heading, a setting or an answer, and what it stands for.
ESCAPES = {
    "\\": "\\",
    "|": "|",
    "n": "\n",
    "r": "\r",
    "s": " ",
    "t": "\t",
    "c": ",",
    "e": "",
}
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_WHITE_SPACE = " \t\r"
_ALWAYS = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_AT_EDGES = {" ": "\\s", "\t": "\\t"}
#: A bar with white space, or nothing, on both sides separates two alternatives.
_BAR = re.compile(r"(?<![^ \t])\|(?![^ \t])")


def render_inline(text: str) -> str:
    """Write ``text`` so that it stands on one line and survives the stripping of that line."""
    return _escaped(storable(text), frozenset())


def _escaped(text: str, bars: frozenset[int]) -> str:
    """Escape a text; ``bars`` says where in it bars stand that would separate alternatives."""
    marks = ["\\|" if place in bars else _ALWAYS.get(mark, mark) for place, mark in enumerate(text)]
    for edge in (0, -1):
        if marks:
            marks[edge] = _AT_EDGES.get(marks[edge], marks[edge])
    return "".join(marks)


def inline_text(written: str, place: Place) -> str:
    """Read one line back; raises FormatError for an escape that does not exist."""

    def replace(match: re.Match[str]) -> str:
        if match[1] not in ESCAPES:
            raise FormatError(
                f"there is no escape \\{match[1]}",
                place=place,
                hint="Write a backslash as \\\\; the escapes are "
                + " ".join(f"\\{mark}" for mark in ESCAPES)
                + ".",
            )
        return ESCAPES[match[1]]

    return _ESCAPE.sub(replace, written.strip(_WHITE_SPACE))


def join_alternatives(alternatives: tuple[str, ...]) -> str:
    """Write the accepted answers of an item: ``one | another``."""
    return " | ".join(
        _escaped(text, frozenset(bar.start() for bar in _BAR.finditer(text))) or "\\e"
        for text in map(storable, alternatives)
    )


def split_alternatives(written: str, place: Place) -> tuple[str, ...]:
    """Read the accepted answers of an item; raises FormatError where one is empty."""
    parts = [part.strip(_WHITE_SPACE) for part in _BAR.split(written.strip(_WHITE_SPACE))]
    if not all(parts):
        raise FormatError(
            "there is no answer here",
            place=place,
            hint="Write the answer after its number, with ` | ` between alternatives; an answer "
            "that is empty is written \\e, a bar as \\|.",
        )
    return tuple(inline_text(part, place) for part in parts)


def block_lines(text: str) -> list[str]:
    """Write a text of several lines.

    A backslash goes before a line that starts with ``#`` or a backslash, and before blank lines
    at the beginning and end, which reading would drop.
    """
    if not text:
        return []
    lines = storable(text).split("\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    first, last = (filled[0], filled[-1]) if filled else (len(lines), len(lines))
    return [
        f"\\{line}" if line.startswith(("#", "\\")) or not first <= number <= last else line
        for number, line in enumerate(lines)
    ]


def block_text(lines: list[str]) -> str:
    """Read a text of several lines back: blank lines around it go, one backslash a line too."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    kept = lines[filled[0] : filled[-1] + 1] if filled else []
    return "\n".join(line.removeprefix("\\") for line in kept)
