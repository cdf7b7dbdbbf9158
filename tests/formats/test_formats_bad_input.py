"""Bad input of every kind is one clear error with its place and a hint, quickly."""

from __future__ import annotations

import csv
import io
import json
import os
import time
import zipfile
from pathlib import Path

import pytest

from iolai import formats
from iolai.errors import FormatError, InputError
from iolai.formats.source import MAX_CELL

TEST = "id,context,query,work_lang,task_lang,task_type,eval_type"
KEY = "id,answer,split,points,task_type,eval_type"


def _refused(tmp_path: Path, data: bytes | str) -> InputError:
    path = tmp_path / "given"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(InputError) as caught:
        formats.read_document(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    return caught.value


def _place(error: InputError) -> tuple[int | None, str | None]:
    assert isinstance(error, FormatError)
    return error.place.row, error.place.column


# The file itself.


def test_a_missing_file_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        formats.read_document(tmp_path / "nothing" / "here.csv")
    with pytest.raises(InputError, match="archived records"):
        formats.read_records(tmp_path / "nothing")


def test_an_unusable_path(tmp_path: Path) -> None:
    for name in ("a\0b", "x" * 5000):
        with pytest.raises(InputError):
            formats.read_document(tmp_path / name)


def test_a_symlink_loop(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InputError):
        formats.read_document(tmp_path / "a")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no ordinary file"):
        formats.read_document(tmp_path / "pipe")


@pytest.mark.parametrize("data", ["", "  \n\t\r\n ", "\ufeff", "\ufeff \n"])
def test_nothing_in_it(tmp_path: Path, data: str) -> None:
    error = _refused(tmp_path, data)
    assert "empty" in error.message or "only white space" in error.message


@pytest.mark.parametrize(
    "data",
    [
        "id,pred\n1,x\n".encode("utf-16"),
        "id,pred\n1,x\n".encode("utf-16-le"),
        "id,pred\n1,x\n".encode("utf-16-be"),
    ],
)
def test_utf16_is_called_by_its_name(tmp_path: Path, data: bytes) -> None:
    error = _refused(tmp_path, data)
    assert "UTF-16" in error.message
    assert "UTF-8" in error.hint


def test_not_utf8_names_the_line(tmp_path: Path) -> None:
    error = _refused(tmp_path, b"id,pred\n1,x\n2,\xe9\n")
    assert _place(error) == (3, None)
    assert "0xe9" in error.message


def test_nul_names_the_line(tmp_path: Path) -> None:
    error = _refused(tmp_path, b"id,pred\n1,x\n2,y\0\n")
    assert _place(error)[0] == 3
    assert "NUL" in error.message


@pytest.mark.parametrize("data", ["%PDF-1.7\n", "hello\n", "rank,team\n1,a\n", "\x7fELF", "<html>"])
def test_another_format_lists_the_known_ones(tmp_path: Path, data: str) -> None:
    error = _refused(tmp_path, data)
    for name in ("test.csv", "solution.csv", "submission.csv", "Linguini", "predictions.json"):
        assert name in error.hint
    assert "# Title" in error.hint
    assert "rubric.toml" in error.hint
    assert len(error.hint) < 300


def test_unknown_columns_are_shown_with_the_nearest_known(tmp_path: Path) -> None:
    error = _refused(tmp_path, "id,preds,why\n1,x,y\n")
    assert "id, preds, why" in error.message
    assert "'pred'" in error.hint


@pytest.mark.parametrize("mark", [";", "\t"])
def test_other_separators_are_seen(tmp_path: Path, mark: str) -> None:
    error = _refused(tmp_path, f"id{mark}pred\n1{mark}x\n")
    assert "commas" in error.message
    assert "commas" in error.hint


# Tables.


def test_missing_columns_are_named_beside_the_present_ones(tmp_path: Path) -> None:
    error = _refused(tmp_path, "id,answer,split,pionts\n1,[],,1\n")
    assert _place(error) == (1, None)
    assert "lacks the columns points, task_type, eval_type" in error.message
    assert "it has the columns id, answer, split, pionts" in error.message
    assert "'pionts'" in error.hint


def test_a_column_named_twice(tmp_path: Path) -> None:
    assert "'pred'" in _refused(tmp_path, "id,pred,pred\n1,x,y\n").message


@pytest.mark.parametrize("header", [TEST, KEY, "id,pred"])
@pytest.mark.parametrize("rest", ["", "\n", "\r\n\r\n"])
def test_a_header_without_rows(tmp_path: Path, header: str, rest: str) -> None:
    assert "no rows" in _refused(tmp_path, header + rest).message


def test_too_few_cells_names_the_first_missing(tmp_path: Path) -> None:
    error = _refused(tmp_path, 'id,pred,explanation\n1,"a\nb",c\n2,x\n')
    assert _place(error) == (4, "explanation")


def test_too_many_cells(tmp_path: Path) -> None:
    error = _refused(tmp_path, "id,pred\n1,a, b\n")
    assert _place(error) == (2, "pred")
    assert "3 cells, the header 2" in error.message
    assert "quotes" in error.hint


def test_an_unclosed_quote_names_the_row_where_it_opens(tmp_path: Path) -> None:
    error = _refused(tmp_path, 'id,pred\n1,a\n2,"b\n3,c\n4,d\n')
    assert _place(error)[0] == 3
    assert "never closed" in error.message


def test_text_after_a_closing_quote(tmp_path: Path) -> None:
    assert _place(_refused(tmp_path, 'id,pred\n1,"a"b\n'))[0] == 2


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_that_is_too_long(tmp_path: Path, quote: str) -> None:
    before = csv.field_size_limit()
    long = "x" * (MAX_CELL + 1)
    started = time.process_time()
    error = _refused(
        tmp_path, f'id,pred,explanation\n1,"a\n""b",c\n2,"q,""",{quote}{long}{quote}\n'
    )
    assert time.process_time() - started < 5
    assert _place(error) == (4, "explanation")
    assert csv.field_size_limit() == before


def test_a_cell_that_is_just_not_too_long(tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_text(f"id,pred\n1,{'x' * MAX_CELL}\n")
    assert len(formats.read_predictions(path).predictions[0].text) == MAX_CELL


@pytest.mark.parametrize(
    ("cells", "column", "word"),
    [
        ('1,"[""a""",public,1,,', "answer", "cut off"),
        ("1,,public,1,,", "answer", "not JSON"),
        ('1,"{""a"": 1}",public,1,,', "answer", "object"),
        ('1,"""a""",public,1,,', "answer", "a text"),
        ("1,[],public,1,,", "answer", "empty"),
        ('1,"[""a"", []]",public,1,,', "answer", "item 2"),
        (f"1,{'[' * 60}{']' * 60},public,1,,", "answer", "nests"),
        (f"1,{'[' * 100000},public,1,,", "answer", "nests"),
        (f"1,[{'1' * 5000}],public,1,,", "answer", "digits"),
        ('1,"[""a""]",pubic,1,,', "split", "public"),
        ('1,"[""a""]",public,-1,,', "points", "range"),
        ('1,"[""a""]",public,nan,,', "points", "number"),
        ('1,"[""a""]",public,inf,,', "points", "number"),
        ('1,"[""a""]",public,1e999,,', "points", "range"),
        ('1,"[""a""]",public,1_0,,', "points", "number"),
        ('1,"[""a""]",public,,,', "points", "number"),
        ('1,"[""a""]",public,one,,', "points", "number"),
        (' ,"[""a""]",public,1,,', "id", "blank"),
    ],
)
def test_a_bad_key_cell(tmp_path: Path, cells: str, column: str, word: str) -> None:
    error = _refused(tmp_path, f'{KEY}\n0,"[""a""]",,0,,\n{cells}\n')
    assert _place(error) == (3, column)
    assert word in error.message + error.hint


@pytest.mark.parametrize("twin", ["012", "12", "00012"])
def test_ids_that_stand_twice_name_both_rows(tmp_path: Path, twin: str) -> None:
    error = _refused(tmp_path, f'{KEY}\n12,"[""a""]",,1,,\n13,"[""a""]",,1,,\n{twin},"[1]",,1,,\n')
    assert _place(error) == (4, "id")
    assert "line 2" in error.message
    error = _refused(tmp_path, f"{TEST}\n12,c,q,,,,\n{twin},c,q,,,,\n")
    assert _place(error) == (3, "id")
    assert "line 2" in error.message


@pytest.mark.parametrize("cell", ["[esu_Latn]", '"[""a"", 1]"', "['a'", "\"['a',,]\""])
def test_a_bad_list_of_languages(tmp_path: Path, cell: str) -> None:
    assert _place(_refused(tmp_path, f"{TEST}\n1,c,q,,{cell},,\n")) == (2, "task_lang")


# JSON.


def test_cut_off_json_names_line_and_column(tmp_path: Path) -> None:
    whole = json.dumps([{"id": "1", "pred": "a"}, {"id": "2", "pred": "b"}], indent=1)
    error = _refused(tmp_path, whole[:-12])
    assert isinstance(error, FormatError)
    assert error.place.row == 8
    assert error.place.column is not None
    assert error.place.column.isdigit()
    assert "cut off" in error.hint


def test_json_cut_off_anywhere(tmp_path: Path) -> None:
    whole = '[{"id": "1", "pred": "a\\n\\u00e9"}, {"id": "2", "pred": "b", "n": [1, true]}]'
    for end in range(1, len(whole)):
        error = _refused(tmp_path, whole[:end])
        assert isinstance(error, FormatError)
        assert "cut off" in error.hint, whole[:end]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ("[]", "no rows"),
        ("[1, 2]", "object"),
        ("[[]]", "object"),
        ('["a"]', "object"),
        ('[{"id": "1"}]', "pred"),
        ('[{"id": 1, "pred": "a"}]', "id must be a text"),
        ('[{"id": "1", "pred": ["a"]}]', "pred must be a text"),
        ('[{"id": "1", "pred": "a"} {"id": "2", "pred": "a"}]', "comma"),
        ('[{"id": "1", "pred": "a"}] x', "after its end"),
        ('[{"id": "1", "pred": "a"},]', "not JSON"),
        ("[" * 100000, "nests"),
    ],
)
def test_predictions_of_the_wrong_shape(tmp_path: Path, data: str, word: str) -> None:
    assert word in _refused(tmp_path, data).message


@pytest.mark.parametrize(
    ("row", "column", "word"),
    [
        ('{"id": "1", "context": "c"}', None, "lacks query"),
        ('{"id": "1", "context": "c", "query": 1}', "query", "text"),
        ('{"id": 1.5, "context": "c", "query": "q"}', "id", "text"),
        ('{"id": true, "context": "c", "query": "q"}', "id", "text"),
        ('{"id": "", "context": "c", "query": "q"}', "id", "blank"),
        ('{"id": "x", "context": "c", "query": "q", "task_lang": [1]}', "task_lang", "texts"),
        ('{"id": "x", "context": "c", "query": "q", "task_lang": {}}', "task_lang", "list"),
        ('{"id": "x", "context": "c", "query": "q", "answer": "a"}', "answer", "not a list"),
        ('{"id": "x", "context": "c", "query": "q", "answer": null}', "answer", "null"),
        ('{"id": "x", "context": "c", "query": "q"}', "answer", "no answer"),
        ('{"id": "x", "context": "c", "query": "q", "answer": ["a"], "points": -1}', "points", "0"),
        (
            '{"id": "x", "context": "c", "query": "q", "answer": ["a"], "points": NaN}',
            "points",
            "number",
        ),
        ('{"id": "00", "context": "c", "query": "q", "answer": ["a"]}', "id", "line 2"),
        ('{"id": "x", "context": "c", ', None, "not JSON"),
        ("[1]", None, "object"),
    ],
)
def test_a_bad_linguini_row(tmp_path: Path, row: str, column: str | None, word: str) -> None:
    good = '{"id": "0", "context": "c", "query": "q", "answer": ["a"]}'
    error = _refused(tmp_path, f"\n{good}\n{row}\n")
    assert _place(error) == (3, column)
    assert word in error.message


def test_a_json_object_over_several_lines_is_told_from_one_a_line(tmp_path: Path) -> None:
    error = _refused(tmp_path, json.dumps({"team": "a", "rank": 1}, indent=1))
    assert "over several lines" in error.message
    assert "team, rank" in error.message
    assert "predictions.json" in error.hint


# Archives.


def _zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_a_zip_cut_off_anywhere(tmp_path: Path) -> None:
    whole = _zip({"a.csv": b"id,pred\n1,x\n"})
    for end in range(4, len(whole)):
        assert "damaged" in _refused(tmp_path, whole[:end]).message


def test_a_zip_with_a_changed_byte_never_gives_another_text(tmp_path: Path) -> None:
    text = b"id,pred\n1,a long enough answer to be packed, packed, packed\n2,y\n"
    whole = _zip({"a.csv": b'id,pred\n1,"' + text[8:] + b'"\n'})
    path = tmp_path / "given"
    good = None
    for place in range(4, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            read = formats.read_predictions(path)
        except InputError:
            continue
        good = good or read
        assert read == good


@pytest.mark.parametrize(
    ("members", "word"),
    [
        ({}, "no file"),
        ({"a": b"x", "b": b"y"}, "2 files: 'a', 'b'"),
        ({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}, "office document"),
    ],
)
def test_a_zip_must_hold_one_file(tmp_path: Path, members: dict[str, bytes], word: str) -> None:
    assert word in _refused(tmp_path, _zip(members)).message


def test_what_macos_adds_to_a_zip_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_bytes(_zip({"d/": b"", "d/a.csv": b"id,pred\n1,x\n", "__MACOSX/d/._a.csv": b"x"}))
    document = formats.read_document(path)
    assert document.format == "submission.csv in a .zip"
    assert document.predictions is not None
    assert document.predictions.name == "given"


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = _zip({"a.csv": b"\0" * (8 << 20)})
    assert len(bomb) < 20_000
    assert "200 times" in _refused(tmp_path, bomb).message


def test_a_zip_bomb_that_states_a_small_size(tmp_path: Path) -> None:
    size = 8 << 20
    bomb = _zip({"a.csv": b"\0" * size})
    lying = bomb.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert lying != bomb
    _refused(tmp_path, lying)


def test_a_zip_of_too_large_a_file(tmp_path: Path) -> None:
    small = _zip({"a.csv": b"id,pred\n1,x\n"}, zipfile.ZIP_STORED)
    large = small.replace((12).to_bytes(4, "little"), (257 << 20).to_bytes(4, "little"))
    assert "256 MiB" in _refused(tmp_path, large).message


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packing_methods(tmp_path: Path, method: int) -> None:
    error = _refused(tmp_path, _zip({"a.csv": b"id,pred\n1,x\n"}, method))
    assert "not supported" in error.message
    assert "deflate" in error.hint


def _with_flags(data: bytes, flags: int) -> bytes:
    """Set the flags of the one member, in its own header and in the table at the end."""
    head = data.index(b"PK\x01\x02")
    changed = bytearray(data)
    changed[6:8] = changed[head + 8 : head + 10] = flags.to_bytes(2, "little")
    return bytes(changed)


def test_strong_encryption(tmp_path: Path) -> None:
    data = _with_flags(_zip({"a.csv": b"id,pred\n1,x\n"}), 0x41)
    assert "method that is not supported" in _refused(tmp_path, data).message


def test_encrypted_without_and_with_a_wrong_password(tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_bytes(_with_flags(_zip({"a.csv": b"id,pred\n1,x\n" * 20}), 0x1))
    with pytest.raises(InputError, match="no password") as caught:
        formats.read_document(path)
    assert "--password" in caught.value.hint
    # One password in 256 passes the first check: enough of them to meet both ways of failing.
    for number in range(600):
        with pytest.raises(InputError, match=r"does not open .* or the file is damaged") as caught:
            formats.read_document(path, password=str(number))
        assert "--password" in caught.value.hint


def test_a_zip_behind_a_program(tmp_path: Path) -> None:
    for before in (b"\x7fELF\xac\x00", b"#!/bin/sh\nexit\n"):
        error = _refused(tmp_path, before + _zip({"a.csv": b"id,pred\n1,x\n"}))
        assert ".zip with something before it" in error.message
        assert "Unpack" in error.hint


def test_other_things_in_a_zip(tmp_path: Path) -> None:
    error = _refused(tmp_path, _zip({"a.txt": b"hello"}))
    assert "no known format" in error.message
    assert "'a.txt'" in error.message


# Names that stand twice in a JSON object.


@pytest.mark.parametrize(
    "row",
    [
        '{"id": "1", "context": "c", "query": "q", "answer": ["a"], "answer": ["b"]}',
        '{"id": "1", "context": "c", "query": "q", "answer": ["a"], "more": [{"answer": 1, '
        '"x": 2, "answer": 1}]}',
    ],
)
def test_a_field_that_stands_twice_in_a_problem_or_its_key(tmp_path: Path, row: str) -> None:
    good = '{"id": "0", "context": "c", "query": "q", "answer": ["a"]}'
    for text, line in ((f"{good}\n{row}\n", 2), (row, 1)):
        error = _refused(tmp_path, text)
        assert _place(error) == (line, None)
        assert "'answer' twice" in error.message
    error = _refused(tmp_path, f'{KEY}\n1,"[{{""a"": 1, ""a"": 2}}]",public,1,,\n')
    assert _place(error) == (2, "answer")
    assert "'a' twice" in error.message


def test_a_field_that_stands_twice_in_predictions_is_said_and_the_last_counts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "given"
    rows = ['{"id": "1", "pred": "x"}', *['{"id": "%d", "pred": "y", "pred": "z"}'] * 2]
    path.write_text("[" + ",\n".join(rows) % (2, 3) + "]")
    said: list[str] = []
    predictions = formats.read_predictions(path, on_warning=said.append)
    assert [row.text for row in predictions] == ["x", "z", "z"]
    assert len(said) == 1
    assert "line 2" in said[0]
    assert "'pred'" in said[0]
    assert "1 more" in said[0]


@pytest.mark.parametrize(("points", "fits"), [("1e300", True), ("1e301", False), ("1e308", False)])
def test_points_have_one_limit_in_every_format(tmp_path: Path, points: str, fits: bool) -> None:
    row = f'{{"id": "1", "context": "c", "query": "q", "answer": ["a"], "points": {points}}}'
    sheet = f"# T\n## Task 1\npoints: {points}\n\nq\n### Answers\n1. a\n"
    for text in (row, sheet, f'{KEY}\n1,"[""a""]",,{points},,\n'):
        if fits:
            key = formats.parse_document(text).key
            assert key is not None
            assert key.tasks[0].points == float(points)
        else:
            error = _refused(tmp_path, text)
            assert "1e+300" in error.message + error.hint
            assert _place(error)[1] == "points"


def test_what_is_read_as_text_is_said_with_its_place(tmp_path: Path) -> None:
    path, said = tmp_path / "given", list[str]()
    path.write_text(f'{KEY}\n1,"[""a"", [""b"", null]]",,1,,\n2,[7],,1,,\n')
    formats.read_key(path, on_warning=said.append)
    assert said == [
        f"{path}, line 2: column answer, item 2: null is read as the text ''",
        f"{path}, line 3: column answer, item 1: a number is read as the text '7'",
    ]
