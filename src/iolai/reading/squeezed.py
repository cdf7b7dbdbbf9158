"""Several answers in one slot: ``x; y; z`` where three items are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from iolai.reading.labels import Mark, default_labels, find_marks

__all__ = ["Split", "split_at_labels", "split_squeezed"]

_MAX_MARKS = 500
_MAX_WORDS = 6
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"))
#: What parts answers wherever that gives exactly as many as items; ``\\n`` as text, too.
_SEPARATORS = (";", "|", "；", "\t", "\\n", "<br>", "<br/>")


@dataclass(frozen=True, slots=True)
class Split:
    """How squeezed answers come apart, or why that is in doubt."""

    answers: list[str] = field(default_factory=list)
    how: str = ""
    doubt: str = ""


def split_squeezed(
    answers: Sequence[str], labels: Sequence[str], options: Sequence[str] = ()
) -> Split | None:
    """Take fewer answers than items apart; None where nothing says that they are squeezed.

    By line breaks, by labels inside the line, by ``;``, ``|`` or a tab; by commas or (letters of a
    matching task) by spaces only where that gives exactly the number of items.
    """
    n_items = len(labels)
    if len(answers) == 1:
        answers = [_unbracketed(answers[0])]
    lines = _parts(answers, "\n")
    if len(lines) == n_items:
        return Split(lines, "one answer a line")
    if len(answers) == 1:
        by_labels = split_at_labels(answers[0], labels)
        if by_labels:
            return Split(by_labels, "at the labels in the line")
    for separator in _SEPARATORS:
        parts = _parts(answers, separator)
        if len(parts) == n_items:
            return _whole(parts, f"at {separator!r}")
    if len(answers) > 1:
        return None
    return _split_one(answers[0], n_items, options)


def _split_one(answer: str, n_items: int, options: Sequence[str]) -> Split | None:
    words = answer.replace(",", " ").split()
    if len(words) == n_items and options and set(words) <= set(options):
        return Split(words, "one letter after the other")
    letters = _run_together(words, answer.strip(), n_items, options)
    if letters:
        return Split(letters, "one letter after the other")
    slashes = _parts([answer], " / ")
    if len(slashes) == n_items > 2:  # of two, one may be an alternative
        return _whole(slashes, 'at "/"')
    semicolons = _parts([answer], ";")
    if len(semicolons) > 1:
        return Split(doubt=_misfit(";", semicolons, n_items))
    commas = _parts([answer], ",")
    # A comma inside a sentence parts no answers.
    if len(commas) < 2 or any(len(part.split()) > _MAX_WORDS for part in commas):
        return None
    if len(commas) == n_items:
        return _whole(commas, 'at ","')
    return Split(doubt=_misfit(",", commas, n_items))


def _unbracketed(answer: str) -> str:
    """Return what stands in the one pair of brackets around a whole answer."""
    inside = answer[1:-1]
    is_around = answer[:1] + answer[-1:] in ("()", "[]") and not set(inside) & set("()[]")
    return inside.strip() if is_around and (";" in inside or "," in inside) else answer


def _run_together(
    words: Sequence[str], answer: str, n_items: int, options: Sequence[str]
) -> list[str]:
    """Return the letters of ``1C 2A 3D`` or ``CAD`` in a matching task, else nothing."""
    counted = [word.removeprefix(str(place)) for place, word in enumerate(words, start=1)]
    if len(words) == n_items and options and set(counted) <= set(options):
        return counted
    is_row = n_items > 2 and len(answer) == len(set(answer)) == n_items
    return list(answer) if is_row and set(answer) <= set(options) else []


def _whole(parts: list[str], how: str) -> Split:
    """Return the split, in doubt where it tears brackets or quotes apart."""
    if all(map(_is_balanced, parts)):
        return Split(parts, how)
    return Split(doubt="the answers would be torn apart inside brackets or quotes")


def _is_balanced(part: str) -> bool:
    pairs = all(part.count(opening) == part.count(closing) for opening, closing in _PAIRS)
    return pairs and part.count('"') % 2 == 0 and not part.endswith("\\")


def _misfit(separator: str, parts: Sequence[str], n_items: int) -> str:
    return f'"{separator}" makes {len(parts)} answers of one, {n_items} are asked for'


def _parts(answers: Sequence[str], separator: str) -> list[str]:
    parts = (part.strip() for answer in answers for part in answer.split(separator))
    return [part for part in parts if part]


def split_at_labels(answer: str, labels: Sequence[str]) -> list[str]:
    """Split "1. a 2. b" at the labels, which must all be there and in order; else nothing."""
    marks = list(islice(find_marks(answer), _MAX_MARKS))
    for wanted in (tuple(labels), *default_labels(len(labels))):
        chain = _chain(marks, wanted)
        if chain and not answer[: chain[0].start].strip():
            ends = [mark.start for mark in chain[1:]] + [len(answer)]
            return [
                answer[mark.end : end].strip().rstrip(";,|").rstrip()
                for mark, end in zip(chain, ends, strict=True)
            ]
    return []


def _chain(marks: Sequence[Mark], wanted: Sequence[str]) -> list[Mark]:
    """Return the marks that carry the wanted labels one after the other, all of them or none."""
    chain: list[Mark] = []
    for mark in marks:
        same_style = not chain or chain[0].style == mark.style
        if len(chain) < len(wanted) and mark.label == wanted[len(chain)] and same_style:
            chain.append(mark)
    return chain if len(chain) == len(wanted) > 1 else []
