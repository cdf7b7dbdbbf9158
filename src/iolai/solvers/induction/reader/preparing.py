"""Lines before they are parted into cells: labels in brackets, rows on several lines, lists in one.

Every rule asks for several lines that show it: one line alone proves no layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from iolai.reading.labels import label_at_start

__all__ = ["is_indented", "is_rule", "joined", "prepared", "unrolled"]

_ENOUGH = 3
_IN_BRACKETS = re.compile(r"[ \t]{0,20}\((\d{1,3}|[A-Za-z]{1,2})\) (?=[\w‘’'“\"«„ʼʻ!ǃǀǂǁ*-])")
_BREAK = re.compile(r"[ \t]{0,9}<br ?/?>[ \t]{0,9}", re.IGNORECASE)
_RULE = re.compile(
    r"\|?\s{0,9}:?-{2,}:?\s{0,9}(?:[|+]\s{0,9}:?-{2,}:?\s{0,9}){0,60}\|?|[+|=─═┼╪━│-]{4,}"
)
_BULLET = re.compile(r"^[ \t]{0,20}([-–*•▪◦·])[ \t]{1,4}(?=[^\s|])")
_INDENTED = re.compile(r"(?:[ ]{2,}|\t)[^\s|]")
#: ``mako ‘dog’,`` and ``mako — dog;`` within a line.
_QUOTED_PAIR = re.compile(
    r"(?:(?<=[,;:.] )|^)(?P<form>[^\s,;:‘“\"«][^,;:‘“\"«]{0,80}?)"
    r"(?:\s?[–—=-])?\s(?:‘(?P<a>[^‘’]{1,120})’|“(?P<b>[^“”]{1,120})”|\"(?P<c>[^\"]{1,120})\""
    r"|«(?P<d>[^«»]{1,120})»|'(?P<e>[^']{1,120})')(?=[,;.]|\sand\s|$)"
)
_SOUND = re.compile(r"\b(?:as|like|pronounced|sounds?|stands?|marks?|is|are)\b", re.IGNORECASE)
_COVERED = 0.7
_DASHED = re.compile(r"\s[–—=-]\s")


def prepared(lines: Sequence[str]) -> list[str]:
    """Return lines with labels in brackets written with a full stop, and cells of one line each.

    Bullets go where several lines in a row have the same.
    """
    out = [part for line in _without_bullets(lines) for part in _unbroken(line)]
    for family in ("digit", "lower", "upper"):
        marks = [
            (n, match)
            for n, line in enumerate(out)
            if (match := _IN_BRACKETS.match(line)) and _family(match[1]) == family
        ]
        if len(marks) >= _ENOUGH and _follow([match[1] for _, match in marks]):
            for n, match in marks:
                out[n] = f"{match[1]}. {out[n][match.end() :]}"
    return out


def _without_bullets(lines: Sequence[str]) -> list[str]:
    """Take bullets off; lines that are set in below one stay with it."""
    out: list[str] = []
    for bullet, group in groupby(zip(lines, _bullets(lines), strict=True), key=itemgetter(1)):
        run = [line for line, _ in group]
        if bullet and sum(_BULLET.match(line) is not None for line in run) >= _ENOUGH:
            run = [_BULLET.sub("", line, count=1) for line in run]
        out += run
    return out


def _bullets(lines: Sequence[str]) -> list[str]:
    """Return the bullet that each line stands under, or an empty string."""
    found: list[str] = []
    for line in lines:
        match = _BULLET.match(line)
        above = found[-1] if found and is_indented(line) else ""
        found.append(match[1] if match else above)
    return found


def is_indented(line: str) -> bool:
    """Say whether a line is set in, as what goes on with the line above is."""
    return _INDENTED.match(line) is not None


def _family(label: str) -> str:
    return "digit" if label.isdigit() else "upper" if label.isupper() else "lower"


def _follow(labels: Sequence[str]) -> bool:
    places = [int(x) if x.isdigit() else ord(x[0].lower()) + 26 * (len(x) - 1) for x in labels]
    return all(b == a + 1 for a, b in pairwise(places))


def _unbroken(line: str) -> list[str]:
    """Make lines of a row whose cells all have as many lines; else one line of each cell."""
    if "<" not in line or not _BREAK.search(line):
        return [line]
    cells = [_BREAK.split(cell) for cell in line.strip().strip("|").split("|")]
    lengths = {len(cell) for cell in cells}
    if len(cells) > 1 and len(lengths) == 1:
        return [" | ".join(row) for row in zip(*cells, strict=True)]
    return [_BREAK.sub(" ", line)]


def is_rule(line: str) -> bool:
    """Say whether a line only draws a rule: ``|---|---|``."""
    return _RULE.fullmatch(line.strip()) is not None


def joined(lines: Sequence[str]) -> list[str] | None:
    """Return lines with the indented ones set behind those they go on with, None without such."""
    out: list[str] = []
    n_joined = 0
    for line in lines:
        if out and is_indented(line) and label_at_start(line) is None and out[-1].strip():
            out[-1] = f"{out[-1].rstrip()} {line.strip()}"
            n_joined += 1
        else:
            out.append(line)
    return out if n_joined > 1 else None


def unrolled(line: str, n_least: int = _ENOUGH) -> list[tuple[str, str]]:
    """Return the pairs of a line that holds several: ``mako ‘dog’, tiri ‘bird’``; else nothing."""
    found = [match for match in _QUOTED_PAIR.finditer(line) if not _SOUND.search(match["form"])]
    covered = sum(match.end() - match.start() + 1 for match in found)
    if len(found) >= n_least and covered > _COVERED * (len(line) - found[0].start()):
        return [
            (
                match["form"].strip(),
                next(filter(None, match.group("a", "b", "c", "d", "e"))).strip(),
            )
            for match in found
        ]
    _, colon, rest = line.partition(": ")
    parts = [part.strip() for part in (rest if colon else line).rstrip(". ").split(";")]
    sides = [_DASHED.split(part) for part in parts if part]
    if len(sides) >= _ENOUGH and all(len(pair) == 2 for pair in sides):
        return [(form.strip(), gloss.strip()) for form, gloss in sides]
    return []
