"""From a problem to its sheet: every context and query read, columns named, items placed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from iolai.reading import as_read, read_items, read_options_text
from iolai.reading.layout import is_heading
from iolai.records import Item, Problem, Task
from iolai.solvers.induction.reader.direction import Direction, find_direction, language_names
from iolai.solvers.induction.reader.gaps import GAP, Gap, find_gaps, gap_of, sides_of, target_of
from iolai.solvers.induction.reader.lines import RawTable, label_and_rest, read_tables
from iolai.solvers.induction.reader.lists import find_lists
from iolai.solvers.induction.reader.preparing import prepared
from iolai.solvers.induction.reader.roles import column_roles, english_share, is_number, similarity
from iolai.solvers.induction.reader.sheet import (
    Column,
    Entry,
    Lists,
    Note,
    Sheet,
    SheetItem,
    Table,
    TaskSheet,
)
from iolai.solvers.induction.reader.word_pairs import Asked, open_pair, with_asked_rows

__all__ = ["read_sheet"]

_MEANS = re.compile(
    r"(?<![^\s,.:;()])(?P<form>[^\s,.:;()]{1,80})\s{1,3}(?:means|is|mean|=)\s{1,3}[‘'“\"](?P<gloss>[^‘’“”\"]{2,60}?)[’'”\"]"
    r"|(?<![^\s,.:;()])(?P<beside>[^\s,.:;()]{1,80})\s{1,3}\([‘“\"](?P<meaning>[^‘’“”\"]{2,60}?)[’”\"]\)"
)
_EQUATION = re.compile(r"\S\s*=\s*\S")
_OPERATOR = re.compile(r"[+×*^−÷²³⁴]|\s-\s")
#: Signs that may stand in prose as well: they count beside surer ones or where the sheet speaks of
#: numbers.
_ANY_OPERATOR = re.compile(rf"{_OPERATOR.pattern}|\s[–/:x·]\s")
_OF_NUMBERS = re.compile(
    r"\b(?:numbers?|numerals?|equations?|equalit(?:y|ies)|sums?|figures|digits|arithmetic\w*"
    r"|count(?:s|ing)?|calculat\w*|comput\w*)\b",
    re.IGNORECASE,
)
_KIN = re.compile(
    r"\b(?:kinship|relatives|family tree|(?:sister|brother|mother|father|husband|wife) of)\b"
    r"|\"persons?\"|\bis married to\b",
    re.IGNORECASE,
)
#: A blank with words beside it.
_GAP = re.compile(r"_{2,}")
_NO_DATA = ": no table, list or equation is found in it"
_JSON_START = re.compile(r"^[ \t]{0,20}(?P<data>[\[{]\s{0,80}[{\"])", re.MULTILINE)
_MAX_DATA = 5
#: Items of a task whose blanks are looked for in equations; no sheet has as many.
_MAX_ASKED = 300
_WORDS = re.compile(r"[^\W\d_]+")
_MAX_LINES = 4000
#: The highest number that an item has.
_MAX_NUMBER = 9999
_FAR_NUMBER = re.compile(r"^\s{0,20}(\d{5,9})[.)]\s", re.MULTILINE)
_LONGEST_LINE = 10_000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Draft:
    """A task half read: its own lines in tables without roles."""

    task: Task
    items: tuple[Item, ...]
    direction: Direction
    ways: tuple[Direction, ...]
    said: tuple[str, ...]
    tables: tuple[RawTable, ...]
    loose: tuple[str, ...]
    is_cut: bool
    n_left_out: int


def read_sheet(problem: Problem) -> Sheet:
    """Read a problem; never fails, whatever the text: what is not understood is reported."""
    tasks_read = [_within_bounds(task) for task in problem.tasks]
    names = frozenset().union(
        *(language_names(_head(task.context) + "\n" + task.query) for task in tasks_read)
    )
    # an answer for every item, however many: so they are read from the whole task
    items = [read_items(task) for task in problem.tasks]
    numbers = [int(i.label) for some in items for i in some if i.label.isdecimal()]
    first_asked = min(numbers, default=None)
    drafts = [
        _draft(task, original, some, names, first_asked)
        for task, original, some in zip(tasks_read, problem.tasks, items, strict=True)
    ]
    asked = [(way, i.text) for d in drafts for way, i in zip(d.ways, d.items, strict=True)]
    into = [text for way, text in asked if way.target == "gloss" and text]
    out_of = [text for way, text in asked if way.source == "gloss" and text]
    tasks = tuple(_task(draft, into, out_of) for draft in drafts)
    return Sheet(
        id=problem.id,
        tasks=tasks,
        tables=_distinct(table for task in tasks for table in task.tables),
        lists=_distinct(pair for task in tasks for pair in (*task.lists, *task.matching)),
        equations=_distinct(line for task in tasks for line in task.equations),
        notes=_distinct(note for task in tasks for note in task.notes),
        language=_language(drafts),
        unread=_unread(drafts, tasks),
    )


def _within_bounds(task: Task) -> Task:
    """Cut what no sheet has: thousands of lines, lines of many thousand letters."""
    return as_read(replace(task, context=_bounded(task.context), query=_bounded(task.query)))


def _is_cut(task: Task) -> bool:
    return any(text != _bounded(text) for text in (task.context, task.query))


def _left_out(query: str, items: Sequence[Item]) -> int:
    """Return how many lines of a query have a number past that of any item that is read."""
    if not any(item.label for item in items):
        return 0
    return sum(int(match[1]) > _MAX_NUMBER for match in _FAR_NUMBER.finditer(query))


def _bounded(text: str) -> str:
    return "\n".join(line[:_LONGEST_LINE] for line in text.split("\n")[:_MAX_LINES])


def _head(text: str) -> str:
    return "\n".join(text.split("\n")[:6])


def _distinct(things: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(things))


def _draft(
    task: Task,
    original: Task,
    items: tuple[Item, ...],
    names: frozenset[str],
    first_asked: int | None,
) -> _Draft:
    data, context = _without_data(task.context)
    said = _words_said(task.query, items)
    tables, loose = read_tables(context, names, first_asked, said)
    loose = [*data, *loose]
    asked = "\n".join("" if _is_sum(line) else line for line in task.query.split("\n"))
    query_tables, _ = read_tables(asked, names, first_asked, said)
    tables += [table for table in query_tables if _is_data(table, items)]
    way = find_direction(_instruction(task.query))
    ways = _ways(task.query, items, way)
    heads = _said(task.query, items)
    return _Draft(task, items, way, ways, heads, tuple(tables), tuple(loose), _is_cut(original),
                  _left_out(original.query, items))  # fmt: skip


def _ways(query: str, items: Sequence[Item], whole: Direction) -> tuple[Direction, ...]:
    """Return the direction of each item: that of the instruction above it, where there are several.

    An instruction is a line that says a direction and holds no item.
    """
    lines = [line.strip() for line in query.split("\n") if line.strip()]
    heads = {n: find_direction(line) for n, line in enumerate(lines) if is_heading(line)}
    heads = {n: way for n, way in heads.items() if way.target and way.target != "explanation"}
    if len({(way.source, way.target) for way in heads.values()}) < 2:
        return (whole,) * len(items)
    return tuple(heads.get(at, whole) for at in _heads_of(lines, items, heads.keys()))


def _said(query: str, items: Sequence[Item]) -> tuple[str, ...]:
    """Return the instruction each item stands under, the whole query where there is but one."""
    lines = [line.strip() for line in query.split("\n") if line.strip()]
    heads = {n for n, line in enumerate(lines) if line.endswith(":") and is_heading(line)}
    if len(heads) < 2:
        return (query,) * len(items)
    return tuple(lines[at] if at >= 0 else query for at in _heads_of(lines, items, heads))


def _heads_of(lines: Sequence[str], items: Sequence[Item], heads: Set[int]) -> list[int]:
    """Return the line of the heading that each item stands under, -1 where there is none.

    Nothing is said of any item where one of them cannot be found.
    """
    found: list[int] = []
    head = -1
    for n, line in enumerate(lines):
        head = n if n in heads else head
        while len(found) < len(items) and _holds(line, items[len(found)]):
            found.append(head)
    return found if len(found) == len(items) else [-1] * len(items)


def _holds(line: str, item: Item) -> bool:
    return item.text in line and (bool(item.text) or f"({item.label})" in line)


def _is_sum(line: str) -> bool:
    return any(gap.is_sum for gap in find_gaps([line], most=1))


def _without_data(text: str) -> tuple[list[str], str]:
    """Take data written as JSON out of a text: they are no lines of a table."""
    found: list[str] = []
    for match in islice(_JSON_START.finditer(text), _MAX_DATA):
        try:
            value, end = json.JSONDecoder().raw_decode(text, match.start("data"))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list) and value:
            found.append(text[match.start("data") : end])
            break
    return ([" ".join(found[0].split())], text.replace(found[0], "", 1)) if found else ([], text)


def _is_data(table: RawTable, items: Sequence[Item]) -> bool:
    """Say whether a table of the query gives something: words, or a paradigm with blanks."""
    if not table.rows:
        return False
    if any(cell.blank is not None for row in table.rows for cell in row.cells):
        return True
    asked = {item.text.strip() for item in items}
    texts = {row.cells[0].text for row in table.rows}
    labels = {item.label for item in items if item.label}
    if (
        texts & asked
        or texts <= labels
        or any(row.label in labels for row in table.rows if row.label)
    ):
        return False
    return not any(text.split("|")[0].strip() in texts for text in asked)


def _words_said(query: str, items: Sequence[Item]) -> frozenset[str]:
    """Return the words of the instruction that stand in no item, without a plural's s."""
    asked = {word for item in items for word in _WORDS.findall(item.text.casefold())}
    said = _WORDS.findall(_instruction(query).casefold())
    return frozenset(word.removesuffix("s") for word in said if word not in asked)


def _instruction(query: str) -> str:
    """Return the query's lines that are no labelled items."""
    kept = [line for line in query.split("\n") if line.strip() and not label_and_rest(line)[0]]
    return "\n".join(kept[:6])


# --- tables ---------------------------------------------------------------------------------


def _table(raw: RawTable, into: Sequence[str], out_of: Sequence[str]) -> Table:
    rows = tuple(raw.rows)
    if raw.roles:
        return Table(tuple(map(Column, raw.roles)), rows)
    columns = column_roles(rows, raw.header, into, out_of, raw.quoted)
    return Table(columns, rows)


#: What stands between several values of a line; a name without signs; figures.
_APART = re.compile(r"[,;]\s+")
_NAME = re.compile(r"[^\W\d][^=|+×*/<>,;]*")
_FIGURES = re.compile(r"\d[\d ,.]*")


def _task(draft: _Draft, into: Sequence[str], out_of: Sequence[str]) -> TaskSheet:
    task = draft.task
    tables = tuple(_table(raw, into, out_of) for raw in draft.tables if raw.rows)
    options = tuple(Entry(option.letter, option.text) for option in read_options_text(task))
    lists = find_lists("\n".join(prepared(task.context.split("\n"))))
    matching = _matching(draft, options, lists)
    equations = _equations(task.context)
    places: Asked = {}
    if not options and not equations:
        tables, places = with_asked_rows(
            tables, draft.items, draft.ways, draft.said, "\n".join(draft.loose)
        )
    items = _items(draft, tables, bool(options), equations, places)
    return TaskSheet(
        id=task.id,
        items=items,
        layout=_most_common([item.layout for item in items]),
        tables=tables,
        lists=lists,
        equations=equations,
        notes=_notes(task),
        matching=matching,
        prose="\n".join(draft.loose),
    )


def _matching(
    draft: _Draft, options: tuple[Entry, ...], lists: tuple[Lists, ...]
) -> tuple[Lists, ...]:
    """Return what is to be matched: the context's lists, or those of the query."""
    if not options:
        return ()
    from_context = [e.label for pair in lists for e in pair.glosses]
    if from_context == [option.label for option in options]:
        return lists
    forms = tuple(Entry(item.label, item.text) for item in draft.items)
    return (Lists(forms, options),)


def _equations(context: str) -> tuple[Entry, ...]:
    """Return the sums of a text, with the plain values among them, or several values to a line."""
    sums: list[Entry] = []
    plain: list[Entry] = []
    n_crowded = 0
    lines = prepared(context.split("\n"))
    sure = any(_EQUATION.search(line) and _OPERATOR.search(line) for line in lines)
    signs = _ANY_OPERATOR if sure or _OF_NUMBERS.search(context) else _OPERATOR
    for line in lines:
        label, rest = label_and_rest(line)
        values = _values(rest)
        if values:
            plain += [Entry(label, value) for value in values]
            n_crowded += len(values) > 1
        elif "|" not in rest and _EQUATION.search(rest) and signs.search(rest):
            sums.append(Entry(label, rest))
    if len(sums) > 1:
        return (*plain, *sums)
    return tuple(plain) if n_crowded and len(plain) > 1 else ()


def _values(text: str) -> list[str]:
    """Return the plain equations ``name = figures`` that a line consists of."""
    parts = [part.strip() for part in _APART.split(text)]
    return parts if all(_is_value(part) for part in parts) else []


def _is_value(text: str) -> bool:
    one, _, other = (side.strip() for side in text.partition("="))
    return any(
        _NAME.fullmatch(a) and _FIGURES.fullmatch(b) for a, b in ((one, other), (other, one))
    )


def _notes(task: Task) -> tuple[Note, ...]:
    return tuple(
        Note(form, (match["gloss"] or match["meaning"]).strip(" ,."))
        for match in _MEANS.finditer(task.query)
        if (form := match["form"] or match["beside"])[0].isalpha()
    )


# --- items ----------------------------------------------------------------------------------


def _items(
    draft: _Draft,
    tables: tuple[Table, ...],
    has_options: bool,
    equations: tuple[Entry, ...],
    asked: Asked,
) -> tuple[SheetItem, ...]:
    given = tables[:-1] if asked else tables
    places = [asked.get(at, place) for at, place in enumerate(_places_asked(draft.items, given))]
    gaps = [] if has_options else _gaps(draft, tables, equations)
    out = []
    for at, (item, way, place) in enumerate(zip(draft.items, draft.ways, places, strict=True)):
        if has_options:
            out.append(SheetItem(item.label, item.text, "match", "form", "gloss"))
        elif (gap := gaps[at]) is not None:
            target = draft.direction.target
            if target not in ("form", "value"):
                target = target_of(gap, _given_sides(equations))
            out.append(SheetItem(item.label, gap.text, "number", "", target))
        elif place is not None:
            out.append(_blank_item(item, tables, place))
        else:
            out.append(_asked_item(draft, item, way, tables, equations))
    return tuple(out)


def _gaps(
    draft: _Draft, tables: tuple[Table, ...], equations: tuple[Entry, ...]
) -> list[Gap | None]:
    """Return the blank of an equation that each item asks for, None where it asks for none."""
    of_numbers = (
        bool(equations)
        or any(table.places("value") for table in tables)
        or _OF_NUMBERS.search(draft.task.query) is not None
    )
    if not of_numbers or len(draft.items) > _MAX_ASKED:
        return [None] * len(draft.items)
    gaps = find_gaps(draft.task.query.split("\n")) or find_gaps(e.text for e in equations)
    return [
        _own_gap(item) or gap_of(draft.items, at, gaps) or _result_asked(item)
        for at, item in enumerate(draft.items)
    ]


def _given_sides(equations: Sequence[Entry]) -> list[tuple[str, ...]]:
    return [side for entry in equations for side in sides_of(entry.text)]


def _own_gap(item: Item) -> Gap | None:
    found = find_gaps([item.text])
    return found[0] if len(found) == 1 else None


def _result_asked(item: Item) -> Gap | None:
    """Read a sum without a result (``mek + tin``) as an equation whose result is asked for."""
    if "=" in item.text or is_number(item.text):
        return None
    found = find_gaps([f"{item.text.rstrip(' .?')} = {GAP}"])
    return found[0] if len(found) == 1 and found[0].is_sum else None


def _places_asked(
    items: Sequence[Item], tables: tuple[Table, ...]
) -> list[tuple[int, int, int] | None]:
    """Return the blank that each item is: by its label, else in order where the counts agree."""
    places = _blank_places(tables)
    in_order = [(t, r, c) for t, table in enumerate(tables) for r, c, _ in table.blanks()]
    if len(in_order) == len(items) and not all(item.label in places for item in items):
        return list(in_order)
    unlabelled = iter(places.get("", ()))
    found: list[tuple[int, int, int] | None] = []
    for item in items:
        if item.text and len(in_order) != len(items):
            found.append(None)
        elif item.label:
            found.append(next(iter(places.get(item.label, ())), None))
        else:
            found.append(next(unlabelled, None))
    return found


def _blank_places(tables: tuple[Table, ...]) -> dict[str, list[tuple[int, int, int]]]:
    places: dict[str, list[tuple[int, int, int]]] = {}
    for t, table in enumerate(tables):
        for r, c, label in table.blanks():
            places.setdefault(label, []).append((t, r, c))
    return places


def _blank_item(item: Item, tables: tuple[Table, ...], place: tuple[int, int, int]) -> SheetItem:
    t, r, c = place
    columns = tables[t].columns
    given = [
        (columns[i].role == "gloss", columns[i])
        for i, cell in enumerate(tables[t].rows[r].cells)
        if cell.text and i != c
    ]
    source = min(given, key=lambda pair: pair[0])[1] if given else Column("")
    target = columns[c]
    return SheetItem(
        item.label, "", "blank", source.role, target.role, source.name, target.name, place
    )


def _asked_item(
    draft: _Draft,
    item: Item,
    way: Direction,
    tables: tuple[Table, ...],
    equations: tuple[Entry, ...],
) -> SheetItem:
    text = item.text.split("|")[0].strip() or item.text
    is_of_kin = _is_of_kin(draft, text, tables)
    open_way = None if equations or is_of_kin else _way_of_open_pair(text, tables)
    if open_way is not None:
        text, way = open_way
    if is_of_kin:
        return SheetItem(item.label, text, "kin", way.source, way.target)
    if way.target == "explanation":
        return SheetItem(item.label, text, "explain", "", "explanation")
    if way.source == "gloss" and is_number(text):
        way = replace(way, source="value")
    if not way.target or (way.source == "value" and not is_number(text)):
        way = _guessed(way, text, tables, equations)
    numeric = "value" in (way.source, way.target) or bool(equations)
    layout = "number" if numeric else "translate" if way.target else "unknown"
    return SheetItem(
        item.label, text, layout, way.source, way.target, way.source_name, way.target_name
    )


def _way_of_open_pair(text: str, tables: tuple[Table, ...]) -> tuple[str, Direction] | None:
    """Read a form or a gloss with a blank beside it (``mako = ____``) as one to be translated."""
    pair = open_pair(text)
    pairs = [[column.role for column in table.columns] for table in tables]
    roles = next((found for found in pairs if sorted(found) == ["form", "gloss"]), None)
    if pair is None or roles is None:
        return None
    given, at = pair
    return given, Direction(roles[1 - at], roles[at])


def _is_of_kin(draft: _Draft, text: str, tables: tuple[Table, ...]) -> bool:
    """Say whether an item is worked out from a family that is told, not from words in a table.

    Beside a table these are the statements with a blank: their other words are no translation.
    """
    if not any(table.rows for table in tables):
        return bool(_KIN.search(draft.task.context))
    return bool(_GAP.search(text) and any(_KIN.search(line) for line in draft.loose))


def _guessed(
    way: Direction, text: str, tables: tuple[Table, ...], equations: tuple[Entry, ...]
) -> Direction:
    """Where the query does not say: the column most like the item is the source.

    Beside equations no likeness is asked: their words, and those of items, are the language's.
    """
    if equations and not is_number(text):
        found = "form" if _EQUATION.search(text) else "value"
        return replace(way, source="form", target=way.target or found)
    scores = []
    for table in tables:
        for c, column in enumerate(table.columns):
            known = [row.cells[c].text for row in table.rows]
            scores.append((similarity([text], known), column.role))
    if is_number(text):
        return replace(way, source="value", target="form")
    best = max(scores, default=(0.0, ""))
    if best[0] < 0.2:
        best = (0.0, "gloss" if english_share([text]) > 0.5 else "form")
    has_value = any(role == "value" for _, role in scores)
    other = "value" if has_value else "gloss"
    target = way.target or {"form": other, "gloss": "form", "phonetic": "form"}.get(best[1], "form")
    return replace(way, source=best[1], target=target)


# --- the whole ------------------------------------------------------------------------------


def _most_common(values: Sequence[str]) -> str:
    return max(values, key=lambda value: (values.count(value), -values.index(value)))


def _language(drafts: Sequence[_Draft]) -> str:
    return next((d.direction.target_name for d in drafts if d.direction.target_name), "")


def _unread(drafts: Sequence[_Draft], tasks: Sequence[TaskSheet]) -> tuple[str, ...]:
    """Return what the reader makes nothing of: contexts without data, items without a way."""
    found = []
    for draft, task in zip(drafts, tasks, strict=True):
        told = task.tables or task.lists or task.equations or task.matching
        if not told and task.layout != "kin":
            found.append(f"the context of task {draft.task.id}{_NO_DATA}")
        if draft.is_cut:
            found.append(f"what of task {draft.task.id} is past {_MAX_LINES} lines or too long")
        if draft.n_left_out:
            found.append(
                f"{draft.n_left_out:,} lines of task {draft.task.id} numbered past {_MAX_NUMBER:,}"
            )
        if task.layout == "unknown":
            found.append(f"what task {draft.task.id} asks for")
    none = [what for what in found if what.endswith(_NO_DATA)]
    if len(none) == len(tasks) > 1:
        found = [
            f"the context of every task{_NO_DATA}",
            *(what for what in found if what not in none),
        ]
    return _distinct(found)
