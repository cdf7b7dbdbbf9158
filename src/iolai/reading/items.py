"""The items of a task, read from its query, and where the blanks stand there, from its context.

The layout decides, not the task type: the type is a hint only where a query says no more than
"Determine the correct correspondences". Nothing is looked up in an answer key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from iolai.reading.cells import tabs_as_bars, with_open_cells
from iolai.reading.labels import is_letter_label
from iolai.reading.layout import (
    BLANK,
    Entry,
    Run,
    count_blanks,
    find_runs,
    find_words_listed,
    given_lines,
    instructions_apart,
    is_heading,
    is_instruction,
    labels_mentioned,
    listed_lines,
    without_mentions,
)
from iolai.reading.tidying import tidied
from iolai.records import Item, Task

__all__ = ["Option", "as_read", "is_count_known", "read_items", "read_options", "read_options_text"]

_MATCHING = re.compile(
    r"\bcorrespond|\bmatch|\bpair\b|\bpairs\b|arbitrary order|(?:mis|un|dis)(?:arranged|ordered)"
    r"|\bout of order|\bscrambled|\bshuffled|\brandom order|which translation",
    re.IGNORECASE,
)
_FILLING = re.compile(
    r"\bfill\b|\bblanks?\b|\bgaps?\b|\bmissing\b|\bcomplete\b|\bleft out\b|\bempty\b|\bomitted\b"
    r"|\bdots\b",
    re.IGNORECASE,
)
_QUESTION_CELL = re.compile(r"(?<![^|\t])[ ]{0,20}(?:\?|…|\.\.\.|--?)[ ]{0,20}(?![^|\t])")
#: A side of a pair that is left open: ``mako – ?``, ``... → dog``.
_OPEN_SIDE = re.compile(
    r"^\s{0,20}(?:\(?\d{1,3}[.)]\s{1,8})?(?:\?|…|\.\.\.)\s{1,8}(?:[-–—=:→>]|->)\s{1,8}\S"
    r"|\S\s{1,8}(?:[-–—=:→>]|->)\s{1,8}(?:\?|…|\.\.\.)\s{0,20}$"
)
_BULLET = re.compile(r"^[-*•‣·–]\s+(?=\S)")
#: Labels unknown to the rules of sequences: ``１.``, ``①``, and letters of other scripts.
_ANY_LABEL = re.compile(r"^(?:[①-⑳❶-❿]\s*|[(（]?(?:\d{1,3}|[^\W\d_])(?:[．、）]\s*|[.)]\s+))(?=\S)")
#: A part of a query with its own instruction, and one whose items follow on its line.
_PART = re.compile(
    r"^\s{0,20}(?:\([A-Za-z]\)|[A-Za-z][.)])\s{1,8}(?P<said>(?i:translate|write|render|express"
    r"|transcribe|give|put|fill|complete|determine|match|say|spell|state|answer)\b.*)$"
)
_BARE_NUMBER = re.compile(r"\s{0,20}(\d{1,3})\s{1,8}([^\W\d].*)$")
_ONE_ASKED = re.compile(r"\s{0,20}(?:translate|transcribe|write|render|express)\b", re.IGNORECASE)
_LABELS_BEHIND = re.compile(r":\s{1,8}\(?(?:\d{1,3}|[A-Za-z])[.)]\s")
_ASKED_BEHIND = re.compile(r"\s(?:[-–—=:→]|->)\s{0,4}\?$|:\s{0,4}\?$")


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a matching task: its letter as the sheet writes it, and what it stands for."""

    letter: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A query or a context, split into lines, with its labelled runs."""

    lines: tuple[str, ...]
    runs: tuple[Run, ...]

    def of_kind(self, *kinds: str) -> list[Run]:
        return [run for run in self.runs if run.kind in kinds]

    def entry(self, label: str) -> Entry | None:
        """Return the entry of a label: a blank before a line's label, the longest run first."""
        runs = sorted(self.runs, key=lambda run: (run.style != "()", -len(run)))
        return next((e for run in runs for e in run.entries if e.label == label), None)


@dataclass(frozen=True, slots=True)
class _Ask:
    """A task with its query laid out and the lines of it that say what to do."""

    task: Task
    query: _Sheet
    instruction: str

    @property
    def is_matching(self) -> bool:
        return (
            _MATCHING.search(self.instruction) is not None or self.task.task_type == "match_letters"
        )

    @property
    def is_filling(self) -> bool:
        return _FILLING.search(self.instruction) is not None or self.task.task_type == "fill_blanks"


def read_items(task: Task) -> tuple[Item, ...]:
    """Return the items of ``task`` in the order of the query; at least one.

    Each has its label as the query writes it (``""`` where it has none) and the text beside it.
    """
    ask = _read_ask(task)
    for rule in (_from_query_labels, _from_mention, _from_query_blanks, _from_list):
        items = rule(ask)
        if items:
            return items
    return (
        _from_context(ask)
        or _from_one_line(ask.instruction)
        or _from_marked_lines(ask.query.lines)
        or (Item("", task.query.strip()),)
    )


def as_read(task: Task) -> Task:
    """Return a task with its texts as they are read: tidied, with one mark for what is asked.

    Marks of typesetting are gone; instructions have lines of their own; cells that are empty where
    the query asks to fill in hold a blank.
    """
    return _read_ask(task).task


def is_count_known(task: Task, items: Sequence[Item]) -> bool:
    """Say whether the query shows how many items it has: one, its whole text, is but a default."""
    return tuple(items) != (Item("", task.query.strip()),)


def read_options(task: Task) -> tuple[str, ...]:
    """Return the letters that are legal answers to a matching task, in order; else nothing."""
    return tuple(option.letter for option in read_options_text(task))


def read_options_text(task: Task) -> tuple[Option, ...]:
    """Return the options of a matching task with what stands beside each; else nothing."""
    ask = _read_ask(task)
    lists = _two_lists(ask.query)
    if lists is None and ask.is_matching:
        lists = _options_apart(ask)
    if lists is None:
        return ()
    # Where letters come first, either list may be meant by the answers.
    runs = [*lists[0], *lists[1]] if _is_letters_first(*lists) else lists[1]
    return tuple(Option(entry.label, entry.text) for run in runs for entry in run.entries)


# --- the query ------------------------------------------------------------------------------


def _read_query(task: Task) -> _Sheet:
    lines = _without_part_labels(task.query.split("\n"))
    hidden = given_lines(lines)
    shown = [
        "" if number in hidden else without_mentions(line) if is_instruction(line) else line
        for number, line in enumerate(lines)
    ]
    return _Sheet(tuple(lines), _kept(find_runs(shown), shown))


def _without_part_labels(lines: Sequence[str]) -> list[str]:
    """Take labels off instructions: "(a) Translate into English:" above "7. x" is no item."""
    parts = {n: match for n, line in enumerate(lines) if (match := _PART.match(line))}
    kept = list(lines)
    for n, match in parts.items():
        below = next((line for line in lines[n + 1 :] if line.strip()), "")
        heads = below and n + 1 not in parts and match["said"].rstrip().endswith((":", "."))
        if heads or (len(parts) == 1 and not below and _LABELS_BEHIND.search(match["said"])):
            kept[n] = match["said"]
    return kept


def _read_ask(task: Task) -> _Ask:
    query = instructions_apart(tabs_as_bars(tidied(task.query)))
    ask = _ask(replace(task, context=tabs_as_bars(tidied(task.context)), query=query))
    if ask.is_filling:
        context, query = with_open_cells(ask.task.context, ask.task.query)
        if (context, query) != (ask.task.context, ask.task.query):
            ask = _ask(replace(task, context=context, query=query))
    return ask


def _ask(task: Task) -> _Ask:
    query = _read_query(task)
    return _Ask(task, query, _instruction(query))


def _read_context(text: str) -> _Sheet:
    lines = text.split("\n")
    return _Sheet(tuple(lines), tuple(run for run in find_runs(lines) if len(run) > 1))


def _kept(runs: Iterable[Run], lines: Sequence[str]) -> tuple[Run, ...]:
    """Leave out what only looks like a label: a single letter in a text of several lines."""
    found = tuple(runs)
    n_lines = sum(1 for line in lines if line.strip() and not is_instruction(line))
    # a) may stand alone below "2." where a) and b) stand below "1.".
    again = {run.labels[0] for run in found if run.kind == "letter" and len(run) > 1}
    return tuple(
        run
        for run in found
        if len(run) > 1
        or run.labels[0] in again
        or (run.begins_lines and (run.kind == "number" or n_lines <= 1))
    )


def _instruction(query: _Sheet) -> str:
    """Return the lines that say what to do, as one text."""
    labelled = {entry.line for run in query.runs for entry in run.entries}
    filled = [number for number, line in enumerate(query.lines) if line.strip()]
    if labelled:
        first = min(labelled)
        said = [
            n for n in filled if n not in labelled and (n < first or is_heading(query.lines[n]))
        ]
    else:
        said = list(listed_lines(query.lines)[0])
    return "\n".join(query.lines[n] for n in said or filled[:1])


def _two_lists(sheet: _Sheet) -> tuple[list[Run], list[Run]] | None:
    """Return (items, options) where a sheet holds a numbered and a lettered list side by side."""
    numbers, letters = sheet.of_kind("number", "roman"), sheet.of_kind("letter")
    if not numbers or not letters or _is_nested(numbers, letters):
        return None
    return numbers, letters


def _is_nested(outer: Sequence[Run], inner: Sequence[Run]) -> bool:
    """Say whether letters subdivide the numbered entries: 1. a) b), 2. a) b)."""
    entries = [(e.line, 0, e) for run in outer for e in run.entries]
    entries += [(e.line, 1, e) for run in inner for e in run.entries]
    entries.sort(key=lambda triple: triple[:2])
    if entries[0][1]:
        return False
    per_line = [entry.line for run in inner for entry in run.entries]
    beside = set(per_line) <= {entry.line for run in outer for entry in run.entries}
    if len(inner) == 1 and beside and len(set(per_line)) == len(per_line) > 1:
        return False  # two columns: "1. x | A. y"
    headings = [
        entry
        for (_, is_inner, entry), (_, next_is_inner, _) in pairwise(entries)
        if not is_inner and next_is_inner
    ]
    n_outer = sum(len(run) for run in outer)
    asked = any(entry.text.rstrip().endswith("?") for entry in headings)
    return 2 * len(headings) > n_outer and not asked


def _is_letters_first(numbers: Sequence[Run], letters: Sequence[Run]) -> bool:
    """Say whether lettered items stand above the numbers to choose from, no fewer than they are.

    More letters than numbers are options, wherever they stand.
    """
    if not numbers or not letters:
        return False
    above = max(entry.line for run in letters for entry in run.entries)
    below = min(entry.line for run in numbers for entry in run.entries)
    return above < below and 1 < sum(map(len, letters)) <= sum(map(len, numbers))


def _from_query_labels(ask: _Ask) -> tuple[Item, ...]:
    numbers, letters = ask.query.of_kind("number", "roman"), ask.query.of_kind("letter")
    if numbers and letters and _is_nested(numbers, letters):
        return _leaves(numbers, letters)
    if _is_letters_first(numbers, letters):
        return _items_of(letters, ask.query)
    if numbers:
        return _with_listed_words(ask.query, _items_of(numbers, ask.query))
    if not letters or _asks_for_numbers(ask):
        return ()
    return _with_listed_words(ask.query, _items_of(letters, ask.query))


def _asks_for_numbers(ask: _Ask) -> bool:
    """Say whether letters in the query are the options of a numbered list in the context."""
    if any(not is_letter_label(label) for label in labels_mentioned(ask.instruction)):
        return True
    if not ask.is_matching:
        return False
    return bool(_read_context(ask.task.context).of_kind("number", "roman"))


def _leaves(outer: Sequence[Run], inner: Sequence[Run]) -> tuple[Item, ...]:
    """Return the innermost entries, labelled 1a, 1b where the letters start again."""
    starts_again = len(inner) > 1
    entries = [(e.line, False, e) for run in outer for e in run.entries]
    entries += [(e.line, True, e) for run in inner for e in run.entries]
    entries.sort(key=lambda triple: triple[:2])
    items: list[Item] = []
    above = ""
    for place, (_, is_inner, entry) in enumerate(entries):
        if is_inner:
            items.append(Item(f"{above}{entry.label}" if starts_again else entry.label, entry.text))
            continue
        above = entry.label
        if place + 1 == len(entries) or not entries[place + 1][1]:
            items.append(Item(entry.label, entry.text))
    return tuple(items)


def _items_of(runs: Sequence[Run], sheet: _Sheet) -> tuple[Item, ...]:
    """Return the entries as items in the order of the text, one for each blank cell of an entry."""
    entries = sorted((e for run in runs for e in run.entries), key=lambda entry: entry.line)
    labelled = {entry.line for entry in entries}
    items: list[Item] = []
    for entry in entries:
        blanks = [cell for cell in entry.text.split("|") if BLANK.fullmatch(cell.strip())]
        if len(blanks) > 1:
            items.extend(Item(f"{entry.label}.{n + 1}") for n in range(len(blanks)))
        else:
            items.append(Item(entry.label, entry.text or _text_below(entry, sheet, labelled)))
    return tuple(items)


def _text_below(entry: Entry, sheet: _Sheet, labelled: set[int]) -> str:
    """Return the next line's text where a label stands alone on its line."""
    below = entry.line + 1
    alone = len(sheet.lines[entry.line].strip(" \t*()[].:")) <= len(entry.label)
    if entry.style == "()" or not alone or below >= len(sheet.lines) or below in labelled:
        return ""
    return sheet.lines[below].strip()


def _with_listed_words(query: _Sheet, items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Add words that the instruction lists beside the labels: "the numbers x, y and (A), (B)"."""
    labels = {item.label for item in items}
    for line in query.lines:
        if is_instruction(line) and labels & set(labels_mentioned(line)):
            return tuple(Item("", word) for word in find_words_listed(line)) + items
    return items


def _from_mention(ask: _Ask) -> tuple[Item, ...]:
    """Read "Fill in the blanks (1-9)": the labels from the range, their texts from elsewhere."""
    labels = labels_mentioned(ask.instruction) or _heading_range(ask.query)
    numbers = tuple(label for label in labels if not is_letter_label(label))
    if numbers and ask.is_matching:
        labels = numbers  # "match 1-5 with A-F": the letters are options
    if not labels:
        return ()
    _, listed = listed_lines(ask.query.lines)
    listed = tuple(n for n in listed if not labels_mentioned(ask.query.lines[n]))
    if len(listed) == len(labels):
        return tuple(
            Item(label, ask.query.lines[n].strip()) for label, n in zip(labels, listed, strict=True)
        )
    context = _read_context(ask.task.context)
    entries = [context.entry(label) for label in labels]
    if all(entry is None for entry in entries) and listed and not ask.is_filling:
        return ()
    return tuple(
        Item(label, entry.text if entry else "")
        for label, entry in zip(labels, entries, strict=True)
    )


def _heading_range(query: _Sheet) -> tuple[str, ...]:
    """Return the labels of a line that is nothing but a range: "16-19"."""
    for line in query.lines:
        labels = labels_mentioned(line)
        if labels and not without_mentions(line).strip(" ~.:*#"):
            return labels
    return ()


def _from_query_blanks(ask: _Ask) -> tuple[Item, ...]:
    lines = ask.query.lines
    return _blanks(lines) if ask.is_filling else _underscores(lines) or _question_cells(lines)


def _question_cells(lines: Sequence[str]) -> tuple[Item, ...]:
    """Return the cells of a table that hold nothing but ``?``."""
    cells = [cell.strip() for line in lines if "|" in line for cell in _cells(line)]
    return tuple(Item("") for cell in cells if cell == "?")


def _underscores(lines: Sequence[str]) -> tuple[Item, ...]:
    return tuple(Item("") for _ in range(count_blanks(lines)))


def _blanks(lines: Sequence[str]) -> tuple[Item, ...]:
    """Return the unlabelled blanks: underscores, cells of "?", empty cells, open sides of pairs.

    The first of these that there are.
    """
    underscored = _underscores(lines)
    if underscored:
        return underscored
    rows = [line for line in lines if "|" in line]
    asked = sum(len(_QUESTION_CELL.findall(line)) for line in rows if "?" in line)
    if asked:
        return tuple(Item("") for _ in range(asked))
    # The first row is the header: its corner may be empty.
    empty = sum(1 for row in rows[1:] for cell in _cells(row) if not cell.strip())
    dots = sum(cell.strip() in ("...", "…") for row in rows for cell in _cells(row))
    open_sides = sum(1 for line in lines if _OPEN_SIDE.search(line))
    return tuple(Item("") for _ in range(empty or dots or open_sides))


def _cells(row: str) -> list[str]:
    bare = row.strip()
    fenced = len(bare) > 1 and bare[0] == bare[-1] == "|"
    return (bare[1:-1] if fenced else row).split("|")


def _from_list(ask: _Ask) -> tuple[Item, ...]:
    """Read an unlabelled list: an instruction, then one item a line."""
    said, listed = listed_lines(ask.query.lines)
    if not said or not listed:
        return ()
    listed_texts = [ask.query.lines[n] for n in listed]
    marked = _from_numbered(listed_texts) or _from_marked_lines(listed_texts)
    return marked or tuple(Item("", text.strip().lstrip("-*•– ").strip()) for text in listed_texts)


def _from_numbered(lines: Sequence[str]) -> tuple[Item, ...]:
    """Read lines that begin with nothing but their number: "11 the dog", "12 the cats"."""
    found = [_BARE_NUMBER.match(line) for line in lines]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) < max(2, len(lines)) or any(b != a + 1 for a, b in pairwise(numbers)):
        return ()
    return tuple(Item(match[1], match[2].strip()) for match in found if match)


def _from_marked_lines(lines: Sequence[str]) -> tuple[Item, ...]:
    """Read lines that all have the same sort of mark: a bullet, a label in any script, ``= ?``."""
    filled = [line.strip() for line in lines if line.strip()]
    for mark in (_BULLET, _ANY_LABEL, _ASKED_BEHIND):
        if len(filled) > 1 and all(mark.search(line) for line in filled):
            return tuple(Item("", mark.sub("", line, count=1).strip()) for line in filled)
    return ()


# --- the context ----------------------------------------------------------------------------


def _from_context(ask: _Ask) -> tuple[Item, ...]:
    context = _read_context(ask.task.context)
    if ask.is_matching:
        lists = _lists_of_context(context)
        if lists is not None:
            return _items_of(lists[0], context)
    if ask.is_filling:
        blanks = [run for run in context.of_kind("number", "roman") if run.style == "()"]
        beside = [entry.text for run in blanks for entry in run.entries]
        # "(1) a + ___ = b": what is in brackets numbers the lines
        if blanks and not (all(beside) and count_blanks(context.lines)):
            return _items_of(blanks, context)
        return _blanks(context.lines)
    return ()


def _lists_of_context(context: _Sheet) -> tuple[list[Run], list[Run]] | None:
    """Return the numbered and the lettered list that belong together: of the likest length."""
    lists = _two_lists(context)
    if lists is None:
        return None
    numbers, letters = lists
    options = max(letters, key=len)
    items = min(numbers, key=lambda run: (abs(len(run) - len(options)), -run.entries[0].line))
    return [items], [options]


def _options_apart(ask: _Ask) -> tuple[list[Run], list[Run]] | None:
    """Return (items, options) of a matching task whose lists are not both in the ask.query."""
    context = _read_context(ask.task.context)
    numbers, letters = ask.query.of_kind("number", "roman"), ask.query.of_kind("letter")
    if letters and not numbers:
        return context.of_kind("number", "roman"), letters
    if numbers:
        options = context.of_kind("letter")
        return (numbers, [max(options, key=len)]) if options else None
    lists = _lists_of_context(context)
    if lists is None and context.of_kind("letter"):
        return [], [max(context.of_kind("letter"), key=len)]
    return lists


# --- one line -------------------------------------------------------------------------------


def _from_one_line(instruction: str) -> tuple[Item, ...]:
    """Read items that follow the colon of the only line, or that the instruction lists itself."""
    words = find_words_listed(instruction)
    if words:
        return tuple(Item("", word) for word in words)
    said, colon, rest = instruction.partition(": ")
    if not colon or rest.rstrip().endswith(("!", "?")):
        return ()
    labelled = [run for run in find_runs([rest.strip()]) if run.begins_lines and len(run) > 1]
    if labelled:
        return tuple(Item(entry.label, entry.text) for entry in labelled[0].entries)
    for separator in (";", ","):
        parts = [part.strip() for part in rest.strip().rstrip(".").split(separator)]
        parts = [part for part in parts if part]
        if len(parts) > 1 and (separator == ";" or all(len(part.split()) <= 4 for part in parts)):
            return tuple(Item("", part) for part in parts)
    is_one = _ONE_ASKED.match(said) is not None and "\n" not in instruction
    return (Item("", rest.strip()),) if is_one and rest.strip() else ()
