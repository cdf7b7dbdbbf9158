"""A challenge moves whole; a backup restores; archived records stand as they were published."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iolai.challenge import (
    accounts,
    archived,
    audit,
    backups,
    boards,
    challenges,
    proposals,
    selections,
    submissions,
    teams,
    transfer,
)
from iolai.challenge.receipts import public_key, verify
from iolai.challenge.secrets import token_hash
from iolai.challenge.service import Actor, open_service
from iolai.challenge.state import find_state
from iolai.errors import (
    ConflictError,
    DamagedError,
    ForbiddenError,
    InputError,
    IolaiError,
    NoRoomError,
)
from iolai.evaluation import board_of_records
from iolai.formats import read_records, write_solution_csv
from iolai.records import EventKind, Role, RunState
from iolai.store import Blobs, runs
from iolai.store.dumping import TABLES, rows_of
from iolai.store.events import add_event, list_events
from world import World, answers, make_world, small_key

STRANGER, LOCAL = Actor.anonymous(), Actor.local()


def _play(world: World, **tables: str) -> None:
    world.create(**tables)
    for name, n_right in (("Team A", 2), ("Team B", 4), ("Team C", 4)):
        actor, _ = world.team(name)
        view = world.scored(actor, answers(n_right, explanation="because"))
        world.scored(actor, answers(1))
        selections.select(world.service, actor, "small", [view.submission.id])
    world.decide(world.submit(actor, answers(1)), "crashed", log=world.service.blobs.put(b"oh"))


def _finish(world: World) -> None:
    world.clock.set("2026-08-02T00:00")
    challenges.publish(world.service, world.organiser, "small")


def _rows(world: World, *left_out: str) -> dict[str, list[dict[str, object]]]:
    with world.service.store.read() as connection:
        return {
            table: list(rows_of(connection, table)) for table in TABLES if table not in left_out
        }


def test_a_challenge_moves_whole_to_another_home(any_world: World, tmp_path: Path) -> None:
    _play(any_world)
    _finish(any_world)
    out = tmp_path / "small.zip"
    transfer.export_challenge(any_world.service, LOCAL, "small", out, with_key=True)
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    other.clock.set("2026-08-02T00:00")
    view = transfer.import_challenge(other.service, LOCAL, out)
    assert view.is_published
    before = boards.final_board(any_world.service, STRANGER, "small")
    assert boards.final_board(other.service, STRANGER, "small") == before
    assert audit.differences(other.service, LOCAL) == ()
    found = submissions.submission_view
    for row in _rows(any_world)["submission"]:
        one = found(any_world.service, LOCAL, str(row["id"]))
        same = found(other.service, LOCAL, str(row["id"]))
        assert (same.public, same.log_tail, same.verdict) == (one.public, one.log_tail, one.verdict)
    with pytest.raises(ConflictError, match="is here already"):
        transfer.import_challenge(other.service, LOCAL, out)
    other.service.close()


def test_a_moved_challenge_is_scored_on_under_the_new_secret(world: World, tmp_path: Path) -> None:
    _play(world)
    waiting = world.submit(world.team("Team D")[0], answers(6))
    out = tmp_path / "small.zip"
    transfer.export_challenge(world.service, LOCAL, "small", out, with_key=True)
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    transfer.import_challenge(other.service, LOCAL, out)
    assert waiting.run is not None
    other.decide_run(waiting.run.id)
    board = boards.public_board(other.service, STRANGER, "small")
    assert board.rows[0].team == "Team D"
    path = tmp_path / "same.csv"
    write_solution_csv(path, small_key(t12026010100=["kala", "tivo"]))
    made = proposals.propose_key(other.service, LOCAL, "small", path, "one task")
    rescored = proposals.preview(other.service, LOCAL, made.id).rescored
    assert rescored is not None
    assert (rescored.n_tasks_changed, rescored.n_outputs_read) == (1, 0)
    other.service.close()


def test_without_its_key_a_moved_challenge_shows_and_does_not_score(
    world: World, tmp_path: Path
) -> None:
    _play(world)
    view = world.submit(world.team("Team D")[0], answers(6))
    out = tmp_path / "small.zip"
    transfer.export_challenge(world.service, world.organiser, "small", out)
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    transfer.import_challenge(other.service, LOCAL, out)
    before = boards.public_board(world.service, STRANGER, "small")
    assert boards.public_board(other.service, STRANGER, "small") == before
    assert view.run is not None
    with pytest.raises(InputError, match="not in this home"):
        other.decide_run(view.run.id)
    with pytest.raises(ForbiddenError):
        transfer.export_challenge(world.service, world.organiser, "small", out, with_key=True)
    other.service.close()


def test_people_come_without_a_way_in(world: World, tmp_path: Path) -> None:
    _play(world)
    out = tmp_path / "small.zip"
    transfer.export_challenge(world.service, LOCAL, "small", out)
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    taken = other.person("Team A member")
    transfer.import_challenge(other.service, LOCAL, out)
    lines = teams.list_teams(other.service, LOCAL, "small")
    (member,) = next(line.members for line in lines if line.team.name == "Team A")
    assert member.account != taken.account
    assert member.name == f"Team A member ({member.account})"
    with pytest.raises(ForbiddenError):
        accounts.log_in(other.service, STRANGER, member.name, "")
    other.service.close()


def test_a_changed_archive_is_refused_and_leaves_nothing(world: World, tmp_path: Path) -> None:
    _play(world)
    out, bad = tmp_path / "small.zip", tmp_path / "bad.zip"
    transfer.export_challenge(world.service, LOCAL, "small", out)
    with zipfile.ZipFile(out) as source, zipfile.ZipFile(bad, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data[:-1] if name.startswith("blobs/") else data)
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    with pytest.raises(InputError, match="was changed"):
        transfer.import_challenge(other.service, LOCAL, bad)
    assert challenges.list_challenges(other.service, LOCAL) == ()
    for path, said in ((world.folder / "small.toml", "no archive"), (out, "no backup")):
        with pytest.raises(InputError, match=said):
            backups.restore(path, tmp_path / "third", world.service.home / "secret")
    other.service.close()


def test_a_backup_restores_every_row_blob_and_key(any_world: World, tmp_path: Path) -> None:
    _play(any_world)
    waiting = any_world.submit(any_world.team("Team D")[0], answers(5))
    assert waiting.run is not None
    with any_world.service.store.write() as connection:
        runs.update_run(connection, waiting.run.id, state=RunState.RUNNING, worker="gone")
    out, home = tmp_path / "backup.zip", tmp_path / "restored"
    report = backups.backup(any_world.service, LOCAL, out)
    secret = any_world.service.home / "secret"
    assert backups.restore(out, home, secret) == report
    clock = any_world.clock
    restored = open_service(home, now=clock)
    again = World(restored, clock, tmp_path, any_world.organiser)
    for table, rows in _rows(any_world, "session", "rate", "upload", "worker", "event").items():
        same = _rows(again)[table]
        if table == "run":
            rows = [
                r if r["worker"] != "gone" else r | {"worker": "", "state": "queued"} for r in rows
            ]
        assert same == rows, table
    again.decide_run(waiting.run.id)
    assert audit.differences(restored, LOCAL) == ()
    view = submissions.submission_view(restored, LOCAL, waiting.submission.id)
    verify(view.receipt, public_key(any_world.service))
    assert boards.public_board(restored, STRANGER, "small").rows[0].team == "Team D"
    with pytest.raises(ConflictError, match="is in use"):
        backups.restore(out, home, secret)
    restored.close()


def test_a_restore_gives_nobody_a_way_in_again(any_world: World, tmp_path: Path) -> None:
    """What was revoked after the backup was made would hold again; so nothing of it holds."""
    service, actor = any_world.service, any_world.person("Ada")
    late, early = (accounts.make_token(service, actor, name) for name in ("late", "early"))
    accounts.revoke_token(service, actor, early.id)
    out, home = tmp_path / "backup.zip", tmp_path / "restored"
    backups.backup(service, LOCAL, out)
    accounts.revoke_token(service, actor, late.id)
    restored_report = backups.restore(out, home, service.home / "secret")
    assert restored_report.n_ended == 1
    restored = open_service(home, now=any_world.clock)
    assert accounts.actor_of_token(restored, late.token) is None
    assert all(token.revoked_at for token in accounts.list_tokens(restored, actor))
    fresh = accounts.make_token(restored, actor, "new")
    assert accounts.actor_of_token(restored, fresh.token) is not None
    with restored.store.read() as connection:
        told = list_events(connection, kinds=[EventKind.RESTORED])
    assert [event.data for event in told] == [{"n_ended": 1}]
    restored.close()


def test_a_restore_ends_sessions_that_an_archive_brings(world: World, tmp_path: Path) -> None:
    """A backup holds none; whatever claims to be one may."""
    actor = world.person("Ada")
    out, made = tmp_path / "backup.zip", tmp_path / "with-session.zip"
    backups.backup(world.service, LOCAL, out)
    row = {"token_hash": token_hash("secret"), "account": actor.account, "csrf": "x"}
    row |= {"created_at": world.service.stamp(), "expires_at": "2999-01-01T00:00:00.000000Z"}
    with zipfile.ZipFile(out) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
        target.writestr("rows/session.jsonl", json.dumps(row) + "\n")
    backups.restore(made, tmp_path / "restored", world.service.home / "secret")
    restored = open_service(tmp_path / "restored", now=world.clock)
    assert accounts.actor_of_session(restored, "secret") is None
    restored.close()


def test_a_backup_wants_its_secret(world: World, tmp_path: Path) -> None:
    _play(world)
    out = tmp_path / "backup.zip"
    backups.backup(world.service, LOCAL, out)
    with pytest.raises(InputError, match="no secret"):
        backups.restore(out, tmp_path / "home2", tmp_path / "nowhere")
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"x" * 32)
    home = tmp_path / "home3"
    with pytest.raises(InputError, match="cannot be opened"):
        backups.restore(out, home, wrong)
    assert list((home / "keys").iterdir()) == []
    with pytest.raises(ForbiddenError):
        backups.backup(world.service, world.organiser, out)


def test_archived_records_stand_as_they_were_published(world: World, records_folder: Path) -> None:
    view = archived.import_records(world.service, LOCAL, records_folder)
    slug = view.settings.slug
    assert view.is_published
    board = boards.final_board(world.service, STRANGER, slug)
    expected = board_of_records(read_records(records_folder))
    assert board.rows == expected.rows
    assert board.tasks == expected.tasks
    assert board.summary.n_equal == board.summary.n_recomputed > 0
    assert board.differing == ()
    assert audit.differences(world.service, LOCAL) == ()
    with pytest.raises(ConflictError, match="already is a challenge"):
        archived.import_records(world.service, LOCAL, records_folder)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("summer2026-records", "SUMMER2026 records"),
        ("the_winter-challenge", "The winter challenge"),
        ("Archive", "Archive"),
    ],
)
def test_a_title_is_made_of_a_folders_name(name: str, title: str) -> None:
    assert archived.title_of(name) == title


def _require_unranked(world: World, out: Path, name: str) -> None:
    """An archived baseline has no rank on any board, nor in any preview."""
    archived.import_records(world.service, LOCAL, out, slug="again")
    for board_of in (boards.final_board, boards.public_board):
        board = board_of(world.service, LOCAL, "again")
        assert [row.team for row in board.rows if row.is_baseline] == [name]
        ranks = [row.rank for row in board.rows if not row.is_baseline]
        assert ranks == list(range(1, len(board.rows)))
        assert board.summary.n_baselines == 1
    source = world.folder / "solution.csv"
    proposal = proposals.propose_key(world.service, LOCAL, "again", source, "looked at again")
    preview = proposals.preview(world.service, LOCAL, proposal.id)
    assert name not in [row.team for row in preview.rows]
    assert [row.final_rank for row in preview.rows] == [(rank, rank) for rank in ranks]
    assert [row.public_rank for row in preview.rows] == [(rank, rank) for rank in ranks]


def test_archived_records_come_out_again_as_records(world: World, records_folder: Path) -> None:
    slug = archived.import_records(world.service, LOCAL, records_folder).settings.slug
    out = world.folder / "out"
    archived.board_as_records(world.service, LOCAL, slug, out, "a test")
    board, expected = (board_of_records(read_records(one)) for one in (out, records_folder))
    assert board.differing == ()
    shown = [
        [(r.rank, r.team, r.state, r.score, r.band) for r in b.rows] for b in (board, expected)
    ]
    assert shown[0] == shown[1]


def test_a_published_challenge_can_be_recomputed_by_anybody(world: World) -> None:
    (world.folder / "middling.csv").write_bytes(answers(3))
    _play(world, baseline='name = "Half right"\npredictions = "middling.csv"')
    with pytest.raises(ConflictError, match="not published"):
        archived.board_as_records(world.service, LOCAL, "small", world.folder / "out", "early")
    _finish(world)
    out = world.folder / "out"
    archived.board_as_records(world.service, LOCAL, "small", out, "the release")
    records = read_records(out)
    board = board_of_records(records)
    assert board.differing == ()
    assert [row.team for row in board.rows if row.is_baseline] == ["Half right"]
    assert [line.rank for line in records.board] == [row.rank for row in board.rows]
    shown = boards.final_board(world.service, STRANGER, "small")
    assert [(r.rank, r.team, r.score) for r in board.rows] == [
        (r.rank, r.team, r.score) for r in shown.rows
    ]
    assert records.key == small_key()
    _require_unranked(world, out, "Half right")
    with pytest.raises(InputError, match="is not empty"):
        archived.board_as_records(world.service, LOCAL, "small", out, "again")
    with pytest.raises(ForbiddenError):
        archived.board_as_records(world.service, world.organiser, "small", out / "x", "again")
    revealed = [row for row in _rows(world)["event"] if row["kind"] == "key_revealed"]
    assert [row["reason"] for row in revealed] == ["the release"]
    assert json.loads(str(revealed[0]["data"]))["key"]


def test_a_baseline_that_was_taken_out_is_in_no_record_and_no_import(
    world: World, tmp_path: Path
) -> None:
    (world.folder / "middling.csv").write_bytes(answers(3))
    entry = 'name = "Half right"\npredictions = "middling.csv"'
    _play(world, baseline=entry)
    challenges.update(world.service, world.organiser, "small", world.toml(), "it was wrong")
    _finish(world)
    out = world.folder / "out"
    archived.board_as_records(world.service, LOCAL, "small", out, "the release")
    assert "Half right" not in [line.team for line in read_records(out).board]
    assert not [one for one in out.rglob("*") if "Half" in one.name]
    export = world.folder / "export.zip"
    transfer.export_challenge(world.service, LOCAL, "small", export, with_key=True)
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    transfer.import_challenge(other.service, LOCAL, export)
    shown = boards.final_board(other.service, LOCAL, "small")
    assert [row.team for row in shown.rows if row.is_baseline] == []
    assert shown.rows == boards.final_board(world.service, LOCAL, "small").rows
    assert audit.differences(other.service, LOCAL) == ()


def _export(world: World, slug: str) -> Path:
    world.create(slug)
    actor, _ = world.team("Team X", slug)
    view = world.submit(actor, answers(2), slug)
    world.decide(view)
    out = world.folder / f"{slug}.zip"
    transfer.export_challenge(world.service, LOCAL, slug, out, with_key=True)
    return out


def _forged(export: Path, out: Path, **more: list[dict[str, object]]) -> Path:
    """Write an export again with rows added: copies of the last, changed."""
    with zipfile.ZipFile(export) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            lines = data.splitlines() if name.startswith("rows/") else []
            for change in more.get(Path(name).stem, []) if lines else []:
                data += json.dumps(json.loads(lines[-1]) | change).encode() + b"\n"
            target.writestr(name, data)
    return out


def _state(world: World) -> object:
    keys = {p.name: p.read_bytes() for p in (world.service.home / "keys").iterdir()}
    return _rows(world), keys


def test_a_hostile_export_touches_nothing_that_is_here(world: World, tmp_path: Path) -> None:
    _play(world)
    (tmp_path / "other").mkdir()
    export = _export(make_world(tmp_path / "other"), "other")
    here = {table: rows[0] for table, rows in _rows(world).items() if rows}
    challenge, key = here["challenge"]["id"], here["answer_key"]["id"]
    published = {"kind": "published", "team": "", "submission": "", "run": ""}
    before = _state(world)
    odd: list[dict[str, list[dict[str, object]]]] = [
        {"event": [published | {"challenge": challenge, "data": "{}"}]},
        {"event": [published | {"data": json.dumps({"key": key})}]},
        {"event": [published | {"kind": "role_set", "data": '{"account": "x", "role": "admin"}'}]},
        {"event": [{"team": here["team"]["id"]}]},
        {"event": [{"kind": "selected", "data": '{"submissions": ["another"]}'}]},
        {"team": [{"id": "fresh1", "name": "n", "folded_name": "n", "challenge": challenge}]},
        {"team": [{"id": here["team"]["id"], "folded_name": "n"}]},
        {"run": [{"id": "fresh2", "submission": here["submission"]["id"]}]},
        {"run": [{"id": "../../gone"}]},
        {"submission": [{"id": "fresh3", "team": here["team"]["id"]}]},
        {"submission": [{"id": "fresh3", "blob": "../../secret"}]},
        {"score": [{"run": here["run"]["id"]}]},
        {"verdict": [{"run": here["run"]["id"]}]},
        {"answer_key": [{"id": "fresh4", "tasks": "?"}]},
        {"challenge": [{}]},
    ]
    for number, change in enumerate(odd):
        bad = _forged(export, tmp_path / f"bad{number}.zip", **change)
        with pytest.raises(InputError):
            pytest.fail(f"{change}: {transfer.import_challenge(world.service, LOCAL, bad)}")
        assert _state(world) == before, change
    bad = tmp_path / "key.zip"
    bad.write_bytes(export.read_bytes())
    with zipfile.ZipFile(bad, "a") as archive:
        name = next(one for one in archive.namelist() if one.startswith("keys/"))
        archive.writestr(f"keys/{key}.json", archive.read(name))
    with pytest.raises(InputError, match="a key that no row names"):
        transfer.import_challenge(world.service, LOCAL, bad)
    assert _state(world) == before
    transfer.import_challenge(world.service, LOCAL, export)


def test_an_imported_key_gets_a_new_id(world: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    export = _export(other, "other")
    transfer.import_challenge(world.service, LOCAL, export)
    old, new = (str(_rows(one)["answer_key"][0]["id"]) for one in (other, world))
    assert new != old
    assert [path.stem for path in (world.service.home / "keys").iterdir()] == [new]


def test_an_import_gives_nobody_both_a_desk_and_a_team(world: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    export = _export(other, "other")
    own = world.person("A desk", Role.ORGANISER).account
    bad = _forged(export, tmp_path / "bad.zip", account=[{"id": own}], member=[{"account": own}])
    with pytest.raises(ConflictError, match="has a desk here"):
        transfer.import_challenge(world.service, LOCAL, bad)


def test_an_imported_run_begins_anew(world: World, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    other.create("other")
    view = other.submit(other.team("Team X", "other")[0], answers(2), "other")
    assert view.run is not None
    with other.service.store.write() as connection:
        runs.update_run(
            connection, view.run.id, state=RunState.RUNNING, worker="gone", handle="job 7"
        )
        runs.set_step_result(
            connection, view.run.id, 1, "fetch", at=view.run.queued_at, body='{"root": "../../.."}'
        )
    out = tmp_path / "other.zip"
    transfer.export_challenge(other.service, LOCAL, "other", out)
    transfer.import_challenge(world.service, LOCAL, out)
    rows = _rows(world)
    (run,) = rows["run"]
    assert (run["state"], run["worker"], run["handle"]) == ("queued", "", "")
    assert rows["step_result"] == []


def _changed(export: Path, out: Path, table: str, change: Callable[[dict[str, Any]], None]) -> Path:
    """Write an export again with every row of a table changed."""
    with zipfile.ZipFile(export) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == f"rows/{table}.jsonl":
                rows = [json.loads(line) for line in data.splitlines()]
                for row in rows:
                    change(row)
                data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
            target.writestr(name, data)
    return out


def _in_settings(name: str, value: object, table: str = "") -> Callable[[dict[str, Any]], None]:
    def change(row: dict[str, Any]) -> None:
        data = json.loads(row["data"])
        if row["kind"] == "challenge_defined":
            (data["settings"][table] if table else data["settings"])[name] = value
        row["data"] = json.dumps(data)

    return change


def _in_column(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda row: row.update({name: value})


def _in_figures(value: object) -> Callable[[dict[str, Any]], None]:
    def change(row: dict[str, Any]) -> None:
        figures = json.loads(row["figures"])
        row["figures"] = json.dumps(dict.fromkeys(figures, value))

    return change


_UNSOUND: list[tuple[str, Callable[[dict[str, Any]], None]]] = [
    ("event", _in_settings("problems", "whenever", "seen")),
    ("event", _in_settings("board", "yes", "seen")),
    ("event", _in_settings("wall_s", -1, "limits")),
    ("event", _in_settings("quota_per_day", "abc")),
    ("event", _in_settings("n_selections", -1)),
    ("event", _in_settings("runner", "nonesuch")),
    ("event", _in_settings("open", "zzz")),
    ("event", _in_settings("close", "2026-07-01T00:00:00.000000Z")),
    ("event", _in_settings("title", 7)),
    ("event", _in_settings("rules", ["x"])),
    ("event", _in_settings("baselines", [{"name": "\u202e", "blob": "../secret"}])),
    ("event", _in_column("at", "never")),
    ("score", _in_figures([9e99, "a"])),
    ("score", _in_figures([2.0, 0.5])),
    ("score", _in_column("body", "garbage")),
    ("score", _in_column("body", "")),
    ("score", _in_column("signature", "mine")),
    ("submission", _in_column("received_at", "never")),
    ("submission", _in_column("kind", "weird")),
    ("submission", _in_column("size", -4)),
    ("submission", _in_column("note", "n" * 20_000)),
    ("team", _in_column("name", "\u202e\x1b" * 10_000)),
    ("team", _in_column("kind", "boss")),
    ("account", _in_column("name", "\u202e")),
    ("run", _in_column("state", "dreaming")),
    ("verdict", _in_column("outcome", "splendid")),
    ("verdict", _in_column("wall_s", float("nan"))),
    ("verdict", _in_column("outcome", "crashed")),  # a row that its event does not know
    ("answer_key", _in_column("created_at", "")),
    ("answer_key", _in_column("tasks", json.dumps([{"id": "1"}]))),
]


def test_an_export_with_unsound_values_leaves_nothing_here(world: World, tmp_path: Path) -> None:
    """Settings, names, times and figures are checked as what people hand in, before all else."""
    _play(world)
    (tmp_path / "other").mkdir()
    export = _export(make_world(tmp_path / "other"), "other")
    before, blobs = _state(world), sorted(world.service.blobs.folder.rglob("*"))
    for number, (table, change) in enumerate(_UNSOUND):
        bad = _changed(export, tmp_path / f"bad{number}.zip", table, change)
        with pytest.raises(InputError):
            pytest.fail(f"{number}: {transfer.import_challenge(world.service, LOCAL, bad)}")
        assert _state(world) == before, number
    assert sorted(world.service.blobs.folder.rglob("*")) == blobs
    transfer.import_challenge(world.service, LOCAL, export)


def test_a_damaged_challenge_is_named_and_the_others_go_on(world: World) -> None:
    world.create()
    world.create("other")
    with world.service.store.write() as connection:
        row = find_state(world.service, connection, "other").row
        data = {"settings": {"slug": "other", "seen": "?"}, "problems": ""}
        add_event(
            connection,
            EventKind.CHALLENGE_DEFINED,
            at=world.service.stamp(),
            author="x",
            challenge=row.id,
            data=data,
        )
    shown = challenges.list_challenges(world.service, STRANGER)
    assert [view.settings.slug for view in shown] == ["small"]
    assert challenges.damaged(world.service, LOCAL) == ("other",)
    with pytest.raises(DamagedError, match="other cannot be read"):
        challenges.get(world.service, STRANGER, "other")
    with pytest.raises(ForbiddenError):
        challenges.delete(world.service, world.person("Ada"), "other", "x")
    challenges.delete(world.service, LOCAL, "other", "damaged")
    assert challenges.damaged(world.service, LOCAL) == ()


@pytest.mark.parametrize("error", [OSError(28, "full"), KeyboardInterrupt(), ValueError("odd")])
def test_an_import_that_breaks_off_leaves_no_half_blob(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    (tmp_path / "other").mkdir()
    export = _export(make_world(tmp_path / "other"), "other")
    before = _state(world)

    def break_off(*_: object) -> None:
        raise error

    monkeypatch.setattr(Blobs, "take", break_off)
    with pytest.raises((IolaiError, KeyboardInterrupt)):
        transfer.import_challenge(world.service, LOCAL, export)
    assert list((world.service.home / "uploads").iterdir()) == []
    assert _state(world) == before


def test_blobs_that_have_no_room_are_not_begun(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    export = _export(make_world(tmp_path / "other"), "other")
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10))
    monkeypatch.setattr(Blobs, "take", lambda *_: pytest.fail("a blob was written"))
    with pytest.raises(NoRoomError):
        transfer.import_challenge(world.service, LOCAL, export)
