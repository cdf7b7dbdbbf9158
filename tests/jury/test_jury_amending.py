"""A change to a rubric: what it changes, which papers it reopens, and that it says so before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jury_strategies import (
    ASSIGNMENT,
    PAIR,
    handed,
    marks_of,
    own,
    rubrics,
    saveable,
    simple_rubric,
)

from iolai.errors import ConflictError
from iolai.jury.amending import preview, reopening_marks
from iolai.jury.consensus import counted, paper_state
from iolai.jury.marking import own_marks
from iolai.records import Criterion, PaperState, Rubric, Step

OLD = simple_rubric(2, 3)
SETTLED = [own(juror, name, 2) for juror in PAIR for name in ("c1", "c2")] + [
    handed(juror) for juror in PAIR
]


def amended(*criteria: Criterion) -> Rubric:
    return Rubric("x", criteria, version=2)


def look(new: Rubric, marks=SETTLED, **options):
    return preview(OLD, new, {"p1": (ASSIGNMENT, marks)}, **options)


def test_changed_points_reopen_the_criterion_alone() -> None:
    one, other = OLD.criteria
    amendment = look(amended(one, replace(other, points=4)))
    (change,) = amendment.changes
    assert (change.criterion, change.what, change.reopens) == ("c2", "points", True)
    assert (change.before, change.after) == ("3 points", "4 points")
    (paper,) = amendment.papers
    assert (paper.criteria, paper.jurors) == (("c2",), PAIR)
    assert (paper.before, paper.after) == (4, 2)


def test_each_kind_of_change_is_named() -> None:
    one, other = OLD.criteria
    for new, what, reopens in [
        (replace(other, steps=(Step(1, "half"),)), "steps", True),
        (replace(other, kind="task", task="t1"), "task", True),
        (replace(other, notes="accept the older spelling"), "wording", False),
        (replace(other, accept=("the older spelling",)), "wording", False),
    ]:
        amendment = look(amended(one, new))
        assert [(c.what, c.reopens) for c in amendment.changes] == [(what, reopens)]
        assert bool(amendment.papers) == reopens
    wording = amended(one, replace(other, notes="accept the older spelling"))
    assert look(wording, reopen_wording=True).papers[0].criteria == ("c2",)
    assert look(replace(OLD, version=2)).changes == ()


def test_a_new_criterion_reopens_papers_that_were_handed_over() -> None:
    new = amended(*OLD.criteria, Criterion("c3", "x", "theory", 1))
    assert look(new).papers[0].criteria == ("c3",)
    begun = [own("ann", "c1", 2)]
    assert look(new, begun).papers == (), "whoever still marks finds it among the criteria"
    assert look(new, []).papers == ()


def test_a_removed_criterion_counts_no_more_and_reopens_nothing() -> None:
    (paper,) = look(amended(OLD.criteria[0])).papers
    assert (paper.criteria, paper.jurors, paper.before, paper.after) == ((), (), 4, 2)


def test_another_problem_and_an_old_version_are_refused() -> None:
    with pytest.raises(ConflictError, match="of problem y, not x"):
        look(replace(OLD, problem="y", version=2))
    with pytest.raises(ConflictError, match="version 1, and 1 is in use"):
        look(OLD)


def test_carrying_it_out_opens_what_the_preview_said() -> None:
    one, other = OLD.criteria
    new = amended(one, replace(other, points=4))
    papers = {"p1": (ASSIGNMENT, SETTLED)}
    rows = reopening_marks(preview(OLD, new, papers), papers, "the rule has two parts")
    assert [(row.juror, row.criterion, row.rubric_version) for row in rows] == [
        ("ann", "c2", 2),
        ("ben", "c2", 2),
    ]
    assert {row.note for row in rows} == {"the rule has two parts"}
    after = [*SETTLED, *rows]
    assert paper_state(new, ASSIGNMENT, after) == PaperState.MARKING
    again = [own(juror, "c2", 4) for juror in PAIR] + [handed(juror) for juror in PAIR]
    assert sum(c.points for c in counted(new, ASSIGNMENT, [*after, *again])) == 6


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_only_what_changed_is_marked_again(data) -> None:
    old = data.draw(rubrics())
    new = replace(data.draw(rubrics()), version=2)
    marks = saveable(old, data.draw(marks_of(old, n_marks=50)))
    papers = {"p1": (ASSIGNMENT, marks)}
    amendment = preview(old, new, papers)
    rows = reopening_marks(amendment, papers)
    changed = {change.criterion for change in amendment.changes if change.reopens}
    same = {one.id for one in old.criteria} & {one.id for one in new.criteria} - changed
    for juror in PAIR:
        before, after = own_marks(marks, juror), own_marks([*marks, *rows], juror)
        assert {name: after.get(name) for name in same} == {name: before.get(name) for name in same}
        assert not after.keys() & changed
