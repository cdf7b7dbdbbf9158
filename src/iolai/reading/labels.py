"""Labels: what stands before an item or an answer (``16.``, ``(a)``, ``BB``, ``iv``).

A label is a label only in a sequence. ``2. person`` alone is an answer that begins with a number;
``1. a`` before ``2. b`` are two labelled answers. The letters go on past Z as olympiad sheets write
them: AA, BB, CC ...; AA, AB, AC ... and A1, B1, C1 ... are known too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

__all__ = [
    "FAMILIES",
    "LABEL",
    "Mark",
    "answer_labels",
    "default_labels",
    "expand_range",
    "families",
    "find_marks",
    "is_letter_label",
    "is_only_label",
    "is_sequence",
    "label_at_start",
    "narrow",
    "take_labels",
]

#: What a label may look like; :func:`families` says which of these it really is.
LABEL = r"\d{1,3}[a-z]?|[A-Z]\d{1,2}|[IVXLC]{1,8}|[ivxlc]{1,8}|[A-Z]{1,2}|[a-z]{1,2}"

_ROMAN = re.compile(r"(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.ASCII)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ALPHABET = 26
_SUB_STEP = 1000
_MAX_RANGE = 200


def _number(label: str) -> int | None:
    return int(label) if label.isascii() and label.isdigit() else None


def _doubled(label: str) -> int | None:
    """A = 1 ... Z = 26, then AA = 27, BB = 28 ..., or A1 = 27, B1 = 28 ..."""
    letter, rest = label[:1], label[1:]
    if not (letter.isascii() and letter.isalpha() and len(label) <= 2):
        return None
    place = ord(letter.upper()) - ord("A") + 1
    if not rest:
        return place
    if rest == letter:
        return _ALPHABET + place
    return _ALPHABET * int(rest) + place if rest.isascii() and rest.isdigit() else None


def _upper(label: str) -> int | None:
    return _doubled(label) if label[:1].isupper() else None


def _lower(label: str) -> int | None:
    return _doubled(label) if label.isalpha() and label.islower() else None


def _columns(label: str) -> int | None:
    """A = 1 ... Z = 26, then AA = 27, AB = 28 ... as spreadsheets name their columns."""
    if not (label.isascii() and label.isalpha() and label.isupper() and len(label) <= 2):
        return None
    value = 0
    for letter in label:
        value = value * _ALPHABET + ord(letter) - ord("A") + 1
    return value


def _roman(label: str) -> int | None:
    if not label or not _ROMAN.fullmatch(label):
        return None
    values = [_ROMAN_VALUES[letter] for letter in label]
    return sum(
        -value if value < after else value
        for value, after in zip(values, [*values[1:], 0], strict=True)
    )


def _lower_roman(label: str) -> int | None:
    return _roman(label.upper()) if label.islower() else None


def _sub(label: str) -> int | None:
    """1a, 1b, 2a ..."""
    digits, letter = label[:-1], label[-1:]
    if not (digits.isascii() and digits.isdigit() and "a" <= letter <= "z"):
        return None
    return int(digits) * _SUB_STEP + ord(letter) - ord("a") + 1


def _coded(label: str) -> int | None:
    """A1, A2, A3 ..."""
    letter, digits = label[:1], label[1:]
    if not ("A" <= letter <= "Z" and digits.isascii() and digits.isdigit()):
        return None
    return (ord(letter) - ord("A") + 1) * _SUB_STEP + int(digits)


#: The kinds of label sequence, the more usual first.
FAMILIES: dict[str, Callable[[str], int | None]] = {
    "number": _number,
    "upper": _upper,
    "lower": _lower,
    "lower-roman": _lower_roman,
    "roman": _roman,
    "sub": _sub,
    "coded": _coded,
    "columns": _columns,
}


def families(label: str) -> dict[str, int]:
    """Return the place of ``label`` in each family it may belong to: ``C`` is 3 or 100."""
    places = ((name, place_of(label)) for name, place_of in FAMILIES.items())
    return {name: place for name, place in places if place is not None}


def is_letter_label(label: str) -> bool:
    """Say whether ``label`` begins with a letter, as the options of a matching task do."""
    return label[:1].isalpha()


def _next_to(family: str, before: int, after: int) -> bool:
    if after == before + 1:
        return True
    # After 1b comes 2a.
    return family == "sub" and after == (before // _SUB_STEP + 1) * _SUB_STEP + 1


def narrow(possible: dict[str, int], label: str, max_gap: int = 0) -> dict[str, int]:
    """Return the families in which ``label`` follows the last place of each, with its place.

    ``possible`` maps a family to the place reached in it. Up to ``max_gap`` labels may be left out.
    """
    places = families(label)
    return {
        family: places[family]
        for family, last in possible.items()
        if family in places
        and (
            _next_to(family, last, places[family])
            or (family not in ("sub", "coded") and last < places[family] <= last + 1 + max_gap)
        )
    }


def is_sequence(labels: Sequence[str]) -> bool:
    """Say whether the labels follow each other without a gap in one family."""
    possible = families(labels[0]) if labels else {}
    for label in labels[1:]:
        possible = narrow(possible, label)
    return bool(possible)


def default_labels(n_items: int) -> tuple[tuple[str, ...], ...]:
    """Return the label sequences that people number n answers by when they start afresh."""
    letters = tuple(chr(ord("a") + i % _ALPHABET) * (1 + i // _ALPHABET) for i in range(n_items))
    return (
        tuple(str(i + 1) for i in range(n_items)),
        letters,
        tuple(letter.upper() for letter in letters),
        tuple(_to_roman(i + 1).lower() for i in range(n_items)),
        tuple(_to_roman(i + 1) for i in range(n_items)),
    )


def _to_roman(value: int) -> str:
    tens, ones = divmod(value, 10)
    roman_ones = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[ones]
    return ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC")[tens % 10] + roman_ones


def expand_range(first: str, last: str) -> tuple[str, ...] | None:
    """Return the labels from ``first`` to ``last``: 16-19, BB-HH, i-vi, A-F; None if no range.

    I-V is read as Roman numerals and C-F as letters: a list of Roman numerals starts at I.
    """
    order = ["number", "upper", "lower", "columns"]
    if first in ("i", "I"):
        order = ["lower-roman", "roman", *order]
    for family in order:
        begin, end = FAMILIES[family](first), FAMILIES[family](last)
        if begin is not None and end is not None and begin < end <= begin + _MAX_RANGE:
            written = (_write(family, first, place) for place in range(begin, end + 1))
            labels = tuple(label for label in written if label is not None)
            if len(labels) == end - begin + 1 and labels[-1] == last:
                return labels
    return None


def _write(family: str, first: str, place: int) -> str | None:
    """Write the label at ``place`` of a family (the inverse of the family's reader)."""
    if family == "number":
        return str(place)
    if family in ("roman", "lower-roman"):
        roman = _to_roman(place)
        return roman.lower() if family == "lower-roman" else roman
    cycle, letter = divmod(place - 1, _ALPHABET)
    base = chr(ord("a" if first.islower() else "A") + letter)
    if family == "columns":
        return base if cycle == 0 else chr(ord("A") + cycle - 1) + base
    return base * (cycle + 1) if cycle < 2 else None


@dataclass(frozen=True, slots=True)
class Mark:
    """A label found in a line: its text, how it is set off, where it and what follows begin.

    ``style`` is one of ``.`` ``)`` ``()`` ``:`` ``-`` ``|`` and a blank; ``at_start`` says that
    nothing but bullets, emphasis and white space stands before it in its line or table cell.
    """

    label: str
    style: str
    start: int
    end: int
    at_start: bool


_LEAD = r"[ \t>|]{0,40}(?:[-*•–]\s{1,8})?(?:\*\*|__)?"
_TAIL = r"(?:\*\*|__)?[ \t]*"
_AT_START = re.compile(
    rf"{_LEAD}(?:"
    rf"\((?P<round>{LABEL})\)[.:=]?"
    r"|\[(?P<square>\d{1,3})\][.:]?"
    rf"|(?P<dot>{LABEL})\.(?=\s|\*\*|$)"
    r"|(?P<numberdot>\d{1,3})\.(?![\d.])"
    rf"|(?P<bracket>{LABEL})\)"
    r"|(?P<longdot>\d{4})\.(?=\s)|(?P<longbracket>\d{4})\)(?=\s)"
    rf"|(?P<colon>{LABEL}):(?=\s|\*\*|$)"
    r"|(?P<numbercolon>\d{1,3}):(?!\d)"
    r"|(?P<arrow>\d{1,3})\s{0,4}(?:->|→|=>|=|-|–|—)(?=\s|[A-Za-z])"
    rf"){_TAIL}"
)
#: What only an answer's label may look like: "Answer 16:", "Item no. 16 -", "**16**:", "#16".
_NAMED = (
    r"(?i:answers?|ans|items?|questions?|sentences?|words?|phrases?|problems?|tasks?|blanks?|gaps?"
    r"|numbers?|nos?|nr|translations?|examples?)"
)
_WORDED = re.compile(
    rf"[#\s]{{0,8}}{_LEAD}"
    rf"(?P<words>(?:{_NAMED}\b\.?[ ]?(?:(?:to|for|of|in)\b[ ])?){{1,3}}#?|#|[QqAa]\.?(?=\s?\d))?"
    rf"(?(words)[ ]?|(?<=[*_]))[(\[]?(?P<label>{LABEL})[)\]]?(?:\*\*|__)?"
    rf"(?:\s?[.:)=]|\s?(?:=>|->|→)|\s[-–—](?=\s)|(?<=\d)(?=\s)|$){_TAIL}"
)
_SPACED = re.compile(r"(?P<label>\d{1,3})[ \t]{1,8}(?=\S)")
_DECORATED = re.compile(
    r"\s{0,8}(?:(?P<circle>[①-⑳])|(?P<digits>[0-9０-９]{1,3})"
    r"(?:\ufe0f?\u20e3|\\{1,2}[.)]|[．）、]))\s{0,8}"
)
_CIRCLED_ZERO = ord("①") - 1
_STYLES = {
    "round": "()",
    "square": "()",
    "dot": ".",
    "numberdot": ".",
    "bracket": ")",
    "longdot": ".",
    "longbracket": ")",
    "colon": ":",
    "numbercolon": ":",
    "arrow": "-",
}
_INSIDE = re.compile(
    rf"\((?P<round>{LABEL})\)[.:=]?|(?<![^\s;,|])(?:(?P<dot>{LABEL})\.|(?P<bracket>{LABEL})\))(?=\s)"
)
_BARE_CELL = re.compile(r"[ \t|]{0,8}(\d{1,3})[ \t]*(?:\||\t)[ \t]*")


def label_at_start(line: str) -> Mark | None:
    """Return what looks like a label at the start of ``line``, or None."""
    match = _AT_START.match(line)
    if match is None or match.lastgroup is None:
        return None
    label = match[match.lastgroup]
    if not families(label):
        return None
    return Mark(label, _STYLES[match.lastgroup], match.start(), match.end(), at_start=True)


def answer_labels(answer: str) -> tuple[Mark | None, Mark | None, Mark | None]:
    """Return what looks like a label before an answer: with a sign, with words, a bare number."""
    worded, spaced = _WORDED.match(answer), _SPACED.match(answer)
    return (
        label_at_start(answer) or _decorated(answer),
        _mark(worded, ":") if worded is not None and families(worded["label"]) else None,
        _mark(spaced, "\t" if "\t" in spaced[0] else " ") if spaced is not None else None,
    )


def _decorated(answer: str) -> Mark | None:
    """Return a label written with signs that no sheet has: ``①``, ``１．``, ``1\\.``, a keycap."""
    match = _DECORATED.match(answer)
    if match is None:
        return None
    number = ord(match["circle"]) - _CIRCLED_ZERO if match["circle"] else int(match["digits"])
    return Mark(str(number), ".", match.start(), match.end(), at_start=True)


def _mark(match: re.Match[str], style: str) -> Mark:
    return Mark(match["label"], style, match.start(), match.end(), at_start=True)


def is_only_label(line: str) -> bool:
    """Say whether nothing but a label stands on a line."""
    return any(mark is not None and not line[mark.end :].strip() for mark in answer_labels(line))


def find_marks(line: str) -> Iterator[Mark]:
    """Yield everything in ``line`` that looks like a label, from left to right."""
    seen = 0
    first = label_at_start(line)
    if first is None and (bare := _BARE_CELL.match(line)):
        yield Mark(bare[1], "|", 0, bare.end(), at_start=True)
    if first is not None:
        yield first
        seen = first.end
    for match in _INSIDE.finditer(line, seen):
        group = match.lastgroup or "round"
        if families(match[group]):
            at_start = _begins_cell(line, match.start())
            yield Mark(match[group], _STYLES[group], match.start(), match.end(), at_start)


def _begins_cell(line: str, start: int) -> bool:
    """Say whether a table's cell begins at ``start``: after a bar, a tab or three spaces."""
    before = line[max(0, start - 8) : start]
    begins_line = start < 8 and not before.strip()
    return begins_line or "   " in before or before.rstrip(" ").endswith(("|", "\t"))


def take_labels(
    answers: Sequence[str], labels: Sequence[str], *, options: Sequence[str] = ()
) -> tuple[tuple[int, str], ...] | None:
    """Take the labels off answers that all carry one; None where they are no labels.

    Returns (place of the item, answer without its label) in the order given. They are labels when
    they are the query's own (``labels``, in any order, none twice) or 1..n, a..n, i..n. At least
    two are needed, since one alone is no sequence; before the answer to a single item it must be
    the item's own, or a 1. The letters of a matching task's ``options`` are answers, never labels.
    """
    if len(answers) == len(labels) == 1:
        return _take_only(answers[0], labels[0], options)
    if not 2 <= len(answers) <= len(labels):
        return None
    for marks in zip(*map(answer_labels, answers), strict=True):
        found = [mark for mark in marks if mark is not None]
        if len(found) == len(answers):
            taken = _take_marks(answers, found, labels, options)
            if taken is not None:
                return taken
    return None


def _take_only(
    answer: str, label: str, options: Sequence[str]
) -> tuple[tuple[int, str], ...] | None:
    """Take the label off the answer to a single item: ``(1) dog``, ``Answer 16: dog``."""
    for mark in answer_labels(answer)[:2]:
        if mark is None or mark.style == "-" or mark.label in options:
            continue
        if mark.label in (label, "1") and answer[mark.end :].strip():
            return ((0, answer[mark.end :]),)
    return None


def _take_marks(
    answers: Sequence[str], marks: Sequence[Mark], labels: Sequence[str], options: Sequence[str]
) -> tuple[tuple[int, str], ...] | None:
    found = [mark.label for mark in marks]
    whole = {answer[: mark.end].strip(" .:)") for answer, mark in zip(answers, marks, strict=True)}
    if len(set(found)) < len(found):
        return None
    if (set(found) | whole) & set(options):
        return _before_options(answers, marks, labels, options)
    if marks[0].style == " ":
        # "1 dog", "2 dogs" may be answers; 16, 17, 18, 19 before four of them hardly are.
        known = tuple(labels) if tuple(found) == tuple(labels) and found[0] != "1" else ()
        return _placed(answers, marks, known) if known else None
    is_own = not any(labels) and _is_clear_sequence(found, len(labels))
    is_own = is_own or found == [str(place) for place in range(len(labels))]  # a count from zero
    own = (tuple(found),) if is_own else ()
    for known in (tuple(labels), *default_labels(len(labels)), *own):
        place = {label: index for index, label in enumerate(known)}
        # Labels of their own making must be complete, or they could be numbers of something else.
        complete = len(found) == len(known) or known == tuple(labels)
        if complete and len(place) == len(known) and all(label in place for label in found):
            return _placed(answers, marks, known)
    return None


def _before_options(
    answers: Sequence[str], marks: Sequence[Mark], labels: Sequence[str], options: Sequence[str]
) -> tuple[tuple[int, str], ...] | None:
    """Take ``a.``, ``b.``, ``c.`` off where each stands, in order, before one of the options."""
    found = tuple(mark.label for mark in marks)
    rest = {answer[m.end :].strip(" .()[]*") for answer, m in zip(answers, marks, strict=True)}
    in_order = [known for known in (tuple(labels), *default_labels(len(labels))) if found == known]
    return _placed(answers, marks, in_order[0]) if in_order and rest <= set(options) else None


def _placed(
    answers: Sequence[str], marks: Sequence[Mark], known: Sequence[str]
) -> tuple[tuple[int, str], ...] | None:
    """Return the place of each mark's label and the answer without it; None where all are bare."""
    place = {label: index for index, label in enumerate(known)}
    rest = [answer[mark.end :] for answer, mark in zip(answers, marks, strict=True)]
    if not any(text.strip() for text in rest):
        return None  # the labels are all there is: an echo of the query
    if marks[0].style in (".", ")") and _are_one_word(rest):
        return None  # "1. person", "2. person": nothing but the numbers tells them apart
    return tuple((place[mark.label], text) for mark, text in zip(marks, rest, strict=True))


def _are_one_word(rest: Sequence[str]) -> bool:
    same = {text.strip().lower() for text in rest}
    return len(rest) > 1 and len(same) == 1 and same.pop().isalpha()


def _is_clear_sequence(found: Sequence[str], n_items: int) -> bool:
    return len(found) == n_items > 2 and is_sequence(found)
