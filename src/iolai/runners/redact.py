"""The log of an entry, made fit to be shown: texts of the test set and of the key blotted out.

This keeps a log from showing the test set by accident or by plain printing. It cannot stop an
entry that encodes what it prints; for that the log's length is limited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from iolai.runners.rows import split_rows
from iolai.text import fold_case_and_form

__all__ = ["BLOT", "Redactor", "plain_text", "texts_of_test_set"]

BLOT = "█"

#: A run of this many characters that also stands in a secret text is blotted out.
_WINDOW = 16
#: Shorter secrets are blotted out where they stand as whole words; below this they are too
#: common ("a", "12") for a log to stay readable.
_SHORTEST = 3

# ECMA-48: control sequences, strings (titles, links) up to their terminator, two-byte escapes.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?",
)
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
#: Columns of a test set that say nothing about a problem.
_OPEN_COLUMNS = frozenset({"id", "work_lang", "task_lang", "task_type", "eval_type"})


def plain_text(data: bytes) -> str:
    """Decode a log: escape sequences, control and direction characters are taken out.

    A carriage return ends a line, so that a progress bar shows each of its states.
    """
    text = data.decode("utf-8", "replace")
    text = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text)


def texts_of_test_set(test_csv: str) -> list[str]:
    """Return the cells of a test set that may not be shown: all but ids, languages and types."""
    rows = split_rows(test_csv.removeprefix("\ufeff"))
    header = next(rows, None)
    names = [name.strip() for name in header.cells] if header is not None else []
    return [
        cell
        for row in rows
        for number, cell in enumerate(row.cells)
        if number >= len(names) or names[number] not in _OPEN_COLUMNS
    ]


class Redactor:
    """Blots secret texts out of a log: whole, in part, and as Python or JSON would escape them.

    A long text is found by any 16 characters of it (runs of white space count as one space); a
    short text, and a short line of a long one, only as a whole word of at least 3 characters.
    Upper and lower case, composed and decomposed letters are the same.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._windows: set[str] = set()
        short: set[str] = set()
        for secret in dict.fromkeys(secrets):
            for form in {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]}:
                form = fold_case_and_form(form)[0]
                squeezed = _squeeze(form)
                last = len(squeezed) - _WINDOW
                self._windows.update(squeezed[i : i + _WINDOW] for i in range(last + 1))
                pieces = (piece.strip() for piece in form.splitlines())
                short.update(p for p in pieces if _SHORTEST <= len(p) < _WINDOW)
        words = sorted(map(re.escape, short), key=len, reverse=True)
        self._short = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None

    def redact(self, text: str, before: str = "") -> str:
        """Return ``text`` with every secret blotted out, one blot a stretch.

        ``before`` is what stood in front of it, for what begins there and ends in ``text``.
        """
        folded, places = fold_case_and_form(before + text)
        hidden = bytearray(len(before) + len(text))
        for start, end in self._found(folded):
            first, last = places[start], places[end - 1]
            hidden[first : last + 1] = b"\1" * (last + 1 - first)
        return _blotted(text, hidden[len(before) :])

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets stand in a folded text."""
        places = [m.start() for m in re.finditer(r"\S|\s+", text)]
        squeezed = _squeeze(text, strip=False)
        for i in range(len(squeezed) - _WINDOW + 1):
            if squeezed[i : i + _WINDOW] in self._windows:
                yield places[i], places[i + _WINDOW - 1] + 1
        if self._short is not None:
            yield from (match.span() for match in self._short.finditer(text))


def _squeeze(text: str, *, strip: bool = True) -> str:
    squeezed = re.sub(r"\s+", " ", text)
    return squeezed.strip() if strip else squeezed


def _blotted(text: str, hidden: bytearray) -> str:
    parts: list[str] = []
    end = 0
    for match in re.finditer(rb"\x01+", hidden):
        parts += [text[end : match.start()], BLOT * 3]
        end = match.end()
    return "".join([*parts, text[end:]])
