"""What the database keeps of a score is the score; a corrected key rescans what it must."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import iolai
from iolai.challenge import proposals, scorebook, scoring, submissions
from iolai.challenge.scoring import Rescored, of_fair_length
from iolai.challenge.service import Actor
from iolai.challenge.state import find_state
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.formats import parse_submission_csv, render_submission_csv, write_solution_csv
from iolai.metrics import score_predictions, score_task, summarise
from iolai.records import MAX_ANSWER, AnswerKey, KeyRow, Prediction, PredictionSet, ScoreRow
from iolai.store import challenges, scores
from world import CANARY, TASKS, World, answers, score_run, small_key, split_answers

SOURCES = Path(iolai.__file__).parent


def test_only_the_scoring_step_opens_a_sealed_key() -> None:
    importing = []
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "unseal" not in text:
            continue
        nodes = list(ast.walk(ast.parse(text)))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        names = {one.name for node in imports for one in node.names}
        # The jury opens its seal by a function of this name; the keys' own is meant here.
        names |= {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
        if names & {"unseal", "keys.unseal"}:
            importing.append(path.name)
    assert importing == ["scoring.py"]


def test_a_sealed_key_shows_nothing_and_opens_only_as_itself(world: World) -> None:
    world.create()
    (path,) = (world.service.home / "keys").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    data = path.read_bytes()
    assert CANARY.encode() not in data
    key = _current(world)
    scoring.check_keys(world.service, [key.id])
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(InputError, match="cannot be opened"):
        scoring.check_keys(world.service, [key.id])
    other = path.with_name("other.sealed")
    other.write_bytes(data)
    with pytest.raises(InputError, match="cannot be opened"):  # the id is sealed with it
        scoring.check_keys(world.service, ["other"])
    path.unlink()
    with pytest.raises(NotFoundError, match="not in this home"):
        scoring.check_keys(world.service, [key.id])


def test_a_score_comes_back_as_it_was(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    data = answers(3, explanation="because").replace(
        b"no", "n\u02bco \ud800".encode("utf-8", "ignore"), 1
    )
    view = world.scored(actor, data)
    row, key = _row(world, view)
    expected = score_predictions(parse_submission_csv(data.decode()).predictions, small_key())
    assert scorebook.read_score(row, key) == expected
    outline = scorebook.read_outline(row, key)
    assert (outline.overall, outline.rates) == (expected.overall, expected.rates)
    assert not any(item.predicted for task in outline.tasks for item in task.items)
    figures = {task.id: (task.exact_match, task.chrf) for task in expected.tasks}
    for split in ("public", "private"):
        tasks = [task for task in key.tasks if task.split == split]
        part = expected.splits[split].score
        assert scorebook.weighted(figures, tasks) == pytest.approx(part, abs=1e-12)
    assert scorebook.weighted(figures, key.tasks) == pytest.approx(
        expected.overall.score, abs=1e-12
    )
    assert scorebook.weighted(figures, []) is None


def test_half_a_surrogate_pair_in_a_prediction_is_kept(any_world: World) -> None:
    any_world.create()
    actor, _ = any_world.team("Team A")
    task = next(iter(TASKS))
    data = f'id,pred\n{task},"[""\\ud800 \\u0000 x"", ""maro""]"\n'.encode()
    view = any_world.scored(actor, data)
    assert view.public is not None
    assert view.public.tasks[0].items[0].predicted.startswith("\ud800 ")


def test_the_public_part_knows_only_public_tasks(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    views = [world.scored(actor, split_answers(public=2, private=private)) for private in range(4)]
    parts = [view.public for view in views]
    assert all(part == parts[0] for part in parts), "private answers change nothing that is seen"
    assert parts[0] is not None
    assert {task.split for task in parts[0].tasks} == {"public"}
    assert parts[0].score == summarise(parts[0].tasks)
    assert all(view.whole is None for view in views)
    whole = submissions.submission_view(
        world.service, world.organiser, views[3].submission.id
    ).whole
    assert whole is not None
    assert whole.splits["private"].score == 1.0


@pytest.mark.parametrize("hidden", ["tasks", "readings"])
def test_what_participants_do_not_see_is_not_there(world: World, hidden: str) -> None:
    world.create(see=f"{hidden} = false")
    actor, _ = world.team("Team A")
    view = world.scored(actor, answers(2))
    view = submissions.submission_view(world.service, actor, view.submission.id)
    assert view.public is not None
    assert view.public.score.score is not None
    if hidden == "tasks":
        assert view.public.tasks == ()
    else:
        assert [task.items for task in view.public.tasks] == [()] * 3
        assert view.findings == ()


@pytest.mark.parametrize("items", [None, False, True])
def test_what_each_item_scored_is_told_where_the_organiser_says_so(
    world: World, items: bool | None
) -> None:
    """By default it is not: a team would read the public key off, guess by guess."""
    world.create(**({} if items is None else {"see": f"items = {str(items).lower()}"}))
    actor, _ = world.team("Team A")
    view = world.scored(actor, answers(2))
    assert view.public is not None
    seen = [item for task in view.public.tasks for item in task.items]
    assert len(seen) == 8
    told = {(item.exact_match, item.chrf) == (None, None) for item in seen}
    assert told == {not items}
    desk = submissions.submission_view(world.service, world.organiser, view.submission.id)
    assert desk.public is not None
    assert all(item.exact_match is not None for task in desk.public.tasks for item in task.items)


def test_a_long_answer_is_scored_as_ever_and_shown_cut(world: World) -> None:
    """Up to the limit an answer counts; beyond, as in an output that is here already, none is."""
    world.create()
    actor, _ = world.team("Team A")
    long, too_long = "a" * MAX_ANSWER, "a" * (MAX_ANSWER + 1)
    rows = [Prediction("12026010100", long), Prediction("12026030100", '["A", "C", "B"]')]
    view = world.scored(actor, render_submission_csv(PredictionSet(tuple(rows))).encode())
    assert view.public is not None
    shown = {task.id: task.items for task in view.public.tasks}
    first = shown["12026010100"][0]
    assert (len(first.predicted), first.n_characters) == (300, MAX_ANSWER)
    (key,) = [task for task in small_key() if task.id == "12026010100"]
    expected = score_task(rows[0], key)
    assert expected.chrf > 0
    assert view.public.tasks[0].chrf == round(expected.chrf, 2)
    rows[0] = Prediction("12026010100", too_long)
    assert of_fair_length(PredictionSet(tuple(rows))).get("12026010100") is None
    assert of_fair_length(PredictionSet(tuple(rows))).get("12026030100") == rows[1]


def test_output_that_cannot_be_read_scores_as_blank(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    view = world.submit(actor, answers(2))
    assert view.run is not None
    score_run(world.service, view.run.id, b"\xff\x00 no table")
    row, key = _row(world, view)
    score = scorebook.read_score(row, key)
    assert score.overall.score == 0
    assert score.rates.empty_predictions == len(TASKS)


def test_scoring_twice_changes_nothing(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    view = world.scored(actor, answers(2))
    row, _ = _row(world, view)
    assert view.run is not None
    score_run(world.service, view.run.id, answers(6))
    assert _row(world, view)[0] == row
    key = _current(world)
    assert scoring.score_many(world.service, key.id, [(view.run.id, answers(6))]) == 0


def test_runs_scored_while_a_key_is_applied_are_scored_under_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.create()
    actor, _ = world.team("Team A")
    world.scored(actor, answers(6))
    proposal = _propose(world, t12026010100=["kala", "tivo"])
    original, late = proposals.rescore, []

    def scored_meanwhile(*of: object) -> Rescored:
        made = original(*of)  # type: ignore[arg-type]
        if not late:
            late.append(world.scored(actor, answers(6)))
        return made

    monkeypatch.setattr(proposals, "rescore", scored_meanwhile)
    proposals.apply(world.service, world.organiser, proposal)
    key = _current(world)
    assert late[0].run is not None
    with world.service.store.read() as connection:
        assert scores.get_score(connection, late[0].run.id, key.id) is not None


def test_a_run_between_its_score_and_its_verdict_holds_a_resized_key_back(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    world.scored(actor, answers(6))
    proposal = _propose(world, t12026010100=["kala"])
    view = world.submit(actor, answers(6))
    assert view.run is not None
    score_run(world.service, view.run.id, answers(6))
    with pytest.raises(ConflictError, match="just being decided"):
        proposals.apply(world.service, world.organiser, proposal)
    world.decide(view)
    proposals.apply(world.service, world.organiser, proposal)
    row, key = _row(world, view)
    whole = score_predictions(
        parse_submission_csv(answers(6).decode()).predictions, small_key(t12026010100=["kala"])
    )
    assert scorebook.read_score(row, key) == whole


def test_a_corrected_key_scores_only_what_changed_and_as_if_from_the_start(
    any_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_world.create(top="quota_per_day = 100")
    actor, _ = any_world.team("Team A")
    outputs = {}
    for n_right in range(7):
        view = any_world.scored(actor, answers(n_right, wrong="kala tivo"))
        assert view.run is not None
        outputs[view.run.id] = answers(n_right, wrong="kala tivo")
    instead = {"t12026010100": ["kala tivo", "kala tivo"], "t12026030200": ["A", "B", "C"]}
    monkeypatch.setattr(type(any_world.service.blobs), "read", _no_reading)
    proposal = _propose(any_world, **instead)
    monkeypatch.undo()
    found = proposals.preview(any_world.service, any_world.organiser, proposal)
    assert found.rescored == Rescored(7, 2, 14, 0)
    _check_all(any_world, found.proposal.key, outputs, small_key(**instead))


def test_a_task_of_another_size_is_read_from_the_output_again(world: World) -> None:
    world.create(top="quota_per_day = 100")
    actor, _ = world.team("Team A")
    outputs = {}
    for n_right in (1, 6):
        view = world.scored(actor, answers(n_right))
        assert view.run is not None
        outputs[view.run.id] = answers(n_right)
    instead = {"t12026020200": ["tavo"]}
    proposal = _propose(world, **instead)
    found = proposals.preview(world.service, world.organiser, proposal)
    assert found.rescored == Rescored(2, 1, 2, 2)
    _check_all(world, found.proposal.key, outputs, small_key(**instead))


def test_a_run_scored_by_another_version_is_scored_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.create()
    actor, _ = world.team("Team A")
    view = world.scored(actor, answers(3))
    assert view.run is not None
    monkeypatch.setattr(scoring, "current_signature", lambda: "official|reading:x|norm:y|iolai:9")
    proposal = _propose(world, t12026010100=["kala tivo", "kala tivo"])
    found = proposals.preview(world.service, world.organiser, proposal)
    assert found.rescored == Rescored(1, 1, len(TASKS), 1)


def _no_reading(self: object, sha256: str) -> bytes:
    if _is_problems(self, sha256):
        return (self.path(sha256)).read_bytes()  # type: ignore[attr-defined,no-any-return]
    raise AssertionError("an output was read again")


def _is_problems(blobs: object, sha256: str) -> bool:
    return b'"problems":' in blobs.path(sha256).read_bytes()[:20]  # type: ignore[attr-defined,no-any-return]


def _check_all(world: World, key_id: str, outputs: dict[str, bytes], key: AnswerKey) -> None:
    """The scores under a corrected key are those of scoring each output under it."""
    with world.service.store.read() as connection:
        row = challenges.get_key(connection, key_id)
        assert row is not None
        for run_id, data in outputs.items():
            made = scores.get_score(connection, run_id, key_id)
            assert made is not None
            fresh = score_predictions(parse_submission_csv(data.decode()).predictions, key)
            assert scorebook.read_score(made, row) == fresh
            digests = scorebook.digests_in(made.body)
            assert digests == {task.id: task.digest for task in row.tasks}


def _propose(world: World, **instead: list[str]) -> str:
    path = world.folder / "corrected.csv"
    write_solution_csv(path, small_key(**instead))
    return proposals.propose_key(world.service, world.organiser, "small", path, "a typo").id


def _current(world: World) -> KeyRow:
    with world.service.store.read() as connection:
        state = find_state(world.service, connection, "small")
        key = challenges.get_key(connection, state.key)
    assert key is not None
    return key


def _row(world: World, view: submissions.SubmissionView) -> tuple[ScoreRow, KeyRow]:
    key = _current(world)
    assert view.run is not None
    with world.service.store.read() as connection:
        row = scores.get_score(connection, view.run.id, key.id)
    assert row is not None
    return row, key


def test_the_key_row_holds_no_reference_and_no_digest_that_can_be_tried(world: World) -> None:
    world.create()
    key = _current(world)
    assert CANARY not in repr(key)
    again = replace(small_key())
    from iolai.challenge.keys import digests_of
    from iolai.challenge.secrets import keyed_digest

    assert digests_of(world.service, again) == {task.id: task.digest for task in key.tasks}
    assert keyed_digest(b"another secret", '[["A"]]') != keyed_digest(b"this one", '[["A"]]')
    assert Actor.local().author == "local"
