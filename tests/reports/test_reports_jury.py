"""A jury's result as tables, CSV, Markdown, HTML: the figures, hostile names, nothing fetched."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

from iolai.jury.release import anonymised
from iolai.jury.resampling import Resampler
from iolai.jury.results import jury_result
from iolai.jury.tables import marked_papers
from iolai.records import (
    Comparison,
    Contestant,
    ContestantKind,
    ContestantTable,
    Criterion,
    JuryResult,
    MarkRow,
    PersonScore,
    Rubric,
    Thresholds,
)
from iolai.reports.jury_report import jury_csv, jury_html, jury_markdown, rich_table
from iolai.reports.jury_tables import JuryTable, facts, jury_json, jury_tables

HOSTILE = "<script>alert('x')</script>|**=cmd()\u202e\x1b[2J"


def result_of(name: str = "otter", juror: str = "juror ann") -> JuryResult:
    rubric = Rubric("x", tuple(Criterion(f"c{n}", "x", "theory", 10) for n in (1, 2)))
    sheets = {name: (7, 2, 7, 3), "heron": (1, 1, 1, 1), "Person": (9, 9, 9, 9)}
    rows = []
    for who, (a, b, c, d) in sheets.items():
        rows += [
            MarkRow(who, "x", juror, "c1", "own", a),
            MarkRow(who, "x", juror, "c2", "own", b),
            MarkRow(who, "x", "ben", "c1", "own", c),
            MarkRow(who, "x", "ben", "c2", "own", d),
        ]
    rows.append(MarkRow(name, "x", "", "c2", "agreed", 2.5))
    kinds = {name: ContestantKind.SYSTEM, "heron": ContestantKind.SYSTEM}
    kinds["Person"] = ContestantKind.PERSON
    return jury_result(
        {"x": rubric},
        marked_papers(rows, {"x": rubric}),
        [Contestant(one, one, kind, f"team {one}") for one, kind in kinds.items()],
        ContestantTable(
            kinds,
            people=(PersonScore("A", 18, medal="silver"), PersonScore("B", 3)),
            thresholds=Thresholds(gold=15, silver=9, honourable=1),
            automatic={name: 60.0, "heron": 20.5},
            automatic_by_problem={name: {"x": 60.0}},
        ),
        resampler=Resampler(n_resamples=50),
    )


def tables_of(result: JuryResult) -> dict[str, JuryTable]:
    return {table.id: table for table in jury_tables(result)}


def test_the_tables_say_what_the_result_holds() -> None:
    tables = tables_of(result_of())
    assert list(tables) == [
        "results", "firmness", "clashes", "agreement", "comparison", "inflation", "criteria",
    ]  # fmt: skip
    for table in tables.values():
        assert {len(row) for row in table.rows} == {len(table.heads)}
        assert 0 < table.n_texts <= len(table.heads)
    assert tables["results"].rows == (
        ("Person", "person", "gold", "1", "18", "18", "–", "–"),
        ("otter", "system", "silver", "2", "9.5", "9.5", "60.00", "+12.50"),
        ("heron", "system", "bronze or honourable mention", "3", "2", "2", "20.50", "+10.50"),
    )
    otter = tables["firmness"].rows[1]
    assert otter[2] == (
        "c1 7 → 6: bronze or honourable mention; c2 2.5 → 1.5: bronze or honourable mention"
    )
    assert otter[3] == "ben: silver; juror ann: silver"
    assert otter[4] == "2"
    assert tables["clashes"].rows == (("A", "silver", "gold", "18"),)
    assert tables["agreement"].rows[1][:3] == ("x", "c1", "1.000")
    assert tables["comparison"].rows[0][:2] == ("Spearman", "two contestants")
    assert tables["comparison"].rows[2][1] == "+11.50"
    assert tables["inflation"].rows == (("x", "+12.50", "one contestant", "1"),)
    assert tables["criteria"].rows[0] == (
        "x", "c1", "theory", "10", "0.60", "0.10", "2", "1",
    )  # fmt: skip


def test_the_facts_come_first_in_every_form() -> None:
    result = result_of()
    said = list(facts(result))
    assert said[0] == "Thresholds: gold from 15, silver from 9, honourable mention from 1."
    assert "The threshold is not known: bronze." in said
    assert said[-1] == "Intervals hold the middle 90% of 50 resamples, seed 0."
    page = jury_html(result)
    assert all(fact in page for fact in said)


def test_without_scores_or_thresholds_tables_are_left_out_or_say_why() -> None:
    result = result_of()
    bare = jury_result(
        {"x": Rubric("x", (Criterion("c1", "x", "theory", 20),))},
        (),
        [one.contestant for one in result.contestants],
        ContestantTable({}),
    )
    tables = tables_of(bare)
    assert "firmness" not in tables
    assert tables["comparison"].rows[0][1].startswith("no contestant has both")
    assert tables["agreement"].rows[0][2] == "no paper was marked by two"
    assert "nan" not in jury_markdown(bare).lower()


def test_csv_runs_in_no_spreadsheet_and_keeps_its_figures() -> None:
    tables = tables_of(result_of(name="=HYPERLINK(1)", juror="+ann"))
    rows = list(csv.reader(io.StringIO(jury_csv(tables["results"]))))
    assert rows[0] == list(tables["results"].heads)
    assert rows[2][0] == "'=HYPERLINK(1)"
    assert rows[2][-1] == "+12.50", "a number is no formula"
    assert rows[1][-1] == ""
    for table in tables.values():
        for row in csv.reader(io.StringIO(jury_csv(table))):
            assert not [
                cell for cell in row if re.match(r"[=@]|[+-](?!\d+(\.\d+)?(\Z| to ))", cell)
            ]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [
            value or "" for name, value in attrs if name in ("src", "href", "action")
        ]


def test_the_page_escapes_names_and_asks_for_nothing() -> None:
    page = jury_html(result_of(name=HOSTILE, juror=HOSTILE), title=HOSTILE)
    parser = _Page()
    parser.feed(page)
    assert "script" not in parser.tags
    assert all(address.startswith("#") for address in parser.addresses)
    assert "default-src 'none'" in page
    assert "url(" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page


def test_markdown_takes_no_name_for_markup() -> None:
    text = jury_markdown(result_of(name=HOSTILE, juror=HOSTILE))
    assert "<script>" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    by_table = re.split(r"\n\n", text)
    for block in by_table:
        lines = [line for line in block.splitlines() if line.startswith("|")]
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        assert len(counts) <= 1
    assert len(rows) > 10
    assert "\u202e" not in text


def test_the_terminal_shows_the_cells() -> None:
    console = Console(file=io.StringIO(), width=200)
    for table in jury_tables(result_of(name="[bold]otter[/bold]")):
        console.print(rich_table(table))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[bold]otter[/bold]" in shown
    assert "How firmly the medals stand" in shown


def test_json_has_figures_and_reasons() -> None:
    data = json.loads(json.dumps(jury_json(result_of())))
    assert data["comparison"]["spearman"] == {"reason": "two contestants"}
    assert data["agreement"][0]["criteria"][0]["alpha"]["value"] == 1.0
    assert data["contestants"][1]["contestant"]["kind"] == "system"


def test_json_calls_contestants_by_name_and_has_difficulties() -> None:
    result = result_of()
    rows = tuple(
        replace(row, contestant=replace(row.contestant, id=f"id-of-{row.contestant.name}"))
        for row in result.contestants
    )
    comparison = result.comparison
    assert isinstance(comparison, Comparison)
    by_id = {f"id-of-{name}": value for name, value in comparison.by_contestant.items()}
    given = replace(comparison, by_contestant=by_id, jury=by_id)
    data = jury_json(replace(result, contestants=rows, comparison=given))
    assert "id-of" not in json.dumps(data)
    assert data["comparison"]["by_contestant"] == dict(comparison.by_contestant)
    for line, one in zip(data["difficulty"]["criteria"], result.difficulty.criteria, strict=True):
        assert one.systems is not None
        assert line["difficulty_systems"] == 1 - one.systems
        assert "systems" not in line


@pytest.mark.parametrize("systems", [True, False])
def test_a_release_without_names(systems: bool) -> None:
    result = anonymised(result_of(), systems=systems)
    whole = json.dumps(jury_json(result)) + jury_html(result) + jury_markdown(result)
    for hidden in ("juror ann", "ben", "team Person", "Person/x"):
        assert hidden not in whole
    names = [row.contestant.name for row in result.contestants]
    assert names == (
        ["Person 1", "System 1", "System 2"] if systems else ["Person 1", "otter", "heron"]
    )
    assert ("otter" in whole) is not systems
    assert tables_of(result)["results"].rows[1][1:] == tables_of(result_of())["results"].rows[1][1:]


def test_problems_are_called_by_their_titles() -> None:
    plain = {one.id: one for one in jury_tables(result_of())}
    assert "x" in plain["results"].heads
    tables = {one.id: one for one in jury_tables(replace(result_of(), titles={"x": "Hooks"}))}
    assert "Hooks" in tables["results"].heads
    for name in ("agreement", "inflation", "criteria"):
        assert {row[0] for row in tables[name].rows} == {"Hooks"}, name
