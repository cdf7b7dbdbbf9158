"""Invented records with nasty texts, for the round-trip and fuzz tests."""

from __future__ import annotations

import string

from hypothesis import strategies as st

from iolai.records import (
    AnswerKey,
    Criterion,
    Prediction,
    PredictionSet,
    Problem,
    ProblemSet,
    Reference,
    Rubric,
    Step,
    Task,
    TaskKey,
    group_tasks,
)

NASTY = [
    *"\"',;|#\\\t \n\r[]{}:.=1aé",
    "\r\n",
    "\n\n",
    "# ",
    "## Task 1\n",
    "\n### Answers\n1. a | b\n",
    "\\n",
    "\\e",
    "\\|",
    " | ",
    " \\",
    '"""',
    "''",
    "\u2028",
    "\u0085",
    "\u00a0",
    "\x1c",
    "\x0b",
    "\x01",
    "\x7f",
    "\ufeff",
    "e\u0301",
    "\u0301",
    "\u02bc",
    "\u202e",
    "\U0001f600",
    "id: 3",
    "null",
]

texts = st.lists(
    st.one_of(
        st.sampled_from(NASTY),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=8,
).map("".join)

names = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=12)
figures = st.floats(0, 1, allow_nan=False).map(abs)
points = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, 0.5]), st.floats(0, 1e300, allow_nan=False).map(abs)
)
languages = st.lists(texts, max_size=3).map(tuple)
references = st.builds(Reference, st.lists(texts, min_size=1, max_size=3).map(tuple), st.booleans())


@st.composite
def tasks_with_keys(draw: st.DrawFn, *, explained: bool) -> tuple[list[Task], AnswerKey]:
    """Tasks with ids of every shape, in the key's order."""
    shapes = st.one_of(
        st.integers(0, 3).map(lambda n: f"12026{n:02}0100"),
        st.integers(0, 3).map(lambda n: f"01201{n:02}0{n}00"),
        names,
    )
    ids = draw(
        st.lists(shapes, min_size=1, max_size=4, unique_by=lambda name: name.lstrip("0") or "0")
    )
    tasks, keys = [], []
    for task_id in ids:
        kind, form = draw(texts), draw(texts)
        tasks.append(
            Task(task_id, draw(texts), draw(texts), kind, form, draw(texts), draw(languages))
        )
        keys.append(
            TaskKey(
                task_id,
                tuple(draw(st.lists(references, min_size=1, max_size=3))),
                draw(st.sampled_from(["", "public", "private"])),
                draw(points),
                kind,
                form,
                draw(texts) if explained else "",
            )
        )
    return tasks, AnswerKey(tuple(keys))


@st.composite
def sets_from_tables(draw: st.DrawFn) -> tuple[ProblemSet, AnswerKey]:
    """A problem set as tables give it: grouped by id or context, with no titles."""
    tasks, key = draw(tasks_with_keys(explained=True))
    return ProblemSet(group_tasks(tasks)), key


@st.composite
def sets_from_sheets(draw: st.DrawFn) -> tuple[ProblemSet, AnswerKey]:
    """A problem set as people write it: titles, language names, problems of any make-up."""
    tasks, key = draw(tasks_with_keys(explained=True))
    cut = draw(st.integers(0, len(tasks) - 1))
    groups = [group for group in (tasks[:cut], tasks[cut:]) if group]
    ids = draw(st.lists(names, min_size=2, max_size=2, unique_by=lambda n: n.lstrip("0") or "0"))
    problems = tuple(
        Problem(name, tuple(group), draw(texts), draw(texts))
        for name, group in zip(ids, groups, strict=False)
    )
    return ProblemSet(problems), key


prediction_sets = st.lists(
    st.builds(Prediction, st.one_of(names, texts), texts, texts), min_size=1, max_size=4
).map(lambda rows: PredictionSet(tuple(rows)))


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    problem = draw(texts)
    criteria = []
    for name in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        worth = draw(st.sampled_from([4.0, 2.5, 1e-7, 1e18]))
        parts = draw(st.lists(st.sampled_from([1.0, 0.75, 0.5]), max_size=3, unique=True))
        steps = tuple(Step(worth * part, draw(texts)) for part in sorted(parts, reverse=True))
        task = draw(texts)
        kind = "task" if task else "theory"
        criteria.append(Criterion(name, problem, kind, worth, steps, task, draw(texts)))
    return Rubric(problem, tuple(criteria), draw(texts), draw(st.integers(1, 99)))
