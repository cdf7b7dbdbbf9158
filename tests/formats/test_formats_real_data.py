"""The released data reads completely and comes back equal. Skipped where it is absent."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from iolai import formats

_DATA = Path(__file__).parents[3] / "shared" / "data"
_LINGUINI = _DATA / "linguini-2003-2019.zip"
_RECORDS = _DATA / "iol2026-records"
_PASSWORD = "linguisticreasoning"  # noqa: S105 -- published with the benchmark

needs_linguini = pytest.mark.skipif(
    not _LINGUINI.exists(), reason="the Linguini set is not in ../shared/data"
)
needs_records = pytest.mark.skipif(
    not _RECORDS.exists(), reason="the archived records are not in ../shared/data"
)


@needs_linguini
def test_linguini_has_its_published_counts() -> None:
    document = formats.read_document(_LINGUINI, password=_PASSWORD)
    assert document.problems is not None
    assert document.key is not None
    tasks = document.problems.tasks
    assert (len(tasks), len(document.problems)) == (128, 59)
    assert len({task.context for task in tasks}) == 67
    assert sum(task.n_items for task in document.key) == 699
    assert sum(task.eval_type == "simple" for task in document.key) == 22
    odd = document.key.get("012011010100")
    assert odd is not None
    assert {reference.as_list for reference in odd.references} == {True, False}
    assert all(task.id.startswith("0") for task in tasks)
    assert document.warnings == ()


@needs_linguini
def test_linguini_comes_back_equal(tmp_path: Path) -> None:
    document = formats.read_document(_LINGUINI, password=_PASSWORD)
    assert document.problems is not None
    assert document.key is not None
    formats.write_linguini(tmp_path / "set", document.problems, document.key)
    again = formats.read_document(tmp_path / "set")
    assert (again.problems, again.key) == (document.problems, document.key)
    formats.write_test_csv(tmp_path / "table", document.problems)
    assert formats.read_problems(tmp_path / "table") == document.problems
    formats.write_solution_csv(tmp_path / "key", document.key)
    assert formats.read_key(tmp_path / "key") == document.key


@needs_linguini
def test_linguini_rows_are_written_as_they_stood(tmp_path: Path) -> None:
    document = formats.read_document(_LINGUINI, password=_PASSWORD)
    assert document.problems is not None
    assert document.key is not None
    written = formats.render_linguini(document.problems, document.key)
    with zipfile.ZipFile(_LINGUINI) as archive:
        published = archive.read("dataset.jsonl", pwd=_PASSWORD.encode()).decode()
    assert [json.loads(line) for line in written.splitlines()] == [
        json.loads(line) for line in published.split("\n") if line
    ]


@needs_records
def test_records_read_completely() -> None:
    records = formats.read_records(_RECORDS)
    assert (len(records.board), len(records.entries), len(records.key)) == (48, 23, 14)
    assert [line.rank for line in records.board] == list(range(1, 49))
    first = records.board[0]
    assert (first.score, first.explanation_rate) == (0.1979, 100.0)
    entry = records.entry(first)
    assert entry is not None
    assert entry.team == first.team
    assert all(len(one.predictions) == len(one.published) == 14 for one in records.entries)
    assert sum(records.entry(line) is not None for line in records.board) == 23


@needs_records
def test_records_come_back_equal(tmp_path: Path) -> None:
    records = formats.read_records(_RECORDS)
    formats.write_records(tmp_path / "copy", records)
    again = formats.read_records(tmp_path / "copy")
    assert again == records
    for entry, copied in zip(records.entries, again.entries, strict=True):
        assert copied.raw_tasks == entry.raw_tasks


@needs_records
def test_key_and_predictions_of_the_records_read_alone() -> None:
    records = formats.read_records(_RECORDS)
    assert formats.read_key(_RECORDS) == records.key
    assert formats.read_key(_RECORDS / "task" / "solution.csv") == records.key
    entry = records.entries[0]
    path = _RECORDS / "submissions" / entry.folder / "predictions.json"
    assert formats.read_predictions(path) == entry.predictions
