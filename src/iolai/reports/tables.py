"""A study's tables as CSV, LaTeX, Markdown, HTML, JSON: figures with n, seeds and interval.

CSV and JSON are for programs: plain figures in the units of the program, every part of a cell by
itself. The others are for readers: scores x100, intervals in brackets, a dash with a letter where
there is no figure (the letter's note says why), and a dagger on whatever is synthetic.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from iolai.records import Cell, Column, Table
from iolai.reports.figures import DASH, SYNTHETIC

__all__ = [
    "TABLE_FORMATS",
    "cell_text",
    "table_csv",
    "table_html",
    "table_json",
    "table_latex",
    "table_markdown",
]

_DAGGER = "†"
_PARTS = ("low", "high", "n", "seeds", "p", "reason", "synthetic")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_text(cell: Cell, kind: str) -> str:
    """Write a cell's figure and its interval, as readers see it; a dash where there is none."""
    if cell.value is None:
        return DASH
    if isinstance(cell.value, str):
        return cell.value
    text = _figure(cell.value, kind)
    if cell.interval is not None:
        low, high = (_figure(end, kind) for end in (cell.interval.low, cell.interval.high))
        text += f" [{low}, {high}]"
    return text


def _figure(value: float, kind: str) -> str:
    if kind == "score":
        return _signed(f"{100 * value:.2f}")
    if kind == "difference":
        return _signed(f"{100 * value:+.2f}")
    if kind == "share":
        return _signed(f"{100 * value:.1f}%")
    if kind == "count":
        return _signed(f"{value:,.0f}")
    if kind == "p":
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    return _signed(f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}")


def _signed(text: str) -> str:
    """Write a minus sign, and no sign at all before a zero."""
    if not re.search(r"[1-9]", text):
        text = text.lstrip("+-")
    return text.replace("-", "\u2212")


@dataclass(frozen=True)
class _Shown:
    """A table as text: headings, rows, and the notes below it."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    is_text: tuple[bool, ...]


def _shown(table: Table) -> _Shown:
    reasons = list(dict.fromkeys(c.reason for row in table.rows for c in row if c.value is None))
    letters = {reason: _letter(place) for place, reason in enumerate(reasons)}
    common = [_common_n(table, place) for place in range(len(table.columns))]
    rows = tuple(
        tuple(
            _written(cell, column, letters, count)
            for cell, column, count in zip(row, table.columns, common, strict=True)
        )
        for row in table.rows
    )
    headings = tuple(
        f"{column.title} ({count})" if count else column.title
        for column, count in zip(table.columns, common, strict=True)
    )
    notes = [f"{letter}: {reason}." for reason, letter in letters.items()]
    notes += [f"{_DAGGER} {SYNTHETIC}"] if table.synthetic else []
    is_text = tuple(column.kind == "text" for column in table.columns)
    return _Shown(headings, rows, (*notes, *table.notes), is_text)


def _letter(place: int) -> str:
    return _LETTERS[place % 26] * (1 + place // 26)


def _common_n(table: Table, place: int) -> str:
    """Return what a column's figures rest on where they all rest on the same, else ""."""
    cells = [row[place] for row in table.rows if row[place].value is not None]
    counts = {(cell.n, cell.n_seeds) for cell in cells}
    if len(counts) == 1:
        return _rests_on(cells[0])
    same_n = {cell.n for cell in cells}
    return f"n = {cells[0].n}" if len(same_n) == 1 and cells[0].n is not None else ""


def _rests_on(cell: Cell) -> str:
    parts = [f"n = {cell.n}"] if cell.n is not None else []
    parts += [f"seeds: {cell.n_seeds}"] if cell.n_seeds is not None else []
    return ", ".join(parts)


def _written(cell: Cell, column: Column, letters: dict[str, str], common: str) -> str:
    text = cell_text(cell, column.kind)
    if cell.value is None:
        return f"{text} ({letters[cell.reason]})"
    own = _rests_on(cell)
    if common and own.startswith(common):
        own = own.removeprefix(common).removeprefix(", ")
    text += f" ({own})" if own else ""
    return f"{text}{_DAGGER}" if cell.synthetic else text


def table_csv(table: Table) -> str:
    """Write a table as CSV, in the program's units, without parts that no cell of a column has."""
    parts = [
        [part for part in _PARTS if any(_part(row[place], part) != "" for row in table.rows)]
        for place in range(len(table.columns))
    ]
    stream = io.StringIO()
    writer = csv.writer(stream)
    heading = []
    for column, own in zip(table.columns, parts, strict=True):
        heading += [column.name, *(f"{column.name}_{part}" for part in own)]
    writer.writerow(heading)
    for row in table.rows:
        line: list[str | float] = []
        for cell, own in zip(row, parts, strict=True):
            value = round(cell.value, 6) if isinstance(cell.value, float) else cell.value
            line += ["" if value is None else value, *(_part(cell, part) for part in own)]
        writer.writerow(line)
    return stream.getvalue()


def _part(cell: Cell, part: str) -> str | float:
    if part in ("low", "high"):
        return "" if cell.interval is None else round(getattr(cell.interval, part), 6)
    if part == "synthetic":
        return "yes" if cell.synthetic else ""
    if part == "reason":
        return cell.reason
    value = {"n": cell.n, "seeds": cell.n_seeds, "p": cell.p}[part]
    return "" if value is None else round(value, 6)


def table_markdown(table: Table) -> str:
    """Write a table as Markdown, with its title, and its notes below."""
    if not table.rows:
        return f"**{_markdown(table.title)}**\n\nNo figures: {_markdown(table.reason)}.\n"
    shown = _shown(table)
    rule = ["---" if is_text else "---:" for is_text in shown.is_text]
    lines = [f"**{_markdown(table.title)}**", ""]
    lines += [_pipes(map(_markdown, shown.headings)), _pipes(rule)]
    lines += [_pipes(map(_markdown, row)) for row in shown.rows]
    lines += ["", *(f"{_markdown(note)}  " for note in shown.notes)]
    return "\n".join(lines) + "\n"


def _pipes(cells: object) -> str:
    return f"| {' | '.join(cells)} |"  # type: ignore[arg-type]


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<>\[\]#])", r"\\\1", " ".join(text.split()))


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\u2212": "$-$",
    "†": r"$^{\dagger}$",
    "<": r"$<$",
    ">": r"$>$",
    "²": "$^2$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_NEEDS = r"% needs \usepackage[T1]{fontenc} and \usepackage{array,booktabs,graphicx}"
_NEEDS_FONT = (
    "% has letters beyond Latin: compile with LuaLaTeX or XeLaTeX and a font that has them"
)
_LATIN_TO = "\u024f"
_PUNCTUATION = "–—‘’“”…•†−≤≥→"  # that LaTeX knows, or that is written as a command above
_MOST_ROWS = 36  # on a page, where each is one line
_NARROW = 14  # characters of a line in a heading
_LONG = 26  # characters from which a text is broken into lines
_LIGATURES = re.compile(r"(?<=([-'`,?!]))(?=[-'`,])")
_PARTS_OF_FIGURE = re.compile(r"([^\s\[]*\d[^\s\[]*) (\[.+?\])?(?: ?(\(.+\)))?(†?)")


def table_latex(table: Table) -> str:
    """Write a table as LaTeX (booktabs), with its caption and its notes below.

    A figure's interval stands below it, and a table that is still wider than the line is made
    smaller. Letters beyond Latin need LuaLaTeX or XeLaTeX; the first lines say so.
    """
    shown = _shown(table)
    written = [table.title, table.reason, *shown.headings, *shown.notes]
    written += [text for row in shown.rows for text in row]
    lines = [_NEEDS, *([_NEEDS_FONT] if _beyond_latin("".join(written)) else [])]
    if not table.rows:
        return "\n".join((*lines, *_latex_float(table, f"No figures: {table.reason}.", [])))
    parts = list(_latex_parts(shown))
    for place, rows in enumerate(parts):
        ends = place == len(parts) - 1
        notes = [f"{_latex(note)}\\par" for note in shown.notes] if ends else []
        small = ["", r"\smallskip", r"\raggedright\footnotesize", *notes] if notes else []
        lines += _latex_float(table, "", [*rows, *small], goes_on=place > 0)
    return "\n".join(lines)


def _latex_float(
    table: Table, said: str, body: Sequence[str], *, goes_on: bool = False
) -> list[str]:
    """Return a float with its caption; of a table in parts the first has the label."""
    title = f"{table.title} (continued)" if goes_on else table.title
    return [
        r"\begin{table}",
        r"\centering",
        r"\small",
        rf"\caption{{{_latex(title)}}}",
        *([] if goes_on else [rf"\label{{tab:{table.name}}}"]),
        *([_latex(said)] if said else []),
        *body,
        r"\end{table}",
        "",
    ]


def _beyond_latin(text: str) -> bool:
    return any(letter > _LATIN_TO and letter not in _PUNCTUATION for letter in text)


def _latex_parts(shown: _Shown) -> Iterator[list[str]]:
    """Yield the table in parts that fit on a page, each with the headings."""
    columns = list(zip(*shown.rows, strict=True))
    spec = "".join(map(_latex_column, columns, shown.is_text))
    rows = [
        [_latex_cell(*pair) for pair in zip(row, shown.is_text, strict=True)] for row in shown.rows
    ]
    headings = [
        _stack(_broken(text), "l" if is_text else "r", "b")
        for text, is_text in zip(shown.headings, shown.is_text, strict=True)
    ]
    is_high = any(r"\\" in cell for row in rows for cell in row) or "p{" in spec
    end, most = (r"\\ \addlinespace", _MOST_ROWS // 2) if is_high else (r"\\", _MOST_ROWS)
    for first in range(0, len(rows), most):
        yield [
            r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{spec}}}",
            r"\toprule",
            f"{' & '.join(headings)} \\\\",
            r"\midrule",
            *(f"{' & '.join(row)} {end}" for row in rows[first : first + most]),
            r"\bottomrule",
            r"\end{tabular}}",
        ]


def _broken(heading: str) -> list[str]:
    """Break a heading into short lines, but not within ``n = 14``."""
    return textwrap.wrap(heading.replace(" = ", "\u00a0=\u00a0"), _NARROW, break_long_words=False)


def _latex_column(texts: tuple[str, ...], is_text: bool) -> str:
    if not is_text:
        return "r"
    longest = max(map(len, texts))
    if longest < _LONG:
        return "l"
    return rf">{{\raggedright\arraybackslash}}p{{{min(max(20, 0.6 * longest), 36):.0f}ex}}"


def _latex_cell(text: str, is_text: bool) -> str:
    """Write a cell; a figure with an interval, or with an n of its own, has a line for each."""
    parts = None if is_text else _PARTS_OF_FIGURE.fullmatch(text)
    if parts is None:
        return _latex(text)
    figure, interval, counted, dagger = parts.groups()
    return _stack([part for part in (figure + dagger, interval, counted) if part], "r", "t")


def _stack(lines: Sequence[str], side: str, place: str) -> str:
    """Put lines below each other in one cell; ``place`` is the line that stands on the row's."""
    if len(lines) < 2:
        return _latex("".join(lines))
    body = r"\\".join(f"{{}}{_latex(line)}" for line in lines)
    return rf"\begin{{tabular}}[{place}]{{@{{}}{side}@{{}}}}{body}\end{{tabular}}"


def _latex(text: str) -> str:
    """Escape what means something to LaTeX, and what it would draw together."""
    apart = _LIGATURES.sub("\0", " ".join(text.split()).replace("\0", ""))
    return "".join(_LATEX.get(character, character) for character in apart).replace("\0", "{}")


def table_html(table: Table) -> str:
    """Write a table as a piece of HTML: a figure with a table and its notes; no styles of its own.

    Classes: ``study-table``, ``number`` (a figure), ``absent`` (none), ``notes``, ``synthetic``.
    """
    kind = "study-table synthetic" if table.synthetic else "study-table"
    head = f'<figure class="{kind}" id="table-{html.escape(table.name)}">'
    title = f"<figcaption>{html.escape(table.title)}</figcaption>"
    if not table.rows:
        reason = html.escape(table.reason)
        return f'{head}\n{title}\n<p class="absent">No figures: {reason}.</p>\n</figure>\n'
    shown = _shown(table)
    headings = "".join(
        f'<th scope="col"{_number(is_text)}>{html.escape(heading)}</th>'
        for heading, is_text in zip(shown.headings, shown.is_text, strict=True)
    )
    body = "\n".join(
        f"<tr>{_html_row(cells, texts, shown.is_text)}</tr>"
        for cells, texts in zip(table.rows, shown.rows, strict=True)
    )
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in shown.notes)
    return (
        f'{head}\n{title}\n<div class="scroll"><table>\n<thead><tr>{headings}</tr></thead>\n'
        f'<tbody>\n{body}\n</tbody>\n</table></div>\n<ul class="notes">{notes}</ul>\n</figure>\n'
    )


def _number(is_text: bool) -> str:
    return "" if is_text else ' class="number"'


def _html_row(cells: tuple[Cell, ...], texts: tuple[str, ...], is_text: tuple[bool, ...]) -> str:
    parts = [f'<th scope="row">{html.escape(texts[0])}</th>']
    for cell, text, plain in list(zip(cells, texts, is_text, strict=True))[1:]:
        if cell.value is None:
            reason = html.escape(cell.reason)
            parts.append(f'<td class="absent" title="{reason}">{html.escape(text)}</td>')
        else:
            parts.append(f"<td{_number(plain)}>{html.escape(text)}</td>")
    return "".join(parts)


def table_json(table: Table) -> str:
    """Write a table as JSON: all parts of every cell, in the program's units."""
    columns = [asdict(column) for column in table.columns]
    rows = [
        {
            column.name: {name: part for name, part in asdict(cell).items() if part is not None}
            for column, cell in zip(table.columns, row, strict=True)
        }
        for row in table.rows
    ]
    whole = {
        "name": table.name,
        "title": table.title,
        "synthetic": table.synthetic,
        "reason": table.reason,
        "notes": table.notes,
        "columns": columns,
        "rows": rows,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


#: Formats by the ending of their files: one function above and one line here.
TABLE_FORMATS: dict[str, Callable[[Table], str]] = {
    "csv": table_csv,
    "tex": table_latex,
    "md": table_markdown,
    "html": table_html,
    "json": table_json,
}
