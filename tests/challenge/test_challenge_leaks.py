"""Nothing private is found where it must not be: not the key, not a private task, not a secret."""

from __future__ import annotations

import dataclasses
import logging
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from iolai.challenge import backups, boards, challenges, proposals, submissions, teams, transfer
from iolai.challenge.service import Actor
from iolai.errors import IolaiError
from iolai.formats import write_solution_csv
from world import CANARY, TASKS, World, small_key, split_answers

PRIVATE = {task for task, (_, _, split) in TASKS.items() if split == "private"}
_FORMS = (CANARY.encode(), CANARY.encode("utf-16-le"), CANARY[::-1].encode())


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _leaks(folder: Path) -> list[str]:
    return [str(path) for path in _files(folder) if any(f in path.read_bytes() for f in _FORMS)]


def _play(world: World) -> tuple[Actor, Actor, str]:
    """A challenge with a corrected key, two teams, and every kind of thing kept of them."""
    world.create(see='problems = "never"')
    (world.folder / "solution.csv").unlink()
    a, _ = world.team("Team A")
    b, _ = world.team("Team B")
    world.scored(a, split_answers(public=2, private=0))
    view = world.submit(b, split_answers(public=1, private=0))
    world.decide(view, log=world.service.blobs.put(b"what it printed"))
    corrected = world.folder / "corrected.csv"
    write_solution_csv(corrected, small_key(t12026020200=["tavo", f"{CANARY}s"]))
    made = proposals.propose_key(world.service, world.organiser, "small", corrected, "plural")
    proposals.apply(world.service, world.organiser, made.id)
    corrected.unlink()
    return a, b, view.submission.id


def test_a_reference_is_in_no_file_of_the_home_and_in_no_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        _play(world)
    assert len(list((world.service.home / "keys").iterdir())) == 2
    assert _leaks(world.service.home) == []
    assert CANARY not in caplog.text


def test_a_reference_is_in_no_row_of_postgresql_either(any_world: World) -> None:
    _play(any_world)
    from iolai.store.dumping import TABLES, rows_of

    with any_world.service.store.read() as connection:
        rows = [row for table in TABLES for row in rows_of(connection, table)]
    assert len(rows) > 20
    assert CANARY not in repr(rows)


def test_exports_and_backups_hold_no_reference_unless_asked(world: World) -> None:
    _play(world)
    out, whole, kept = (world.folder / name for name in ("out.zip", "whole.zip", "backup.zip"))
    transfer.export_challenge(world.service, world.organiser, "small", out)
    transfer.export_challenge(world.service, Actor.local(), "small", whole, with_key=True)
    backups.backup(world.service, Actor.local(), kept)
    found = {}
    for path in (out, whole, kept):
        with zipfile.ZipFile(path) as archive:
            found[path.name] = [n for n in archive.namelist() if CANARY.encode() in archive.read(n)]
        assert path.stat().st_mode & 0o777 == 0o600
    assert found["out.zip"] == found["backup.zip"] == []
    assert [name.split("/")[0] for name in found["whole.zip"]] == ["keys", "keys"]
    with zipfile.ZipFile(kept) as archive:
        secret = (world.service.home / "secret").read_bytes()
        assert all(secret not in archive.read(name) for name in archive.namelist())


def _walk(value: object) -> Iterator[object]:
    """Yield everything inside a value: fields of records, items, keys."""
    yield value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _walk(getattr(value, field.name))
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _walk(name)
            yield from _walk(one)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _walk(one)


def _seen_by(world: World, actor: Actor, submission: str, team_id: str) -> list[object]:
    """Everything that the door gives this actor; what it refuses is left out."""
    service = world.service
    asks = (
        lambda: challenges.get(service, actor, "small"),
        lambda: challenges.list_challenges(service, actor),
        lambda: boards.public_board(service, actor, "small"),
        lambda: boards.final_board(service, actor, "small"),
        lambda: boards.shown_board(service, actor, "small"),
        lambda: boards.history(service, actor, "small", team_id),
        lambda: boards.final_standing(service, actor, "small"),
        lambda: boards.why(service, actor, "small", team_id),
        lambda: boards.team_ids(service, actor, "small"),
        lambda: teams.my_team(service, actor, "small"),
        lambda: teams.view_team(service, actor, "small", team_id),
        lambda: teams.list_teams(service, actor, "small"),
        lambda: submissions.submission_view(service, actor, submission),
        lambda: proposals.list_proposals(service, actor, "small"),
    )
    seen: list[object] = []
    for ask in asks:
        try:
            seen.append(ask())
        except IolaiError as error:
            seen.append(error.message)
    return seen


@pytest.mark.parametrize("at", ["2026-07-02T00:00", "2026-07-29T00:00", "2026-08-02T00:00"])
def test_before_publication_no_view_depends_on_a_private_task(world: World, at: str) -> None:
    a, b, submission = _play(world)
    team_id = teams.my_team(world.service, b, "small").team.id
    world.clock.set(at)
    for actor in (Actor.anonymous(), a, b):
        seen = _seen_by(world, actor, submission, team_id)
        for inside in _walk(seen):
            assert inside not in PRIVATE if isinstance(inside, str) else True
        assert CANARY not in repr(seen)
        assert "private" not in {inside for inside in _walk(seen) if isinstance(inside, str)}
        assert sum(not isinstance(one, str) for one in seen) >= 6
    seen = _seen_by(world, world.organiser, submission, team_id)
    assert {inside for inside in _walk(seen) if isinstance(inside, str)} >= PRIVATE


@pytest.mark.parametrize("seen_from", ["never", "registration", "open", "final"])
def test_problems_are_seen_from_the_phase_that_the_settings_name(
    world: World, seen_from: str
) -> None:
    world.create(see=f'problems = "{seen_from}"')
    times = {
        "planned": "2026-05-01T00:00",
        "registration": "2026-06-15T00:00",
        "open": "2026-07-15T00:00",
        "frozen": "2026-07-29T00:00",
        "final": "2026-08-02T00:00",
    }
    order = list(times)
    for phase, at in times.items():
        world.clock.set(at)
        view = challenges.get(world.service, Actor.anonymous(), "small")
        assert view.phase == phase
        is_shown = seen_from in order and order.index(phase) >= order.index(seen_from)
        assert (view.problems is not None) == is_shown
        assert challenges.get(world.service, world.organiser, "small").problems is not None


def test_after_publication_private_scores_are_seen_and_references_still_not(world: World) -> None:
    a, b, submission = _play(world)
    team_id = teams.my_team(world.service, b, "small").team.id
    world.clock.set("2026-08-02T00:00")
    challenges.publish(world.service, world.organiser, "small")
    seen = _seen_by(world, Actor.anonymous(), submission, team_id)
    assert {inside for inside in _walk(seen) if isinstance(inside, str)} >= PRIVATE
    for actor in (Actor.anonymous(), a, b, world.organiser):
        assert CANARY not in repr(_seen_by(world, actor, submission, team_id))


def test_no_account_sees_another_teams_anything(world: World) -> None:
    a, b, submission = _play(world)
    mine = submissions.submission_view(world.service, b, submission)
    assert mine.log_tail == "what it printed"
    team_id = mine.team.id
    for actor in (a, Actor.anonymous(), world.person("Lone")):
        told = [one for one in _seen_by(world, actor, submission, team_id) if isinstance(one, str)]
        assert "there is no such submission" in told
        assert "there is no such team" in told
        seen = repr(_seen_by(world, actor, submission, team_id))
        for secret in (mine.submission.blob, mine.log_tail, mine.receipt, b.account):
            assert secret not in seen, secret
        with pytest.raises(IolaiError):
            submissions.submission_view(world.service, actor, submission)


def test_what_a_team_gets_tells_nothing_of_machines(world: World) -> None:
    from iolai.store import runs

    world.create()
    actor, _ = world.team("Team A")
    view = world.submit(actor, split_answers(public=1, private=0))
    assert view.run is not None
    with world.service.store.write() as connection:
        runs.update_run(connection, view.run.id, worker="node7:123", handle="job-55")
    world.decide(view)
    seen = repr(submissions.submission_view(world.service, actor, view.submission.id))
    assert "node7" not in seen
    assert "job-55" not in seen
    whole = repr(submissions.submission_view(world.service, world.organiser, view.submission.id))
    assert "node7" in whole


def test_secrets_do_not_show_in_representations(world: World) -> None:
    world.create()
    assert repr(world.service.secret) not in repr(world.service)
    assert str(world.service.secret) not in str(world.service)
