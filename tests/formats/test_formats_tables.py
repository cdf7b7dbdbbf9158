"""test.csv, solution.csv and submission.csv: what is read, what is forgiven, what is written."""

from __future__ import annotations

import csv
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from iolai import formats
from iolai.formats import Document
from iolai.records import AnswerKey, PredictionSet, ProblemSet, Reference, Task, TaskKey

TEST = "id,context,query,work_lang,task_lang,task_type,eval_type"
KEY = "id,answer,split,points,task_type,eval_type"


def _problems(document: Document) -> ProblemSet:
    assert document.problems is not None
    return document.problems


def _key(document: Document) -> AnswerKey:
    assert document.key is not None
    return document.key


def _predictions(document: Document) -> PredictionSet:
    assert document.predictions is not None
    return document.predictions


def test_tasks_are_grouped_into_problems() -> None:
    document = formats.parse_document(
        f"{TEST}\n"
        "12026010100,c1,q1,eng_Latn,['esu_Latn'],translation,single\n"
        "12026020100,c2,q2,,,,\n"
        "12026010200,c3,q3,,,,\n"
    )
    assert document.format == "test.csv"
    assert [p.id for p in _problems(document)] == ["1202601", "1202602"]
    first = _problems(document).problems[0].tasks[0]
    assert first == Task(
        "12026010100", "c1", "q1", "translation", "single", "eng_Latn", ("esu_Latn",)
    )
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("cell", "languages"),
    [
        ("['esu_Latn']", ("esu_Latn",)),
        ("\"['a', 'b']\"", ("a", "b")),
        ("\"[ 'a' ,'b', ]\"", ("a", "b")),
        ('"[""a"", \'b\']"', ("a", "b")),
        ('"[""a"", ""b""]"', ("a", "b")),
        ('"[""a\\u00e9""]"', ("aé",)),
        ("[]", ()),
        ("", ()),
        ("  ", ()),
        ("esu_Latn", ("esu_Latn",)),
        (" esu_Latn ", ("esu_Latn",)),
    ],
)
def test_ways_to_write_languages(cell: str, languages: tuple[str, ...]) -> None:
    document = formats.parse_document(f"{TEST}\n1,c,q,,{cell},,\n")
    assert _problems(document).tasks[0].task_lang == languages


def test_languages_are_written_the_challenges_way() -> None:
    document = formats.parse_document(f'{TEST}\n1,c,q,,"[""esu_Latn""]",,\n')
    assert "['esu_Latn']" in formats.render_test_csv(_problems(document))


def test_crlf_and_line_ends_inside_a_cell() -> None:
    document = formats.parse_document(
        "\ufeff".removeprefix("\ufeff")
        + 'id,pred,explanation\r\n1,"a\r\nb\nc\rd",e\r\n\r\n2,x,\r\n'
    )
    first, second = _predictions(document)
    assert first.text == "a\r\nb\nc\rd"
    # Lines end at CRLF, LF and CR, as in an editor; the row is the line where it starts.
    assert (first.row, second.row) == (2, 7)
    assert second.explanation == ""


def test_old_line_ends() -> None:
    rows = _predictions(formats.parse_document('id,pred\r1,"a\rb"\r2,x\r'))
    assert [(row.id, row.text, row.row) for row in rows] == [("1", "a\rb", 2), ("2", "x", 4)]


def test_cells_keep_their_white_space_and_ids_their_shape() -> None:
    rows = _predictions(formats.parse_document("id,pred\n0012026010100.0, a \n"))
    assert (rows.predictions[0].id, rows.predictions[0].text) == ("0012026010100.0", " a ")
    assert rows.get("12026010100") is None


def test_a_lost_zero_point_is_not_warned_of() -> None:
    assert formats.parse_document("id,pred\n12026010100.0,a\n").warnings == ()


def test_columns_in_any_order_and_with_spaces() -> None:
    rows = _predictions(formats.parse_document("explanation, pred ,id\ne,p,1\n"))
    assert (rows.predictions[0].id, rows.predictions[0].text) == ("1", "p")
    assert rows.predictions[0].explanation == "e"


def test_the_explanation_may_be_absent() -> None:
    rows = _predictions(formats.parse_document("id,pred\n1,a\n"))
    assert rows.predictions[0].explanation == ""


def test_other_columns_are_left_out_with_one_warning() -> None:
    document = formats.parse_document("id,pred,model,seed\n1,a,b,c\n2,a,b,c\n", "sub.csv")
    assert _predictions(document).predictions[1].text == "a"
    (warning,) = document.warnings
    assert "sub.csv, line 1" in warning
    assert "model, seed" in warning


def test_blank_and_repeated_ids_of_predictions_are_kept_with_warnings() -> None:
    document = formats.parse_document("id,pred\n7,a\n,b\n07,c\n ,d\n007,e\n")
    rows = _predictions(document)
    assert [row.text for row in rows] == ["a", "b", "c", "d", "e"]
    found = rows.get("7")
    assert found is not None
    assert found.text == "e"
    blank, twice = document.warnings
    assert "line 3" in blank
    assert "blank" in blank
    assert "and 1 more" in blank
    assert "line 4" in twice
    assert "last counts" in twice


def test_a_key_in_full() -> None:
    document = formats.parse_document(
        f"{KEY}\n"
        '12026010100,"[""a"", ""b""]",public,2,translation,single\n'
        '12026010200,"[[""a"", ""b""], ""c"", [""d""]]",,0.5,fill_blanks,multi\n'
    )
    first, second = _key(document)
    assert first == TaskKey(
        "12026010100", (Reference(("a",)), Reference(("b",))), "public", 2, "translation", "single"
    )
    assert second.references == (Reference(("a", "b")), Reference(("c",)), Reference(("d",)))
    assert [reference.as_list for reference in second.references] == [True, False, True]
    assert (second.split, second.points) == ("", 0.5)
    assert '"[[""a"", ""b""], ""c"", [""d""]]"' in formats.render_solution_csv(_key(document))


def test_references_that_are_no_text_become_text_with_a_warning() -> None:
    document = formats.parse_document(f'{KEY}\n1,"[5, 1.5, true, null, [7], {{""a"": 1}}]",,1,,\n')
    (task,) = _key(document)
    assert [reference.alternatives[0] for reference in task.references] == [
        "5",
        "1.5",
        "True",
        "",
        "7",
        "{'a': 1}",
    ]
    assert all("line 2: column answer" in warning for warning in document.warnings)
    assert any("null" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("points", "value", "written"),
    [
        ("1", 1, "1"),
        ("2.50", 2.5, "2.5"),
        (" 0 ", 0, "0"),
        ("1e2", 100, "100"),
        ("+.5", 0.5, "0.5"),
    ],
)
def test_points(points: str, value: float, written: str) -> None:
    key = _key(formats.parse_document(f'{KEY}\n1,"[""a""]",,{points},,\n'))
    assert key.tasks[0].points == value
    assert f",{written},," in formats.render_solution_csv(key)


def test_a_cell_is_quoted_where_it_must_be_and_only_there() -> None:
    rows = [("1", 'a,"b"'), ("2", "plain é ' ; #"), ("3", "a\rb"), ("4", " edge"), ("5", "a\nb")]
    predictions = _predictions(formats.parse_document("id,pred\n1,a\n2,b\n3,c\n4,d\n5,e\n"))
    given = PredictionSet(
        tuple(replace(row, text=text) for row, (_, text) in zip(predictions, rows, strict=True))
    )
    assert formats.render_submission_csv(given) == (
        'id,pred,explanation\r\n1,"a,""b""",\r\n2,plain é \' ; #,\r\n3,"a\rb",\r\n4," edge",\r\n'
        '5,"a\nb",\r\n'
    )


def test_the_limit_of_the_csv_module_is_put_back_also_among_threads() -> None:
    before = csv.field_size_limit(12345)
    try:
        text = "id,pred\n" + "1,a\n" * 2000
        threads = [threading.Thread(target=formats.parse_document, args=(text,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert csv.field_size_limit() == 12345
    finally:
        csv.field_size_limit(before)


def test_the_format_is_found_by_content_when_columns_overlap() -> None:
    # A table with an id and predictions, and a stray column named like another format's.
    document = formats.parse_document("id,pred,query\n1,a,b\n")
    assert document.format == "submission.csv"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_bytes(b"\xef\xbb\xbfid,pred\n1,a\n")
    assert formats.read_predictions(path).predictions[0].id == "1"
