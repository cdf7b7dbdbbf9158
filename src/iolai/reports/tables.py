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
from collections.abc import Callable
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
    return _rests_on(cells[0]) if len(counts) == 1 else ""


def _rests_on(cell: Cell) -> str:
    parts = [f"n = {cell.n}"] if cell.n is not None else []
    parts += [f"seeds: {cell.n_seeds}"] if cell.n_seeds is not None else []
    return ", ".join(parts)


def _written(cell: Cell, column: Column, letters: dict[str, str], common: str) -> str:
    text = cell_text(cell, column.kind)
    if cell.value is None:
        return f"{text} ({letters[cell.reason]})"
    own = "" if common else _rests_on(cell)
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
    "\u2212": "$-$",
    "†": r"$^{\dagger}$",
    "<": r"$<$",
    ">": r"$>$",
    "²": "$^2$",
    "×": r"$\times$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def table_latex(table: Table) -> str:
    """Write a table as LaTeX (booktabs), with its caption and its notes below."""
    lines = [r"% needs \usepackage{booktabs}", r"\begin{table}", r"\centering", r"\small"]
    lines.append(rf"\caption{{{_latex(table.title)}}}")
    lines.append(rf"\label{{tab:{table.name}}}")
    if not table.rows:
        lines.append(f"No figures: {_latex(table.reason)}.")
    else:
        shown = _shown(table)
        spec = "".join("l" if is_text else "r" for is_text in shown.is_text)
        lines += [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
        lines += [f"{' & '.join(map(_latex, shown.headings))} \\\\", r"\midrule"]
        lines += [f"{' & '.join(map(_latex, row))} \\\\" for row in shown.rows]
        lines += [r"\bottomrule", r"\end{tabular}", "", r"\smallskip", r"\footnotesize"]
        lines += [f"{_latex(note)}\\par" for note in shown.notes]
    return "\n".join((*lines, r"\end{table}")) + "\n"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


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
