"""Which points are allowed, which own marks stand, and where a paper stands for one juror."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jury_strategies import handed, mark, marks_of, own, rubrics, simple_rubric

from iolai.errors import ConflictError, InputError
from iolai.jury.marking import (
    allowed_points,
    criterion_of,
    desk_state,
    has_handed_over,
    own_marks,
    require_complete,
    require_points,
    unmarked,
)
from iolai.records import Criterion, DeskState, Mark, MarkKind, Step


def test_without_steps_every_half_point_is_allowed() -> None:
    assert allowed_points(Criterion("c", "x", "theory", 2)) == (0, 0.5, 1, 1.5, 2)
    assert allowed_points(Criterion("c", "x", "theory", 1.25)) == (0, 0.5, 1, 1.25)


def test_with_steps_only_they_nothing_and_all_are_allowed() -> None:
    steps = (Step(2.5, "most"), Step(0.3, "little"))
    assert allowed_points(Criterion("c", "x", "theory", 4, steps)) == (0, 0.3, 2.5, 4)


def test_other_points_are_refused_with_those_allowed() -> None:
    criterion = Criterion("c", "x", "theory", 4, (Step(2.5, "most"),))
    require_points(criterion, 2.5)
    for points in (2, 2.4999999, -1, 5, float("nan"), float("inf")):
        with pytest.raises(InputError) as caught:
            require_points(criterion, points)
        assert caught.value.hint == "It allows 0, 2.5, 4."


def test_a_giant_criterion_is_refused_not_counted_out() -> None:
    with pytest.raises(InputError, match="worth 1e\\+300 points"):
        allowed_points(Criterion("c", "x", "theory", 1e300))


def test_an_unknown_criterion_is_named_with_the_known() -> None:
    with pytest.raises(InputError, match="no criterion 'c9'") as caught:
        criterion_of(simple_rubric(1, 2), "c9")
    assert "c1, c2" in caught.value.hint


def naive_own(marks: list[Mark], juror: str, criterion: str) -> Mark | None:
    """The last of the juror's marks on a criterion, unless taken back or reopened after."""
    mine = [one for one in marks if one.juror == juror]
    heard = []
    for place, one in enumerate(mine):
        before = [m.kind for m in mine[:place] if m.kind.value in ("handed_over", "reopened")]
        if not (before and before[-1] == MarkKind.HANDED_OVER and one.kind == MarkKind.OWN):
            heard.append(one)
    on_it = [
        one
        for one in heard
        if one.criterion == criterion and one.kind in (MarkKind.OWN, MarkKind.REOPENED)
    ]
    last = on_it[-1] if on_it else None
    return last if last and last.kind == MarkKind.OWN and last.points is not None else None


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_newest_own_mark_stands(data) -> None:
    rubric = data.draw(rubrics())
    marks = data.draw(marks_of(rubric))
    for juror in ("ann", "ben"):
        expected = {
            one.id: found
            for one in rubric.criteria
            if (found := naive_own(marks, juror, one.id)) is not None
        }
        assert own_marks(marks, juror) == expected
        assert set(unmarked(rubric, marks, juror)) == {c.id for c in rubric.criteria} - set(
            expected
        )


def test_a_mark_is_replaced_and_taken_back() -> None:
    marks = [own("ann", "c1", 1), own("ben", "c1", 0), own("ann", "c1", 2)]
    assert own_marks(marks, "ann")["c1"].points == 2
    assert own_marks([*marks, own("ann", "c1", None)], "ann") == {}


def test_after_the_hand_over_own_marks_are_closed_until_reopened() -> None:
    marks = [own("ann", "c1", 1), own("ann", "c2", 1), handed("ann"), own("ann", "c1", 2)]
    assert own_marks(marks, "ann")["c1"].points == 1
    assert has_handed_over(marks, "ann")
    marks.append(mark(MarkKind.REOPENED, "ann", "c1"))
    assert not has_handed_over(marks, "ann")
    assert set(own_marks(marks, "ann")) == {"c2"}
    marks.append(own("ann", "c1", 2))
    assert own_marks(marks, "ann")["c1"].points == 2


def test_a_paper_is_waiting_begun_handed_over() -> None:
    marks: list[Mark] = [own("ben", "c1", 0)]
    assert desk_state(marks, "ann") == DeskState.WAITING
    marks.append(own("ann", "c1", 0))
    assert desk_state(marks, "ann") == DeskState.BEGUN
    marks.append(handed("ann"))
    assert desk_state(marks, "ann") == DeskState.HANDED_OVER
    marks.append(mark(MarkKind.REOPENED, "ann", "c1"))
    assert desk_state(marks, "ann") == DeskState.BEGUN, "reopened is not waiting"


def test_only_a_whole_paper_is_handed_over() -> None:
    rubric = simple_rubric(1, 1, 1)
    with pytest.raises(ConflictError, match=r"2 criteria have no mark yet \(c1, c3\)"):
        require_complete(rubric, [own("ann", "c2", 0), own("ben", "c1", 1)], "ann")
    require_complete(rubric, [own("ann", f"c{n}", 0) for n in (1, 2, 3)], "ann")
