"""The worked example of the jury: its tables are read, and the program finds the same figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iolai.cli.app import app
from iolai.formats import render_contestants, render_marks, write_rubric
from iolai.jury.resampling import Resampler
from iolai.jury.results import jury_result
from iolai.jury.tables import marked_papers
from iolai.records import (
    Comparison,
    Contestant,
    ContestantKind,
    ContestantTable,
    Criterion,
    Figure,
    JuryResult,
    MarkRow,
    Rubric,
    Thresholds,
)

PAGE = (Path(__file__).parents[2] / "docs/jury-worked-example.md").read_text(encoding="utf-8")
Rows = list[dict[str, str]]


def table(*heads: str) -> Rows:
    """The rows of the table whose first heads are these."""
    lines = PAGE.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {' | '.join(heads)} |"))
    names = cells(lines[start])
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(names, cells(line), strict=True)))
    return rows


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def rubrics() -> dict[str, Rubric]:
    found: dict[str, list[Criterion]] = {}
    for row in table("problem", "criterion", "kind", "points"):
        task = "1" if row["kind"] == "task" else ""
        found.setdefault(row["problem"], []).append(
            Criterion(row["criterion"], row["problem"], row["kind"], float(row["points"]), (), task)
        )
    return {problem: Rubric(problem, tuple(criteria)) for problem, criteria in found.items()}


def marks() -> list[MarkRow]:
    rows = []
    for row in table("contestant", "problem", "criterion", "juror 1"):
        of = (row["contestant"], row["problem"])
        rows += [
            MarkRow(*of, juror, row["criterion"], "own", float(row[juror]))
            for juror in ("juror 1", "juror 2")
        ]
        if row["by"] != "equal":
            juror = "juror 3" if row["by"] == "third" else ""
            rows.append(MarkRow(*of, juror, row["criterion"], row["by"], float(row["counts"])))
    return rows


def contestants() -> ContestantTable:
    automatic = table("system", "automatic")
    thresholds = re.search(
        r"gold from (\d+), silver from (\d+), bronze from (\d+), honourable mention from (\d+)",
        PAGE,
    )
    assert thresholds is not None
    return ContestantTable(
        kinds={
            row["contestant"]: ContestantKind(row["kind"]) for row in table("contestant", "kind")
        },
        thresholds=Thresholds(*map(float, thresholds.groups())),
        automatic={row["system"]: float(row["automatic"]) for row in automatic},
        automatic_by_problem={
            row["system"]: {name: float(row[f"automatic {name}"]) for name in ("X", "Y")}
            for row in automatic
        },
    )


@pytest.fixture(scope="module")
def result() -> JuryResult:
    given = contestants()
    known = [Contestant(name, name, kind) for name, kind in given.kinds.items()]
    papers = marked_papers(marks(), rubrics())
    return jury_result(rubrics(), papers, known, given, resampler=Resampler(n_resamples=100))


def value(figure: object) -> float:
    assert isinstance(figure, Figure)
    return figure.value


def test_all_of_the_example_is_there() -> None:
    assert len(marks()) == 2 * 20 + 6
    assert sum(rubric.points for rubric in rubrics().values()) == 40


def test_totals_ranks_and_medals(result: JuryResult) -> None:
    found = [
        {
            "contestant": row.contestant.name,
            "kind": str(row.contestant.kind),
            "X": f"{row.by_problem['X']:g}",
            "Y": f"{row.by_problem['Y']:g}",
            "total": f"{row.total:g}",
            "rank": str(row.rank),
            "medal": " or ".join(row.medals),
        }
        for row in result.contestants
    ]
    on_page = [row | {"rank": row["rank"].split(" ")[-1]} for row in table("contestant", "kind")]
    assert found == on_page


def test_how_firmly_the_medals_stand(result: JuryResult) -> None:
    found = []
    for row in result.contestants:
        assert row.sensitivity is not None
        changes = dict.fromkeys(change.criterion for change in row.sensitivity.changes)
        found.append(
            {
                "contestant": row.contestant.name,
                "steps": str(row.sensitivity.n_steps),
                "criteria": ", ".join(sorted(changes)),
                "by juror 1": row.sensitivity.by_juror["juror 1"],
                "by juror 2": row.sensitivity.by_juror["juror 2"],
            }
        )
    assert found == table("contestant", "steps")


def test_agreement(result: JuryResult) -> None:
    found = [
        {
            "problem": one.problem,
            "of": line.name,
            "papers": str(line.n_papers),
            "equal": str(line.n_equal),
            "alpha": f"{value(line.alpha):.3f}",
        }
        for one in result.agreement
        for line in (one.totals, *one.criteria)
    ]
    assert found == table("problem", "of")


def test_automatic_against_jury(result: JuryResult) -> None:
    comparison = result.comparison
    assert isinstance(comparison, Comparison)
    for row in table("system", "automatic"):
        assert comparison.jury[row["system"]] == float(row["jury"])
        assert comparison.by_contestant[row["system"]] == float(row["inflation"])
        for problem in ("X", "Y"):
            jury = float(row[f"jury {problem}"])
            assert float(row[f"automatic {problem}"]) - jury == float(row[f"inflation {problem}"])
    found = {
        "Spearman": comparison.spearman,
        "Pearson": comparison.pearson,
        "inflation": comparison.inflation,
    } | {f"inflation {one.problem}": one.inflation for one in comparison.by_problem}
    assert {name: f"{value(figure):.3f}" for name, figure in found.items()} == {
        row["figure"]: row["value"] for row in table("figure", "value")
    }


def test_difficulty(result: JuryResult) -> None:
    found = [
        {
            "criterion": one.criterion,
            "systems": f"{1 - (one.systems or 0):.3f}",
            "people": f"{1 - (one.people or 0):.3f}",
        }
        for one in result.difficulty.criteria
    ]
    assert found == table("criterion", "systems")
    said = re.search(r"Spearman's correlation is 1\.5 / √22\.5 = (0\.\d+)", PAGE)
    assert said is not None
    assert f"{value(result.difficulty.correlation):.3f}" == said[1]


def test_the_command_finds_the_same(result: JuryResult, tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text(render_marks(marks()), encoding="utf-8")
    (tmp_path / "contestants.csv").write_text(render_contestants(contestants()), encoding="utf-8")
    for problem, rubric in rubrics().items():
        write_rubric(tmp_path / f"rubrics/{problem}.toml", rubric)
    done = CliRunner().invoke(
        app,
        ["jury", "results", str(tmp_path / "marks.csv"), "--rubrics", str(tmp_path / "rubrics"),
         "--contestants", str(tmp_path / "contestants.csv"), "--resamples", "100", "--json"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert [row["total"] for row in data["contestants"]] == [r.total for r in result.contestants]
    assert data["comparison"]["spearman"]["value"] == pytest.approx(0.5)
    assert data["agreement"][0]["totals"]["alpha"]["value"] == pytest.approx(
        value(result.agreement[0].totals.alpha)
    )
