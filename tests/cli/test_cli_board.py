"""``iolai board`` as its users call it: exit codes, streams, files."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import Outcome, run


def board(*words: object) -> Outcome:
    return run("board", *words)


def _rows(done: Outcome) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(done.out)
    return rows


LEADERBOARD = """\
rank,team,account_type,score,exact_match,chrf,explanation_rate_pct,\
public_score_best_run,public_score_scored_run,model,record,submitted_at_utc
1,ama,external,100.0,100.0,100.0,0.0,100.0,100.00,Some model,submissions/01_ama,2030-01-01 10:00:00
2,ata,external,50.0,50.0,50.0,,,,,,2030-01-02 10:00:00
"""
SOLUTION = """\
id,answer,split,points,task_type,eval_type
12030010100,"[""a"", ""b""]",public,1,translation,single
12030010200,"[""c""]",private,1,translation,single
"""
METRICS = {
    "public_score": 1.0, "public_exact_match": 1.0, "public_chrf": 1.0,
    "private_split_score": 1.0, "private_split_exact_match": 1.0, "private_split_chrf": 1.0,
    "score": 1.0, "exact_match": 1.0, "chrf": 1.0, "total": 2, "public_total": 1,
    "private_total": 1, "format_clean_rate": 100.0, "format_line_match_rate": 100.0,
    "empty_predictions": 0, "empty_prediction_rate": 0.0, "explanations": 0,
    "explanation_rate": 0.0,
}  # fmt: skip


def _row(task_id: str, split: str, answers: list[str]) -> dict[str, object]:
    text = json.dumps(answers)
    return {
        "id": task_id, "pred": text, "predicted_items": answers, "target_text": text,
        "eval_type": "single", "task_type": "translation", "points": 1.0, "split": split,
        "scores": {"em": 1.0, "chrf": 1.0, "item_em": [1.0] * len(answers),
                   "item_chrf": [1.0] * len(answers)},
        "explanation": "", "has_explanation": False, "n_expected_items": len(answers),
        "format": {"empty": False, "clean_json_list": True, "n_items_parsed": len(answers),
                   "item_count_matches": True},
        "work_lang": "eng_Latn", "task_lang": "['und_Latn']",
    }  # fmt: skip


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release of two rows, of which one has a record."""
    folder = tmp_path / "release"
    entry = folder / "submissions" / "01_ama"
    entry.mkdir(parents=True)
    (folder / "task").mkdir()
    (folder / "leaderboard.csv").write_text(LEADERBOARD, encoding="utf-8")
    (folder / "task" / "solution.csv").write_text(SOLUTION, encoding="utf-8")
    about = {"team": "ama", "rank": 1, "selected_for_private": False}
    rows = [_row("12030010100", "public", ["a", "b"]), _row("12030010200", "private", ["c"])]
    for name, data in (("metadata", about), ("metrics", METRICS), ("predictions", rows)):
        (entry / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def _rewrite(path: Path, change: Callable[[Any], object]) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_verify_says_in_words_that_all_is_equal(release: Path) -> None:
    done = board(release, "--verify", "--json")
    assert done.code == 0
    assert "1 of 1 equal to their published figures; all ranks as published" in done.err
    assert [(row["team"], row["equal"], row["state"]) for row in _rows(done)] == [
        ("ama", True, "recomputed"), ("ata", None, "published"),
    ]  # fmt: skip


def test_verify_names_what_differs_and_exits_with_1(release: Path) -> None:
    _rewrite(
        release / "submissions/01_ama/metrics.json",
        lambda data: data.update(private_split_chrf=0.9),
    )
    done = board(release, "--verify", "--json")
    assert done.code == 1
    assert _rows(done)[0]["equal"] is False
    assert _rows(done)[0]["differs"] == [
        {"field": "private_split_chrf", "published": 0.9, "computed": 1.0}
    ]
    assert "ama: private_split_chrf: published 0.9, computed 1.0" in done.err
    assert "0 of 1 equal" in done.err
    # Without --verify the board is shown all the same.
    assert board(release, "--json").code == 0


def test_verify_finds_another_order_of_ranks(release: Path) -> None:
    swapped = LEADERBOARD.replace("\n1,", "\n9,").replace("\n2,", "\n1,").replace("\n9,", "\n2,")
    (release / "leaderboard.csv").write_text(swapped, encoding="utf-8")
    done = board(release, "--verify", "--json")
    assert done.code == 1
    assert [row["team"] for row in _rows(done)] == ["ama", "ata"]
    assert "2 ranks of 2 other than published" in done.err


def test_table_goes_to_stdout(release: Path) -> None:
    done = board(release)
    assert (done.code, done.err) == (0, "")
    assert "100.00" in done.out
    assert "published only" in done.out


def test_csv(release: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(board(release, "--csv").out)))
    assert [(row["rank"], row["team"], row["score"]) for row in rows] == [
        ("1", "ama", "100.00"), ("2", "ata", "50.00"),
    ]  # fmt: skip


def test_html(release: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "board.html"
    done = board(release, "--html", target, "--title", "Our <board>")
    assert (done.code, done.out) == (0, "")
    assert str(target) in done.err
    assert "<title>Our &lt;board&gt;</title>" in target.read_text(encoding="utf-8")
    assert _rows(board(release, "--html", target, "--json"))[0]["team"] == "ama"


def test_a_record_that_the_board_does_not_list_is_ranked_too(release: Path) -> None:
    extra = release / "submissions" / "99_extra"
    shutil.copytree(release / "submissions" / "01_ama", extra)
    _rewrite(
        extra / "metadata.json", lambda data: data.update(team="extra", timestamp="2031-01-01")
    )
    done = board(release, "--json")
    assert [(row["team"], row["rank"]) for row in _rows(done)] == [
        ("ama", 1), ("extra", 2), ("ata", 3),
    ]  # fmt: skip


@pytest.mark.parametrize("arguments", [(), ("nowhere",), ("nowhere", "--json", "--csv")])
def test_unusable_input_exits_with_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = board(*(tmp_path / name if name == "nowhere" else name for name in arguments))
    assert done.code == 2
    assert done.out == ""
    assert "Traceback" not in done.err


def test_half_a_surrogate_pair_is_written_as_json_can(release: Path) -> None:
    predictions = release / "submissions" / "01_ama" / "predictions.json"
    _rewrite(predictions, lambda rows: rows[1].update(pred=r'["\ud800"]'))
    differs = _rows(board(release, "--verify", "--json"))[0]["differs"]
    texts = [item["computed"] for item in differs if item["field"].endswith("items.1.text")]
    assert texts == ["\ud800"]


def test_published_board_comes_out_again(records_folder: Path) -> None:
    done = board(records_folder, "--verify", "--json")
    assert done.code == 0
    assert "23 of 23 equal to their published figures; all ranks as published" in done.err
    with (records_folder / "leaderboard.csv").open(encoding="utf-8", newline="") as stream:
        published = list(csv.DictReader(stream))
    assert [(str(row["rank"]), row["team"]) for row in _rows(done)] == [
        (line["rank"], line["team"]) for line in published
    ]
    for row, line in zip(_rows(done), published, strict=True):
        assert row["equal"] is (True if line["record"] else None)
        assert (row["interval"] is None) == (row["band"] is None) == (not line["record"])
        for name in ("score", "exact_match", "chrf"):
            assert round(100 * row[name], 2) == pytest.approx(float(line[name]), abs=1e-9)


def test_a_changed_answer_is_found(records_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "records"
    shutil.copytree(records_folder, copy)
    (folder, *_) = sorted((copy / "submissions").iterdir())

    def spoil(rows: list[dict[str, Any]]) -> None:
        rows[2]["pred"] = json.dumps(["A"] * 27)

    _rewrite(folder / "predictions.json", spoil)
    done = board(copy, "--verify", "--json")
    assert done.code == 1
    unequal = [row for row in _rows(done) if row["equal"] is False]
    assert [row["team"] for row in unequal] == [folder.name.split("_")[1]]
    fields = {item["field"] for item in unequal[0]["differs"]}
    assert {"score", "public_score", "leaderboard.score"} <= fields
    assert "22 of 23 equal" in done.err
