"""``iolai jury`` as its users call it: exit codes, streams, files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import run
from iolai.formats import builtin_path, read_rubric

MARKS = """contestant,problem,juror,criterion,points,kind,note
otter,x,ann,c1,10,,
otter,x,ann,c2,4,,
otter,x,ben,c1,10,,
otter,x,ben,c2,6,,
otter,x,,c2,5,agreed,two of three cases
heron,x,ann,c1,2,,
heron,x,ann,c2,0,,
heron,x,ben,c1,2,,
heron,x,ben,c2,0,,
"""
RUBRIC = """problem = "x"
version = 1

[[criterion]]
id = "c1"
kind = "theory"
points = 10
notes = "the endings"

[[criterion]]
id = "c2"
kind = "theory"
points = 10
notes = "the order"
"""
CONTESTANTS = """contestant,kind,total,automatic
otter,system,,80
heron,system,,30
one,person,12,
gold,threshold,15,
silver,threshold,10,
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"marks.csv": MARKS, "rubric.toml": RUBRIC, "contestants.csv": CONTESTANTS}
    paths = {name: tmp_path / name for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text, encoding="utf-8")
    return paths


def results(files: dict[str, Path], *words: object):
    return run(
        "jury", "results", files["marks.csv"], "--rubrics", files["rubric.toml"],
        "--contestants", files["contestants.csv"], "--resamples", 50, *words,
    )  # fmt: skip


def test_results_on_the_terminal_and_as_json(files: dict[str, Path]) -> None:
    done = results(files)
    assert (done.code, done.err) == (0, "")
    assert "otter" in done.out
    assert "+5.00" in done.out
    data = json.loads(results(files, "--json").out)
    assert [(row["contestant"]["name"], row["total"], row["rank"], row["medals"])
            for row in data["contestants"]] == [
        ("otter", 15.0, 1, ["gold"]),
        ("heron", 2.0, 2, ["bronze", "honourable mention", "none"]),
    ]  # fmt: skip
    assert data["n_resamples"] == 50


def test_results_as_files(files: dict[str, Path], tmp_path: Path) -> None:
    page, text, folder = tmp_path / "r.html", tmp_path / "r.md", tmp_path / "tables"
    done = results(files, "--html", page, "--markdown", text, "--csv", folder)
    assert (done.code, done.out) == (0, "")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "## Agreement before consensus" in text.read_text(encoding="utf-8")
    assert {path.stem for path in folder.iterdir()} >= {"results", "agreement", "criteria"}
    anonymous = results(files, "--anonymous")
    assert "System 1" in anonymous.out
    assert not [name for name in ("otter", "heron", "ann", "ben") if name in anonymous.out]


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("marks.csv", "otter,x,ann,c1,10,,", "otter,x,ann,c1,10.3,,", "row 2: criterion c1 cannot"),
        (
            "marks.csv",
            "heron,x,ben,c2,0,,",
            "heron,x,cid,c2,0,,",
            "those who have are: ann, ben, cid",
        ),
        ("marks.csv", "heron,", "stork,", "does not have 'stork', whose work was marked"),
        ("rubric.toml", '"x"', '"y"', "there is no rubric of problem 'x'"),
        ("contestants.csv", "silver,threshold,10", "silver,threshold,16", "is not below that of"),
        ("contestants.csv", "kind", "sort", "lacks the column"),
    ],
)
def test_what_does_not_fit_is_refused(
    files: dict[str, Path], name: str, old: str, new: str, said: str
) -> None:
    files[name].write_text(files[name].read_text(encoding="utf-8").replace(old, new), "utf-8")
    done = results(files)
    assert done.code == 2
    assert said in done.err
    assert "hint:" in done.err


def test_an_output_over_an_input_is_refused(files: dict[str, Path]) -> None:
    done = results(files, "--html", files["marks.csv"])
    assert done.code == 2
    assert files["marks.csv"].read_text(encoding="utf-8") == MARKS


def test_a_table_over_an_input_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    marks = tmp_path / "criteria.csv"
    marks.write_text(MARKS, encoding="utf-8")
    done = results(files | {"marks.csv": marks}, "--csv", tmp_path)
    assert done.code == 2
    assert "which this command reads" in done.err
    assert marks.read_text(encoding="utf-8") == MARKS


def test_rubric_lint(files: dict[str, Path]) -> None:
    done = run("jury", "rubric", "lint", builtin_path(), "--problems", builtin_path())
    assert done.code == 0
    assert "15 rubrics, 0 faults" in done.err
    fine = run("jury", "rubric", "lint", files["rubric.toml"])
    assert (fine.code, fine.out) == (0, "")
    bad = run("jury", "rubric", "lint", files["rubric.toml"], "--points", 30)
    assert bad.code == 1
    assert "fault: x: the criteria sum to 20 points, not 30" in bad.out
    data = json.loads(
        run(
            "jury", "rubric", "lint", files["rubric.toml"], "--problems", builtin_path(), "--json"
        ).out
    )
    assert [one["level"] for one in data] == ["fault"]
    assert run("jury", "rubric", "lint", files["marks.csv"]).code == 2


def test_rubric_convert(tmp_path: Path) -> None:
    given = tmp_path / "checklists.json"
    item = {"id": "p1", "answer": {"1": "a"}, "explanation": {"rule_checklist": ["one", "two"]}}
    given.write_text(json.dumps([item]), encoding="utf-8")
    done = run("jury", "rubric", "convert", given, "--theory", 12, "--out", tmp_path / "out")
    assert done.code == 0
    rubric = read_rubric(tmp_path / "out/p1.toml")
    assert [one.points for one in rubric.criteria] == [8, 6, 6]
    assert (
        run("jury", "rubric", "convert", given, "--theory", 21, "--out", tmp_path / "o").code == 2
    )
    given.write_text(json.dumps([item | {"id": "../p1"}]), encoding="utf-8")
    done = run("jury", "rubric", "convert", given, "--out", tmp_path / "out")
    assert done.code == 2
    assert "cannot be the name of a file" in done.err
    assert not (tmp_path / "p1.toml").exists()


def test_explanations(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("id,pred,explanation\n1,a,The verb is last.\n2,b,\n", encoding="utf-8")
    other.write_text(
        "id,pred,explanation\n1,a,The verb is last.\n2,b,It is so.\n", encoding="utf-8"
    )
    done = run("jury", "explanations", one, other)
    assert done.code == 0
    assert f"{one} 2 empty: there is no explanation" in done.out
    assert "not checked: no context" in done.out
    assert "3 explanations of 4 tasks in 2 entries: 2 shared, 1 empty." in done.err
    data = json.loads(run("jury", "explanations", one, other, "--json").out)
    assert sorted(found["kind"] for found in data["findings"]) == ["empty", "shared", "shared"]
    checked = json.loads(
        run("jury", "explanations", one, "--problems", builtin_path(), "--json").out
    )
    assert checked["not_checked"] == {}
    assert len(checked["findings"]) == checked["n_tasks"][str(one)]
