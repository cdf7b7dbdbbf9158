"""The layout of a task's text: labelled entries in runs, ranges, blanks, instruction and list.

Nothing here knows a language or a problem: only how olympiad sheets are laid out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from iolai.reading.labels import (
    LABEL,
    Mark,
    expand_range,
    families,
    find_marks,
    is_letter_label,
    narrow,
)

__all__ = [
    "BLANK",
    "TOLD",
    "Entry",
    "Run",
    "count_blanks",
    "find_runs",
    "find_words_listed",
    "given_lines",
    "instructions_apart",
    "is_heading",
    "is_instruction",
    "labels_mentioned",
    "listed_lines",
    "without_mentions",
]

_MAX_GAP = 3
#: No sheet has more labels within lines, lines with labels, lists, nor lists open at once; what
#: comes after is not looked at.
_MAX_MARKS, _MAX_LINES, _MAX_RUNS = 2000, 10_000, 1000
#: A longer number goes on with a list but begins none: it is a year or a sum.
_LONGEST_FIRST = 3
_MAX_OPEN = 8

#: A blank to fill in: underscores or a row of dots.
BLANK = re.compile(r"_{2,}|\.{4,}|…{2,}")

#: What an instruction tells the solver to do, as alternatives of a pattern.
TOLD = (
    "answer|arrange|assign|calculate|choose|complete|compose|compute|convert"
    "|decipher|derive|describe|determine|explain|express|fill|find|form|give|identify|indicate"
    "|list|match|name|pair|provide|put|read|reconstruct|render|restore|say|select|spell|state"
    "|supply|transcribe|translate|transliterate|work out|write"
)
_INSTRUCTION = re.compile(rf"\b(?:{TOLD}|correspondences?)\b", re.IGNORECASE)
#: No instruction is longer, in letters; what stands behind in a line is not looked at.
_LONGEST_SAID = 10_000
_QUESTION = re.compile(r"(?:what|how|which)\b[^?]{1,200}\?$", re.IGNORECASE)
_GIVEN = re.compile(
    r"(?:here|below|given|consider|note|these|this|the following|you are|look at|study)\b",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"[(*\[]|n\.?\s?b\b|note\b|hint\b|be sure\b|do not\b|don[’']t\b|remember\b|make sure\b"
    r"|(?:one|two|three|four|some|each|all|none|both) of (?:the|these|those|your|them)\b"
    r"|your answers?\b|the answers?\b|give (?:all|the|your)\b|explain\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A labelled entry: its label, what stands beside it, its line, and whether it is a blank."""

    label: str
    style: str
    text: str
    line: int


@dataclass(slots=True, eq=False)
class Run:
    """Entries whose labels follow each other, in one style."""

    style: str
    possible: dict[str, int]
    entries: list[Entry] = field(default_factory=list)
    begins_lines: bool = False

    @property
    def kind(self) -> str:
        """Return ``number`` (also for 1a, 1b), ``roman`` or ``letter``."""
        family = next(iter(self.possible))
        if family in ("number", "sub"):
            return "number"
        return "roman" if family in ("roman", "lower-roman") else "letter"

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(entry.label for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def find_runs(lines: Sequence[str]) -> list[Run]:
    """Return the runs of labelled entries, in order of their first entry."""
    runs: list[Run] = []
    recent: list[Run] = []
    n_lines = n_inside = 0
    for number, line in enumerate(lines):
        taken: list[tuple[Mark, Run]] = []
        if n_lines == _MAX_LINES or len(runs) >= _MAX_RUNS:
            break
        marks = list(islice(find_marks(line), 1 + _MAX_MARKS - n_inside))
        n_lines += bool(marks)
        n_inside += max(0, len(marks) - 1)
        for mark in marks:
            run = _place(mark, recent, taken)
            if run is None:
                continue
            if not run.entries:
                runs.append(run)
                run.begins_lines = mark.at_start
            if run in recent:
                recent.remove(run)
            recent.insert(0, run)
            del recent[_MAX_OPEN:]
            taken.append((mark, run))
            run.entries.append(Entry(mark.label, mark.style, "", number))
        if taken:
            _fill_texts(line, taken)
    return [run for run in runs if run.style != "|" or len(run) > 1]


def _place(mark: Mark, recent: Sequence[Run], taken: Sequence[tuple[Mark, Run]]) -> Run | None:
    """Find the run that a mark belongs to, make one for it, or None where it is no label."""
    inside = not mark.at_start and mark.style != "()"
    # In the middle of a line "2." is a label only right after "1." on that line.
    candidates = [run for _, run in taken[-1:]] if inside else recent
    for gap in (0, _MAX_GAP):
        for run in candidates:
            if run.style != mark.style or (gap and is_letter_label(mark.label)):
                continue
            possible = narrow(run.possible, mark.label, gap)
            if possible:
                run.possible = possible
                return run
    begins = not inside and not (mark.label.isdigit() and len(mark.label) > _LONGEST_FIRST)
    return Run(mark.style, families(mark.label)) if begins else None


def _fill_texts(line: str, taken: Sequence[tuple[Mark, Run]]) -> None:
    """Give each entry of one line the text between its label and the next one."""
    ends = [mark.start for mark, _ in taken[1:]] + [len(line)]
    seen: dict[int, int] = {}
    # "7. (a) x (b) y": a list within an entry, which begins with it
    nested = taken[0][0].at_start and len(taken) > 1 and taken[1][0].start == taken[0][0].end
    for (mark, run), end in reversed(list(zip(taken, ends, strict=True))):
        index = len(run.entries) - 1 - seen.get(id(run), 0)
        seen[id(run)] = seen.get(id(run), 0) + 1
        entry = run.entries[index]
        text = _beside(line, mark, end, is_listed=mark.at_start or taken[0][1] is run or nested)
        run.entries[index] = Entry(entry.label, entry.style, text, entry.line)


def _beside(line: str, mark: Mark, end: int, *, is_listed: bool) -> str:
    text = line[mark.end : end]
    cell = re.split(r"\||\t", text, maxsplit=1)[0]
    inside = line[mark.start - 1 : mark.start] in ("[", "/")  # a blank in a transcription
    if mark.style == "()" and (not is_listed or inside or not cell.strip()):
        return ""
    text = text.strip().strip("|").strip()
    text = text.removesuffix(";").rstrip()
    text = text.removesuffix(",").rstrip() if end < len(line) else text
    return "" if BLANK.fullmatch(text) else text


_RANGE = re.compile(
    rf"(?<![\w^.])[(\[]?(?P<first>{LABEL})[.)\]]?\s?(?:-|–|—|−|‑|…|\.{{2,3}})\s?[(\[]?"
    rf"(?P<last>{LABEL})\b[)\]]?"
    r"|(?<![\w^.])\(?(?P<from>\d{1,3})\)?\s(?:to|through|till|until)\s\(?(?P<to>\d{1,3})\b\)?"
    r"|(?<![\w^.])\((?P<a>[a-zA-Z]{1,4})\)\s(?:to|through)\s\((?P<b>[a-zA-Z]{1,4})\)"
)
_ENUMERATION = re.compile(
    rf"\((?:{LABEL})\)(?:\s?,\s?(?:and\s)?\((?:{LABEL})\)|\s(?:and|or|&)\s\((?:{LABEL})\)){{1,60}}"
)
_ROUND = re.compile(rf"\(({LABEL})\)")


def _mentions(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    for match in _RANGE.finditer(text):
        groups = [group for group in match.groups() if group]
        labels = expand_range(groups[0], groups[1])
        if labels:
            yield match.start(), match.end(), labels
    for match in _ENUMERATION.finditer(text):
        yield match.start(), match.end(), tuple(_ROUND.findall(match[0]))


def labels_mentioned(text: str) -> tuple[str, ...]:
    """Return the labels that ranges and lists in ``text`` name: (1-5), 16-19, (A) and (B)."""
    labels = (label for _, _, found in sorted(_mentions(text)) for label in found)
    return tuple(dict.fromkeys(labels))


def without_mentions(text: str) -> str:
    """Return ``text`` with its ranges and lists of labels blanked out, at the same length."""
    kept: list[str] = []
    reached = 0
    for start, end, _ in sorted(_mentions(text)):
        kept += [text[reached:start], "~" * (end - max(start, reached))]
        reached = max(end, reached)
    return "".join(kept) + text[reached:]


_LISTED = re.compile(
    r"\bthe\s(?:\w+\s)?(?:words|numbers|numerals|forms|phrases|sentences|expressions|names)\s"
    r"(?P<list>[^.:;()]{3,400})"
)
_LIST_END = re.compile(r"\s(?:and\sthe|in|into|to|as|from|for|with|below|above|given|that)\b")


def find_words_listed(instruction: str) -> tuple[str, ...]:
    """Return the words that an instruction lists itself: "the words x, y and z"."""
    match = _LISTED.search(instruction)
    if match is None:
        return ()
    listed = _LIST_END.split(" " + match["list"], maxsplit=1)[0]
    words = [word.strip() for word in re.split(r",|\sand\s", listed)]
    words = [word for word in words if word]
    return tuple(words) if len(words) > 1 and all(len(w.split()) <= 4 for w in words) else ()


def is_instruction(line: str) -> bool:
    """Say whether a line tells the solver what to do."""
    return line.rstrip().endswith(":") or _INSTRUCTION.search(line[:_LONGEST_SAID]) is not None


def is_heading(line: str) -> bool:
    """Say whether a line with a colon at its end is in words that introduce something."""
    return (
        _INSTRUCTION.search(line[:_LONGEST_SAID]) is not None
        or _GIVEN.match(line.strip()) is not None
    )


_SAID = re.compile(
    r"(?:(?<=\s)|^)(?:\([A-Za-z]\)\s|[A-Za-z][.)]\s)?"
    r"(?:Translate|Transcribe|Write|Give|Put|Render|Express|State|Say|Spell|Form)\b[^:.?!\n]{0,100}"
    r":(?=\s|$)",
    re.MULTILINE,
)
_LISTED_BEHIND = re.compile(r"\(?[A-Za-z\d]{1,4}[.)]\s")


def instructions_apart(query: str) -> str:
    """Return a query of several instructions with their items on lines of their own.

    ``Give the plural of: 1. a 2. b Give the singular of: 3. c``; a query in which every
    instruction has its line, or that has but one, stays as it is.
    """
    found = list(_SAID.finditer(query))
    if len(found) < 2:
        return query
    ends = [match.start() for match in found[1:]] + [len(query)]
    parts = [query[match.end() : end] for match, end in zip(found, ends, strict=True)]
    if not any(part.split("\n", 1)[0].strip() for part in parts):
        return query
    out = [query[: found[0].start()].rstrip()]
    for match, part in zip(found, parts, strict=True):
        behind, _, below = part.partition("\n")
        out += [match[0].strip(), *_listed_behind(behind.strip()), below.rstrip()]
    return "\n".join(line for line in out if line)


def _listed_behind(text: str) -> list[str]:
    """Return what stands behind a colon, one item a line where commas or semicolons list it."""
    if _LISTED_BEHIND.match(text):
        return [text]
    for sign in (";", ","):
        parts = [part.strip() for part in text.rstrip(".").split(sign) if part.strip()]
        if len(parts) > 1 and (sign == ";" or all(len(part.split()) <= 4 for part in parts)):
            return parts
    return [text]


def given_lines(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines of further data in a query: "Here are more words:", up to an instruction."""
    given: set[int] = set()
    pending: list[int] = []
    inside = False
    for number, line in enumerate(lines):
        text = line.strip()
        if text.endswith(":"):
            if inside and _INSTRUCTION.search(text):
                given.update(pending)
            inside = bool(_GIVEN.match(text)) and not _INSTRUCTION.search(text)
            pending = []
        elif inside and text.endswith(".") and _INSTRUCTION.match(text):
            given.update(pending)
            inside, pending = False, []
        if inside:
            pending.append(number)
    return frozenset(given)


def listed_lines(lines: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Split the lines into instructions and an unlabelled list, one item a line (their numbers)."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    hidden = given_lines(lines)
    colons = [n for n in filled if lines[n].rstrip().endswith(":")]
    head = _head(lines, filled, colons)
    # In some orthographies a word ends in a colon: below the head it takes words of an instruction.
    said = {n for n in filled if n <= head} | {n for n in colons if is_heading(lines[n])}
    items = [n for n in filled if n not in said and n not in hidden]
    notes = _trailing_note(lines, items)
    kept = tuple(n for n in items if n not in notes)
    return tuple(sorted(said)), kept


def _head(lines: Sequence[str], filled: Sequence[int], colons: Sequence[int]) -> int:
    """Return the last line of the opening instruction, -1 where the list begins at once."""
    if not filled:
        return -1
    if len(filled) > 1 and _QUESTION.match(lines[filled[0]].strip()):
        return filled[0] if not any("?" in lines[n] for n in filled[1:]) else -1
    headings = [n for n in colons if n == filled[0] or is_heading(lines[n])]
    # What stands before the first heading is introduction, unless the list began above it.
    introduced = bool(headings) and is_instruction(lines[filled[0]])
    if introduced and headings[0] - filled[0] <= _MAX_GAP:
        return headings[0]
    if not is_instruction(lines[filled[0]]):
        return colons[0] if colons else -1
    first_gap = next((n for n in range(filled[0], len(lines)) if not lines[n].strip()), None)
    if first_gap is None or first_gap > filled[-1]:
        return filled[0]
    opening = [n for n in filled if n < first_gap]
    prose = all(lines[n].rstrip().endswith((".", ":", "!", ")")) for n in opening)
    return opening[-1] if prose else filled[0]


def _trailing_note(lines: Sequence[str], items: Sequence[int]) -> frozenset[int]:
    """Return the lines of a remark below the list: "Be sure to mark the stress."."""
    if len(items) < 2:
        return frozenset()
    last = [items[-1]]
    while len(last) < len(items) and items[-len(last) - 1] == last[-1] - 1:
        last.append(items[-len(last) - 1])
    is_paragraph = len(last) < len(items)
    if is_paragraph and _NOTE.match(lines[last[-1]].strip()):
        return frozenset(last)
    return frozenset()


def count_blanks(lines: Iterable[str]) -> int:
    """Count the unlabelled blanks (``____``)."""
    return sum(len(BLANK.findall(line)) for line in lines)
