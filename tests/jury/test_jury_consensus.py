"""Differences, talk, escalation, and the marks that count; against a naive re-computation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jury_strategies import (
    ASSIGNMENT,
    PAIR,
    handed,
    mark,
    marks_of,
    own,
    rubrics,
    saveable,
    simple_rubric,
)

from iolai.errors import ConflictError, ForbiddenError, InputError
from iolai.jury.consensus import counted, differences, paper_state, require_saveable
from iolai.jury.marking import allowed_points, has_handed_over, own_marks
from iolai.records import Assignment, CountedBy, Mark, MarkKind, PaperState

RUBRIC = simple_rubric(2, 3)
#: The pair agrees on c1 (2 points) and differs on c2 (1 and 3).
DIFFERING = [
    own("ann", "c1", 2),
    own("ann", "c2", 1, "one case only"),
    handed("ann"),
    own("ben", "c1", 2),
    own("ben", "c2", 3, "all there"),
    handed("ben"),
]


def state(marks: list[Mark]) -> PaperState:
    return paper_state(RUBRIC, ASSIGNMENT, marks)


def points(marks: list[Mark]) -> dict[str, tuple[float, CountedBy]]:
    return {one.criterion: (one.points, one.by) for one in counted(RUBRIC, ASSIGNMENT, marks)}


def test_nothing_is_known_before_both_have_handed_over() -> None:
    for n in range(len(DIFFERING)):
        assert differences(RUBRIC, ASSIGNMENT, DIFFERING[:n]) == ()
        assert counted(RUBRIC, ASSIGNMENT, DIFFERING[:n]) == ()
        assert state(DIFFERING[:n]) == PaperState.MARKING


def test_equal_marks_count_and_others_are_differences() -> None:
    (one,) = differences(RUBRIC, ASSIGNMENT, DIFFERING)
    assert (one.criterion, one.first.points, one.second.points) == ("c2", 1, 3)
    assert (one.first.note, one.second.note) == ("one case only", "all there")
    assert one.counted is None
    assert points(DIFFERING) == {"c1": (2, CountedBy.EQUAL)}
    assert state(DIFFERING) == PaperState.DIFFERING


def test_first_and_second_follow_the_pair() -> None:
    turned = Assignment("p1", (PAIR[1], PAIR[0]))
    (one,) = differences(RUBRIC, turned, DIFFERING)
    assert (one.first.juror, one.second.juror) == ("ben", "ann")


def test_one_proposes_and_the_other_accepts() -> None:
    marks = [*DIFFERING, mark(MarkKind.PROPOSED, "ann", "c2", 2)]
    assert state(marks) == PaperState.DISCUSSING
    assert "c2" not in points(marks)
    own_proposal = [*marks, mark(MarkKind.ACCEPTED, "ann", "c2", 2)]
    assert "c2" not in points(own_proposal), "nobody accepts a proposal of his own"
    other_points = [*marks, mark(MarkKind.ACCEPTED, "ben", "c2", 3)]
    assert "c2" not in points(other_points)
    marks.append(mark(MarkKind.ACCEPTED, "ben", "c2", 2))
    assert points(marks)["c2"] == (2, CountedBy.AGREED)
    assert state(marks) == PaperState.SETTLED
    later = [
        *marks,
        mark(MarkKind.PROPOSED, "ben", "c2", 3),
        mark(MarkKind.ACCEPTED, "ann", "c2", 3),
    ]
    assert points(later)["c2"] == (2, CountedBy.AGREED), "what is settled stays"


def test_the_newest_proposal_is_the_one_to_accept() -> None:
    marks = [
        *DIFFERING,
        mark(MarkKind.PROPOSED, "ann", "c2", 2),
        mark(MarkKind.PROPOSED, "ben", "c2", 2.5),
        mark(MarkKind.ACCEPTED, "ben", "c2", 2),
    ]
    assert "c2" not in points(marks)
    assert points([*marks, mark(MarkKind.ACCEPTED, "ann", "c2", 2.5)])["c2"][0] == 2.5


def test_the_third_decides_what_was_escalated() -> None:
    early = [*DIFFERING, mark(MarkKind.THIRD, "cid", "c2", 1.5)]
    assert "c2" not in points(early)
    marks = [*DIFFERING, mark(MarkKind.ESCALATED, "ben", "c2")]
    assert state(marks) == PaperState.ESCALATED
    of_the_pair = [*marks, mark(MarkKind.THIRD, "ann", "c2", 1)]
    assert "c2" not in points(of_the_pair)
    marks.append(mark(MarkKind.THIRD, "cid", "c2", 1.5))
    assert points(marks)["c2"] == (1.5, CountedBy.THIRD)
    assert state(marks) == PaperState.SETTLED


def test_what_the_third_decided_stays() -> None:
    marks = [
        *DIFFERING,
        mark(MarkKind.ESCALATED, "ben", "c2"),
        mark(MarkKind.THIRD, "cid", "c2", 1.5),
        mark(MarkKind.THIRD, "cid", "c2", 3),
    ]
    assert points(marks)["c2"] == (1.5, CountedBy.THIRD)


def test_a_paper_waits_for_the_third_only_where_nothing_else_is_open() -> None:
    both = [
        *(own("ann", name, 1) for name in ("c1", "c2")),
        *(own("ben", name, 2) for name in ("c1", "c2")),
        *(handed(juror) for juror in PAIR),
        mark(MarkKind.ESCALATED, "ann", "c1"),
    ]
    assert state(both) == PaperState.DISCUSSING
    assert state([*both, mark(MarkKind.ESCALATED, "ben", "c2")]) == PaperState.ESCALATED


def test_reopening_takes_talk_and_decision_away() -> None:
    marks = [
        *DIFFERING,
        mark(MarkKind.ESCALATED, "ben", "c2"),
        mark(MarkKind.THIRD, "cid", "c2", 2),
    ]
    marks += [mark(MarkKind.REOPENED, juror, "c2") for juror in PAIR]
    assert state(marks) == PaperState.MARKING
    marks += [own(juror, "c2", n) for juror, n in zip(PAIR, (0, 1), strict=True)]
    marks += [handed(juror) for juror in PAIR]
    assert state(marks) == PaperState.DIFFERING
    assert points(marks) == {"c1": (2, CountedBy.EQUAL)}, "other marks stay"


def test_once_seen_only_what_was_reopened_can_be_marked_again() -> None:
    marks = [*DIFFERING, *(mark(MarkKind.REOPENED, juror, "c2") for juror in PAIR)]
    assert "c1 was not reopened" in refusal(marks, own("ann", "c1", 0))
    require_saveable(RUBRIC, ASSIGNMENT, marks, own("ann", "c2", 0))
    unseen = [*DIFFERING[:3], mark(MarkKind.REOPENED, "ann", "c2")]
    require_saveable(RUBRIC, ASSIGNMENT, unseen, own("ann", "c1", 0))
    given_back = [*DIFFERING, mark(MarkKind.REOPENED, "ann", "")]
    require_saveable(RUBRIC, ASSIGNMENT, given_back, own("ann", "c1", 0))


def refusal(marks: list[Mark], new: Mark) -> str:
    with pytest.raises((ConflictError, ForbiddenError, InputError)) as caught:
        require_saveable(RUBRIC, ASSIGNMENT, marks, new)
    return f"{type(caught.value).__name__}: {caught.value.message}"


def test_what_may_not_be_saved_is_refused_with_the_reason() -> None:
    proposed = [*DIFFERING, mark(MarkKind.PROPOSED, "ann", "c2", 2)]
    escalated = [*DIFFERING, mark(MarkKind.ESCALATED, "ann", "c2")]
    cases = [
        ([], own("stranger", "c1", 1), "ForbiddenError: this paper is not yours to mark"),
        ([], own("cid", "c1", 1), "ForbiddenError: this paper is not yours to mark"),
        ([], own("ann", "c1", 0.25), "InputError: criterion c1 cannot get 0.25 points"),
        ([], own("ann", "c9", 1), "InputError: the rubric of problem x has no criterion 'c9'"),
        ([], handed("ann"), "ConflictError: the paper cannot be handed over"),
        (DIFFERING, own("ann", "c1", 1), "ConflictError: you have handed over this paper"),
        (DIFFERING[:3], mark(MarkKind.PROPOSED, "ann", "c2", 2), "there is no open difference"),
        (DIFFERING, mark(MarkKind.PROPOSED, "ann", "c1", 2), "there is no open difference"),
        (DIFFERING, mark(MarkKind.PROPOSED, "ann", "c2", 9), "criterion c2 cannot get 9 points"),
        (DIFFERING, mark(MarkKind.PROPOSED, "ann", "c2"), "the mark has no points"),
        (DIFFERING, mark(MarkKind.ACCEPTED, "ann", "c2", 2), "there is no proposal"),
        (proposed, mark(MarkKind.ACCEPTED, "ann", "c2", 2), "there is no proposal"),
        (proposed, mark(MarkKind.ACCEPTED, "ben", "c2", 3), "there is no proposal"),
        (DIFFERING, mark(MarkKind.THIRD, "cid", "c2", 2), "this difference was not escalated"),
        (escalated, mark(MarkKind.THIRD, "ann", "c2", 2), "ForbiddenError"),
        (escalated, mark(MarkKind.PROPOSED, "ann", "c2", 2), "the third decides it"),
        (DIFFERING, Mark("p1", "ann", "c2", MarkKind.PROPOSED, 2, " "), "the mark has no reason"),
    ]
    for marks, new, expected in cases:
        assert expected in refusal(marks, new), (new, expected)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_what_may_be_saved_keeps_the_rules(data) -> None:
    """Whatever people try, marks that count are allowed ones with two people or a third behind."""
    rubric = data.draw(rubrics())
    saved = saveable(rubric, data.draw(marks_of(rubric, n_marks=60)))
    both = all(has_handed_over(saved, juror) for juror in PAIR)
    first, second = (own_marks(saved, juror) for juror in PAIR)
    naive = {}
    for criterion in rubric.criteria if both else ():
        since = max(
            (
                n
                for n, one in enumerate(saved)
                if one.kind == MarkKind.REOPENED and one.criterion == criterion.id
            ),
            default=-1,
        )
        later = [one for one in saved[since + 1 :] if one.criterion == criterion.id]
        closing = [one for one in later if one.kind in (MarkKind.ACCEPTED, MarkKind.THIRD)]
        mine, yours = first.get(criterion.id), second.get(criterion.id)
        if mine is None or yours is None:
            continue
        if mine.points == yours.points:
            naive[criterion.id] = mine.points
        elif closing:
            assert len(closing) == 1, "one decision, not two"
            naive[criterion.id] = closing[0].points
    found = {one.criterion: one.points for one in counted(rubric, ASSIGNMENT, saved)}
    assert found == naive
    for criterion in rubric.criteria:
        if criterion.id in found:
            assert found[criterion.id] in allowed_points(criterion)
    settled = paper_state(rubric, ASSIGNMENT, saved) == PaperState.SETTLED
    assert settled == (set(found) == {one.id for one in rubric.criteria})


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_marks_that_were_never_checked_break_nothing(data) -> None:
    rubric = data.draw(rubrics())
    marks = data.draw(marks_of(rubric))
    found = counted(rubric, ASSIGNMENT, marks)
    assert len({one.criterion for one in found}) == len(found)
    for one in differences(rubric, ASSIGNMENT, marks):
        assert one.first.points != one.second.points
    assert paper_state(rubric, ASSIGNMENT, marks) in PaperState
