"""Words asked for beside words: singular and plural, two dialects, a language and its daughter.

Where no column of a table is a gloss, ``Give the plural of: poki`` asks for a cell beside *poki*:
the item is read as a row of its own with a blank. So is a pair with a blank (``poki → ____``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iolai.records import Item
from iolai.solvers.induction.reader.direction import Direction
from iolai.solvers.induction.reader.roles import column_likeness, similarity
from iolai.solvers.induction.reader.sheet import Cell, Row, Table

__all__ = ["open_pair", "with_asked_rows"]

_SIGN = re.compile(r"\s*(?:→|⟶|⇒|->|=>|[=>])\s*|\s+[–—−:-]\s+")
_BLANK = re.compile(r"[_.…?\s]*[_.…?][_.…?\s]*")
_WORD = re.compile(r"[^\W\d_]+")
#: A name is capitalised where no sentence begins.
_NAME = re.compile(r"(?<=[^.!?:\s][ ])[A-Z]\w*(?: [A-Z]\w*)*")
#: Words of a header that say what a cell is, not which column it stands in.
_ANY_HEADER = frozenset(["the", "a", "an", "of", "in", "word", "form", "language", "dialect"])
#: Queries that ask for a meaning, or give one.
_OF_MEANING = re.compile(r"\b(?:translat\w*|english|means?|meanings?|gloss\w*)\b", re.IGNORECASE)
#: How much more like one column than like another an item must be for that to settle its column.
_CLEARLY = 0.15
#: Words of an item; of one among phrases and sentences as many more as they have.
_MAX_WORDS = 4
_MAX_ASKED = 10_000
#: A longer item is no pair.
_LONGEST = 300
#: Columns that are compared with one another.
_MAX_COLUMNS = 8

Asked = dict[int, tuple[int, int, int]]


def open_pair(text: str) -> tuple[str, int] | None:
    """Read a pair with one blank: what is given, and the side (0 or 1) of the blank."""
    if len(text) > _LONGEST:
        return None
    sides = _SIGN.split(text.strip())
    if len(sides) != 2:
        return None
    is_open = [not side or _BLANK.fullmatch(side) is not None for side in sides]
    if is_open[0] == is_open[1] or not _BLANK.search(text):
        return None
    at = is_open.index(True)
    return sides[1 - at].strip(), at


def with_asked_rows(
    tables: tuple[Table, ...],
    items: Sequence[Item],
    ways: Sequence[Direction],
    said: Sequence[str],
    context: str,
) -> tuple[tuple[Table, ...], Asked]:
    """Return the tables with one more that holds the items asked as words, and their places.

    ``said`` is what the query says of each item: the plural of these, the singular of those.
    """
    if len(items) > _MAX_ASKED:
        return tables, {}
    words = [item.text.strip() for item in items]
    table = _asked_table(tables, words, said)
    if table is None:
        return tables, {}
    is_glossed = not _is_of_words(table)
    asked = {
        at: word
        for at, (word, way, query) in enumerate(zip(words, ways, said, strict=True))
        if word not in ("", query.strip()) and (is_glossed or way.target in ("", "form"))
    }
    texts_of: dict[str, list[str]] = {}
    for at, text in asked.items():
        texts_of.setdefault(said[at], []).append(text)
    columns = {
        query: _columns_asked(table, texts, query, context) for query, texts in texts_of.items()
    }
    has_forms = is_glossed or _is_of_pairs(table)
    n_words = max(len(cell.text.split()) for row in table.rows for cell in row.cells)
    most = max(_MAX_WORDS, n_words + 2) if has_forms else _MAX_WORDS
    rows: list[Row] = []
    places: Asked = {}
    for at, text in asked.items():
        pair = open_pair(text) if len(table.columns) == 2 else None
        if pair is None and (len(text.split()) > most or not has_forms):
            continue
        given, (source, target) = (
            (pair[0], (1 - pair[1], pair[1])) if pair else (text, columns[said[at]])
        )
        cells = [Cell("")] * len(table.columns)
        cells[source] = Cell(given)
        cells[target] = Cell("", items[at].label)
        places[at] = (len(tables), len(rows), target)
        rows.append(Row(tuple(cells)))
    return ((*tables, Table(table.columns, tuple(rows))), places) if rows else (tables, {})


def _asked_table(
    tables: Sequence[Table], words: Sequence[str], said: Sequence[str]
) -> Table | None:
    """Return the longest table of words beside words: forms in two columns or more, no numbers.

    One with glosses beside them only where each instruction names a column of forms and none asks
    for a meaning.
    """
    found = [table for table in tables if _is_of_words(table)]
    queries = list(dict.fromkeys(said))
    if not found and not any(map(_OF_MEANING.search, queries)):
        bare = ["\n".join(_without(words, query.split("\n"))) for query in queries]
        found = [t for t in tables if all(_has_forms_named(t, query, words) for query in bare)]
    return max(found, key=lambda table: len(table.rows), default=None)


def _without(words: Sequence[str], lines: Sequence[str]) -> list[str]:
    return [line for line in lines if not any(word and word in line for word in words)]


def _is_of_words(table: Table) -> bool:
    roles = [column.role for column in table.columns]
    return len(roles) > 1 and set(roles) == {"form"} and len(table.rows) > 1


def _has_forms_named(table: Table, query: str, words: Sequence[str]) -> bool:
    """Say whether a table of forms and glosses has the column of forms that a query names.

    The words asked have to be single ones and none of the glosses.
    """
    roles = [column.role for column in table.columns]
    named = _named_column(table, query)
    glosses = {text for k in table.places("gloss") for text in _texts(table, k)}
    return (
        all(word and " " not in word and word not in glosses for word in words)
        and roles.count("form") > 1
        and set(roles) == {"form", "gloss"}
        and len(table.rows) > 1
        and named is not None
        and roles[named] == "form"
    )


def _is_of_pairs(table: Table) -> bool:
    """Say whether some column's cells resemble their neighbours: there is something to rewrite."""
    width = min(len(table.columns), _MAX_COLUMNS)
    return any(
        column_likeness(table.rows, one, other) > 0
        for one in range(width)
        for other in range(one + 1, width)
    )


def _columns_asked(table: Table, texts: Sequence[str], query: str, context: str) -> tuple[int, int]:
    """Return the columns that the items stand in and that is asked for.

    The query names the second, or the items look like one column more than like the others; else
    the first column is given and the last is asked for.
    """
    roles = [column.role for column in table.columns]
    columns = [k for k, role in enumerate(roles) if role == "form"]
    target = _named_column(table, query)
    if target is None and len(table.columns) == 2:
        target = _named_in_order(query, context)
    if target is not None:
        likely = max(
            (k for k in columns if k != target),
            key=lambda k: (similarity(texts, _texts(table, k)), -k),
        )
        return likely, target
    alike = {k: similarity(texts, _texts(table, k)) for k in columns}
    source = max(columns, key=lambda k: (alike[k], -k))
    if alike[source] < alike[0] + _CLEARLY:
        source = 0
    return source, (len(table.columns) - 1 if source != len(table.columns) - 1 else 0)


def _texts(table: Table, column: int) -> list[str]:
    return [row.cells[column].text for row in table.rows if row.cells[column].text]


def _named_column(table: Table, query: str) -> int | None:
    """Return the column whose header the query names; the first that is named where several are.

    ``the singular of these plurals``: what is asked for stands before what is given.
    """
    said = [_stem(word) for word in _words(query)]
    firsts: dict[int, int] = {}
    for k, column in enumerate(table.columns):
        others = {
            _stem(word)
            for j, other in enumerate(table.columns)
            if j != k
            for word in _words(other.name)
        }
        own = [_stem(word) for word in _words(column.name)]
        own = [word for word in own if word not in others and word not in _ANY_HEADER]
        found = [said.index(word) for word in own if word in said]
        if own and len(found) == len(own):
            firsts[k] = min(found)
    return min(firsts, key=lambda k: firsts[k]) if firsts else None


def _named_in_order(query: str, context: str) -> int | None:
    """Return 0 where the query names what the prose names first of two columns without headers.

    ``Words of Old Fenish and of New Fenish``, then ``Give the Old Fenish forms``.
    """
    names = _NAME.findall(query)
    for line in context.split("\n"):
        one, _, other = line.partition(" and ")
        if _NAME.search(other) and any(re.search(rf"\b{name}\b", one) for name in names):
            return 0
    return None


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _stem(word: str) -> str:
    return word.removesuffix("s")
