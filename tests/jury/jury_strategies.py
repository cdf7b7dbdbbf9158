"""Random rubrics and markings for the tests of the jury, and short ways to write marks."""

from __future__ import annotations

from hypothesis import strategies as st

from iolai.errors import IolaiError
from iolai.jury.consensus import require_saveable
from iolai.jury.marking import allowed_points
from iolai.records import Assignment, Criterion, Mark, MarkedPaper, MarkKind, Paper, Rubric, Step

PAIR = ("ann", "ben")
ASSIGNMENT = Assignment("p1", PAIR, "cid")


def own(juror: str, criterion: str, points: float | None, note: str = "") -> Mark:
    return Mark("p1", juror, criterion, MarkKind.OWN, points, note)


def mark(kind: MarkKind, juror: str, criterion: str = "", points: float | None = None) -> Mark:
    return Mark("p1", juror, criterion, kind, points, note="because")


def handed(juror: str) -> Mark:
    return mark(MarkKind.HANDED_OVER, juror)


def simple_rubric(*points: float, problem: str = "x") -> Rubric:
    return Rubric(
        problem,
        tuple(Criterion(f"c{n}", problem, "theory", worth) for n, worth in enumerate(points, 1)),
    )


def marked_paper(
    problem: str,
    contestant: str,
    sheets: dict[str, dict[str, float]],
    settled: dict[str, float] | None = None,
) -> MarkedPaper:
    """A paper that both jurors of ``sheets`` marked and handed over; differences are agreed on."""
    name = f"{contestant} {problem}"
    first, second = sheets
    marks = [
        Mark(name, juror, criterion, MarkKind.OWN, points)
        for juror, sheet in sheets.items()
        for criterion, points in sheet.items()
    ]
    marks += [Mark(name, juror, "", MarkKind.HANDED_OVER) for juror in sheets]
    for criterion, points in (settled or {}).items():
        marks.append(Mark(name, first, criterion, MarkKind.PROPOSED, points, "so"))
        marks.append(Mark(name, second, criterion, MarkKind.ACCEPTED, points))
    return MarkedPaper(
        Paper(name, problem, contestant), Assignment(name, (first, second)), tuple(marks)
    )


@st.composite
def criteria(draw: st.DrawFn, name: str, problem: str = "x") -> Criterion:
    points = draw(st.integers(1, 8)) / 2
    below = sorted({draw(st.integers(1, 7)) / 2 for _ in range(draw(st.integers(0, 3)))})
    steps = tuple(Step(value, "when") for value in reversed(below) if value <= points)
    return Criterion(name, problem, "theory", points, steps)


@st.composite
def rubrics(draw: st.DrawFn, problem: str = "x") -> Rubric:
    n_criteria = draw(st.integers(1, 4))
    return Rubric(
        problem, tuple(draw(criteria(f"c{n}", problem)) for n in range(1, n_criteria + 1))
    )


@st.composite
def marks_of(draw: st.DrawFn, rubric: Rubric, n_marks: int = 30) -> list[Mark]:
    """Any marks, sensible or not, of the pair, the third and a stranger."""
    names = [one.id for one in rubric.criteria]
    result = []
    for _ in range(draw(st.integers(0, n_marks))):
        criterion = draw(st.sampled_from(names))
        worth = next(one for one in rubric.criteria if one.id == criterion)
        kind = draw(st.sampled_from([*MarkKind, MarkKind.OWN, MarkKind.OWN, MarkKind.HANDED_OVER]))
        juror = draw(st.sampled_from([*PAIR, *PAIR, "cid", "stranger"]))
        points = draw(st.sampled_from([None, *allowed_points(worth)]))
        if kind == MarkKind.HANDED_OVER:
            criterion, points = "", None
        result.append(Mark("p1", juror, criterion, kind, points, draw(st.sampled_from(["", "n"]))))
    return result


def saveable(rubric: Rubric, wanted: list[Mark]) -> list[Mark]:
    """Those of the marks that may be saved, one after another."""
    saved: list[Mark] = []
    for one in wanted:
        try:
            require_saveable(rubric, ASSIGNMENT, saved, one)
        except IolaiError:
            continue
        saved.append(one)
    return saved
