"""``iolai challenge`` and ``iolai admin``: a whole challenge from the command line."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import pytest

from command_line import run
from iolai.challenge import accounts, desk, teams
from iolai.challenge.service import Actor
from iolai.formats import write_solution_csv
from iolai.records import Role
from iolai.store import runs
from world import World, answers, make_world, small_key

pytestmark = pytest.mark.usefixtures("quick_passwords")


@pytest.fixture
def home(world: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the world, as the commands find it; they go by the real time."""
    world.write_files()
    monkeypatch.setenv("IOLAI_HOME", str(world.service.home))
    return world.service.home


def test_a_challenge_from_its_file_to_its_board(world: World, home: Path) -> None:
    made = run("challenge", "create", world.toml(), "--json")
    assert made.code == 0, made.err
    told = json.loads(made.out)
    assert told["slug"] == "small"
    assert [task["split"] for task in told["tasks"]].count("private") == 3
    for name, n_right in (("Team A", 2), ("Team B", 4)):
        actor, _ = world.team(name)
        world.scored(actor, answers(n_right))
    assert "Team A" in run("challenge", "teams", "small").out
    assert run("challenge", "phase", "small", "final", "--reason", "the end").code == 0
    assert run("challenge", "publish", "small").code == 0
    rows = json.loads(run("challenge", "board", "small", "--json").out)
    assert [row["team"] for row in rows] == ["Team B", "Team A"]
    assert "Team B" in run("challenge", "board", "small", "--final").out
    why = run("challenge", "why", "small", "team b").out
    assert why.startswith("Team B: rank 1 on the final board, score 75.00\n")
    assert "  2026-07-01 12:00:00Z  Verdict: ok (by service)\n" in why
    assert "  2026-07-01 12:00:00Z  Accepted (by Team B member)\n" in why
    assert "{" not in why
    told = json.loads(run("challenge", "why", "small", "team b", "--json").out)
    assert (told["rank"], told["board"]) == (1, "final")
    assert told["events"][-1]["data"] == {"outcome": "ok", "owner": "entry"}
    assert json.loads(run("challenge", "show", "small", "--json").out)["published_at"]
    assert "published" in run("challenge", "list").out
    assert "quota_per_day = 10\n" in run("challenge", "show", "small", "--toml").out
    out = world.folder / "records"
    assert run("challenge", "records", "small", out, "--reason", "release").code == 0
    assert run("board", out, "--verify").code == 0


def test_a_corrected_key_is_previewed_and_applied(world: World, home: Path) -> None:
    world.create()
    for name, n_right in (("Team A", 2), ("Team B", 3)):
        actor, _ = world.team(name)
        world.scored(actor, answers(n_right, wrong="suna"))
    path = world.folder / "corrected.csv"
    write_solution_csv(path, small_key(t12026030100=["suna"] * 3, t12026020100=["suna"] * 3))
    shown = run("challenge", "key", "small", path, "--reason", "a typo")
    assert shown.code == 0, shown.err
    assert "2 tasks changed; 4 task scores made anew for 2 runs, 0 outputs read again" in shown.out
    assert "2 -> 1" in shown.out
    proposal = shown.out.split()[1]
    told = json.loads(run("challenge", "preview", proposal, "--json").out)
    assert {row["team"] for row in told["changed"]} == {"Team A", "Team B"}
    assert run("challenge", "apply", proposal).err == "The proposal is applied.\n"
    assert run("challenge", "apply", proposal).code == 2
    assert "applied" in run("challenge", "proposals", "small").out


def test_a_rejudgement_can_be_cancelled(world: World, home: Path) -> None:
    world.create()
    actor, _ = world.team("Team A")
    view = world.scored(actor, answers(2))
    shown = run("challenge", "rejudge", "small", view.submission.id, "--reason", "x", "--json")
    told = json.loads(shown.out)
    assert (told["n_runs_pending"], told["changed"]) == (1, [])
    assert run("challenge", "cancel", told["proposal"]).code == 0
    with world.service.store.read() as connection:
        assert runs.queued_runs(connection) == ()


def test_a_challenge_moves_by_a_file(world: World, home: Path, tmp_path: Path) -> None:
    world.create()
    out = tmp_path / "small.zip"
    assert run("challenge", "export", "small", out, "--with-key").code == 0
    (tmp_path / "other").mkdir()
    other = make_world(tmp_path / "other")
    moved = run("challenge", "import", out, "--home", other.service.home)
    assert moved.code == 0, moved.err
    assert "small: A small challenge" in moved.out
    other.service.close()


def test_archived_records_are_imported(home: Path, records_folder: Path) -> None:
    made = run("challenge", "import-records", records_folder, "--slug", "archive")
    assert made.code == 0, made.err
    board = json.loads(run("challenge", "board", "archive", "--json").out)
    published = json.loads(run("board", records_folder, "--json").out)
    keys = ("rank", "team", "score", "exact_match", "chrf")
    shown, wanted = ([[row[k] for k in keys] for row in one] for one in (board, published))
    assert shown == wanted


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("challenge", "show", "nowhere"), "there is no challenge 'nowhere'"),
        (("challenge", "create", "nowhere.toml"), "there is no file nowhere.toml"),
        (("challenge", "phase", "small", "opne", "--reason", "x"), "Did you mean 'open'?"),
        (("challenge", "publish", "small"), "is in the phase"),
        (("challenge", "apply", "nothing"), "there is no such proposal"),
        (("challenge", "why", "small", "Team Z"), "there is no team 'Team Z'"),
        (("challenge", "import", "small.toml"), "no archive"),
        (("admin", "role", "Nobody", "juror"), "there is no account 'Nobody'"),
        (("admin", "role", "Nobody", "king"), "there is no role named 'king'"),
        (("admin", "restore", "x.zip", "--secret", "none"), "is no secret of a service"),
    ],
)
def test_what_cannot_be_done_is_said_with_exit_2(
    world: World, home: Path, words: tuple[str, ...], said: str
) -> None:
    world.create(
        phases="registration = 2026-01-01T00:00:00Z\nopen = 2026-01-02T00:00:00Z\n"
        "close = 2999-01-01T00:00:00Z"
    )
    done = run(*words)
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert "hint:" in done.err


def test_accounts_of_every_role(world: World, home: Path, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("a long password\n", encoding="utf-8")
    assert run("admin", "add", "Ada", "--role", "organiser", "--password-file", password).code == 0
    assert run("admin", "role", "Ada", "juror").err == "Ada is juror.\n"
    (ada,) = json.loads(run("admin", "accounts", "--json").out)
    assert (ada["name"], ada["role"], ada["deleted_at"]) == ("Ada", "juror", None)
    grant = accounts.log_in(world.service, Actor.anonymous(), "Ada", "a long password")
    assert grant.account.role is Role.JUROR
    password.write_text("another password\n", encoding="utf-8")
    assert run("admin", "password", "Ada", "--password-file", password).code == 0
    assert accounts.actor_of_session(world.service, grant.token) is None
    assert run("admin", "close", "Ada", "--reason", "asked").code == 0
    assert "closed" in run("admin", "accounts").out


def test_the_audit_log_tells_who_gave_a_command(
    world: World, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's user, whatever the environment says, and the account where one is named."""
    for name in ("LOGNAME", "USER", "SUDO_USER"):
        monkeypatch.setenv(name, "somebody-else")
    world.create()
    world.clock.set("2026-07-02T00:00")
    user = pwd.getpwuid(os.getuid()).pw_name
    world.person("Ada", Role.ORGANISER)
    phase = ("phase", "small", "frozen", "--reason", "now")
    assert run("challenge", *phase).code == 0
    assert run("challenge", "--as", "ada", *phase).code == 0
    told = desk.audit_log(world.service, Actor.local(), "small", limit=2)
    assert [event.author for event in told] == [f"local:{user} as Ada", f"local:{user}"]
    impostor = world.person(f"local:{user}")
    teams.create_team(world.service, impostor, "small", "Team A")
    (joined,) = desk.audit_log(world.service, Actor.local(), "small", limit=1)
    assert joined.author == f"account local:{user}"
    nobody = run("challenge", "--as", "Nobody", *phase)
    assert nobody.code == 2
    assert "there is no account 'Nobody'" in nobody.err


def test_backup_restore_and_audit(world: World, home: Path, tmp_path: Path) -> None:
    world.create()
    out, other = tmp_path / "backup.zip", tmp_path / "other"
    told = run("admin", "backup", out)
    assert told.code == 0
    assert f"Without {home / 'secret'} the keys cannot be opened." in " ".join(told.err.split())
    assert run("admin", "restore", out, "--secret", home / "secret", "--home", other).code == 0
    assert run("admin", "public-key").out == run("admin", "public-key", "--home", other).out
    assert run("admin", "audit", "--home", other).code == 0
    actor, _ = world.team("Team A")
    view = world.submit(actor, answers(1))
    assert view.run is not None
    with world.service.store.write() as connection:
        runs.update_run(connection, view.run.id, tag=99)
    wrong = run("admin", "audit")
    assert wrong.code == 1
    assert "runs: 2 differ" in wrong.out
