"""A jury's result as text for the terminal, CSV, Markdown, or one HTML page."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.table import Table
from rich.text import Text

from iolai.records import JuryResult
from iolai.reports.figures import DASH
from iolai.reports.jury_tables import JuryTable, facts, jury_tables
from iolai.text import squeeze, visible
from iolai.version import __version__

__all__ = ["jury_csv", "jury_html", "jury_markdown", "rich_table"]

#: A spreadsheet takes a cell that begins with one of these for a formula, unless it is a number.
_FORMULA = re.compile(r"[=+\-@\t\r](?!\d+(?:\.\d+)?(?: to [+-]?\d+(?:\.\d+)?)?\Z)")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")


def rich_table(table: JuryTable) -> Table:
    """Return a table for the terminal."""
    shown = Table(title=table.title, title_justify="left", box=None, padding=(0, 1))
    for place, head in enumerate(table.heads):
        shown.add_column(Text(head), justify="left" if place < table.n_texts else "right")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown


def jury_csv(table: JuryTable) -> str:
    """Return a table as CSV (RFC 4180), with ``'`` before what a spreadsheet would run."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(table.heads)
    for row in table.rows:
        cells = ("" if cell == DASH else cell for cell in row)
        writer.writerow([f"'{cell}" if _FORMULA.match(cell) else cell for cell in cells])
    return target.getvalue()


def jury_markdown(result: JuryResult, *, title: str = "") -> str:
    """Return the whole result as Markdown; nothing that was typed in is taken for markup."""
    parts = [f"# {_escaped(squeeze(visible(title or result.name)) or 'Result of the jury')}"]
    parts += [_escaped(visible(fact)) for fact in facts(result)]
    for table in jury_tables(result):
        parts.append(f"## {table.title}")
        rules = ["---"] * table.n_texts + ["---:"] * (len(table.heads) - table.n_texts)
        rows = [_row([*map(_escaped, table.heads)]), _row(rules)]
        rows += [_row([*map(_escaped, row)]) for row in table.rows]
        parts.append("\n".join(rows))
        if table.note:
            parts.append(_escaped(table.note))
    return "\n\n".join(parts) + "\n"


def jury_html(result: JuryResult, *, title: str = "") -> str:
    """Return the whole result as one HTML page that asks for nothing from elsewhere."""
    return (
        _environment()
        .get_template("jury.html.j2")
        .render(
            title=squeeze(visible(title or result.name)) or "Result of the jury",
            facts=[visible(fact) for fact in facts(result)],
            tables=jury_tables(result),
            css=Markup(_resource("board.css")),  # noqa: S704 -- a file of ours
            footer=f"iolai {__version__}",
        )
    )


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("iolai.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _resource(name: str) -> str:
    return (resources.files("iolai.reports") / "templates" / name).read_text(encoding="utf-8")
