"""Lines into tables: what parts the cells, which lines belong together, what is a header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from iolai.reading.labels import label_at_start
from iolai.solvers.induction.reader.preparing import (
    is_indented,
    is_rule,
    joined,
    prepared,
    unrolled,
)
from iolai.solvers.induction.reader.roles import (
    column_likeness,
    english_share,
    is_common,
    words_alike,
)
from iolai.solvers.induction.reader.sheet import Cell, Row
from iolai.text import squeeze

__all__ = ["RawTable", "label_and_rest", "read_tables"]

# From the surest separator to the weakest. The first two part cells wherever they stand; the
# others only where they part most lines of a text in the same way.
#: Blanks before a sign, looked for at the first of them only: a long run costs its length once.
_GAP, _ANY_GAP = r"(?<!\s)\s+", r"(?:(?<!\s)\s+)?"
_SURE = (re.compile(rf"{_ANY_GAP}(?:\|\s?|\t\s*)"),)
_BLANKS, _TWO_BLANKS = re.compile(r"\s{3,}"), re.compile(r"\s{2,}")
_WEAK = (
    *map(re.compile, (rf"{_GAP}[–—−]\s+", rf"{_GAP}-\s+", rf"{_GAP}=\s+")),
    _BLANKS,
    re.compile(r":\s+"),
)
#: Weaker still: what such a sign parts must be more of the text.
_WEAKER = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_ANY_GAP}(?:→|⟶|⇒|->|=>)\s*",
        rf"{_GAP}>\s+",
        rf"{_GAP}"
        r"(?=(?:‘[^‘]{1,300}’|“[^“]{1,300}”|\"[^\"]{1,300}\"|«[^«]{1,300}»|„[^„]{1,300}[“”]"
        r"|'(?:(?! ').){1,300}')[.,;]?$)",
        rf"{_GAP}" r"(?=[\[/][^\]/\s][^\]/]{0,80}[\]/](?:\s|$))|(?<=\S[\]/])\s+",
        _TWO_BLANKS.pattern,
        # From another script to Latin letters, or back.
        r"(?<=[^\x00-\u036f\u1e00-\u206f\s])\s+(?=[A-Za-z\u00c0-\u02af])"
        r"|(?<=[A-Za-z\u00c0-\u02af])\s+(?=[^\x00-\u036f\u1e00-\u206f\s])",
        rf"{_GAP}[–—]|[–—]\s+|—",
    )
)
_WEAKEST = (
    re.compile(rf"{_GAP}" r"(?=\([^()]{1,80}\)[.,;]?$)"),
    re.compile(rf"{_GAP}/\s+"),
    re.compile(rf"{_ANY_GAP};\s*(?=\S)"),
)
_BEHIND = re.compile(
    r"(?P<word>\S.*?)\s+(?P<more>\([^()]+\)|\[[^\[\]]+\]|/[^/]+/|‘[^‘]+’|“[^“]+”|'[^']+')"
)
_BLANK_CELL = re.compile(r"[\[/]?(?:\(\s?(\d{1,3}|[A-Za-z])\s?\)|_{2,}\s?\(?(\d{1,3})?\)?)[\]/]?")
_OPEN_CELL = re.compile(r"(?:[-–—−?…]{1,3}|\.{3}|\*)?")
_TRIPLE = re.compile(r"(.{1,40}?)\s+(\[[^\]]+\])\s+['‘“\"]([^'’”\"]+)['’”\"]")
_BLANK_ONLY = re.compile(r"_{2,}|\.{3,}|…+|\?{1,3}")
_HEADER_WORDS = re.compile(
    r"\b(?:translations?|english|gloss(?:es)?|meanings?|singular|plural|forms?|words?|numbers?"
    r"|numerals?|values?|person|tense|dialect|language|orthography|transcription|pronunciation"
    r"|base|root|stem|masculine|feminine|dual|sg|pl)\b",
    re.IGNORECASE,
)
#: Terms of grammar, and the words that stand beside them: a first row of nothing else is a header.
_TERM_WORDS = """
noun nouns verb verbs adjective adverb infinitive present past future perfect imperfect imperative
    participle active passive affirmative positive negative negated negation question diminutive
    augmentative possessive possessed definite indefinite comparative superlative causative
    reflexive reciprocal nominative accusative genitive dative ablative locative instrumental
    vocative ergative absolutive masculine feminine neuter singular dual plural base root stem word
    form
"""
_WORDS_BESIDE = "the a an of in with my your his her its our their"
_PERSONS = frozenset(["i", "you", "he", "she", "it", "we", "they"])
_TERMS = frozenset(_TERM_WORDS.split()) | _PERSONS
_BESIDE_TERMS = frozenset(_WORDS_BESIDE.split())
#: A word and dots in place of another: ``with (a) ...``.
_FRAME = re.compile(r"\w[\s)]{0,3}(?:\.{3}|…)")
_TITLE = re.compile(
    r"(?:its )?(?:english )?translations?|(?:in )?english|gloss|(?:its )?meaning|what it means",
    re.IGNORECASE,
)
#: Words that name forms and people, in names of columns without any of the above.
_NAMING = frozenset(
    ["many", "more", "several", "few", "all", "old", "older", "new", "younger", "male", "female",
     "big", "small", "base", "noun", "verb", "adjective", "diminutive", "before", "after"]
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_DATA_CELL = re.compile(r"\d+(?!\d|st\b|nd\b|rd\b|th\b|\s?(?:sg|pl|du)\b)", re.IGNORECASE)
_NUMBER_SIGN = re.compile(r"(?:№|#|no\.?|nr\.?|n\.?)?", re.IGNORECASE)
_LETTER_LABEL = re.compile(r"\(?[A-Za-z]{1,2}[.)]")
_QUOTED = re.compile(r"(?:‘.+’|“.+”|\".+\"|'.+'|«.+»|„.+[“”]|\([^()]+\))[.,;]?")
_QUOTES = "‘’“”\"'«»„()"
#: A longer line is prose unless tabs or bars part it.
_LONGEST_ROW = 2000
_MIN_SHARE, _WEAKER_SHARE, _WEAKEST_SHARE = 0.4, 0.5, 0.7
_DIFFERENCE = re.compile(
    r"[^=]*\S\s+[-–—−:]\s+[^\s=][^=]*=[^=]+|[^=]+=[^=]*\S\s+[-–—−:]\s+[^\s=][^=]*"
)


@dataclass(slots=True)
class RawTable:
    """Rows of one width before their columns have roles; ``header`` is the names or nothing.

    ``roles`` are the columns' roles where the notation alone settles them, else nothing;
    ``alone`` are lines of one cell that hold a word, its transcription and its gloss; ``quoted``
    are the places of columns whose cells stood in quotation marks.
    """

    rows: list[Row] = field(default_factory=list)
    header: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    alone: list[str] = field(default_factory=list)
    quoted: frozenset[int] = frozenset()


def label_and_rest(line: str) -> tuple[str, str]:
    """Take a list label (``12.``, ``b)``) off a line; the label is ``""`` where there is none."""
    mark = label_at_start(line)
    if mark is None or mark.style in ("()", "-", ":"):
        return "", line.strip()
    return mark.label, line[mark.end :].strip()


def read_tables(
    text: str,
    names: frozenset[str],
    first_asked: int | None = None,
    said: frozenset[str] = frozenset(),
) -> tuple[list[RawTable], list[str]]:
    """Return the tables of a text, and the lines that stand in none.

    ``names`` are words that name languages or columns elsewhere on the sheet, in lower case;
    ``first_asked`` is the number of the sheet's first item, where the examples are numbered too;
    ``said`` are words of the instruction, in lower case and without a plural's s.
    """
    lines = prepared(text.split("\n"))
    if (many := _many_a_line(lines)) is not None:
        return [many], []
    whole = joined(lines)
    stacked = _stacked(lines)
    if whole is not None and stacked is None and _parts_more(whole, lines):
        lines = whole
    tables, loose = _tables(lines, names)
    if not any(table.rows for table in tables):
        if stacked is not None:
            return [_without_quotes(stacked)], []
        return _unrolled(loose)
    tables = _under_headers(tables)
    kept = [
        _without_quotes(_without_numbers(_unfolded(_upright(table, names)), first_asked))
        for table in tables
        if not _is_two_lists(table)
    ]
    kept = [_headed(_without_quotes(_parted(table)), said) for table in kept]
    return kept, loose + [line for table in kept for line in table.alone]


def _parts_more(whole: Sequence[str], lines: Sequence[str]) -> bool:
    """Say whether more lines that go on below are parted in two when they are joined."""
    one, other = (
        sum(len(_split(line, separator)) == 2 for line in some if label_and_rest(line)[0])
        for some in (whole, lines)
        for separator in (_separator(some),)
    )
    return one > other


def _tables(lines: Sequence[str], names: frozenset[str]) -> tuple[list[RawTable], list[str]]:
    separator = _separator(lines)
    tables: list[RawTable] = []
    loose: list[str] = []
    group, gap = "", True
    for number, line in enumerate(lines):
        if not line.strip():
            gap = True
            continue
        if is_rule(line):
            if tables and not gap:
                _head_of(tables[-1])
            continue
        cells = _split(line, separator)
        if len(cells) < 2:
            if tables and not gap and _continues(line):
                _extend(tables[-1], line.strip())
            elif tables and _TRIPLE.fullmatch(line.strip()):
                tables[-1].alone.append(line.strip())
            elif _is_subheading(lines, number, separator):
                group = squeeze(line)
            else:
                loose.append(line.strip())
            continue
        _add(tables, cells, group, gap, names)
        gap = False
    return tables, loose


def _head_of(table: RawTable) -> None:
    """Take the only row so far for the names of the columns: a rule is drawn below it."""
    if len(table.rows) == 1 and not table.header:
        row = table.rows.pop()
        first = " ".join(filter(None, (row.label, row.cells[0].text)))
        table.header = (first, *(cell.text for cell in row.cells[1:]))


def _unrolled(loose: Sequence[str]) -> tuple[list[RawTable], list[str]]:
    """Read pairs that stand in one line, where no line is a row."""
    for line in loose:
        pairs = unrolled(line)
        if pairs:
            table = RawTable([Row((_cell(form), _cell(gloss))) for form, gloss in pairs])
            return [_without_quotes(table)], [other for other in loose if other is not line]
    return [], list(loose)


def _many_a_line(lines: Sequence[str]) -> RawTable | None:
    """Read lines that each hold two pairs or more: ``mako ‘dog’, tiri ‘bird’``."""
    said = [line.strip() for line in lines if line.strip() and not line.rstrip().endswith(":")]
    found = [unrolled(line, 2) for line in said if "|" not in line]
    n_lines = sum(1 for pairs in found if pairs)
    if n_lines < 2 or n_lines < _WEAKER_SHARE * len(said):
        return None
    pairs = [pair for some in found for pair in some]
    return RawTable([Row((_cell(form), _cell(gloss))) for form, gloss in pairs])


def _under_headers(tables: Sequence[RawTable]) -> list[RawTable]:
    """Set a line of names above the table below it that has a column more: the corner is empty."""
    out: list[RawTable] = []
    for table in tables:
        above = out[-1] if out else None
        if above is not None and len(above.rows) == 1 and not above.header and not table.header:
            texts = [cell.text for cell in above.rows[0].cells]
            width = len(table.rows[0].cells) if table.rows else 0
            is_line = all(texts) and not above.rows[0].label and len(table.rows) > 2
            if len(texts) + 1 == width and is_line:
                table.header = ("", *texts)
                out.pop()
        out.append(table)
    return out


def _parted(table: RawTable) -> RawTable:
    """Part a column whose cells all hold a word and its sound or meaning in brackets."""
    width = len(table.rows[0].cells) if table.rows else 0
    if table.roles or len(table.rows) < 3:
        return table
    for i in range(width):
        cells = [row.cells[i] for row in table.rows]
        matches = [match for cell in cells if (match := _BEHIND.fullmatch(cell.text))]
        kinds = {match["more"][0] for match in matches}
        mores = {match["more"] for match in matches}
        if len(matches) < len(cells) or len(kinds) > 1 or len(mores) < 0.8 * len(cells):
            continue
        words, behind = [m["word"] for m in matches], [m["more"][1:-1] for m in matches]
        if kinds == {"("} and english_share(behind) <= english_share(words):
            continue  # a remark on a meaning
        rows = [
            Row((*row.cells[:i], Cell(m["word"]), Cell(m["more"]), *row.cells[i + 1 :]),
                row.label, row.group)
            for row, m in zip(table.rows, matches, strict=True)
        ]  # fmt: skip
        header = (*table.header[: i + 1], "", *table.header[i + 1 :]) if table.header else ()
        return RawTable(rows, header, alone=table.alone)
    return table


def _is_two_lists(table: RawTable) -> bool:
    """Say whether a later column holds the letters of a list: what stands beside is no pair."""
    width = len(table.rows[0].cells) if table.rows else 0
    return len(table.rows) > 2 and any(
        all(_LETTER_LABEL.match(row.cells[i].text) for row in table.rows)
        and len({row.cells[i].text.split()[0] for row in table.rows}) == len(table.rows)
        for i in range(1, width)
    )


def _headed(table: RawTable, said: frozenset[str]) -> RawTable:
    """Take a first row for the names of the columns where it looks unlike all rows below it.

    It alone has capitals, in every cell; or it alone has dots behind words (``my ...``); or it
    alone has terms of grammar in every cell (``noun | my noun``); or it is in words of English or
    of the instruction and its cells are no forms of one word (``one | many``), as those of the
    other rows are, or are several words each where all others are one.
    """
    rows = table.rows
    if table.header or table.roles or len(rows) < 4 or rows[0].label:
        return table
    cells = [cell.text for row in rows[1:] for cell in row.cells if cell.text]
    first = [cell.text for cell in rows[0].cells]
    is_capital = all(text[:1].isupper() for text in first) and all(t[0].islower() for t in cells)
    is_frame = any(map(_FRAME.search, first)) and not any(map(_FRAME.search, cells))
    is_terms = all(map(_is_term, first)) and not any(map(_is_term, cells))
    is_named = _is_worded(first, said) and _is_of_another_kind(table)
    if is_capital or is_frame or is_terms or is_named:
        return RawTable(rows[1:], tuple(first), table.roles, table.alone, table.quoted)
    return table


def _is_worded(cells: Sequence[str], said: frozenset[str]) -> bool:
    """Say whether at least half of the words of each cell are English or the instruction's."""
    for cell in cells:
        words = [word.casefold() for word in _WORD.findall(cell)]
        n_known = sum(
            is_common(word)
            or word in _NAMING
            or word.removesuffix("s") in said
            or _HEADER_WORDS.fullmatch(word) is not None
            for word in words
        )
        if not words or 2 * n_known < len(words):
            return False
    return True


def _is_of_another_kind(table: RawTable) -> bool:
    first, *rest = ([cell.text for cell in row.cells] for row in table.rows)
    if all(" " in text for text in first) and not any(" " in t for row in rest for t in row):
        return True
    if len(first) != 2 or column_likeness(table.rows[1:], 0, 1) <= 0:
        return False
    least = min(words_alike(one, other) for one, other in rest if one and other)
    return words_alike(*first) < least


def _is_term(cell: str) -> bool:
    words = _WORD.findall(cell.lower())
    return any(word in _TERMS for word in words) and all(
        word in _TERMS or word in _BESIDE_TERMS for word in words
    )


def _without_numbers(table: RawTable, first_asked: int | None) -> RawTable:
    """Take a first column off that holds nothing but the numbers of the rows."""
    width = len(table.rows[0].cells) if table.rows else 0
    firsts = [row.cells[0].text for row in table.rows]
    if width < 3 or len(table.rows) < 2 or table.roles:
        return table
    labels = [row.label for row in table.rows]
    if any(firsts) or not all(labels):
        numbers = [int(text) if text.isdigit() and len(text) < 4 else -1 for text in firsts]
        is_run = numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] > 0
        named = table.header and any(table.header[1:]) and _NUMBER_SIGN.fullmatch(table.header[0])
        if not is_run or not (named or first_asked == numbers[-1] + 1):
            return table
        labels = firsts
    rows = [
        Row(row.cells[1:], label, row.group) for row, label in zip(table.rows, labels, strict=True)
    ]
    return RawTable(rows, table.header[1:], alone=table.alone)


def _without_quotes(table: RawTable) -> RawTable:
    """Take quotation marks off the cells of a column where all have them."""
    width = len(table.rows[0].cells) if table.rows else 0
    quoted = frozenset(
        i
        for i in range(width)
        if (texts := [row.cells[i].text for row in table.rows if row.cells[i].text])
        and len(texts) > 1
        and all(_QUOTED.fullmatch(text) for text in texts)
    )
    if not quoted:
        return table
    rows = [
        Row(
            tuple(
                Cell(cell.text.rstrip(".,;").strip(_QUOTES).strip(), cell.blank)
                if i in quoted
                else cell
                for i, cell in enumerate(row.cells)
            ),
            row.label,
            row.group,
        )
        for row in table.rows
    ]
    return RawTable(rows, table.header, table.roles, table.alone, quoted)


def _unfolded(table: RawTable) -> RawTable:
    """Take cells apart that hold a word, its transcription and its gloss at once.

    Brackets and quotation marks say which is which, whatever the letters look like.
    """
    cells = [cell.text for row in table.rows for cell in row.cells if cell.text] + table.alone
    matches = [match for cell in cells if (match := _TRIPLE.fullmatch(cell))]
    if len(matches) < 3 or len(matches) < 0.6 * len(cells):
        return table
    rows = [Row(tuple(_cell(part.strip()) for part in match.groups())) for match in matches]
    return RawTable(rows, roles=("form", "phonetic", "gloss"))


def _stacked(lines: Sequence[str]) -> RawTable | None:
    """Read pairs across lines: a labelled form, its gloss below it; or couplets.

    Between the two may stand lines that take the form apart, where the gloss is in quotation marks.
    """
    rows: list[Row] = []
    for number, line in enumerate(lines[:-1]):
        label, form = label_and_rest(line)
        below = lines[number + 1].strip()
        after = lines[number + 2].strip() if number + 2 < len(lines) else ""
        before = lines[number - 1].strip() if number else ""
        is_couplet = not label and not before and not after
        is_labelled = bool(label) and (not after or bool(label_and_rest(after)[0]))
        if form and below and not label_and_rest(below)[0] and (is_couplet or is_labelled):
            rows.append(Row((_cell(squeeze(form)), _cell(squeeze(below))), label))
    n_filled = sum(1 for line in lines if line.strip())
    if len(rows) >= 3 and 2 * len(rows) >= 0.6 * n_filled:
        return RawTable(rows)
    return _in_groups(lines) or _by_turns(lines)


def _by_turns(lines: Sequence[str]) -> RawTable | None:
    """Read lines without labels that are a form and its gloss by turns.

    The glosses are set in and the forms are not, or nearly all glosses and no forms have common
    words of English.
    """
    for is_filled, group in groupby(lines, key=lambda line: bool(line.strip())):
        run = [line for line in group if not line.rstrip().endswith(":")]
        forms, glosses = run[::2], run[1::2]
        if not is_filled or len(forms) < 3 or len(forms) != len(glosses):
            continue
        is_set_in = all(map(is_indented, glosses)) and not any(map(is_indented, forms))
        n_english = sum(map(_has_common_word, glosses))
        is_english = n_english >= 0.8 * len(glosses) and not any(map(_has_common_word, forms))
        if is_set_in or is_english:
            pairs = zip(forms, glosses, strict=True)
            return RawTable([Row((_cell(squeeze(f)), _cell(squeeze(g)))) for f, g in pairs])
    return None


def _has_common_word(line: str) -> bool:
    return any(is_common(word.casefold()) for word in _WORD.findall(line))


def _in_groups(lines: Sequence[str]) -> RawTable | None:
    """Read groups of lines: a labelled form, and a gloss at their end; blank lines say nothing."""
    filled = [line for line in lines if line.strip()]
    starts = [n for n, line in enumerate(filled) if label_and_rest(line)[0]]
    rows: list[Row] = []
    for start, end in zip(starts, [*starts, len(filled)][1:], strict=True):
        group = [line.strip() for line in filled[start:end]]
        label, form = label_and_rest(group[0])
        ends = [n for n in range(1, len(group)) if _QUOTED.fullmatch(group[n])]
        last = ends[0] if ends else 1
        if form and last < len(group) and (ends or len(group) == 2 or end == len(filled)):
            rows.append(Row((_cell(squeeze(form)), _cell(squeeze(group[last]))), label))
    return RawTable(rows) if len(rows) >= 3 and len(rows) == len(starts) else None


def _upright(table: RawTable, names: frozenset[str]) -> RawTable:
    """Turn a table whose rows are languages so that its columns are."""
    width = len(table.rows[0].cells) if table.rows else 0
    first = [row.cells[0].text for row in table.rows]
    if table.header or len(first) < 2 or width < 3 or not all(t.lower() in names for t in first):
        return table
    rows = [Row(tuple(row.cells[i] for row in table.rows)) for i in range(1, width)]
    return RawTable(rows, tuple(first))


def _separator(lines: Sequence[str]) -> re.Pattern[str]:
    """Choose what parts the cells of a text."""
    filled = [line.strip() for line in lines if line.strip()]
    for pattern in _SURE:
        if sum(1 for line in filled if pattern.search(line)) >= 1:
            return pattern
    tried = [(pattern, _MIN_SHARE) for pattern in _WEAK]
    tried += [(pattern, _WEAKER_SHARE) for pattern in _WEAKER]
    tried += [(pattern, _WEAKEST_SHARE) for pattern in _WEAKEST]
    for pattern, share in tried:
        counts = Counter(len(_split(line, pattern)) for line in filled)
        counts.pop(1, None)
        if not counts or _is_equation_sign(pattern, filled):
            continue
        _, n_lines = counts.most_common(1)[0]
        if n_lines >= 3 and n_lines >= share * len(filled):
            return _TWO_BLANKS if pattern == _BLANKS and _is_close(filled) else pattern
    return _SURE[0]


def _is_close(lines: Sequence[str]) -> bool:
    """Say whether two blanks part rows as three do, and more: the longest row is close set."""
    pairs = [(len(_split(line, _BLANKS)), len(_split(line, _TWO_BLANKS))) for line in lines]
    wide = {three for three, _ in pairs if three > 1}
    return (
        all(three in (1, two) for three, two in pairs)
        and {two for _, two in pairs if two > 1} == wide
        and len(wide) == 1
    )


def _is_equation_sign(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    """Say whether ``=`` or a dash stands in sums, not between a form and its gloss."""
    lines = [line for line in lines if len(line) <= _LONGEST_ROW]
    parted = [line for line in lines if len(pattern.split(line)) > 1]
    differences = sum(_DIFFERENCE.fullmatch(line) is not None for line in parted)
    if differences > 0.5 * len(parted):
        return True
    return "=" in pattern.pattern and any(
        re.search(r"\S\s*[+×*]\s*\S", line) and "=" in line for line in lines
    )


def _split(line: str, separator: re.Pattern[str]) -> list[str]:
    if len(line) > _LONGEST_ROW and separator not in _SURE:
        return [squeeze(line)]
    bare = line.strip()
    if bare.startswith("|") and bare.endswith("|") and len(bare) > 1:
        bare = bare[1:-1]
        return [squeeze(cell) for cell in separator.split(bare)]
    if separator.pattern.startswith(r"\s{"):  # a label is no cell, whatever stands behind it
        mark = label_at_start(bare)
        if mark is not None and mark.style in (".", ")") and bare[mark.end :].strip():
            cells = separator.split(bare[mark.end :].strip())
            return [squeeze(f"{bare[: mark.end].rstrip()} {cells[0]}"), *map(squeeze, cells[1:])]
        return [squeeze(cell) for cell in separator.split(bare)]
    return [squeeze(cell) for cell in separator.split(line)]


def _continues(line: str) -> bool:
    """Say whether a line goes on with the cell above it: an explanation in brackets."""
    text = line.strip()
    return text.startswith("(") and text.endswith(")") and not _BLANK_CELL.fullmatch(text)


def _extend(table: RawTable, text: str) -> None:
    last = table.rows[-1]
    cells = (*last.cells[:-1], Cell(f"{last.cells[-1].text} {text}", last.cells[-1].blank))
    table.rows[-1] = Row(cells, last.label, last.group)


def _is_subheading(lines: Sequence[str], number: int, separator: re.Pattern[str]) -> bool:
    """A short line between rows of a table, neither a sentence nor an instruction."""
    text = lines[number].strip()
    if len(text.split()) > 5 or text.endswith((".", ":", "?", "!")):
        return False
    after = next((line for line in lines[number + 1 :] if line.strip()), "")
    return len(_split(after, separator)) > 1


def _add(
    tables: list[RawTable], cells: list[str], group: str, gap: bool, names: frozenset[str]
) -> None:
    """Add a line's cells to the table above where it goes on, else begin a new one."""
    goes_on = tables and tables[-1].rows and len(tables[-1].rows[0].cells) == len(cells)
    label, first = label_and_rest(cells[0])
    if not (goes_on and not gap) and _is_header(cells, names):
        tables.append(RawTable(header=tuple(cells)))
        return
    if tables and not tables[-1].rows and len(tables[-1].header) == len(cells):
        goes_on = True
    if not goes_on or (gap and tables[-1].rows and _is_header(cells, names)):
        tables.append(RawTable())
    row = Row(tuple(_cell(text) for text in [first, *cells[1:]]), label, group)
    tables[-1].rows.append(row)


def _cell(text: str) -> Cell:
    """Read a cell: text, a labelled blank, an unlabelled blank, or left open."""
    match = _BLANK_CELL.fullmatch(text)
    if match is not None:
        return Cell("", match[1] or match[2] or "")
    if _BLANK_ONLY.fullmatch(text):
        return Cell("", "")
    return Cell("") if _OPEN_CELL.fullmatch(text) else Cell(text)


def _is_header(cells: Sequence[str], names: frozenset[str]) -> bool:
    """Say whether a first row names its columns."""
    filled = [cell for cell in cells if cell]
    if not filled or label_and_rest(cells[0])[0]:
        return False
    if any(_BLANK_CELL.fullmatch(cell) or _DATA_CELL.match(cell) for cell in filled):
        return False
    if any(_TITLE.fullmatch(cell) for cell in filled) or not cells[0]:
        return True
    named = sum(1 for cell in filled if _names_column(cell, names))
    return named * 2 > len(filled) or (named > 0 and len(filled) < len(cells))


def _names_column(cell: str, names: frozenset[str]) -> bool:
    return cell.lower() in names or (len(cell) < 60 and _HEADER_WORDS.search(cell) is not None)
