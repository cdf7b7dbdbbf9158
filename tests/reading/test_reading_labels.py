"""Labels: which sequences there are, and when what stands before an answer is a label."""

from __future__ import annotations

import pytest

from iolai.reading.labels import (
    default_labels,
    expand_range,
    families,
    find_marks,
    is_sequence,
    label_at_start,
    take_labels,
)


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        ("16", "19", "16 17 18 19"),
        ("BB", "HH", "BB CC DD EE FF GG HH"),
        ("II", "NN", "II JJ KK LL MM NN"),
        ("Y", "BB", "Y Z AA BB"),
        ("AB", "AD", "AB AC AD"),
        ("i", "vi", "i ii iii iv v vi"),
        ("I", "IV", "I II III IV"),
        ("C", "F", "C D E F"),
        ("a", "d", "a b c d"),
    ],
)
def test_ranges_are_counted_in_their_own_sequence(first: str, last: str, labels: str) -> None:
    assert expand_range(first, last) == tuple(labels.split())


@pytest.mark.parametrize(
    ("first", "last"), [("19", "16"), ("A", "4"), ("1", "999"), ("5", "5"), ("a", "D"), ("x", "")]
)
def test_what_is_no_range(first: str, last: str) -> None:
    assert expand_range(first, last) is None


@pytest.mark.parametrize(
    "labels",
    [
        "1 2 3",
        "Y Z AA BB",
        "Y Z A1 B1",
        "viii ix x",
        "VIII IX X",
        "1a 1b 2a",
        "A1 A2",
        "h i j",
        "Z",
    ],
)
def test_sequences(labels: str) -> None:
    assert is_sequence(labels.split())


@pytest.mark.parametrize("labels", ["", "1 3", "2 1", "a B", "1 b", "i iii", "A AA", "1 1"])
def test_no_sequences(labels: str) -> None:
    assert not is_sequence(labels.split())


def test_a_letter_may_be_a_roman_numeral_too() -> None:
    assert families("L") == {"upper": 12, "roman": 50, "columns": 12}
    assert families("iv") == {"lower-roman": 4}
    assert families("IIII") == {}
    assert families("Ab") == {}


def test_the_labels_people_number_answers_by() -> None:
    numbers, letters, capitals, roman, capital_roman = default_labels(28)
    assert numbers[-1] == "28"
    assert letters[:2] + letters[25:] == ("a", "b", "z", "aa", "bb")
    assert capitals[26] == "AA"
    assert (roman[3], roman[8], roman[13]) == ("iv", "ix", "xiv")
    assert capital_roman[27] == "XXVIII"


@pytest.mark.parametrize(
    ("line", "label", "rest"),
    [
        ("1. a", "1", "a"),
        ("1.a", "1", "a"),
        ("(1) a", "1", "a"),
        ("[1] a", "1", "a"),
        ("1) a", "1", "a"),
        ("1: a", "1", "a"),
        ("1:A", "1", "A"),
        ("1-A", "1", "A"),
        ("1 → A", "1", "A"),
        ("a. x", "a", "x"),
        ("- 2. x", "2", "x"),
        ("**16.** x", "16", "x"),
        ("II. x", "II", "x"),
        ("(iv) x", "iv", "x"),
        ("17.", "17", ""),
        ("  BB) x", "BB", "x"),
    ],
)
def test_what_looks_like_a_label(line: str, label: str, rest: str) -> None:
    mark = label_at_start(line)
    assert mark is not None
    assert (mark.label, line[mark.end :]) == (label, rest)


@pytest.mark.parametrize(
    "line",
    [
        "2 yams",
        "1.5 metres",
        "no. 3",
        "[bø:va]",
        "[a] b",
        "k:ii",
        "3:30",
        "a: b is no",
        "e.g. x",
        "",
    ],
)
def test_what_does_not_look_like_a_label(line: str) -> None:
    mark = label_at_start(line)
    # A speaker's letter ("a: b") is left to the sequence rule.
    assert mark is None or mark.label == "a"


def test_labels_in_the_middle_of_a_line() -> None:
    marks = list(find_marks("kat | (1) | x (2) y; 3) z"))
    assert [mark.label for mark in marks] == ["1", "2", "3"]
    assert [mark.at_start for mark in marks] == [True, False, False]


QUERY = ("16", "17", "18")


@pytest.mark.parametrize(
    "answers",
    [
        ["16. a", "17. b", "18. c"],
        ["1. a", "2. b", "3. c"],
        ["(a) a", "(b) b", "(c) c"],
        ["i) a", "ii) b", "iii) c"],
        ["18. c", "16. a", "17. b"],
    ],
)
def test_labels_are_taken_off_where_they_form_the_sequence(answers: list[str]) -> None:
    assert sorted(take_labels(answers, QUERY) or ()) == [(0, "a"), (1, "b"), (2, "c")]


@pytest.mark.parametrize(
    "answers",
    [
        ["2. person", "b", "c"],
        ["2. person"],
        ["1. a", "3. c"],
        ["5. a", "6. b", "7. c"],
        ["16. a", "16. b", "18. c"],
        ["1. a", "2. b", "3. c", "4. d"],
        [],
    ],
)
def test_what_forms_no_sequence_stays(answers: list[str]) -> None:
    assert take_labels(answers, QUERY) is None


def test_some_of_the_querys_own_labels_place_their_answers() -> None:
    assert take_labels(["16. a", "18. c"], QUERY) == ((0, "a"), (2, "c"))


def test_the_letters_of_a_matching_task_are_answers() -> None:
    answers = ["A. dog", "B. cat"]
    assert take_labels(answers, ("1", "2")) is not None
    assert take_labels(answers, ("1", "2"), options=("A", "B", "C")) is None


def test_unknown_labels_need_a_long_unbroken_sequence() -> None:
    assert take_labels(["20. a", "21. b", "22. c"], ("", "", "")) is not None
    assert take_labels(["20. a", "21. b"], ("", "")) is None
    assert take_labels(["20. a", "22. b", "23. c"], ("", "", "")) is None
