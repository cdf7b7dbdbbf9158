"""A study's tables in every format: figures with n, seeds, intervals; reasons; escapes."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser

import pytest

from iolai.records import Cell, Column, Table
from iolai.reports.tables import (
    TABLE_FORMATS,
    cell_text,
    table_csv,
    table_html,
    table_json,
    table_latex,
    table_markdown,
)
from iolai.stats import Interval

BETWEEN = Interval(-0.0123, 0.25, 0.9)
COLUMNS = (
    Column("model", "Model"),
    Column("score", "Score", "score"),
    Column("change", "Change", "difference"),
    Column("p", "p", "p"),
)
TABLE = Table(
    "odd",
    "Odd & <b>bold</b>",
    COLUMNS,
    (
        (
            Cell("a_1 | <x>"),
            Cell(0.5, 13, 2, Interval(0.4, 0.61)),
            Cell(0.1, 13, 2, BETWEEN, synthetic=True),
            Cell(0.00049),
        ),
        (Cell("100% $x^2$"), Cell(0.25, 13, 2), Cell(None, reason="one task"), Cell(0.0449)),
    ),
    notes=("Of 50% & more.",),
)
EMPTY = Table("none", "None", COLUMNS, reason="nothing was asked")


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.19787, "score", "19.79"),
        (-0.012, "difference", "−1.20"),
        (0.0, "difference", "0.00"),
        (-0.000001, "difference", "0.00"),
        (0.25, "difference", "+25.00"),
        (0.857, "share", "85.7%"),
        (12345.0, "count", "12,345"),
        (0.0004, "p", "<0.001"),
        (0.0449, "p", "0.045"),
        (0.7512, "number", "0.75"),
        (1234.5, "number", "1,234"),
    ],
)
def test_figures_are_written_by_kind(value: float, kind: str, text: str) -> None:
    assert cell_text(Cell(value), kind) == text


def test_an_interval_stands_beside_its_figure() -> None:
    assert cell_text(Cell(0.1, interval=BETWEEN), "difference") == "+10.00 [−1.23, +25.00]"
    assert cell_text(Cell(None, reason="x"), "score") == "–"
    assert cell_text(Cell("kati"), "text") == "kati"


def test_csv_gives_every_part_in_plain_units() -> None:
    rows = list(csv.DictReader(io.StringIO(table_csv(TABLE))))
    first, second = rows
    assert first["model"] == "a_1 | <x>"
    assert (first["score"], first["score_low"], first["score_high"]) == ("0.5", "0.4", "0.61")
    assert (first["score_n"], first["score_seeds"]) == ("13", "2")
    assert first["change_synthetic"] == "yes"
    assert (second["change"], second["change_reason"]) == ("", "one task")
    assert "score_reason" not in first
    assert table_csv(EMPTY).strip() == "model,score,change,p"


def test_markdown_reads_and_escapes() -> None:
    text = table_markdown(TABLE)
    lines = text.splitlines()
    assert r"**Odd & \<b\>bold\</b\>**" in lines
    assert "| Model | Score (n = 13, seeds: 2) | Change (n = 13, seeds: 2) | p |" in lines
    assert (
        r"| a\_1 \| \<x\> | 50.00 \[40.00, 61.00\] | +10.00 \[−1.23, +25.00\]† | \<0.001 |" in lines
    )
    assert any(line.startswith("a: one task.") for line in lines)
    assert any("Synthetic" in line for line in lines)
    assert table_markdown(EMPTY).endswith("No figures: nothing was asked.\n")


def test_latex_escapes_what_it_must() -> None:
    text = table_latex(TABLE)
    assert r"\caption{Odd \& $<$b$>$bold$<$/b$>$}" in text
    assert r"100\% \$x\textasciicircum{}2\$ & 25.00 & – (a) & 0.045 \\" in text
    assert text.count("&") - text.count(r"\&") == 3 * 3
    assert text.count(r"\begin") == text.count(r"\end") == 6  # four cells and headings in lines
    assert "nothing was asked" in table_latex(EMPTY)
    assert table_latex(EMPTY).count(r"\begin") == 1


@pytest.mark.parametrize(
    ("written", "latex"),
    [
        ("&%$#_{}", r"\&\%\$\#\_\{\}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ('a|b "c"', r"a\textbar{}b \textquotedbl{}c\textquotedbl{}"),
        ("--x ``y'' <<z>> ?`", r"-{}-x `{}`y'{}' $<$$<$z$>$$>$ ?{}`"),
        ("−1 ≤ ±2 → ×²†", r"$-$1 $\leq$ $\pm$2 $\rightarrow$ $\times$$^2$$^{\dagger}$"),
        ("ŋaɾə t͡ʃʰ, ç “é”", "ŋaɾə t͡ʃʰ, ç “é”"),
        ("two\nlines\t\0here", "two lines here"),
    ],
)
def test_what_means_something_to_latex_is_escaped_everywhere(written: str, latex: str) -> None:
    columns = (Column("a", "A"), COLUMNS[1])
    table = Table("t", written, columns, ((Cell(written), Cell(None, reason=written)),), (written,))
    text = table_latex(table)
    assert text.count(latex) == 4  # caption, cell, reason, note
    assert rf"a: {latex}.\par" in text
    beyond = "compile with LuaLaTeX" in text.split(r"\begin", 1)[0]
    assert beyond == ("ɾ" in written)


def test_latex_puts_intervals_below_and_fits_the_line() -> None:
    text = table_latex(TABLE)
    assert (
        r"\begin{tabular}[t]{@{}r@{}}{}+10.00$^{\dagger}$\\{}[$-$1.23, +25.00]\end{tabular}" in text
    )
    assert r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}" in text
    rows = tuple((Cell(f"m{n}"), Cell(0.5, n)) for n in range(80))
    parts = table_latex(Table("long", "Long", COLUMNS[:2], rows, notes=("Once.",)))
    assert parts.count(r"\begin{table}") == parts.count(r"\toprule") > 1
    assert parts.count(r"\label{tab:long}") == parts.count("Once.") == 1
    assert parts.count("Long (continued)") == parts.count(r"\begin{table}") - 1
    assert all(f"m{n} &" in parts for n in range(80))


class Counting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.cells += tag in ("td", "th")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_closed_and_says_why() -> None:
    parser = Counting()
    parser.feed(table_html(TABLE))
    assert parser.open == []
    assert parser.cells == 12
    text = table_html(TABLE)
    assert "a_1 | &lt;x&gt;" in text
    assert '<td class="absent" title="one task">– (a)</td>' in text
    assert 'class="study-table synthetic"' in text
    assert '<p class="absent">No figures: nothing was asked.</p>' in table_html(EMPTY)


def test_json_holds_every_part_of_every_cell() -> None:
    whole = json.loads(table_json(TABLE))
    assert whole["synthetic"]
    assert whole["rows"][0]["change"]["interval"]["low"] == BETWEEN.low
    assert whole["rows"][1]["change"]["reason"] == "one task"
    assert "value" not in whole["rows"][1]["change"]
    assert json.loads(table_json(EMPTY))["reason"] == "nothing was asked"


def test_n_stands_in_the_cell_where_it_differs() -> None:
    rows = ((Cell("a"), Cell(0.5, 3)), (Cell("b"), Cell(0.5, 4, 2)))
    text = table_markdown(Table("t", "T", COLUMNS[:2], rows))
    assert "50.00 (n = 3)" in text
    assert "50.00 (n = 4, seeds: 2)" in text


def test_an_n_that_all_share_stands_in_the_heading_and_the_seeds_beside() -> None:
    rows = ((Cell("a"), Cell(0.5, 3, 1)), (Cell("b"), Cell(0.5, 3, 2)))
    text = table_markdown(Table("t", "T", COLUMNS[:2], rows))
    assert "| Score (n = 3) |" in text
    assert "50.00 (seeds: 2)" in text


def test_every_format_writes_every_table() -> None:
    for write in TABLE_FORMATS.values():
        assert write(TABLE)
        assert write(EMPTY)
