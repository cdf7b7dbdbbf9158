"""Folders of problems, archived records, and asking a file for what it does not hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from iolai import formats
from iolai.errors import FormatError, InputError, MissingPartError
from iolai.formats import builtin, problem_folder
from iolai.formats.records_folder import render_board_csv

TEST = "id,context,query,work_lang,task_lang,task_type,eval_type\n{},c,q,,,,\n"
KEY = 'id,answer,split,points,task_type,eval_type\n{},"[""a""]",,1,,\n'
SUBMISSION = "id,pred\n1,a\n"
SHEET = "# {}\n## Task 1\nq\n### Answers\n1. a\n"
RUBRIC = 'problem = "{}"\n[[criterion]]\nid = "a"\nkind = "theory"\npoints = 1\n'
BOARD = (
    "rank,team,account_type,score,exact_match,chrf,explanation_rate_pct,public_score_best_run,"
    "public_score_scored_run,model,record,submitted_at_utc\n"
    "1,one,external,19.79,12.41,31.57,100.0,22.45,22.4,m,submissions/01_one,2026-07-25 14:08:29\n"
    "2,two,organizer,0.0,0.0,12.3,,,0.00,,,2026-07-22 12:21:32\n"
)


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


# Folders of problems.


def test_tables_side_by_side_under_any_names(tmp_path: Path) -> None:
    folder = _write(tmp_path / "set", {"b": TEST.format(1), "a": KEY.format(1)})
    document = formats.read_document(folder)
    assert document.format == "folder"
    assert document.problems is not None
    assert document.key is not None
    assert [task.id for task in document.problems.tasks] == ["1"]
    assert (document.problems.name, document.key.name) == ("set", "set")
    assert document.warnings == ()
    assert formats.read_key(folder) == document.key


def test_one_folder_a_problem_with_notes_and_rubric(tmp_path: Path) -> None:
    folder = _write(
        tmp_path,
        {
            "02-b/problem.txt": SHEET.format("B"),
            "02-b/rubric.toml": RUBRIC.format("1000002"),
            "01-a/problem.txt": SHEET.format("A"),
            "01-a/notes.md": "# Notes\n\n# are no problem\n",
            "01-a/deeper/problem.txt": SHEET.format("not read"),
            ".hidden": SHEET.format("not read"),
            ".git/x": SHEET.format("not read"),
        },
    )
    document = formats.read_document(folder)
    assert document.problems is not None
    # Ids that have to be made count on from file to file.
    assert [(p.id, p.title) for p in document.problems] == [("1000001", "A"), ("1000002", "B")]
    assert [rubric.problem for rubric in document.rubrics] == ["1000002"]
    assert document.warnings == ()
    assert formats.read_rubric(folder) == document.rubrics[0]


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    folder = _write(tmp_path, {"a.txt": SHEET.format("A"), "b": "hello", "c": SUBMISSION, "d": ""})
    (folder / "e.png").write_bytes(b"\x89PNG\xff\x00")
    document = formats.read_document(folder)
    assert document.predictions is None
    assert len(document.warnings) == 4
    words = {"b": "no known", "c": "predictions", "d": "no known", "e.png": "no known"}
    for name, word in words.items():
        assert any(f"/{name}: " in text and word in text for text in document.warnings)


def test_a_broken_file_of_a_known_format_is_an_error(tmp_path: Path) -> None:
    folder = _write(tmp_path, {"a": SHEET.format("A"), "b": TEST.format(1) + "2\n"})
    with pytest.raises(FormatError, match="line 3"):
        formats.read_document(folder)
    (folder / "b").write_bytes(TEST.format(1).encode("utf-16"))
    with pytest.raises(FormatError, match="UTF-16"):
        formats.read_document(folder)
    (folder / "b").write_bytes(TEST.format("\xe9").encode("latin-1"))
    with pytest.raises(FormatError, match="UTF-8"):
        formats.read_document(folder)


def test_one_task_in_two_files(tmp_path: Path) -> None:
    folder = _write(tmp_path, {"a": TEST.format("012"), "b": TEST.format("12")})
    with pytest.raises(InputError, match=r"/b and .*/a both hold the task '12'"):
        formats.read_document(folder)
    folder = _write(tmp_path, {"b": KEY.format("012"), "c": KEY.format("12")})
    with pytest.raises(InputError, match="the key of the task"):
        formats.read_document(folder)


def test_tasks_without_references_are_counted(tmp_path: Path) -> None:
    folder = _write(tmp_path, {"a": TEST.format(1) + "2,c,q,,,,\n", "b": KEY.format(1)})
    (warning,) = formats.read_document(folder).warnings
    assert "1 tasks have no references, first 2" in warning


def test_an_empty_folder_and_one_without_problems(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no problems"):
        formats.read_document(tmp_path)
    _write(tmp_path, {"a": "hello", "b": SUBMISSION})
    with pytest.raises(InputError, match="holds no problems") as caught:
        formats.read_document(tmp_path)
    assert "predictions.json" in caught.value.hint


def test_links_that_lead_back_and_links_that_lead_nowhere(tmp_path: Path) -> None:
    folder = _write(tmp_path / "set", {"a": SHEET.format("A")})
    (folder / "self").symlink_to(folder)
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "gone").symlink_to(folder / "nothing")
    problems = formats.read_problems(folder)
    assert [problem.title for problem in problems] == ["A"]


def test_a_folder_of_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problem_folder, "MAX_FILES", 3)
    _write(tmp_path, {f"{n}/a": SHEET.format(n) for n in range(3)})
    assert len(formats.read_problems(tmp_path)) == 3
    _write(tmp_path, {"3/a": SHEET.format(3)})
    with pytest.raises(InputError, match="more than 3 files"):
        formats.read_problems(tmp_path)


# Asking for what is not there.


@pytest.mark.parametrize(
    ("text", "has", "lacks"),
    [
        (SUBMISSION, "predictions", ["problems", "key"]),
        (TEST.format(1), "problems", ["key", "predictions"]),
        (KEY.format(1), "references", ["problems", "predictions"]),
        (SHEET.format("A"), "problems and references", ["predictions"]),
        (RUBRIC.format(1), "a rubric", ["problems", "key", "predictions"]),
    ],
)
def test_the_hint_says_what_the_file_does_hold(
    tmp_path: Path, text: str, has: str, lacks: list[str]
) -> None:
    path = _write(tmp_path, {"given": text}) / "given"
    for part in lacks:
        with pytest.raises(InputError) as caught:
            getattr(formats, f"read_{part}")(path)
        assert "holds no" in caught.value.message
        assert f"it has {has}." in caught.value.hint
        assert formats.read_document(path).format in caught.value.hint


def test_paths_may_be_texts(tmp_path: Path) -> None:
    _write(tmp_path, {"given": SUBMISSION})
    assert len(formats.read_predictions(str(tmp_path / "given"))) == 1


# Archived records.


def _published(**changes: object) -> str:
    row: dict[str, object] = {
        "id": "1",
        "pred": "[]",
        "predicted_items": ["a"],
        "scores": {"em": 0.5, "chrf": 0.25, "item_em": [0.5], "item_chrf": [0.25]},
        "format": {"clean_json_list": True, "n_items_parsed": 2},
        "explanation": "e",
        "more": {"kept": [1, None]},
    }
    row.update(changes)
    return json.dumps([row], indent=1)


def _release(folder: Path, **changes: str) -> Path:
    files = {
        "leaderboard.csv": BOARD,
        "task/solution.csv": KEY.format(1),
        "submissions/01_one/metadata.json": '{"team": "one", "rank": 1}',
        "submissions/01_one/metrics.json": '{"score": 0.1979, "total": 14}',
        "submissions/01_one/predictions.json": _published(),
    }
    files.update({name.replace("__", "/") + ".json": text for name, text in changes.items()})
    return _write(folder, files)


def test_only_a_baseline_may_stand_on_a_board_without_a_rank(tmp_path: Path) -> None:
    folder = _release(tmp_path / "release")
    path = folder / "leaderboard.csv"
    text = path.read_text(encoding="utf-8")
    head, first, *rest = text.splitlines()
    kind = first.split(",")[2]
    blank = first.removeprefix("1")
    path.write_text("\n".join([head, blank.replace(kind, "baseline", 1), *rest]), encoding="utf-8")
    records = formats.read_records(folder)
    assert records.board[0].rank is None
    assert render_board_csv(records.board).splitlines()[1].startswith(",one,baseline,")
    path.write_text("\n".join([head, blank, *rest]), encoding="utf-8")
    with pytest.raises(FormatError, match="is no rank"):
        formats.read_records(folder)


def test_records(tmp_path: Path) -> None:
    folder = _release(tmp_path / "release")
    _write(folder, {"submissions/.DS_Store": "x", "submissions/README": "x"})
    records = formats.read_records(folder)
    first, second = records.board
    assert (first.rank, first.team, first.score, first.chrf) == (1, "one", 0.1979, 0.3157)
    assert (first.public_score_best_run, first.public_score_scored_run) == (0.2245, 0.224)
    assert first.explanation_rate == 100
    assert (second.explanation_rate, second.public_score_best_run) == (None, None)
    assert (second.model, second.record, second.public_score_scored_run) == ("", "", 0)
    assert records.entry(second) is None
    entry = records.entry(first)
    assert entry is not None
    assert entry.metrics == {"score": 0.1979, "total": 14}
    assert entry.predictions.predictions[0].explanation == "e"
    assert entry.published[0].n_read == 2
    assert entry.raw_tasks[0]["more"] == {"kept": [1, None]}
    assert records.name == "release"
    formats.write_records(tmp_path / "copy", records)
    assert formats.read_records(tmp_path / "copy") == records
    assert formats.read_document(folder).key == records.key
    assert formats.read_document(folder).format == "archived records"


@pytest.mark.parametrize("name", ["metadata.json", "metrics.json", "predictions.json"])
def test_an_entry_that_lacks_a_file(tmp_path: Path, name: str) -> None:
    folder = _release(tmp_path)
    (folder / "submissions" / "01_one" / name).unlink()
    with pytest.raises(InputError, match=f"01_one lacks {name}"):
        formats.read_records(folder)


def test_a_record_that_two_rows_of_the_board_name(tmp_path: Path) -> None:
    folder = _release(tmp_path)
    row = BOARD.splitlines()[1]
    for again in (row, row.replace("submissions/01_one", "01_one").replace("1,one", "2,two")):
        (folder / "leaderboard.csv").write_text(f"{BOARD}{again}\n")
        with pytest.raises(FormatError, match="already named in line 2") as caught:
            formats.read_records(folder)
        assert (caught.value.place.row, caught.value.place.column) == (4, "record")


def test_odd_teams_and_columns_of_a_board_are_said(tmp_path: Path) -> None:
    folder, said = _release(tmp_path), list[str]()
    formats.read_records(folder, on_warning=said.append)
    assert said == []
    rows = BOARD.splitlines()
    bare = rows[2].split(",")
    rows += [",".join([bare[0], team, *bare[2:]]) for team in ("one ", " ", "")]
    (folder / "leaderboard.csv").write_text("\n".join(rows) + "\n")
    assert len(formats.read_records(folder, on_warning=said.append).board) == 5
    place = str(folder / "leaderboard.csv")
    assert said == [
        f"{place}, line 4: the team 'one' was there before",
        f"{place}, line 5: the team is blank (and 1 more)",
    ]
    said.clear()
    wider = BOARD.replace("\n", ",x\n")
    (folder / "leaderboard.csv").write_text(wider)
    formats.read_records(folder, on_warning=said.append)
    assert len(said) == 1
    assert "left out: x" in said[0]


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        ("submissions/01_one", "submissions/02_two", "record"),
        ("1,one", "0,one", "rank"),
        ("1,one", "x,one", "rank"),
        ("19.79", "119.79", "score"),
        ("19.79", "-1", "score"),
        ("19.79", "", "score"),
        ("19.79", "nan", "score"),
        ("31.57", "1e1", "chrf"),
        ("22.4,", "x,", "public_score_scored_run"),
        ("100.0", "101", "explanation_rate_pct"),
    ],
)
def test_a_bad_board(tmp_path: Path, old: str, new: str, column: str) -> None:
    folder = _release(tmp_path)
    _write(folder, {"leaderboard.csv": BOARD.replace(old, new, 1)})
    with pytest.raises(FormatError) as caught:
        formats.read_records(folder)
    assert caught.value.place.column == column
    assert caught.value.place.row == 2
    assert "leaderboard.csv" in str(caught.value.place)


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("metadata", "[]", "object"),
        ("metadata", "{}", "team"),
        ("metadata", '{"team": 1}', "text"),
        ("metadata", '{"team": "x"', "not JSON"),
        ("metrics", '{"score": "x"}', "number"),
        ("metrics", '{"score": NaN}', "number"),
        ("metrics", '{"score": null}', "number"),
        ("predictions", _published(scores=None), "object"),
        ("predictions", _published(scores={}), "item_em"),
        ("predictions", _published(predicted_items=[1]), "texts"),
        ("predictions", _published(predicted_items="a"), "list"),
        ("predictions", _published(format={}), "n_items_parsed"),
        ("predictions", _published(format={"n_items_parsed": -1}), "n_items_parsed"),
        ("predictions", _published(format={"n_items_parsed": 1}), "clean_json_list"),
        (
            "predictions",
            _published(scores={"em": 0, "chrf": 0, "item_em": [0, 1], "item_chrf": [0]}),
            "2 figures",
        ),
        (
            "predictions",
            _published(scores={"em": 0, "chrf": 0, "item_em": [2], "item_chrf": [0]}),
            "from 0 to 1",
        ),
    ],
)
def test_a_bad_entry(tmp_path: Path, name: str, text: str, word: str) -> None:
    folder = _release(tmp_path)
    _write(folder, {f"submissions/01_one/{name}.json": text})
    with pytest.raises(FormatError) as caught:
        formats.read_records(folder)
    assert f"{name}.json" in caught.value.message
    assert word in caught.value.message


def test_the_parts_of_a_release_that_must_be_there(tmp_path: Path) -> None:
    folder = _release(tmp_path)
    (folder / "task" / "solution.csv").unlink()
    with pytest.raises(InputError, match=r"solution\.csv"):
        formats.read_records(folder)
    (folder / "leaderboard.csv").unlink()
    with pytest.raises(InputError, match=r"it has no leaderboard\.csv"):
        formats.read_records(folder)


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "/a"])
def test_records_are_not_written_outside_their_folder(tmp_path: Path, name: str) -> None:
    records = formats.read_records(_release(tmp_path / "release"))
    bad = replace(records, entries=(replace(records.entries[0], folder=name),))
    with pytest.raises(InputError, match="cannot have the folder"):
        formats.write_records(tmp_path / "copy", bad)
    assert not (tmp_path / "copy").exists()


# The built-in set.


def test_the_built_in_set_is_a_folder_or_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtin.resources, "files", lambda _: tmp_path)
    with pytest.raises(MissingPartError, match="built-in") as caught:
        formats.builtin_path()
    assert "Install" in caught.value.hint
    (tmp_path / "data" / "problems").mkdir(parents=True)
    assert formats.builtin_path() == tmp_path / "data" / "problems"


def test_the_built_in_set_reads_without_a_warning() -> None:
    try:
        folder = formats.builtin_path()
    except MissingPartError:
        pytest.skip("this checkout has no built-in problems")
    document = formats.read_document(folder)
    assert document.warnings == ()
    assert document.problems is not None
    assert document.key is not None
    assert len(document.key) == len(document.problems.tasks)
    assert [rubric.problem for rubric in document.rubrics] == [p.id for p in document.problems]
    again = formats.parse_document(formats.render_plain_text(document.problems, document.key))
    assert (again.problems, again.key) == (document.problems, document.key)


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    _write(tmp_path, {"a.txt": SHEET.format("A"), "b.txt": "# B\n", "c.txt": SHEET.format("C")})
    told: list[tuple[str, str]] = []
    read = formats.read_problems(
        tmp_path, on_failure=lambda file, error: told.append((file.name, error.message))
    )
    assert [problem.title for problem in read] == ["A", "C"]
    # The ids are what they will be when the file is mended.
    assert [task.id for task in read.tasks] == ["10000010100", "10000030100"]
    assert [name for name, _ in told] == ["b.txt"]
    assert "has no task" in told[0][1]
    with pytest.raises(FormatError, match="has no task"):
        formats.read_problems(tmp_path)


def test_a_folder_without_a_single_file_that_can_be_read_is_an_error(tmp_path: Path) -> None:
    _write(tmp_path, {"a.txt": "# A\n", "b.txt": "# B\n"})
    told: list[Path] = []
    with pytest.raises(FormatError, match=r"a\.txt"):
        formats.read_problems(tmp_path, on_failure=lambda file, _: told.append(file))
    assert not told
