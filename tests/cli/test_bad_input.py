"""Bad input: exit 2, one message with a hint, nothing half-written, no traceback."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import run
from iolai.formats import write_solution_csv, write_submission_csv, write_test_csv
from sample import KEY, PERFECT, PROBLEMS

ID = KEY.tasks[0].id
HUGE = 20 * 1024 * 1024


def zipped(path: Path, content: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.jsonl", content)


#: name -> (how to make the file, what the message must name beside the file)
BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda p: None, "no file"),
    "a folder without anything": (lambda p: p.mkdir(), ""),
    "empty": (lambda p: p.write_bytes(b""), "empty"),
    "white space": (lambda p: p.write_text(" \n\n"), ""),
    "other format": (lambda p: p.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50)), ""),
    "prose": (lambda p: p.write_text("Dear all, here is the key."), ""),
    "wrong columns": (lambda p: p.write_text("id,colour\n1,red\n"), "colour"),
    "not UTF-8": (lambda p: p.write_bytes(b"id,pred\n1,caf\xe9\n"), "line 2"),
    "UTF-16": (lambda p: p.write_text("id,pred\n1,a\n", encoding="utf-16"), "UTF-16"),
    "a row too short": (lambda p: p.write_text("id,pred,explanation\n1,a\n"), "line 2"),
    "an open quote": (lambda p: p.write_text('id,pred\n1,"abc\n2,d\n'), "line 2"),
    "a NUL byte": (lambda p: p.write_bytes(b"id,pred\n1,a\0b\n"), "line 2"),
    "a cell too large": (lambda p: p.write_text(f"id,pred\n1,{'a' * HUGE}\n"), "pred"),
    "JSON cut off": (lambda p: p.write_text('[{"id": "1", "pred": "a"}, {"id": '), "line 1"),
    "JSON of another shape": (lambda p: p.write_text("[1, 2, 3]"), ""),
    "JSON nested deeply": (lambda p: p.write_text("[" * 100_000), ""),
    "a corrupt zip": (lambda p: p.write_bytes(b"PK\x03\x04" + bytes(40)), "zip"),
    "a zip of something else": (lambda p: zipped(p, b"hello"), "a.jsonl"),
}


@pytest.fixture
def good(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / f"{name}.csv" for name in ("predictions", "key", "problems")}
    write_submission_csv(paths["predictions"], PERFECT)
    write_solution_csv(paths["key"], KEY)
    write_test_csv(paths["problems"], PROBLEMS)
    return paths


def commands(bad: Path, good: dict[str, Path], out: Path) -> list[list[object]]:
    return [
        ["score", bad, good["key"]],
        ["score", good["predictions"], bad],
        ["check", bad, good["problems"]],
        ["check", good["predictions"], bad],
        ["solve", bad, "--out", out],
        ["eval", bad],
        ["key", "lint", bad],
        ["board", bad, "--html", out],
    ]


@pytest.mark.parametrize("name", BAD)
def test_each_command_refuses_it_with_one_message(
    name: str, tmp_path: Path, good: dict[str, Path]
) -> None:
    make, said = BAD[name]
    bad, out = tmp_path / "bad.csv", tmp_path / "out.csv"
    make(bad)
    for command in commands(bad, good, out):
        outcome = run(*command)
        assert outcome.code == 2, (command[0], outcome)
        assert outcome.out == ""
        assert len(re.findall(r"^error: ", outcome.err, re.MULTILINE)) == 1
        assert len(re.findall(r"^hint: \S", outcome.err, re.MULTILINE)) == 1
        assert "Traceback" not in outcome.err
        assert str(bad) in outcome.err or "bad.csv" in outcome.err
        if command[0] in ("score", "check") and command[1] == bad:
            assert said in outcome.err
        assert not out.exists()
        assert len(outcome.err) < 2_000


def key_csv(*rows: str) -> str:
    return "\n".join(["id,answer,split,points,task_type,eval_type", *rows]) + "\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (key_csv(), "row"),
        (
            key_csv(
                '1,"[""a""]",public,1,translation,single',
                '01,"[""b""]",public,1,translation,single',
            ),
            "line 3",
        ),
        (key_csv(',"[""a""]",public,1,translation,single'), "column id"),
        (key_csv('1,"[""a"",",public,1,translation,single'), "column answer"),
        (key_csv("1,a,public,1,translation,single"), "column answer"),
        (key_csv('1,"[""a""]",public,many,translation,single'), "column points"),
        (key_csv('1,"[""a""]",public,-1,translation,single'), "column points"),
        (key_csv('1,"[""a""]",public,nan,translation,single'), "column points"),
    ],
    ids=["no rows", "id twice", "no id", "cut off", "no list", "points", "negative", "nan"],
)
def test_a_key_that_cannot_be_meant(
    text: str, said: str, tmp_path: Path, good: dict[str, Path]
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text(text)
    outcome = run("score", good["predictions"], bad)
    assert outcome.code == 2
    assert "bad.csv" in outcome.err
    assert said in outcome.err


def test_predictions_of_another_challenge_are_refused(
    tmp_path: Path, good: dict[str, Path]
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("id,pred\n77,a\n78,b\n")
    outcome = run("score", other, good["key"])
    assert (outcome.code, outcome.out) == (2, "")
    assert ID in outcome.err


def test_odd_rows_are_scored_by_the_rule_and_said(tmp_path: Path, good: dict[str, Path]) -> None:
    odd = tmp_path / "odd.csv"
    odd.write_text(f"id,pred\n{ID},a\n{ID},houses\n99,b\n")
    outcome = run("score", odd, good["key"], "--json")
    assert outcome.code == 0
    for said in (f"task {ID}: 2 rows", "'99'", "no row"):
        assert said in outcome.err


def test_an_output_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, good: dict[str, Path]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("old")
    outcome = run("solve", good["problems"], "--out", blocked / "submission.csv")
    assert outcome.code == 2
    assert "cannot be written" in outcome.err
    assert blocked.read_text() == "old"


def test_an_unknown_solver_split_or_option(good: dict[str, Path]) -> None:
    assert (
        "Known: echo, hybrid:CONFIG, identity, induction, llm:CONFIG, nearest"
        in run("solve", good["problems"], "--solver", "x").err
    )
    assert run("solve", good["problems"], "--solver", "x").code == 2
    assert run("score", good["predictions"], good["key"], "--split", "x").code == 2
    assert run("score", good["predictions"]).code == 2
    assert run("frobnicate").code == 2


def test_a_split_the_key_lacks(tmp_path: Path, good: dict[str, Path]) -> None:
    key = tmp_path / "nosplit.csv"
    key.write_text(key_csv(f'{ID},"[""houses"", ""dog""]",,1,translation,single'))
    outcome = run("score", good["predictions"], key, "--split", "public")
    assert outcome.code == 2
    assert "no public split" in outcome.err


@pytest.mark.parametrize("command", ["solve", "eval"])
def test_one_bad_file_of_a_folder_is_named_and_the_others_are_solved(
    command: str, tmp_path: Path
) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    sheet = "# A\n\nmako – dog\n\n## Task 1\n\nTranslate: mako\n\n### Answers\n1. dog\n"
    (folder / "a.txt").write_text(sheet, encoding="utf-8")
    (folder / "b.txt").write_text("# B\n\n### Answers\n1. x\n", encoding="utf-8")
    result = run(command, folder, "--solver", "nearest", "--json")
    assert result.code == 1
    assert result.err.count("b.txt") == 1
    assert "stands before the first task" in result.err
    rows = json.loads(result.out)
    if command == "solve":
        assert [bool(row["items"]) for row in rows] == [True, False]
        assert rows[1]["id"].endswith("b.txt")
        assert "stands before the first task" in rows[1]["failed"]
    else:
        assert rows[0]["n_tasks"] == 1
        assert [row["file"] for row in rows[0]["failed"]] == [str(folder / "b.txt")]


def test_a_missing_folder_is_made_for_the_answers_and_they_are_said_to_be_there(
    good: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "new" / "deep" / "answers.csv"
    result = run("solve", good["problems"], "--solver", "identity", "--out", out)
    assert result.code == 0
    assert f"answers written to {out}" in result.err.replace("\n", "")
    assert out.exists()
