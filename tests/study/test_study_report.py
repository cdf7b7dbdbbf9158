"""A whole small study: our models are asked, the report is written, the release is verified."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra `study`")

from command_line import run as command
from iolai.errors import InputError
from iolai.formats import read_records
from iolai.records.study import Table
from iolai.reports.plots import CHART_FORMATS
from iolai.reports.tables import TABLE_FORMATS
from iolai.study.figures import FIGURES
from iolai.study.material import JuryFigure, Material, StudyEntry
from iolai.study.plan import FORMAT, Call, make_plan
from iolai.study.release import anonymised, write_release
from iolai.study.report import StudyReport, make_report, report_material, study_tables, write_report
from iolai.study.running import Ran, finished_plan
from iolai.study.study_file import read_study
from iolai.study.unfinished import waiting_for
from study_for_tests import write_study


@pytest.fixture(scope="module")
def ran(finished_study: Path) -> Ran:
    return finished_plan(read_study(finished_study))


@pytest.fixture(scope="module")
def report(ran: Ran) -> StudyReport:
    return make_report(ran)


@pytest.fixture(scope="module")
def page(ran: Ran, report: StudyReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(report, ran, tmp_path_factory.mktemp("report"))


def test_every_call_is_answered_and_the_best_format_is_found(ran: Ran, report: StudyReport) -> None:
    assert ran.n_left == 0
    assert {result.state for result in ran.results.values()} == {"answered"}
    (formats,) = (table for table in report.tables if table.name == "formats")
    best = {row[0].value: row[-1].value for row in formats.rows}
    assert best == {"nearest": None, "able": "lines", "poor": "json"}
    (left_out,) = ran.plan.sheets.left_out
    compared = {outcome.problem for outcome in report.material.compared}
    assert len(compared) == 2
    assert left_out not in compared


def test_planted_truth_is_seen_in_the_outcomes(ran: Ran, report: StudyReport) -> None:
    def mean(model: str, condition: str) -> float:
        found = [
            outcome.exact_match
            for outcome in ran.outcomes
            if (outcome.model, outcome.condition.name) == (model, condition)
        ]
        return sum(found) / len(found)

    assert mean("able", "best") > 0.6 > mean("able", "best+ablated") + 0.2
    assert mean("poor", "best") < 0.4
    assert mean("able", "probe") == 1.0
    assert {o.synthetic for o in ran.outcomes if o.model == "able"} == {True}
    assert not any(o.synthetic for o in ran.outcomes if o.model == "nearest")
    explained = [o for o in ran.outcomes if o.condition.explanation]
    assert all(outcome.explanation for outcome in explained)


def test_every_table_and_figure_is_written_in_every_format(report: StudyReport, page: Path) -> None:
    assert {chart.name for chart in report.charts} == set(FIGURES)
    for table in report.tables:
        for ending in TABLE_FORMATS:
            assert (page.parent / "tables" / f"{table.name}.{ending}").stat().st_size > 0
        assert table.rows or table.reason
    for name in FIGURES:
        for ending in CHART_FORMATS:
            assert (page.parent / "figures" / f"{name}.{ending}").stat().st_size > 0


def test_the_page_asks_for_nothing_and_says_what_is_synthetic_and_what_is_missing(
    report: StudyReport, page: Path
) -> None:
    text = page.read_text(encoding="utf-8")
    assert "<title>A small study &lt;of&gt; two</title>" in text
    sources = re.findall(r'(?:src|href)="([^"]+)"', text)
    assert {source[:1] for source in sources if not source.startswith("data:")} == {"#"}
    assert "Simulated models." in text
    assert "able, poor are no models" in text
    for table in report.tables:
        assert f'id="table-{table.name}"' in text
        assert not table.reason or table.reason.split("'")[0] in text
    HTMLParser().feed(text)


def test_the_models_make_a_board_where_none_was_handed_in(report: StudyReport) -> None:
    (top,) = (table for table in report.tables if table.name == "board-top")
    assert {row[1].value for row in top.rows} == {"able (simulated)", "poor (simulated)", "nearest"}
    assert {row[1].value for row in top.rows if row[2].synthetic} == {
        "able (simulated)",
        "poor (simulated)",
    }
    (baselines,) = (table for table in report.tables if table.name == "board-baselines")
    assert [row[1].value for row in baselines.rows] == ["nearest"]


def test_a_release_is_verified_and_every_file_has_its_digest(
    ran: Ran, report: StudyReport, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    write_release(folder, ran, report.material, study_tables)
    outcome = command("board", folder, "--verify")
    assert outcome.code == 0, outcome.err
    assert "3 of 3 equal" in outcome.err
    assert {entry.team for entry in read_records(folder).entries} >= {"nearest"}
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert files - {"manifest.json"} == set(manifest["files"])
    for name, about in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == about["sha256"]
    assert (folder / "task/test.csv").is_file()
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"Okapi" not in everything
    assert b"Quagga" not in everything
    assert b"first run" not in everything
    assert not (folder / "tables/technique-runs.csv").exists(), "a time tells the team"
    runs = (folder / "entries.csv").read_text(encoding="utf-8").splitlines()
    assert runs[0] == "team,run,techniques,made up"
    assert not [line for line in runs if any(cell in line for cell in _telling(report))]
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == []
    with pytest.raises(InputError, match="not empty"):
        write_release(folder, ran, report.material, study_tables)


def _telling(report: StudyReport) -> set[str]:
    """Return the scores of single runs as they may be printed, and their times."""
    entries = report.material.entries
    values = [v for one in entries for v in (one.public, one.private) if v is not None]
    return {f"{100 * v:.2f}" for v in values} | {one.at for one in entries if one.at}


def test_numbers_of_runs_do_not_follow_the_order_of_a_file(report: StudyReport) -> None:
    names = [f"{letter} run" for letter in "abcdefghijkl"]
    entries = tuple(StudyEntry(name, f"team of {name}", 0.5, 0.5, "2026-01-01") for name in names)
    jury = tuple(JuryFigure(name, "1", 0.5, kind="people") for name in names)
    orders = set()
    for _ in range(3):
        made = anonymised(replace(report.material, entries=entries, jury=jury))
        assert {one.at for one in made.entries} == {""}
        assert [one.team for one in made.entries] == [f"team {n:02}" for n in range(1, 13)]
        orders.add(tuple(one.name for one in made.entries))
        people = [one.contestant for one in made.jury]
        assert people == sorted(people), "nor do rows of contestants"
    assert len(orders) > 1, "a secret is drawn each time"


def test_a_release_that_fails_leaves_nothing(ran: Ran, report: StudyReport, tmp_path: Path) -> None:
    def broken(_: Material) -> list[Table]:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write_release(tmp_path / "release", ran, report.material, broken)
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_was_tampered_with_is_found(
    ran: Ran, report: StudyReport, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    write_release(folder, ran, report.material, study_tables)
    board = folder / "leaderboard.csv"
    lines = board.read_text(encoding="utf-8").splitlines()
    cells = lines[1].split(",")
    cells[3] = "99.5"
    board.write_text("\n".join((lines[0], ",".join(cells), *lines[2:])), encoding="utf-8")
    assert command("board", folder, "--verify").code == 1


def test_problems_without_a_licence_stay_at_home(
    ran: Ran, report: StudyReport, tmp_path: Path
) -> None:
    home = write_study(tmp_path, licence="")
    journal = ran.plan.study.folder / "journal.jsonl"
    (home / "journal.jsonl").write_bytes(journal.read_bytes())
    again = finished_plan(read_study(home))
    assert again.n_left == 0
    folder = tmp_path / "release"
    manifest = write_release(folder, again, report_material(again), study_tables)
    assert not (folder / "task/test.csv").exists()
    assert any("licence" in reason for reason in manifest["left_out"])
    context = ran.plan.sheets.whole.problems[0].tasks[0].context[:40]
    assert context.strip()
    everything = "".join(p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file())
    assert context not in everything
    told = [outcome.explanation.strip() for outcome in report.material.outcomes]
    assert not [text for text in told if len(text) > 30 and text[:30] in everything]
    assert not (folder / "tables/trace-examples.csv").exists()
    assert command("board", folder, "--verify").code == 0


def test_a_study_without_a_finished_call_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no finished call"):
        make_report(finished_plan(read_study(write_study(tmp_path))))


def partly(ran: Ran, keep: Callable[[Call], bool]) -> dict[str, Table]:
    """Return the tables of a study of which only some calls were made."""
    made = {call.id: ran.results[call.id] for call in ran.plan.calls if keep(call)}
    part = replace(ran, results=made)
    return {table.name: table for table in study_tables(report_material(part), part)}


def test_an_unfinished_study_says_table_by_table_what_is_planned(ran: Ran) -> None:
    probe = next(call.id for call in ran.plan.calls if call.kind == "probe")

    def keep(call: Call) -> bool:
        first = call.condition.name == "best" and call.seed == 0
        return call.kind == FORMAT or (call.model.name != "poor" and (first or call.id == probe))

    tables = partly(ran, keep)
    left = "(able: 5 of 10, poor: 10 of 10)"
    said = f"Not finished: 15 of 22 calls are planned, not asked yet {left}."
    assert tables["models"].notes[0] == said
    assert tables["states"].notes[0].startswith("Not finished: 57 of 64 calls")
    assert tables["explanation"].reason == (
        "no model was asked both ways: answers only and with an explanation, so far; 35 of 40 "
        "calls are planned, not asked yet (able: 15 of 20, poor: 20 of 20)"
    )
    assert tables["probes"].notes[0].startswith("Not finished: 7 of 8 calls")
    assert tables["presence"].reason == "no counts of resources were given"

    def more(call: Call) -> bool:
        return keep(call) or (call.kind == "probe" and call.model.name == "able")

    also = next(c.id for c in ran.plan.calls if c.kind == "probe" and c.model.name == "poor")
    languages = partly(ran, lambda call: more(call) or call.id == also)["probe-languages"]
    (absent,) = [cell for cell in languages.column("poor") if cell.value is None]
    assert absent.reason == "planned, not asked yet"


def test_what_waits_for_the_best_formats_is_planned_too(finished_study: Path) -> None:
    whole = finished_plan(read_study(finished_study))
    bare = make_plan(whole.plan.study, whole.plan.sheets)
    ran = Ran(bare, {c.id: whole.results[c.id] for c in bare.calls if c.model.name == "nearest"})
    tables = {table.name: table for table in study_tables(report_material(ran), ran)}
    follow = "calls of able, poor follow when the best format is known"
    assert tables["explanation"].reason == f"planned, not asked yet: {follow}"
    assert tables["models"].notes[0] == f"Not finished: {follow}."
    assert tables["probes"].reason.startswith("8 of 8 calls are planned, not asked yet")


def test_a_finished_study_speaks_of_nothing_planned(ran: Ran, report: StudyReport) -> None:
    for table in report.tables:
        assert not any("planned" in note for note in (*table.notes, table.reason))
    assert waiting_for(ran, report.material, "scores") is None
