"""A study's report as one HTML page that asks for nothing from elsewhere and runs no script."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from iolai.records.study import Chart, Table
from iolai.reports.board_html import source_of, template_of
from iolai.reports.tables import table_html
from iolai.text import visible

__all__ = ["Section", "render_study"]


@dataclass(frozen=True)
class Section:
    """A part of the page: its tables and charts, and a sentence that says what they are for."""

    id: str
    name: str
    lead: str
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()


def render_study(
    sections: Sequence[Section],
    drawings: Mapping[str, bytes],
    *,
    title: str,
    deck: str,
    facts: Mapping[str, str],
    cautions: Sequence[tuple[str, str]],
    footer: str,
) -> str:
    """Return the page. ``drawings`` has the SVG of each chart by its name."""
    shown = [
        {
            "id": section.id,
            "name": section.name,
            "lead": section.lead,
            "tables": [_table(table) for table in section.tables],
            "figures": [_figure(chart, drawings[chart.name]) for chart in section.charts],
        }
        for section in sections
    ]
    css = source_of("board.css") + source_of("study.css")
    return template_of("study.html.j2").render(
        title=visible(title),
        deck=deck,
        facts=[{"name": name, "text": visible(text)} for name, text in facts.items()],
        cautions=[{"lead": lead, "text": visible(text)} for lead, text in cautions],
        sections=shown,
        footer=footer,
        css=Markup(css),  # noqa: S704 -- our own files
    )


def _table(table: Table) -> Markup:
    """Return a table's HTML, which is escaped where it is made."""
    text = visible(table_html(table))
    region = '<div class="scroll" role="region" aria-label="table" tabindex="0">'
    return Markup(text.replace('<div class="scroll">', region, 1))  # noqa: S704


def _figure(chart: Chart, drawing: bytes) -> dict[str, object]:
    source = base64.b64encode(drawing).decode("ascii")
    return {
        "name": chart.name,
        "title": chart.title,
        "synthetic": chart.synthetic,
        "broad": chart.kind == "strip" and not chart.reason,
        "source": f"data:image/svg+xml;base64,{source}",
        "words": _words(chart),
    }


def _words(chart: Chart) -> str:
    """Say in words what a figure shows, for whoever does not see it."""
    if chart.reason:
        return f"{chart.title}: no figure, since {chart.reason}."
    if chart.texts:
        return f"{chart.title}: " + "; ".join(f"{name}: {text}" for name, text in chart.texts)
    series = (f"{one.name}, {len(one.dots)} marks" for one in chart.series)
    return visible(f"{chart.title}. {'; '.join(series)}. The tables below hold the figures.")
