"""Collecting an output: what can be scored is kept, the first fault is named, nothing harms."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iolai.errors import FormatError
from iolai.runners.collect import Collected, collect_output, judge_output
from iolai.runners.rows import split_rows, task_ids_of

IDS = ("010", "20", "30")


def judge(text: str | bytes, *, was_cut_short: bool = False) -> Collected:
    data = text.encode() if isinstance(text, str) else text
    return judge_output(data, IDS, was_cut_short=was_cut_short)


def test_a_sound_output_is_kept_byte_for_byte() -> None:
    text = 'id,pred,explanation\r\n10,"[""a"", ""b""]","two\nlines"\r\n20,x,\r\n30, ,\r\n'
    assert judge(text) == Collected(text.encode(), n_answered=2)


def test_ids_count_without_leading_zeros_and_the_last_row_counts() -> None:
    assert judge("id,pred\n10,x\n0010,\n").n_answered == 0
    assert judge("id,pred\n10,\n0010,x\n").n_answered == 1


def test_columns_stand_in_any_order_behind_a_byte_order_mark() -> None:
    assert judge("\ufeffexplanation, pred ,id\nwhy,x,20\n").n_answered == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("id,pred\n10,x\n20\n30,z\n", "line 3: the row has 1 cells, the header 2"),
        ('id,pred\n10,x\n20,"y" z\n30,z\n', "line 3: text stands after the closing quote"),
        ('id,pred\n10,"x\ny"\n20,"y\n30,z\n', "line 4: a quote that opens in this row"),
        (b"id,pred\n10,x\n20,\xff\n30,z\n", "line 3: the row is not UTF-8"),
        ("name,pred\n10,x\n", "line 1: the header must name"),
        ("id,pred\n", "no row names a task"),
        ("id,pred\n99,x\n", "no row names a task"),
        ("id,pred,id,pred\n10,x,10,y\n", "line 1: the header names the column 'id' twice"),
        ("id,pred,pred\n10,x,y\n", "line 1: the header names the column 'pred' twice"),
        ("id,pred,x,x\n10,x,,\n", "line 1: the header names the column 'x' twice"),
        ("id,pred,,\n10,x,,\n", "line 1: the header names the column '' twice"),
        ("id,pred\n10,x\n20" + "," * 300 + "\n", "line 3: the row has more than 256 cells"),
        ("\n\r\n\r10,x\n", "line 1: the header must name"),
        ("\r\n\nid,pred\n\n\n10,x\n\r20\n", "line 8: the row has 1 cells"),
    ],
)
def test_faults_name_the_rule_and_the_row(text: str | bytes, fault: str) -> None:
    assert judge(text).fault.startswith(fault)


def test_rows_around_a_faulty_one_are_kept() -> None:
    found = judge(b"id,pred\n10,x\n20,\xff\n20\n30,z\n")
    assert found.data == b"id,pred\n10,x\n30,z\n"
    assert found.n_answered == 2


@pytest.mark.parametrize(
    ("torn", "n_answered"),
    [
        ("", 2),
        ("30", 2),
        ("30,z", 2),
        ('30,"z', 2),
        ('30,"z"', 3),
        ("30,z\n", 3),
    ],
)
def test_a_torn_end_is_no_fault_of_a_killed_run(torn: str, n_answered: int) -> None:
    found = judge("id,pred\n10,x\n20,y\n" + torn, was_cut_short=True)
    assert (found.n_answered, found.fault) == (n_answered, "")
    assert found.data is not None
    assert judge_output(found.data, IDS, was_cut_short=False).fault == ""


def test_an_unfinished_row_is_a_fault_of_a_finished_run() -> None:
    assert judge('id,pred\n10,x\n20,"y').fault.startswith("line 3")
    assert judge("id,pred\n10,x\n20,y").n_answered == 2


@pytest.mark.parametrize("text", ["", " \n\n", "id,pr"])
def test_a_killed_run_that_wrote_next_to_nothing_has_no_output(text: str) -> None:
    assert judge(text, was_cut_short=True) == Collected(is_missing=True)


def test_an_answer_that_is_too_long_is_a_fault_of_its_row() -> None:
    rows = f"id,pred\n{IDS[0]},{'x' * 100_001}\n{IDS[1]},{'y' * 100_000}\n"
    found = judge_output(rows.encode(), IDS, was_cut_short=False)
    assert found.fault == "line 2: the answer has 100001 characters, more than 100000"
    assert found.data is not None
    assert b"x" not in found.data
    assert found.n_answered == 1


def test_too_many_rows_are_cut() -> None:
    found = judge("id,pred\n10,x\n" + "99,y\n" * 5000)
    assert "more than 1030 rows" in found.fault
    assert found.n_answered == 1
    assert found.data is not None
    assert found.data.count(b"\n") == 1031


@pytest.mark.parametrize(
    "unit",
    [
        "\n",
        "\r\n",
        "\r",
        ",",
        ",\n",
        '""',
        '"',
        "\n\n,",
        '"",',
        '"\n',
        "x",
        "\udcff",
        "語",
        "1,x\n",
    ],
)
@pytest.mark.parametrize("start", ["", "id,pred\n", "id,pred\n10,x\n20,", 'id,pred\n10,x\n20,"'])
def test_no_text_takes_long(unit: str, start: str) -> None:
    """Work is in proportion to the size whatever stands there; 16 MiB are the most."""
    n_bytes = 2 << 20
    text = start + unit * (n_bytes // len(unit.encode("utf-8", "surrogateescape")))
    data = text.encode("utf-8", "surrogateescape")
    before = time.process_time()
    judge(data, was_cut_short=True)
    assert time.process_time() - before < 0.5


@given(st.binary(max_size=60), st.booleans())
def test_no_bytes_make_it_fail(data: bytes, was_cut_short: bool) -> None:
    for text in (data, b"id,pred\n" + data, b"id,pred\n10,x\n" + data):
        found = judge(text, was_cut_short=was_cut_short)
        assert 0 <= found.n_answered <= 3
        if found.data is not None:
            again = judge(found.data)
            assert (again.fault, again.n_answered) == ("", found.n_answered)


@given(st.text(alphabet='a,"\r\n\ufeffé', max_size=40))
def test_rows_put_together_are_the_text(text: str) -> None:
    rows = list(split_rows(text))
    blank = text.replace("\r", "").replace("\n", "")
    assert "".join(row.text for row in rows).replace("\r", "").replace("\n", "") == blank


class TestFiles:
    """Whatever stands under the output's name."""

    def collect(self, folder: Path, max_bytes: int = 1000) -> Collected:
        handle = os.open(folder, os.O_RDONLY)
        try:
            return collect_output(handle, IDS, max_bytes=max_bytes, was_cut_short=False)
        finally:
            os.close(handle)

    def test_nothing(self, tmp_path: Path) -> None:
        assert self.collect(tmp_path) == Collected(is_missing=True)

    def test_link(self, tmp_path: Path) -> None:
        (tmp_path / "key").write_text("id,pred\n10,x\n", encoding="utf-8")
        (tmp_path / "submission.csv").symlink_to(tmp_path / "key")
        assert self.collect(tmp_path) == Collected(fault="it cannot be read: it is a symbolic link")

    def test_fifo(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "submission.csv")
        assert "it is a FIFO" in self.collect(tmp_path).fault

    def test_folder(self, tmp_path: Path) -> None:
        (tmp_path / "submission.csv").mkdir()
        assert "it is a folder" in self.collect(tmp_path).fault

    def test_sparse(self, tmp_path: Path) -> None:
        (tmp_path / "submission.csv").touch()
        os.truncate(tmp_path / "submission.csv", 10 << 30)
        assert "larger than 1 MiB" in self.collect(tmp_path, 1 << 20).fault

    def test_just_large_enough(self, tmp_path: Path) -> None:
        (tmp_path / "submission.csv").write_text("id,pred\n10,x\n", encoding="utf-8")
        assert self.collect(tmp_path, 13).n_answered == 1
        assert self.collect(tmp_path, 12).n_answered == 0


def test_task_ids_are_kept_as_written() -> None:
    assert task_ids_of('\ufeffcontext,id\r\n"a,\nb",010\r\nc,20\r\n') == ("010", "20")
    with pytest.raises(FormatError, match="no column 'id'"):
        task_ids_of("a,b\n1,2\n")
