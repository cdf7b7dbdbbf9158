"""Entries and juries' figures as files; entries that are planted; synthetic choices of probes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iolai.errors import FormatError, InputError
from iolai.formats.contestants import render_contestants
from iolai.records import (
    Contestant,
    ContestantKind,
    ContestantResult,
    ContestantTable,
    CriterionLine,
    Difficulty,
    JuryResult,
    NoFigure,
    Thresholds,
)
from iolai.reports.jury_tables import jury_json
from iolai.study.handed_in import read_entries, read_jury
from iolai.study.material import JuryFigure, Material, StudyEntry
from iolai.study.simulating import PlantedModel, simulated_choice, simulated_entries
from iolai.study.techniques import technique_tables


def test_entries_are_read_with_their_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text('id,pred\n1,"[""x""]"\n', encoding="utf-8")
    path = tmp_path / "entries.csv"
    path.write_text(
        "name,team,public,private,at,techniques,script,predictions\n"
        "one,north,20.5,19.79,2026-05-01T10:00:00Z,vote; few-shot ,a.py,a.csv\n"
        "two,north,,,,,,\n",
        encoding="utf-8",
    )
    one, two = read_entries(path)
    assert one.private == pytest.approx(0.1979)
    assert one.techniques == ("vote", "few-shot")
    assert one.script == "print(1)\n"
    assert one.predictions is not None
    assert len(one.predictions) == 1
    assert (two.public, two.private, two.techniques, two.predictions) == (None, None, (), None)


@pytest.mark.parametrize("score", ["many", "-1", "101", "nan"])
def test_a_score_that_is_none_is_named(tmp_path: Path, score: str) -> None:
    path = tmp_path / "entries.csv"
    path.write_text(f"name,team,private\none,north,{score}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 2, column private"):
        read_entries(path)


def test_a_script_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "entries.csv"
    path.write_text("name,team,script\none,north,gone.py\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"gone\.py"):
        read_entries(path)


def test_a_jurys_figures_are_read(tmp_path: Path) -> None:
    path = tmp_path / "jury.csv"
    path.write_text(
        "contestant,problem,jury,automatic,kind,criterion\na,1,50,20,,\nb,1,80,,people,rule 1\n",
        encoding="utf-8",
    )
    assert read_jury(path) == (
        JuryFigure("a", "1", 0.5, 0.2),
        JuryFigure("b", "1", 0.8, None, "people", "rule 1"),
    )
    for line, column in (("a,1,,,,", "jury"), ("a,1,50,,robot,", "kind")):
        path.write_text(
            f"contestant,problem,jury,automatic,kind,criterion\n{line}\n", encoding="utf-8"
        )
        with pytest.raises(FormatError, match=f"column {column}"):
            read_jury(path)


def test_columns_that_are_left_out_are_told(tmp_path: Path) -> None:
    path = tmp_path / "entries.csv"
    path.write_text("name,team,colour\none,north,red\n", encoding="utf-8")
    told: list[str] = []
    assert read_entries(path, on_warning=told.append) == (StudyEntry("one", "north"),)
    assert len(told) == 1
    assert "colour" in told[0]


def test_planted_techniques_are_found_and_marked_synthetic() -> None:
    entries = simulated_entries(10, 8, {"vote": 0.03, "nothing": 0.0}, seed=2)
    assert len(entries) == 80
    effects = technique_tables(Material(entries=entries, n_resamples=600))[0]
    assert effects.synthetic
    vote, nothing = effects.row("vote"), effects.row("nothing")
    assert vote["effect"].value == pytest.approx(0.03, abs=0.01)
    assert vote["effect"].interval is not None
    assert vote["effect"].interval.low > 0
    assert isinstance(nothing["p"].value, float)
    assert nothing["p"].value > 0.05


def test_a_simulated_model_knows_its_share_of_the_probes() -> None:
    def right(knows: float, n: int = 400) -> float:
        model = PlantedModel("m", knows=knows)
        return sum(simulated_choice(model, str(i), "C", 0) == "C" for i in range(n)) / n

    assert right(1.0) == 1
    assert right(0.0) == pytest.approx(0.25, abs=0.08)
    assert right(0.6) == pytest.approx(0.7, abs=0.08)


def jurys_result() -> JuryResult:
    criteria = (
        CriterionLine("p1", "rule 1", "theory", 15.0, 0.4, 0.8, 2, 3),
        CriterionLine("p1", "task 1", "task", 5.0, 0.5, None, 2, 0),
    )
    contestants = (
        ContestantResult(
            Contestant("c1", "System one", ContestantKind.SYSTEM), 10, {"p1": 10.0}, None, 0, ()
        ),
        ContestantResult(
            Contestant("c2", "Person one", ContestantKind.PERSON), 15, {"p1": 15.0}, None, 0, ()
        ),
    )
    nothing = NoFigure("nothing was compared")
    difficulty = Difficulty(criteria, nothing)
    return JuryResult("made", contestants, (), nothing, difficulty, Thresholds())


def test_a_jurys_own_result_is_read(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(jury_json(jurys_result())), encoding="utf-8")
    system, person, *criteria = read_jury(path)
    assert system == JuryFigure("System one", "p1", 0.5)
    assert person == JuryFigure("Person one", "p1", 0.75, None, "people")
    assert criteria == [
        JuryFigure("all systems", "p1", 0.4, None, "system", "rule 1"),
        JuryFigure("all people", "p1", pytest.approx(0.8), None, "people", "rule 1"),
        JuryFigure("all systems", "p1", 0.5, None, "system", "task 1"),
    ]
    kinds = {"System one": ContestantKind.SYSTEM}
    given = {"System one": {"p1": 30.0}}
    table = ContestantTable(kinds, automatic={"System one": 30.0}, automatic_by_problem=given)
    (tmp_path / "contestants.csv").write_text(render_contestants(table), encoding="utf-8")
    assert read_jury(path)[0].automatic == 0.3


@pytest.mark.parametrize("text", ["{", "[]", '{"contestants": []}', '{"difficulty": 1}'])
def test_what_is_no_result_of_a_jury_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="no result of a jury") as caught:
        read_jury(path)
    assert "--json" in caught.value.hint


def test_a_jurys_figure_that_stands_twice_is_named(tmp_path: Path) -> None:
    path = tmp_path / "jury.csv"
    rows = "contestant,problem,jury,criterion\na,1,50,\na,1,40,rule\n"
    path.write_text(rows, encoding="utf-8")
    assert len(read_jury(path)) == 2
    path.write_text(f"{rows}a,1,30,rule\n", encoding="utf-8")
    with pytest.raises(FormatError, match="a / 1 / rule has a figure already, in line 3"):
        read_jury(path)
