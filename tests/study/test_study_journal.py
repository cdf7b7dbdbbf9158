"""The journal: what was written is there, what was cut off is not, one writer at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from iolai.errors import ConflictError, FormatError
from iolai.study.journal import Answered, CallResult, JournalWriter, read_journal

ONE = CallResult("one", "answered", (Answered("t1", "a reply", confidence=(0.5,)),), seconds=1.5)
TWO = CallResult("two", "error", detail="“no”\n\ud800")


def written(path: Path) -> None:
    with JournalWriter(path) as writer:
        writer.begin("one")
        writer.finish(ONE)
        writer.begin("two")
        writer.finish(TWO)
        writer.begin("three")


def test_results_come_back_and_calls_under_way_are_known(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    assert read_journal(path).results == {}
    written(path)
    journal = read_journal(path)
    assert journal.results == {"one": ONE, "two": TWO}
    assert journal.interrupted == ("three",)


def test_a_journal_cut_at_any_byte_keeps_every_whole_line_and_can_be_gone_on_with(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.jsonl"
    written(path)
    data = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    for length in range(0, len(data) + 1, 7):
        path.write_bytes(data[:length])
        expected = {ONE.call: ONE} if length >= ends[1] else {}
        expected |= {TWO.call: TWO} if length >= ends[3] else {}
        assert read_journal(path).results == expected
        with JournalWriter(path) as writer:
            writer.finish(CallResult("new", "answered"))
        assert read_journal(path).results == {**expected, "new": CallResult("new", "answered")}


def test_the_last_result_of_a_call_counts(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with JournalWriter(path) as writer:
        writer.finish(TWO)
        writer.finish(CallResult("two", "answered"))
    assert read_journal(path).results["two"].state == "answered"


@pytest.mark.parametrize("line", ["{", '{"call": "x", "state": "well"}', '{"call": 1}', "[]"])
def test_a_damaged_line_in_the_middle_is_an_error_that_names_it(line: str, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(f'{{"begun":"a"}}\n{line}\n{{"begun":"b"}}\n', encoding="utf-8")
    with pytest.raises(FormatError, match="line 2"):
        read_journal(path)


def test_two_runs_of_one_study_do_not_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with JournalWriter(path), pytest.raises(ConflictError, match="another run"):
        JournalWriter(path).__enter__()
    with JournalWriter(path) as writer:
        writer.begin("free again")
