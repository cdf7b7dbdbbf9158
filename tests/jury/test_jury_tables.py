"""From a table of marks to marked papers by the rules of the desk; looking at a rubric."""

from __future__ import annotations

from dataclasses import replace

import pytest
from jury_strategies import simple_rubric

from iolai.errors import InputError
from iolai.formats import builtin_path, read_document
from iolai.jury.consensus import counted, paper_state
from iolai.jury.linting import lint_rubric
from iolai.jury.tables import mark_rows, marked_papers
from iolai.records import CountedBy, Criterion, MarkedPaper, MarkRow, PaperState, Rubric, Step

RUBRICS = {"x": simple_rubric(2, 3)}


def row(juror: str, criterion: str, points: float | None, kind: str = "own", **more) -> MarkRow:
    return MarkRow("s", "x", juror, criterion, kind, points, **more)


OWN = (row("a", "c1", 2), row("a", "c2", 1), row("b", "c1", 2), row("b", "c2", 3))


def only(*rows: MarkRow) -> MarkedPaper:
    (paper,) = marked_papers(rows, RUBRICS)
    return paper


def points(paper: MarkedPaper) -> dict[str, tuple[float, CountedBy]]:
    given = counted(RUBRICS["x"], paper.assignment, paper.marks)
    return {one.criterion: (one.points, one.by) for one in given}


def test_a_sheet_without_hand_overs_is_taken_as_handed_over() -> None:
    paper = only(*OWN)
    assert paper.assignment.pair == ("a", "b")
    assert points(paper) == {"c1": (2, CountedBy.EQUAL)}
    assert paper_state(RUBRICS["x"], paper.assignment, paper.marks) == PaperState.DIFFERING


def test_what_was_agreed_on_counts_wherever_its_row_stands() -> None:
    agreed = row("", "c2", 2, "agreed", note="two of the three cases")
    for rows in ((*OWN, agreed), (agreed, *OWN)):
        assert points(only(*rows)) == {"c1": (2, CountedBy.EQUAL), "c2": (2, CountedBy.AGREED)}
    same = row("", "c1", 2, "agreed")
    assert points(only(*OWN, same, agreed))["c1"] == (2, CountedBy.EQUAL)


def test_a_third_decides() -> None:
    paper = only(*OWN, row("d", "c2", 1.5, "third"))
    assert paper.assignment.third == "d"
    assert points(paper)["c2"] == (1.5, CountedBy.THIRD)


def test_marks_come_back_as_rows() -> None:
    paper = only(*OWN, row("", "c2", 2, "agreed", note="so"))
    rows = mark_rows([paper])
    assert only(*rows) == paper
    assert mark_rows([only(*rows)]) == rows
    assert [row.role for row in rows[:3]] == ["first", "first", "second"]


def record(*rows: MarkRow) -> list[MarkRow]:
    """Rows of the service's own record: a and b began, and c stood in for b."""
    roles = {"a": "first", "c": "second", "d": "third", "e": "replaced", "b": "replaced"}
    return [replace(one, role=roles[one.juror]) for one in rows]


def done(juror: str) -> MarkRow:
    return row(juror, "", None, "handed_over")


STOOD_IN = (
    row("b", "c1", 0.5), *OWN[:2], done("a"), row("c", "c1", 2), row("c", "c2", 3), done("c"),
)  # fmt: skip


def test_a_stand_in_s_marks_count_and_not_those_of_who_went() -> None:
    (paper,) = marked_papers(record(*STOOD_IN), RUBRICS)
    assert paper.assignment.pair == ("a", "c")
    assert points(paper) == {"c1": (2, CountedBy.EQUAL)}
    escalated = row("a", "c2", None, "escalated")
    for third in ("d", "e"):  # e decided, and somebody else became the third
        rows = record(*STOOD_IN, escalated, row(third, "c2", 2, "third", note="so"))
        (paper,) = marked_papers(rows, RUBRICS)
        assert points(paper)["c2"] == (2, CountedBy.THIRD)
        assert marked_papers(mark_rows([paper]), RUBRICS) == (paper,)


def test_each_mark_is_held_to_the_version_by_which_it_was_given() -> None:
    now = {"x": replace(simple_rubric(2, 1), version=2)}
    earlier = {("x", 1): RUBRICS["x"]}
    rows = [
        *(replace(one, rubric_version=1) for one in (*OWN, done("a"), done("b"))),
        *(row(name, "c2", None, "reopened", rubric_version=2) for name in "ab"),
        *(row(name, "c2", 1, rubric_version=2) for name in "ab"),
        *(replace(done(name), rubric_version=2) for name in "ab"),
    ]
    roles = {"a": "first", "b": "second"}
    rows = [replace(one, role=roles[one.juror], row=n) for n, one in enumerate(rows, 2)]
    (paper,) = marked_papers(rows, now, earlier)
    given = counted(now["x"], paper.assignment, paper.marks)
    assert [(one.criterion, one.points) for one in given] == [("c1", 2), ("c2", 1)]
    assert tuple(mark_rows([paper])) == tuple(rows)
    with pytest.raises(InputError, match="version 1 of the rubric of problem 'x'") as caught:
        marked_papers(rows, now)
    assert caught.value.hint == "Hand in every version. There are: 2."
    too_much = [*rows[:-4], replace(rows[-4], points=3), *rows[-3:]]
    with pytest.raises(InputError, match="criterion c2 cannot get 3 points"):
        marked_papers(too_much, now, earlier)


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([*record(*STOOD_IN[1:4]), row("c", "c1", 2)], "one juror must have the role second; no"),
        (record(*STOOD_IN[:4]), "the role second; nobody has"),
        ([*record(*STOOD_IN), row("a", "c1", 1, row=9)], "row 9: a has the role none, and first"),
        (record(*STOOD_IN[1:], row("b", "c1", 9)), "criterion c1 cannot get 9 points"),
        (record(*STOOD_IN[1:], row("b", "c9", 1)), "has no criterion 'c9'"),
    ],
)
def test_a_record_that_does_not_hold_together_is_refused(rows, what) -> None:
    with pytest.raises(InputError) as caught:
        marked_papers(rows, RUBRICS)
    assert what in caught.value.message


def test_a_problem_without_a_rubric_is_named_in_words() -> None:
    for known, hint in (({}, "no rubric was handed in of any"), (RUBRICS, "There are rubrics of")):
        with pytest.raises(InputError, match="no rubric of problem 'y'") as caught:
            marked_papers([replace(one, problem="y") for one in OWN], known)
        assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([row("a", "c1", 1, row=2)], "those who have are: a"),
        ([*OWN, row("d", "c1", 1)], "those who have are: a, b, d"),
        ([*OWN[:3]], "1 criteria have no mark yet (c2)"),
        ([replace(OWN[0], points=9, row=7), *OWN[1:]], "row 7: criterion c1 cannot get 9 points"),
        ([replace(OWN[0], criterion="c9", row=7), *OWN[1:]], "has no criterion 'c9'"),
        ([*OWN, row("", "c1", 1, "agreed", row=8)], "row 8: on criterion c1 there is no open"),
        ([*OWN, row("d", "c2", 1, "third"), row("e", "c2", 1, "third")], "2 thirds (d, e)"),
        ([*OWN, row("a", "c2", 1, "third", row=8)], "row 8: this paper is not yours to decide"),
        ([replace(one, problem="y", row=3) for one in OWN], "row 3: there is no rubric of"),
    ],
)
def test_what_the_rules_do_not_allow_is_refused_with_its_row(rows, what) -> None:
    with pytest.raises(InputError) as caught:
        marked_papers(rows, RUBRICS)
    assert what in caught.value.message


def test_the_built_in_rubrics_have_no_faults() -> None:
    document = read_document(builtin_path())
    findings = [f for one in document.rubrics for f in lint_rubric(one, document.problems)]
    assert len(document.rubrics) == 15
    assert findings == []


def test_each_flaw_of_a_rubric_is_found() -> None:
    problems = read_document(builtin_path()).problems
    rubric = Rubric(
        "1000101",
        (
            Criterion("a", "1000101", "task", 2, task="77", notes="answers"),
            Criterion("b", "1000101", "task", 3, (Step(1, "half"),), task="10001010100"),
            Criterion("b", "1000101", "task", 1.3, task="10001010200"),
        ),
    )
    found = {(one.level, one.criterion): one.message for one in lint_rubric(rubric, problems)}
    messages = " | ".join(one.message for one in lint_rubric(rubric, problems))
    assert found["fault", ""].startswith("the criteria sum to 6.3 points, not 20")
    assert found["fault", "a"] == "the problem has no task 77"
    assert found["fault", "b"] == "two criteria have this id"
    for said in (
        "no criterion of kind theory",
        "no step says what gets the full 3 points",
        "1.3 points are no multiple of a half",
        "neither steps nor notes say what it is for",
        "no criterion marks the answers of task 10001010300",
    ):
        assert said in messages
    unknown = lint_rubric(replace(rubric, problem="9"), problems)
    assert "the problem set has no such problem" in [one.message for one in unknown]
    assert lint_rubric(simple_rubric(10, 10))[-1].level == "note"
    assert "fault" not in {one.level for one in lint_rubric(simple_rubric(3, 3), points=6)}
