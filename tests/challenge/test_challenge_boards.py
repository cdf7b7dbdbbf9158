"""Boards: who stands where, on what run, when; and the reasons."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from iolai.board import in_order
from iolai.challenge import audit, boards, challenges, proposals, selections, teams
from iolai.challenge.service import Actor
from iolai.challenge.state import find_state
from iolai.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from iolai.evaluation import perfect_predictions
from iolai.formats import render_solution_csv, write_submission_csv
from iolai.records import Board, EventKind, Phase, Role, RunState
from iolai.store import runs
from world import World, answers, small_key, split_answers

STRANGER = Actor.anonymous()


def ranks(board: Board) -> dict[str, int | None]:
    return {row.team: row.rank for row in board.rows}


def close(world: World) -> None:
    world.clock.set("2026-08-02T00:00")


def test_the_public_board_ranks_by_public_tasks_alone(any_world: World) -> None:
    any_world.create()
    a, _ = any_world.team("Team A")
    b, _ = any_world.team("Team B")
    any_world.scored(a, split_answers(public=1, private=3))
    any_world.scored(b, split_answers(public=2, private=0))
    board = boards.public_board(any_world.service, STRANGER, "small")
    assert ranks(board) == {"Team B": 1, "Team A": 2}
    assert {task.split for task in board.tasks} == {"public"}
    assert all(set(row.splits) == {"public"} for row in board.rows)
    assert board.resampling.n_tasks == 3


def test_equal_scores_go_to_the_earlier_and_no_score_is_no_rank(world: World) -> None:
    world.create()
    late, _ = world.team("A late team")
    early, _ = world.team("Early")
    failed, _ = world.team("A failed team")
    world.scored(early, answers(3))
    world.scored(late, answers(3))
    world.decide(world.submit(failed, answers(6)), "crashed")
    board = boards.public_board(world.service, STRANGER, "small")
    assert ranks(board) == {"Early": 1, "A late team": 2}


def test_the_run_that_is_scored_is_the_run_shown(world: World) -> None:
    world.create()
    actor, team = world.team("Team A")
    worse = world.scored(actor, split_answers(public=1, private=3))
    best = world.scored(actor, split_answers(public=3, private=0))
    close(world)
    public = boards.public_board(world.service, STRANGER, "small")
    assert public.rows[0].submitted_at == best.submission.received_at
    final = boards.final_board(world.service, world.organiser, "small")
    assert final.rows[0].score == pytest.approx(_score(world, worse))
    assert final.rows[0].submitted_at == worse.submission.received_at
    reason = boards.why(world.service, world.organiser, "small", team.id)
    assert (reason.submission, reason.rank, reason.board) == (worse.submission.id, 1, "final")
    assert "none chosen" in reason.rule


def test_the_final_result_is_the_best_selected_run_over_all_tasks(world: World) -> None:
    world.create(top="selections = 2")
    actor, team = world.team("Team A")
    public_best = world.scored(actor, split_answers(public=3, private=0))
    second = world.scored(actor, split_answers(public=2, private=0))
    best = world.scored(actor, split_answers(public=1, private=3))
    mine = teams.my_team(world.service, actor, "small").selection
    assert mine.chosen == ()
    assert mine.counts == mine.default == (public_best.submission.id, second.submission.id)
    close(world)
    before = boards.final_board(world.service, world.organiser, "small").rows[0].score
    assert before == pytest.approx(_score(world, public_best))
    world.clock.set("2026-07-30T00:00")
    chosen = [second.submission.id, best.submission.id]
    selections.select(world.service, actor, "small", chosen)
    close(world)
    after = boards.final_board(world.service, world.organiser, "small").rows[0].score
    assert after == pytest.approx(_score(world, best))
    reason = boards.why(world.service, world.organiser, "small", team.id)
    assert "the team chose" in reason.rule
    assert EventKind.SELECTED in {event.kind for event in reason.events}


def test_a_choice_is_checked_and_locked_with_a_receipt_at_the_close(world: World) -> None:
    from iolai.challenge.receipts import public_key, verify

    world.create(top="selections = 1")
    actor, _ = world.team("Team A")
    other, _ = world.team("Team B")
    one, two = world.scored(actor, answers(1)), world.scored(actor, answers(2))
    theirs = world.scored(other, answers(1))
    crashed = world.submit(actor, answers(1))
    world.decide(crashed, "crashed")
    select = selections.select
    with pytest.raises(InputError, match="at most 1"):
        select(world.service, actor, "small", [one.submission.id, two.submission.id])
    with pytest.raises(NotFoundError, match="has no submission"):
        select(world.service, actor, "small", [theirs.submission.id])
    with pytest.raises(ConflictError, match="has no score"):
        select(world.service, actor, "small", [crashed.submission.id])
    assert select(world.service, actor, "small", [one.submission.id]).counts == (one.submission.id,)
    close(world)
    with pytest.raises(ConflictError, match="phase final"):
        select(world.service, actor, "small", [two.submission.id])
    locked = teams.my_team(world.service, actor, "small").selection
    assert locked.locked
    claims = verify(locked.receipt, public_key(world.service))
    assert claims["counts"] == [one.submission.id]
    assert claims["locked_at"] == "2026-08-01T00:00:00.000000Z"
    assert teams.my_team(world.service, actor, "small").selection.receipt == locked.receipt


def test_a_close_that_was_undone_locks_no_more(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    first, second = (world.scored(actor, answers(n)) for n in (2, 3))
    for view, phase in ((first, Phase.OPEN), (second, Phase.FINAL)):
        teams.select(world.service, actor, "small", [view.submission.id])
        world.clock.pass_(seconds=1)
        challenges.set_phase(world.service, world.organiser, "small", Phase.FINAL, "close")
        receipt = teams.my_team(world.service, actor, "small").selection.receipt
        assert json.loads(receipt)["claims"]["counts"] == [view.submission.id]
        world.clock.pass_(seconds=1)
        if phase is Phase.OPEN:
            challenges.set_phase(world.service, world.organiser, "small", phase, "more time")
            assert teams.my_team(world.service, actor, "small").selection.receipt == ""


def test_a_correction_of_a_key_that_counts_no_more_is_refused(world: World) -> None:
    world.create()
    world.scored(world.team("Team A")[0], answers(6))
    made = []
    for name in ("k1", "k2"):
        path = world.folder / f"{name}.csv"
        text = render_solution_csv(small_key(t12026010100=[name, "kala tivo"]))
        path.write_text(text, encoding="utf-8")
        made.append(proposals.propose_key(world.service, world.organiser, "small", path, name))
    proposals.apply(world.service, world.organiser, made[0].id)
    with pytest.raises(ConflictError, match="was changed after"):
        proposals.apply(world.service, world.organiser, made[1].id)
    assert proposals.cancel(world.service, world.organiser, made[1].id).state == "cancelled"


def test_receipts_of_choices_are_written_once_when_all_runs_are_decided(world: World) -> None:
    world.create(top="selections = 1")
    for name in ("Team A", "Team B", "Team C"):
        actor, _ = world.team(name)
        world.scored(actor, answers(2))
    late = world.submit(actor, answers(3))
    assert selections.lock_selections(world.service, "small") == 0, "it is open"
    close(world)
    assert selections.lock_selections(world.service, "small") == 2
    assert selections.lock_selections(world.service, "small") == 0
    world.decide(late)
    assert selections.lock_selections(world.service, "small") == 1
    locked = teams.my_team(world.service, actor, "small").selection
    assert late.submission.id in locked.receipt
    assert locked.counts == (late.submission.id,)


def test_while_frozen_the_public_board_stands_and_the_final_counts_all(world: World) -> None:
    world.create()
    a, team = world.team("Team A")
    b, _ = world.team("Team B")
    world.scored(a, answers(1))
    world.scored(b, answers(3))
    world.clock.set("2026-07-28T00:00:01")
    later = world.scored(a, answers(6))
    shown = boards.public_board(world.service, STRANGER, "small")
    assert ranks(shown) == {"Team B": 1, "Team A": 2}
    assert len(boards.history(world.service, STRANGER, "small", team.id)) == 1
    own = boards.history(world.service, a, "small", team.id)
    assert [line.shown for line in own] == [True, False]
    close(world)
    final = boards.final_board(world.service, world.organiser, "small")
    assert ranks(final) == {"Team A": 1, "Team B": 2}
    assert final.rows[0].submitted_at == later.submission.received_at
    with pytest.raises(NotFoundError):
        boards.final_board(world.service, STRANGER, "small")
    with pytest.raises(NotFoundError):
        boards.final_board(world.service, a, "small")
    challenges.publish(world.service, world.organiser, "small")
    assert boards.shown_board(world.service, STRANGER, "small") == (final, True)


def test_the_order_of_events_decides_where_the_clock_steps_back(world: World) -> None:
    """Of equal runs the one that came first; a freeze that was set is before what follows."""
    world.create()
    expected = {"Second": 1, "First": 2}
    (first, one), (second, two) = world.team("First"), world.team("Second")
    world.clock.set("2026-07-10T12:00")
    world.scored(second, split_answers(public=1, private=1))
    world.clock.set("2026-07-10T11:00")
    world.scored(first, split_answers(public=1, private=1))
    assert ranks(boards.public_board(world.service, STRANGER, "small")) == expected
    with world.service.store.read() as connection:
        picks = boards.public_picks(connection, find_state(world.service, connection, "small"))
    assert boards.ranked(picks) == {two.id: 1, one.id: 2}
    world.clock.set("2026-07-10T13:00")
    challenges.set_phase(world.service, world.organiser, "small", Phase.FROZEN, "now")
    world.clock.set("2026-07-10T12:30")
    world.scored(first, split_answers(public=3, private=1))
    assert ranks(boards.public_board(world.service, STRANGER, "small")) == expected, "it stands"
    strangers = boards.history(world.service, STRANGER, "small", one.id)
    assert len(strangers) == 1


def test_a_receipt_of_a_choice_is_of_the_choice_that_counts(world: World) -> None:
    """Where the clock steps back over the close, a team may choose again after its receipt."""
    world.create()
    actor, _ = world.team("One")
    runs_of = [world.scored(actor, split_answers(public=n, private=1)) for n in (1, 2)]
    ids = [view.submission.id for view in runs_of]
    teams.select(world.service, actor, "small", ids[:1])
    world.clock.set("2026-08-01T00:01")
    assert selections.lock_selections(world.service, "small") == 1
    world.clock.set("2026-07-31T23:50")
    teams.select(world.service, actor, "small", ids[1:])
    world.clock.set("2026-08-01T00:02")
    assert selections.lock_selections(world.service, "small") == 1
    receipt = teams.my_team(world.service, actor, "small").selection.receipt
    assert json.loads(receipt)["claims"]["chosen"] == ids[1:]


def test_publishing_waits_for_the_end_and_for_every_verdict(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    view = world.submit(actor, answers(1))
    with pytest.raises(ConflictError, match="phase open"):
        challenges.publish(world.service, world.organiser, "small")
    close(world)
    with pytest.raises(ConflictError, match="1 runs have no verdict"):
        challenges.publish(world.service, world.organiser, "small")
    world.decide(view)
    assert challenges.publish(world.service, world.organiser, "small").is_published
    with pytest.raises(ConflictError, match="published"):
        challenges.set_phase(world.service, world.organiser, "small", Phase.OPEN, "again")


def test_the_disqualified_are_off_the_board_until_reinstated(world: World) -> None:
    world.create()
    actor, team = world.team("Team A")
    world.scored(actor, answers(3))
    teams.disqualify(world.service, world.organiser, "small", team.id, "two accounts")
    assert boards.public_board(world.service, STRANGER, "small").rows == ()
    assert teams.my_team(world.service, actor, "small").disqualified == "two accounts"
    with pytest.raises(ConflictError):
        teams.disqualify(world.service, world.organiser, "small", team.id, "again")
    teams.reinstate(world.service, world.organiser, "small", team.id, "it was one")
    assert ranks(boards.public_board(world.service, STRANGER, "small")) == {"Team A": 1}


def test_baselines_stand_on_the_board_without_a_team_of_people(world: World) -> None:
    world.write_files()
    write_submission_csv(world.folder / "perfect.csv", perfect_predictions(small_key()))
    world.create(baseline='name = "All right"\npredictions = "perfect.csv"')
    (row,) = boards.public_board(world.service, STRANGER, "small").rows
    assert (row.team, row.account_type, row.score) == ("All right", "baseline", 1.0)
    actor = world.person("Lone")
    with pytest.raises(ConflictError, match="named 'all RIGHT'"):
        teams.create_team(world.service, actor, "small", "all RIGHT")
    with pytest.raises(NotFoundError):
        teams.join(world.service, actor, "small", "")


def test_a_baseline_takes_no_place_and_is_no_team(world: World) -> None:
    world.write_files()
    write_submission_csv(world.folder / "perfect.csv", perfect_predictions(small_key()))
    world.create(baseline='name = "All right"\npredictions = "perfect.csv"')
    actor, team = world.team("Team A")
    world.scored(actor, answers(3))
    board = boards.public_board(world.service, STRANGER, "small")
    assert [(row.team, row.rank) for row in board.rows] == [("All right", None), ("Team A", 1)]
    assert (board.summary.n_entries, board.summary.n_baselines) == (1, 1)
    assert boards.why(world.service, STRANGER, "small", team.id).rank == 1
    view = challenges.get(world.service, world.organiser, "small")
    assert (view.n_teams, view.n_submissions) == (1, 1)
    path = world.folder / "corrected.csv"
    path.write_text(render_solution_csv(small_key(t12026030100="CBA")), encoding="utf-8")
    made = proposals.propose_key(world.service, world.organiser, "small", path, "a typo")
    found = proposals.preview(world.service, world.organiser, made.id)
    assert [(row.team, row.public_rank) for row in found.rows] == [("Team A", (1, 1))]


def _with_baselines(world: World, slug: str = "small", **files: int) -> Path:
    """Write a file with baselines of so many right tasks; their names are those of the words."""
    texts = []
    for name, n_right in files.items():
        (world.folder / f"{name}.csv").write_bytes(answers(n_right))
        texts.append(f'name = "{name}"\npredictions = "{name}.csv"\n')
    more = {"baseline": "\n[[baseline]]\n".join(texts)} if texts else {}
    return world.toml(slug, **more)


@pytest.mark.parametrize("at", ["2026-07-02T00:00", "2026-07-29T00:00", "2026-08-02T00:00"])
def test_baselines_are_those_of_the_file_that_was_read_last(any_world: World, at: str) -> None:
    world = any_world
    world.write_files()
    path = _with_baselines(world, Base=6, Other=2)
    challenges.create(world.service, world.organiser, path)
    actor, _ = world.team("Team A")
    world.scored(actor, answers(3))
    first = boards.team_ids(world.service, STRANGER, "small")
    world.clock.set(at)

    def reread(**files: int) -> dict[str, tuple[int | None, float | None]]:
        path = _with_baselines(world, **files)
        challenges.update(world.service, world.organiser, "small", path, "corrected")
        boards_now = (
            boards.public_board(world.service, STRANGER, "small"),
            boards.final_board(world.service, world.organiser, "small"),
        )
        public, final = ({r.team: (r.rank, r.score) for r in one.rows} for one in boards_now)
        assert public.keys() == final.keys()
        assert [one.summary.n_entries for one in boards_now] == [1, 1]
        return final

    assert reread(Base=6, Other=2)["Base"] == (None, 1.0)
    assert boards.team_ids(world.service, STRANGER, "small") == first
    _, score = reread(Base=1, Other=2)["Base"]
    assert score is not None
    assert score < 0.5
    assert boards.team_ids(world.service, STRANGER, "small")["Other"] == first["Other"]
    assert reread(base=1).keys() == {"base", "Team A"}
    assert reread().keys() == {"Team A"}
    assert reread(Base=6)["Base"] == (None, 1.0)
    old = boards.history(world.service, world.organiser, "small", first["Base"])
    assert [(line.whole, line.shown, line.final, line.counts) for line in old] == [
        (1.0, False, False, "")
    ]
    why = boards.why(world.service, world.organiser, "small", first["Base"])
    (closed,) = (event for event in why.events if event.kind is EventKind.TEAM_CLOSED)
    assert (why.rank, closed.reason) == (
        None,
        "the baseline 'Base' is another in the file: corrected",
    )
    assert closed.author == world.organiser.author
    assert audit.differences(world.service, Actor.local()) == ()


def test_a_name_that_a_baseline_left_is_free_and_one_that_a_team_has_is_not(world: World) -> None:
    world.write_files()
    challenges.create(world.service, world.organiser, _with_baselines(world, Base=6))
    challenges.update(world.service, world.organiser, "small", _with_baselines(world), "taken out")
    world.team("BASE")
    with pytest.raises(ConflictError, match="a team is named 'Base'"):
        challenges.update(
            world.service, world.organiser, "small", _with_baselines(world, Base=6), "again"
        )
    settings = challenges.get(world.service, world.organiser, "small").settings
    assert settings.baselines == ()


def test_the_version_grows_with_what_decides_and_with_the_phase(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    first = boards.version(world.service, "small")
    view = world.submit(actor, answers(1))
    assert boards.version(world.service, "small") == first
    world.decide(view)
    second = boards.version(world.service, "small")
    assert second > first
    close(world)
    assert boards.version(world.service, "small") > second


def test_a_board_is_made_once_for_all_who_ask_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.create()
    actor, _ = world.team("Team A")
    world.scored(actor, answers(1))
    made = []
    original = boards.rank

    def slowly(*of: object, **more: object) -> object:
        made.append(1)
        time.sleep(0.1)
        return original(*of, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(boards, "rank", slowly)
    found: list[Board] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(boards.public_board(world.service, STRANGER, "small"))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(made) == 1


def test_light_ranks_are_those_of_the_board(world: World) -> None:
    world.create()
    for number in range(8):
        actor, _ = world.team(f"Team {number}")
        world.scored(actor, answers(number % 4))
    board = boards.public_board(world.service, STRANGER, "small")
    with world.service.store.read() as connection:
        state = find_state(world.service, connection, "small")
        picks = boards.public_picks(connection, state)
    light = boards.ranked(picks)
    assert {pick.team.name: light[pick.team.id] for pick in picks} == ranks(board)
    assert in_order(()) == ()


def test_a_rejudgement_counts_only_when_it_is_applied(any_world: World) -> None:
    any_world.create()
    a, _ = any_world.team("Team A")
    b, _ = any_world.team("Team B")
    view = any_world.submit(a, answers(6))
    any_world.decide(view, "timed_out")
    any_world.scored(b, answers(2))
    organiser, service = any_world.organiser, any_world.service
    made = proposals.propose_rejudge(service, organiser, "small", [view.submission.id], "a fault")
    assert proposals.preview(service, organiser, made.id).n_runs_pending == 1
    with pytest.raises(ConflictError, match="computing"):
        proposals.apply(service, organiser, made.id)
    assert teams.my_team(service, a, "small").quota.used == 1
    with service.store.read() as connection:
        (run,) = runs.list_runs(connection, proposal_id=made.id)
    any_world.decide_run(run.id)
    assert ranks(boards.public_board(service, STRANGER, "small")) == {"Team B": 1}
    seen = teams.my_team(service, a, "small").submissions[0]
    assert seen.public is None
    assert all(event.run != run.id for event in seen.events)
    found = proposals.preview(service, organiser, made.id)
    assert {row.team: row.public_rank for row in found.changed} == {
        "Team A": (None, 1),
        "Team B": (1, 2),
    }
    proposals.apply(service, organiser, made.id)
    assert ranks(boards.public_board(service, STRANGER, "small")) == {"Team A": 1, "Team B": 2}
    assert teams.my_team(service, a, "small").submissions[0].public is not None
    with pytest.raises(ConflictError, match="applied"):
        proposals.cancel(service, organiser, made.id)


def test_a_cancelled_rejudgement_leaves_the_queue_and_changes_nothing(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    world.scored(actor, answers(3))
    before = boards.public_board(world.service, STRANGER, "small")
    made = proposals.propose_rejudge(world.service, world.organiser, "small", None, "look again")
    proposals.cancel(world.service, world.organiser, made.id)
    with world.service.store.read() as connection:
        (run,) = runs.list_runs(connection, proposal_id=made.id)
        verdict = runs.get_verdict(connection, run.id)
    assert run.state is RunState.DONE
    assert verdict is not None
    assert (verdict.outcome, verdict.owner) == ("cancelled", "platform")
    assert boards.public_board(world.service, STRANGER, "small").rows == before.rows
    assert teams.my_team(world.service, actor, "small").quota.used == 1
    with pytest.raises(ConflictError, match="cancelled"):
        proposals.apply(world.service, world.organiser, made.id)


def test_a_rejudged_run_that_fails_by_the_platform_does_not_count(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    world.scored(actor, answers(3))
    made = proposals.propose_rejudge(world.service, world.organiser, "small", None, "look again")
    with world.service.store.read() as connection:
        (run,) = runs.list_runs(connection, proposal_id=made.id)
    world.decide_run(run.id, "platform_fault")
    proposals.apply(world.service, world.organiser, made.id)
    assert ranks(boards.public_board(world.service, STRANGER, "small")) == {"Team A": 1}
    assert teams.my_team(world.service, actor, "small").submissions[0].public is not None


def test_a_corrected_key_says_whose_rank_changes_before_it_counts(any_world: World) -> None:
    from iolai.formats import write_solution_csv

    any_world.create()
    a, _ = any_world.team("Team A")
    b, _ = any_world.team("Team B")
    any_world.scored(a, answers(2, wrong="suna"))
    any_world.scored(b, answers(3))
    service, organiser = any_world.service, any_world.organiser
    before = boards.public_board(service, STRANGER, "small")
    path = any_world.folder / "corrected.csv"
    write_solution_csv(path, small_key(t12026030100=["suna"] * 3, t12026020100=["suna"] * 3))
    made = proposals.propose_key(service, organiser, "small", path, "a typo")
    assert boards.public_board(service, STRANGER, "small") == before
    rows = {
        row.team: row.public_rank for row in proposals.preview(service, organiser, made.id).rows
    }
    assert rows == {"Team A": (2, 1), "Team B": (1, 2)}
    later, _ = any_world.team("Team C")
    any_world.scored(later, answers(1))
    assert proposals.preview(service, organiser, made.id).n_runs_pending == 1
    proposals.apply(service, organiser, made.id)
    after = boards.public_board(service, STRANGER, "small")
    assert ranks(after) == {"Team A": 1, "Team B": 2, "Team C": 3}
    with pytest.raises(ForbiddenError):
        proposals.preview(service, a, made.id)


def test_a_task_is_dropped_by_a_key_that_gives_it_no_points(world: World) -> None:
    from dataclasses import replace

    from iolai.formats import write_solution_csv

    world.create()
    actor, _ = world.team("Team A")
    world.scored(actor, answers(1))
    key = small_key()
    first = replace(key.tasks[0], points=0.0)
    path = world.folder / "corrected.csv"
    write_solution_csv(path, replace(key, tasks=(first, *key.tasks[1:])))
    made = proposals.propose_key(world.service, world.organiser, "small", path, "ambiguous")
    found = proposals.preview(world.service, world.organiser, made.id)
    assert found.rescored is not None
    assert found.rescored.n_tasks_scored == 0
    proposals.apply(world.service, world.organiser, made.id)
    (row,) = boards.public_board(world.service, STRANGER, "small").rows
    assert row.exact_match == 0.0
    write_solution_csv(path, replace(key, tasks=key.tasks[1:]))
    with pytest.raises(InputError, match="different tasks"):
        proposals.propose_key(world.service, world.organiser, "small", path, "one less")


def test_strangers_learn_that_it_happened_but_not_who_what_or_why(world: World) -> None:
    world.create()
    actor, team = world.team("Team A")
    view = world.scored(actor, answers(3))
    made = proposals.propose_rejudge(
        world.service, world.organiser, "small", [view.submission.id], "a worker without memory"
    )
    with world.service.store.read() as connection:
        (again,) = runs.list_runs(connection, proposal_id=made.id)
    world.decide_run(again.id)
    proposals.apply(world.service, world.organiser, made.id)
    teams.disqualify(world.service, world.organiser, "small", team.id, "two accounts")
    kinds = {EventKind.KEY_SET, EventKind.PROPOSAL_APPLIED, EventKind.DISQUALIFIED}
    rival = world.team("Team B")[0]
    for asking in (STRANGER, rival, world.person("A juror", Role.JUROR)):
        found = boards.why(world.service, asking, "small", team.id).events
        assert {event.kind for event in found} >= kinds
        assert {event.author for event in found} == {event.reason for event in found} == {""}
        told = {event.kind: dict(event.data) for event in found if event.data}
        assert told == {EventKind.PROPOSAL_APPLIED: {"kind": "rejudge"}}
    own = boards.why(world.service, actor, "small", team.id).events
    assert {event.reason for event in own} == {"", "two accounts"}
    all_ = boards.why(world.service, world.organiser, "small", team.id).events
    assert {event.reason for event in all_} >= {"two accounts", "a worker without memory"}
    assert all(event.author for event in all_)


def test_a_reason_is_shown_to_all_where_an_organiser_says_so(world: World) -> None:
    world.create()
    actor, team = world.team("Team A")
    world.scored(actor, answers(3))
    path = world.folder / "corrected.csv"
    path.write_text(render_solution_csv(small_key(t12026030100="CBA")), encoding="utf-8")
    made = proposals.propose_key(world.service, world.organiser, "small", path, "a typo")
    proposals.apply(world.service, world.organiser, made.id, show_reason=True)
    of = (world.service, world.organiser, "small", team.id)
    teams.disqualify(*of, "two accounts", show_reason=True)
    teams.reinstate(*of, "they are kin")
    found = boards.why(world.service, STRANGER, "small", team.id).events
    reasons = {(event.kind, event.reason) for event in found if event.reason}
    assert reasons == {
        (EventKind.KEY_SET, "a typo"),
        (EventKind.PROPOSAL_APPLIED, "a typo"),
        (EventKind.DISQUALIFIED, "two accounts"),
    }


def test_a_team_sees_its_own_steps_under_its_members_names(world: World) -> None:
    world.create()
    actor, team = world.team("Team A")
    world.scored(actor, answers(3))
    own = boards.why(world.service, actor, "small", team.id).events
    assert [event.author for event in own if event.kind is EventKind.SUBMISSION_ACCEPTED] == [
        actor.name
    ]
    assert [dict(event.data) for event in own if event.kind is EventKind.VERDICT] == [
        {"outcome": "ok", "owner": "entry"}
    ]


def test_a_board_that_is_not_to_be_seen_is_not_seen(world: World) -> None:
    world.create(see="board = false")
    actor, team = world.team("Team A")
    world.scored(actor, answers(3))
    for asking in (STRANGER, actor):
        with pytest.raises(ForbiddenError):
            boards.public_board(world.service, asking, "small")
        with pytest.raises(ForbiddenError):
            boards.history(world.service, asking, "small", team.id)
    assert boards.public_board(world.service, world.organiser, "small").rows


def _score(world: World, view: object) -> float:
    from iolai.challenge.submissions import submission_view

    seen = submission_view(world.service, world.organiser, view.submission.id)  # type: ignore[attr-defined]
    assert seen.whole is not None
    assert seen.whole.overall.score is not None
    return seen.whole.overall.score
