"""``iolai score`` and ``iolai key``: the JSON that scripts rely on, and the published figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import run
from iolai.formats import write_linguini, write_solution_csv, write_submission_csv
from sample import KEY, PERFECT, PROBLEMS

DATA = Path(__file__).parents[3] / "shared/data"
RECORDS = DATA / "iol2026-records"
LINGUINI = DATA / "linguini-2003-2019.zip"
PASSWORD = ("--password", "linguisticreasoning")
needs_records = pytest.mark.skipif(
    not RECORDS.is_dir(), reason="needs the archived records in ../shared/data"
)
needs_linguini = pytest.mark.skipif(
    not LINGUINI.is_file(), reason="needs the Linguini problems in ../shared/data"
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    predictions, key = tmp_path / "submission.csv", tmp_path / "solution.csv"
    write_submission_csv(predictions, PERFECT)
    write_solution_csv(key, KEY)
    return predictions, key


def test_the_json_of_a_score(files: tuple[Path, Path]) -> None:
    data = json.loads(run("score", *files, "--json").out)
    assert {key: data[key] for key in ("score", "exact_match", "chrf", "n_tasks", "n_items")} == {
        "score": 1.0,
        "exact_match": 1.0,
        "chrf": 1.0,
        "n_tasks": 3,
        "n_items": 6,
    }
    assert set(data["splits"]) == {"public", "private"}
    assert set(data["by_task_type"]) == {"translation", "match_letters"}
    assert data["rates"]["format_clean_rate"] == 100.0
    assert data["signature"].startswith("official|")


def test_one_split_alone(files: tuple[Path, Path]) -> None:
    data = json.loads(run("score", *files, "--json", "--split", "private").out)
    assert (data["n_tasks"], list(data["splits"]), data["warnings"]) == (1, ["private"], [])


def test_items_are_shown_on_demand(files: tuple[Path, Path]) -> None:
    assert "pelon" not in run("score", *files).out
    assert "pelon" in run("score", *files, "--per-item").out
    data = json.loads(run("score", *files, "--per-item", "--json").out)
    assert data["tasks"][1]["items"] == [{"predicted": "pelon", "exact_match": 1.0, "chrf": 1.0}]


def test_a_problem_set_with_references_is_a_key(tmp_path: Path, files: tuple[Path, Path]) -> None:
    problems = tmp_path / "problems.jsonl"
    write_linguini(problems, PROBLEMS, KEY)
    data = json.loads(run("score", files[0], problems, "--json").out)
    assert data["score"] == 1.0


def test_a_perfect_submission_scores_one(tmp_path: Path, files: tuple[Path, Path]) -> None:
    perfect = tmp_path / "perfect.csv"
    assert run("key", "perfect", files[1], "--out", perfect).code == 0
    assert json.loads(run("score", perfect, files[1], "--json").out)["score"] == 1.0


def test_lint_says_what_looks_wrong_and_exits_with_one(files: tuple[Path, Path]) -> None:
    outcome = run("key", "lint", files[1])
    assert outcome.code == 1
    assert "private has no match_letters" in outcome.out
    (finding,) = json.loads(run("key", "lint", files[1], "--json").out)
    assert (finding["kind"], finding["level"]) == ("split-lacks-type", "fault")


@needs_records
@pytest.mark.parametrize(
    "folder", sorted(RECORDS.glob("submissions/*")), ids=lambda folder: folder.name
)
def test_every_archived_entry_scores_as_published(folder: Path) -> None:
    published = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    outcome = run(
        "score", folder / "predictions.json", RECORDS / "task/solution.csv", "--json", "--per-item"
    )
    data = json.loads(outcome.out)
    public, private = data["splits"]["public"], data["splits"]["private"]
    computed = {
        "public_score": public["score"],
        "public_exact_match": public["exact_match"],
        "public_chrf": public["chrf"],
        "private_split_score": private["score"],
        "private_split_exact_match": private["exact_match"],
        "private_split_chrf": private["chrf"],
        "score": data["score"],
        "exact_match": data["exact_match"],
        "chrf": data["chrf"],
        "total": data["n_tasks"],
        "public_total": public["n_tasks"],
        "private_total": private["n_tasks"],
        **data["rates"],
    }
    assert computed == published
    rows = json.loads((folder / "predictions.json").read_text(encoding="utf-8"))
    for row, task in zip(rows, data["tasks"], strict=True):
        items = task["items"]
        assert [item["predicted"] for item in items] == row["predicted_items"]
        assert [item["exact_match"] for item in items] == row["scores"]["item_em"]
        assert [item["chrf"] for item in items] == pytest.approx(
            row["scores"]["item_chrf"], abs=1e-6
        )


@needs_linguini
def test_the_references_of_linguini_score_one_against_themselves(tmp_path: Path) -> None:
    perfect = tmp_path / "perfect.csv"
    assert run("key", "perfect", LINGUINI, "--out", perfect, *PASSWORD).code == 0
    data = json.loads(run("score", perfect, LINGUINI, "--json", *PASSWORD).out)
    assert (data["score"], data["exact_match"], data["chrf"]) == (1.0, 1.0, 1.0)
    assert (data["n_tasks"], data["n_items"]) == (128, 699)


@needs_linguini
def test_evaluating_on_linguini_reports_per_task_type() -> None:
    (data,) = json.loads(run("eval", LINGUINI, *PASSWORD, "--solver", "nearest", "--json").out)
    assert data["solver"] == "nearest"
    assert data["seconds"] < 30
    assert {name: part["n_tasks"] for name, part in data["by_task_type"].items()} == {
        "fill_blanks": 9,
        "match_letters": 13,
        "num_to_text": 6,
        "text_to_num": 8,
        "translation": 92,
    }
    assert 0 < data["score"] < 0.3
