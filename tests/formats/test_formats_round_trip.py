"""Whatever is written comes back equal, for every format and for the nastiest texts."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from formats_strategies import (
    figures,
    names,
    prediction_sets,
    rubrics,
    sets_from_sheets,
    sets_from_tables,
    texts,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from iolai import formats
from iolai.records import (
    AnswerKey,
    ArchivedEntry,
    BoardLine,
    Prediction,
    PredictionSet,
    ProblemSet,
    PublishedTask,
    Records,
    Reference,
    Rubric,
    Task,
    TaskKey,
    group_tasks,
)

QUICK = settings(max_examples=60, deadline=None)

SetWithKey = tuple[ProblemSet, AnswerKey]


def _as_lists(key: AnswerKey) -> list[list[bool]]:
    return [[reference.as_list for reference in task.references] for task in key]


@QUICK
@given(sets_from_tables())
def test_test_csv(pair: SetWithKey) -> None:
    problems, _ = pair
    assert formats.parse_document(formats.render_test_csv(problems)).problems == problems


@QUICK
@given(sets_from_tables())
def test_solution_csv(pair: SetWithKey) -> None:
    key = AnswerKey(
        tuple(
            TaskKey(t.id, t.references, t.split, t.points, t.task_type, t.eval_type)
            for t in pair[1]
        )
    )
    again = formats.parse_document(formats.render_solution_csv(key)).key
    assert again == key
    # One bare text, or a list: as it stood. Several alternatives are a list in any case.
    assert _as_lists(again) == [
        [reference.as_list or len(reference.alternatives) > 1 for reference in task.references]
        for task in key
    ]


@QUICK
@given(prediction_sets)
def test_submission_csv(predictions: PredictionSet) -> None:
    written = formats.render_submission_csv(predictions)
    assert formats.parse_document(written).predictions == predictions


@QUICK
@given(sets_from_tables())
def test_linguini(pair: SetWithKey) -> None:
    problems, key = pair
    document = formats.parse_document(formats.render_linguini(problems, key))
    assert document.problems == problems
    assert document.key is not None
    assert {task.id: task for task in document.key} == {task.id: task for task in key}
    if group_tasks(problems.tasks) == problems.problems and [t.id for t in key] == [
        t.id for t in problems.tasks
    ]:
        assert document.key == key


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(sets_from_sheets())
def test_plain_text_at_length(pair: SetWithKey) -> None:
    _check_plain_text(*pair)


@QUICK
@given(sets_from_sheets())
def test_plain_text(pair: SetWithKey) -> None:
    _check_plain_text(*pair)


def _check_plain_text(problems: ProblemSet, key: AnswerKey) -> None:
    document = formats.parse_document(formats.render_plain_text(problems, key))
    assert document.problems == problems
    assert document.key == key
    assert document.warnings == ()


@QUICK
@given(sets_from_sheets())
def test_plain_text_without_a_key(pair: SetWithKey) -> None:
    problems, _ = pair
    document = formats.parse_document(formats.render_plain_text(problems))
    assert document.problems == problems
    assert document.key is None


@QUICK
@given(rubrics())
def test_rubric(rubric: Rubric) -> None:
    assert formats.parse_document(formats.render_rubric(rubric)).rubrics == (rubric,)


entries = st.builds(
    lambda folder, team, pred, explanation, em, chrf, n_read, clean: ArchivedEntry(
        folder=folder,
        team=team,
        metadata={"team": team, "note": pred, "selected": clean},
        metrics={"score": em, "total": n_read},
        predictions=PredictionSet((Prediction("12026010100", pred, explanation),)),
        published=(PublishedTask("12026010100", (pred,), (em,), (chrf,), em, chrf, n_read, clean),),
    ),
    names,
    texts,
    texts,
    texts,
    figures,
    figures,
    st.integers(0, 99),
    st.booleans(),
)
optional_figures = st.one_of(st.none(), figures)


@st.composite
def all_records(draw: st.DrawFn) -> Records:
    members = draw(st.lists(entries, max_size=2, unique_by=lambda entry: entry.folder))
    members.sort(key=lambda entry: entry.folder)
    board = [
        BoardLine(
            rank,
            draw(texts),
            draw(texts),
            draw(figures),
            draw(figures),
            draw(figures),
            draw(texts),
            draw(st.one_of(st.none(), st.floats(0, 100).map(abs))),
            draw(optional_figures),
            draw(optional_figures),
            draw(texts),
            f"submissions/{entry.folder}" if entry else "",
        )
        for rank, entry in enumerate([*members, None], 1)
    ]
    key = AnswerKey((TaskKey("12026010100", (Reference((draw(texts),)),)),))
    return Records(tuple(board), key, tuple(members))


@settings(max_examples=15, deadline=None)
@given(all_records())
def test_records(records: Records) -> None:
    with tempfile.TemporaryDirectory() as folder:
        formats.write_records(folder, records)
        again = formats.read_records(folder)
        assert (again.board, again.key) == (records.board, records.key)
        for entry, copied in zip(records.entries, again.entries, strict=True):
            assert (copied.folder, copied.team) == (entry.folder, entry.team)
            assert (copied.metadata, copied.metrics) == (entry.metadata, entry.metrics)
            assert copied.predictions == entry.predictions
            assert copied.published == entry.published
        # What was read holds all fields, so that a second copy is equal in everything.
        formats.write_records(Path(folder) / "second", again)
        assert formats.read_records(Path(folder) / "second") == again


_UNWRITABLE = "a\ud800b\0c"


def test_what_no_file_can_hold_is_replaced_not_fatal(tmp_path: Path) -> None:
    task = Task("12026010100", _UNWRITABLE, _UNWRITABLE, task_lang=(_UNWRITABLE,))
    problems = ProblemSet(group_tasks([task]))
    key = AnswerKey((TaskKey(task.id, (Reference((_UNWRITABLE,)),), explanation=_UNWRITABLE),))
    predictions = PredictionSet((Prediction(task.id, _UNWRITABLE, _UNWRITABLE),))
    formats.write_test_csv(tmp_path / "t", problems)
    formats.write_solution_csv(tmp_path / "s", key)
    formats.write_submission_csv(tmp_path / "p", predictions)
    formats.write_linguini(tmp_path / "l", problems, key)
    formats.write_plain_text(tmp_path / "x", problems, key)
    assert formats.read_problems(tmp_path / "t").tasks[0].query == "a\ufffdb\ufffdc"
    assert formats.read_predictions(tmp_path / "p").predictions[0].text == "a\ufffdb\ufffdc"
    assert formats.read_problems(tmp_path / "x").tasks[0].context == "a\ufffdb\ufffdc"
    assert formats.read_key(tmp_path / "x").tasks[0].explanation == "a\ufffdb\ufffdc"
    # JSON can hold NUL as an escape, so there it stays.
    assert formats.read_problems(tmp_path / "l").tasks[0].query == "a\ufffdb\0c"
    assert formats.read_key(tmp_path / "s").tasks[0].references[0].alternatives == ("a\ufffdb\0c",)


@pytest.mark.parametrize("escape", [r"\ud800", r"\udfff x \ud83d"])
def test_lone_surrogates_in_json_are_replaced_when_read(escape: str) -> None:
    key = formats.parse_document(
        f'id,answer,split,points,task_type,eval_type\n1,"[""{escape}""]",,1,,\n'
    ).key
    assert key is not None
    text = key.tasks[0].references[0].alternatives[0]
    assert "\ufffd" in text
    text.encode()


def test_surrogate_pairs_in_json_are_one_character() -> None:
    row = r'{"id": "1", "context": "\ud83d\ude00", "query": "q"}'
    problems = formats.parse_document(row).problems
    assert problems is not None
    assert problems.tasks[0].context == "\U0001f600"
