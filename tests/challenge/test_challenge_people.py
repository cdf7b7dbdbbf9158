"""Accounts, sessions, tokens, roles, teams, rate limits, and the table of who may do what."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from iolai.challenge import accounts, audit, boards, teams
from iolai.challenge.names import checked_name, checked_note, fold_name
from iolai.challenge.permissions import RULES, Action, Scope, may, require
from iolai.challenge.secrets import read_secret
from iolai.challenge.service import Actor, open_service
from iolai.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    NotFoundError,
    QuotaError,
    RateError,
)
from iolai.records import Phase, Role
from iolai.store.dumping import rows_of
from iolai.text import nfc
from world import World, answers, make_world

PASSWORD = "correct horse battery"  # noqa: S105 -- of nobody
HERE = Actor.anonymous("192.0.2.1")

pytestmark = pytest.mark.usefixtures("quick_passwords")


def test_registering_logging_in_and_out(any_world: World) -> None:
    service = any_world.service
    account = accounts.register(service, HERE, " Ada  Lovelace ", PASSWORD)
    assert (account.name, account.role) == ("Ada Lovelace", Role.PARTICIPANT)
    grant = accounts.log_in(service, HERE, "ada lovelace", PASSWORD)
    session = accounts.actor_of_session(service, grant.token, "192.0.2.1")
    assert session is not None
    assert session.actor == Actor(account.id, "Ada Lovelace", Role.PARTICIPANT, "192.0.2.1")
    assert session.is_csrf(grant.csrf)
    assert not session.is_csrf("")
    assert accounts.actor_of_session(service, grant.token + "x") is None
    accounts.log_out(service, grant.token)
    assert accounts.actor_of_session(service, grant.token) is None


def test_no_password_and_no_token_is_stored(world: World) -> None:
    account = accounts.register(world.service, HERE, "Ada", PASSWORD)
    grant = accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    session = accounts.actor_of_session(world.service, grant.token)
    assert session is not None
    token = accounts.make_token(world.service, session.actor, "laptop")
    assert account.password_hash.startswith("$argon2id$")
    with world.service.store.read() as connection:
        stored = repr(
            [list(rows_of(connection, t)) for t in ("account", "session", "api_token", "event")]
        )
    for secret in (PASSWORD, grant.token, token.token):
        assert secret not in stored
        assert secret not in repr((account, grant, token))
    assert account.password_hash not in repr(account)


def test_a_session_ends_by_time_and_with_another_password(world: World) -> None:
    accounts.register(world.service, HERE, "Ada", PASSWORD)
    grant = accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    other = accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    session = accounts.actor_of_session(world.service, other.token)
    assert session is not None
    with pytest.raises(ForbiddenError, match="old password"):
        accounts.set_password(world.service, session.actor, "Ada", "another password", "wrong")
    accounts.set_password(world.service, session.actor, "Ada", "another password", PASSWORD)
    assert accounts.actor_of_session(world.service, grant.token) is None
    with pytest.raises(ForbiddenError):
        accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    late = accounts.log_in(world.service, HERE, "Ada", "another password")
    world.clock.pass_(days=13)
    assert accounts.actor_of_session(world.service, late.token) is not None
    world.clock.pass_(days=1)
    assert accounts.actor_of_session(world.service, late.token) is None


@pytest.mark.parametrize("by_admin", [False, True])
def test_with_the_password_all_tokens_end(world: World, by_admin: bool) -> None:
    account = accounts.register(world.service, HERE, "Ada", PASSWORD)
    ada = Actor(account.id, account.name, account.role)
    token = accounts.make_token(world.service, ada, "laptop").token
    assert accounts.actor_of_token(world.service, token) is not None
    actor, old = (Actor.local(), "") if by_admin else (ada, PASSWORD)
    accounts.set_password(world.service, actor, "Ada", "another password", old)
    assert accounts.actor_of_token(world.service, token) is None


def test_a_login_that_a_new_password_overtakes_fails(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.register(world.service, HERE, "Ada", PASSWORD)
    make = accounts.new_token

    def overtaken() -> str:
        monkeypatch.setattr(accounts, "new_token", make)
        accounts.set_password(world.service, Actor.local(), "Ada", "another password")
        return make()

    monkeypatch.setattr(accounts, "_NOBODY", ["$argon2id$"])
    monkeypatch.setattr(accounts, "new_token", overtaken)
    with pytest.raises(ForbiddenError, match="changed at this moment"):
        accounts.log_in(world.service, HERE, "Ada", PASSWORD)


def test_wrong_names_and_wrong_passwords_are_told_alike_and_only_so_often(world: World) -> None:
    accounts.register(world.service, HERE, "Ada", PASSWORD)
    told = set()
    for name, password in (("Ada", "wrong password"), ("Nobody", PASSWORD)):
        with pytest.raises(ForbiddenError) as caught:
            accounts.log_in(world.service, HERE, name, password)
        told.add((caught.value.message, caught.value.hint))
    assert len(told) == 1
    for _ in range(9):
        with pytest.raises(ForbiddenError):
            accounts.log_in(world.service, HERE, "ADA", "guess")
    with pytest.raises(RateError) as limited:
        accounts.log_in(world.service, HERE, "ada", PASSWORD)
    assert 0 < limited.value.retry_after_s <= 300
    accounts.log_in(world.service, Actor.anonymous("203.0.113.9"), "ada", PASSWORD)
    world.clock.pass_(seconds=limited.value.retry_after_s)
    accounts.log_in(world.service, HERE, "ada", PASSWORD)


@pytest.mark.parametrize("address", ["198.51.100.1", "2001:db8:0:1::{}", "::ffff:198.51.100.1"])
def test_one_address_is_limited_over_all_names(world: World, address: str) -> None:
    rates = {"log_in": (9, 60), "log_in_all": (3, 60), "register": (9, 60)}
    object.__setattr__(world.service.settings, "rates", rates)

    def guess(number: int) -> None:
        actor = Actor.anonymous(address.format(number))
        accounts.log_in(world.service, actor, f"name {number}", "guess")

    for number in range(3):
        with pytest.raises(ForbiddenError):
            guess(number)
    with pytest.raises(RateError):
        guess(3)


def test_nobody_is_locked_out_by_whoever_knows_their_name(world: World) -> None:
    """An attacker with many addresses is refused at each; the owner comes in from another."""
    accounts.register(world.service, HERE, "Ada", PASSWORD)
    grant = accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    for number in range(25):
        attacker = Actor.anonymous(f"198.51.100.{number}")
        for _ in range(10):
            with pytest.raises(ForbiddenError):
                accounts.log_in(world.service, attacker, "ada", "guess")
        with pytest.raises(RateError):
            accounts.log_in(world.service, attacker, "ada", PASSWORD)
    assert accounts.actor_of_session(world.service, grant.token) is not None
    accounts.log_in(world.service, HERE, "ada", PASSWORD)
    accounts.log_in(world.service, Actor.anonymous("203.0.113.9"), "ada", PASSWORD)


def test_the_wait_grows_with_every_full_window_and_ends_with_the_right_password(
    world: World,
) -> None:
    rates = {"log_in": (2, 60), "log_in_all": (1000, 60), "register": (9, 60)}
    object.__setattr__(world.service.settings, "rates", rates)
    accounts.register(world.service, HERE, "Ada", PASSWORD)
    waits = []
    for _ in range(9):
        for _ in range(2):
            with pytest.raises(ForbiddenError):
                accounts.log_in(world.service, HERE, "Ada", "guess")
        for _ in range(3):  # what is refused makes no wait longer
            with pytest.raises(RateError) as limited:
                accounts.log_in(world.service, HERE, "Ada", PASSWORD)
        waits.append(limited.value.retry_after_s)
        world.clock.pass_(seconds=limited.value.retry_after_s)
    assert waits == [60, 120, 240, 480, 960, 1920, 1920, 1920, 1920]
    for _ in range(5):  # the right one is not counted, and forgives the wrong ones
        accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    with pytest.raises(ForbiddenError):
        accounts.log_in(world.service, HERE, "Ada", "guess")


@pytest.mark.parametrize("odd", ["a\x00b", "half \ud800 pair", "x" * 5000])
def test_texts_that_no_database_holds_are_no_error_of_ours(any_world: World, odd: str) -> None:
    from iolai.challenge import challenges, submissions

    any_world.create()
    actor, team = any_world.team("Team A")
    with pytest.raises(ForbiddenError):
        accounts.log_in(any_world.service, HERE, odd, PASSWORD)
    with pytest.raises(NotFoundError):
        challenges.get(any_world.service, actor, odd)
    with pytest.raises(NotFoundError):
        submissions.submission_view(any_world.service, actor, odd)
    with pytest.raises(NotFoundError):
        teams.join(any_world.service, any_world.person("Lone"), "small", odd)
    teams.disqualify(any_world.service, any_world.organiser, "small", team.id, odd)
    assert accounts.actor_of_session(any_world.service, odd) is None
    with pytest.raises(ForbiddenError):
        accounts.log_in(any_world.service, HERE, "Ada", odd)


def test_one_address_registers_only_so_often(world: World) -> None:
    object.__setattr__(world.service.settings, "rates", {"register": (2, 60)})
    for name in ("One", "Two"):
        accounts.register(world.service, HERE, name, PASSWORD)
    with pytest.raises(RateError):
        accounts.register(world.service, HERE, "Three", PASSWORD)
    accounts.register(world.service, Actor.anonymous("192.0.2.2"), "Three", PASSWORD)


UNSEEN = (
    "zero\u200bwidth",
    "a\u2066b",
    "half \ud800",
    "bell\x07",
    "soft\u00adhyphen",
    "filler \u3164",
    "mark\u200e",
    "a \u200db",
    "end\u200d",
    "tag \U000e0041",
    "bom\ufeff",
    "ends\u2028here",
    "heart\ufe0f",
    "a\ufe00",
    "mongol\u180b",
    "selected\U000e0100",
    "joined\u034f",
    "later\u180f",
)


@pytest.mark.parametrize("text", UNSEEN)
def test_one_rule_says_what_a_line_may_hold(text: str) -> None:
    for check, what in ((checked_name, "the name"), (checked_note, "the note")):
        with pytest.raises(InputError, match=rf"{what} holds U\+[0-9A-F]{{4,5}}"):
            check(text)


def test_languages_are_spelled_with_joiners_and_signs() -> None:
    for name in ("می\u200cخواهم", "ක්\u200dෂ", "عام \u06012026", "👩\u200d🚀 crew", "we ❤\ufe0f Ṽ̄ñ"):
        assert checked_name(name) == nfc(name)
    assert fold_name("می\u200cخواهم") == fold_name("میخواهم")
    for unseen in "\ufe0f\U000e0100\u180b\u034f\u200b\u3164":  # as archived records may have them
        assert fold_name(f"Te{unseen}am{unseen}") == fold_name("Team")
    assert checked_note("two\r\nlines\tand more ") == "two\nlines\tand more"


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\u202eb", "---", "a\x00b", *UNSEEN])
def test_names_that_cannot_be_read_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        checked_name(name)


@pytest.mark.parametrize(
    ("one", "other"), [("Ada", "ADA "), ("Ada", "Аdа"), ("café", "cafe\u0301"), ("a  b", "a b")]
)
def test_names_that_look_alike_are_the_same(world: World, one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)
    accounts.register(world.service, HERE, one, PASSWORD)
    with pytest.raises(ConflictError, match="is taken"):
        accounts.register(world.service, HERE, other, PASSWORD)


@pytest.mark.parametrize("password", ["short", "x" * 257])
def test_passwords_have_a_length(world: World, password: str) -> None:
    with pytest.raises(InputError, match="from 10 to 256"):
        accounts.register(world.service, HERE, "Ada", password)


def test_tokens_are_ones_own(world: World) -> None:
    ada, ben = world.person("Ada"), world.person("Ben")
    grant = accounts.make_token(world.service, ada, "laptop")
    assert accounts.actor_of_token(world.service, grant.token, "a") == Actor(
        ada.account, "Ada", Role.PARTICIPANT, "a"
    )
    assert accounts.list_tokens(world.service, ben) == ()
    with pytest.raises(NotFoundError):
        accounts.revoke_token(world.service, ben, grant.id)
    accounts.revoke_token(world.service, ada, grant.id)
    assert accounts.actor_of_token(world.service, grant.token) is None
    assert accounts.list_tokens(world.service, ada)[0].revoked_at
    with pytest.raises(ForbiddenError):
        accounts.make_token(world.service, Actor.anonymous(), "x")


def test_a_closed_account_is_nobody(world: World) -> None:
    accounts.register(world.service, HERE, "Ada", PASSWORD)
    grant = accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    session = accounts.actor_of_session(world.service, grant.token)
    assert session is not None
    token = accounts.make_token(world.service, session.actor, "laptop")
    accounts.delete_account(world.service, Actor.local(), "Ada", "asked for it")
    assert accounts.actor_of_session(world.service, grant.token) is None
    assert accounts.actor_of_token(world.service, token.token) is None
    with pytest.raises(ForbiddenError):
        accounts.log_in(world.service, HERE, "Ada", PASSWORD)
    with pytest.raises(ConflictError):
        accounts.register(world.service, HERE, "Ada", PASSWORD)


def test_who_is_in_a_team_gets_no_desk_and_who_has_a_desk_no_team(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    with pytest.raises(ConflictError, match="is in a team"):
        accounts.set_role(world.service, Actor.local(), actor.name, Role.ORGANISER)
    for role in (Role.ORGANISER, Role.JUROR, Role.ADMIN):
        with pytest.raises(ForbiddenError):
            teams.create_team(world.service, world.person(f"a {role}", role), "small", "Team B")


def test_a_team_grows_by_its_code_up_to_its_size(world: World) -> None:
    world.create(top="team_size = 2")
    ada, team = world.team("Team A")
    ben, cem = world.person("Ben"), world.person("Cem")
    with pytest.raises(NotFoundError):
        teams.join(world.service, ben, "small", "wrong")
    teams.join(world.service, ben, "small", f" {team.join_code} ")
    assert {m.name for m in teams.my_team(world.service, ben, "small").members} == {
        "Team A member",
        "Ben",
    }
    with pytest.raises(ConflictError, match="has 2 members"):
        teams.join(world.service, cem, "small", team.join_code)
    with pytest.raises(ConflictError, match="in the team Team A"):
        teams.create_team(world.service, ben, "small", "Team B")
    teams.leave(world.service, ben, "small")
    with pytest.raises(NotFoundError):
        teams.my_team(world.service, ben, "small")
    code = teams.new_join_code(world.service, ada, "small")
    with pytest.raises(NotFoundError):
        teams.join(world.service, cem, "small", team.join_code)
    teams.join(world.service, cem, "small", code)
    with pytest.raises(ConflictError, match="team is named"):
        teams.create_team(world.service, ben, "small", "TEAM  a")


def test_leaving_a_team_gives_no_fresh_quota(world: World) -> None:
    world.create(top="quota_per_day = 2")
    ada, team = world.team("Team A")
    ben = world.person("Ben")
    teams.join(world.service, ben, "small", team.join_code)
    for _ in range(2):
        world.submit(ada, answers(1))
    for one in (ada, ben):
        teams.leave(world.service, one, "small")
        teams.create_team(world.service, one, "small", f"{one.name} anew")
        assert teams.my_team(world.service, one, "small").quota.left == 0
        with pytest.raises(QuotaError):
            world.submit(one, answers(1))
    world.clock.pass_(days=1)
    world.submit(ada, answers(1))
    assert teams.my_team(world.service, ada, "small").quota.used == 1


def test_a_closed_account_frees_its_place(world: World) -> None:
    world.create(top="team_size = 2")
    ada, team = world.team("Team A")
    ben, cem = world.person("Ben"), world.person("Cem")
    teams.join(world.service, ben, "small", team.join_code)
    with pytest.raises(ConflictError, match="2 members"):
        teams.join(world.service, cem, "small", team.join_code)
    accounts.delete_account(world.service, Actor.local(), "Ben", "asked for it")
    teams.join(world.service, cem, "small", team.join_code)
    view = teams.my_team(world.service, ada, "small")
    assert [member.name for member in view.members] == [ada.name, "Cem"]
    assert audit.differences(world.service, Actor.local()) == ()


@pytest.mark.parametrize("way", ["leave", "close"])
def test_a_team_that_nobody_is_in_is_closed_where_it_left_nothing(world: World, way: str) -> None:
    """With submissions it stands with its results; an organiser sees that it is empty."""
    world.create()
    (idle, _), (busy, team) = world.team("Idle"), world.team("Busy")
    world.scored(busy, answers(1))
    for actor in (idle, busy):
        if way == "leave":
            teams.leave(world.service, actor, "small")
        else:
            accounts.delete_account(world.service, Actor.local(), actor.name, "asked for it")
    (line,) = teams.list_teams(world.service, world.organiser, "small")
    assert (line.team.id, line.members, line.n_submissions) == (team.id, (), 1)
    board = boards.public_board(world.service, Actor.anonymous(), "small")
    assert [row.team for row in board.rows] == ["Busy"]
    fresh = world.person("Dua")
    with pytest.raises(ConflictError, match="a team is named"):
        teams.create_team(world.service, fresh, "small", "Busy")
    teams.create_team(world.service, fresh, "small", "idle")
    assert audit.differences(world.service, Actor.local()) == ()


def test_nobody_leaves_a_disqualified_team(world: World) -> None:
    world.create()
    ada, team = world.team("Team A")
    teams.disqualify(world.service, world.organiser, "small", team.id, "copied")
    with pytest.raises(ConflictError, match="disqualified"):
        teams.leave(world.service, ada, "small")
    teams.reinstate(world.service, world.organiser, "small", team.id, "an error")
    teams.leave(world.service, ada, "small")


def test_a_team_sees_its_outcomes(world: World) -> None:
    world.create()
    actor, _ = world.team("Team A")
    world.scored(actor, answers(1))
    world.decide(world.submit(actor, answers(1)), "crashed")
    world.decide(world.submit(actor, answers(1)), "timed_out")
    world.submit(actor, answers(1))
    view = teams.my_team(world.service, actor, "small")
    assert view.outcomes == {"ok": 1, "crashed": 1, "timed_out": 1}
    assert view.share_ok == pytest.approx(1 / 3)


# --- who may do what ------------------------------------------------------------------------

ROLES: dict[str, Role | None] = {"anonymous": None, **{role.value: role for role in Role}}
#: Action -> who may: outside of a team, with nothing shown; m: a member of the team as well;
#: p, b, l, f, r: whoever, where problems, board, log, final board, the jury's result are shown.
MATRIX: dict[Action, str] = {
    Action.VIEW_CHALLENGE: "anonymous participant juror organiser admin m",
    Action.VIEW_PROBLEMS: "juror organiser admin p",
    Action.VIEW_BOARD: "juror organiser admin b",
    Action.VIEW_FINAL_BOARD: "organiser admin f",
    Action.REGISTER_TEAM: "participant",
    Action.LEAVE_TEAM: "m",
    Action.VIEW_TEAM: "organiser admin m",
    Action.UPLOAD: "participant",
    Action.SUBMIT: "m",
    Action.SELECT_RUNS: "m",
    Action.VIEW_SUBMISSION: "organiser admin m",
    Action.VIEW_LOG: "organiser admin l",
    Action.OWN_ACCOUNT: "participant juror organiser admin",
    Action.VIEW_MARKING: "juror organiser admin",
    Action.VIEW_PAPER: "m",
    Action.MARK: "m",
    Action.MANAGE_JURY: "organiser admin",
    Action.UNSEAL: "organiser admin",
    Action.OPEN_EARLY: "admin",
    Action.VIEW_JURY_RESULT: "juror organiser admin r",
    Action.CREATE_CHALLENGE: "organiser admin",
    Action.MANAGE_CHALLENGE: "organiser admin",
    Action.MANAGE_TEAMS: "organiser admin",
    Action.VIEW_PRIVATE_SCORES: "organiser admin",
    Action.REJUDGE: "organiser admin",
    Action.SET_KEY: "organiser admin",
    Action.VIEW_QUEUE: "organiser admin",
    Action.VIEW_AUDIT: "organiser admin",
    Action.REVEAL_KEY: "admin",
    Action.MANAGE_ACCOUNTS: "admin",
    Action.BACK_UP: "admin",
}
FLAGS = {
    "p": Scope(Phase.OPEN, problems_shown=True),
    "b": Scope(Phase.OPEN, board_shown=True),
    "f": Scope(Phase.OPEN, published=True),
    "r": Scope(Phase.OPEN, jury_released=True),
}


def test_every_action_is_in_the_table_and_in_the_matrix() -> None:
    assert set(RULES) == set(Action) == set(MATRIX)


@pytest.mark.parametrize("action", Action)
def test_who_may_do_what(action: Action) -> None:
    allowed = set(MATRIX[action].split())
    for name, role in ROLES.items():
        actor = Actor("" if role is None else "id", name, role)
        assert may(actor, action, Scope(Phase.OPEN)) == (name in allowed), name
        for flag, scope in FLAGS.items():
            assert may(actor, action, scope) == (name in allowed or flag in allowed), (name, flag)
    member = Actor("id", "member", Role.PARTICIPANT)
    is_own = {"participant", "m"} & allowed
    assert may(member, action, Scope(Phase.OPEN, is_member=True)) == bool(is_own)
    shown = Scope(Phase.OPEN, is_member=True, log_shown=True)
    assert may(member, action, shown) == bool(is_own or "l" in allowed)


def test_existence_is_hidden_where_the_rule_says_so() -> None:
    stranger = Actor("id", "Somebody", Role.PARTICIPANT)
    with pytest.raises(NotFoundError, match="no such submission"):
        require(stranger, Action.VIEW_SUBMISSION, what="submission")
    with pytest.raises(ForbiddenError, match="not for the role participant"):
        require(stranger, Action.MANAGE_CHALLENGE)
    with pytest.raises(ForbiddenError, match="needs an account"):
        require(Actor.anonymous(), Action.OWN_ACCOUNT)


# --- the home -------------------------------------------------------------------------------


def test_the_home_and_the_secret_are_the_owners_alone(world: World) -> None:
    home = world.service.home
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "secret").stat().st_mode & 0o777 == 0o600
    assert (home / "store.sqlite").stat().st_mode & 0o777 == 0o600
    again = open_service(home)
    assert again.secret == world.service.secret
    again.close()


def test_a_lost_secret_is_not_made_anew(world: World) -> None:
    world.create()
    home = world.service.home
    (home / "secret").unlink()
    with pytest.raises(InputError, match="is gone"):
        open_service(home)
    assert not (home / "secret").exists()


def test_a_home_named_from_here_is_known_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    service = open_service(Path("home"))
    assert service.home == tmp_path.resolve() / "home"
    assert service.blobs.folder.is_absolute()
    service.close()


def test_a_secret_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    read_secret(path)
    path.chmod(0o640)
    with pytest.raises(InputError, match="has the mode 640"):
        read_secret(path)
    path.chmod(0o600)
    path.write_bytes(b"short")
    with pytest.raises(InputError, match="has 5 bytes"):
        read_secret(path)


def test_settings_of_the_home_are_checked(tmp_path: Path) -> None:
    made = make_world(tmp_path)
    made.service.close()
    path = tmp_path / "home" / "iolai.toml"
    for text, said in (
        ("databse = 'x'", "there is no key databse"),
        ("session_hours = 0", "a number from 0.01"),
        ("[rates]\nlog_in = [0, 1]", "two whole numbers"),
        ("[rates]\nfly = [1, 1]", "there is no key fly"),
        ("database = 'mysql://x/y'", "no database of the kind 'mysql'"),
        ("database = 'nonsense'", "URL cannot be read"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            open_service(tmp_path / "home")
    path.write_text("secret = '../elsewhere'\n[rates]\nsubmit = [3, 60]", encoding="utf-8")
    service = open_service(tmp_path / "home")
    assert service.settings.rates["submit"] == (3, 60)
    assert os.path.samefile(tmp_path / "elsewhere", tmp_path / "home/../elsewhere")  # noqa: PTH121
    service.close()


def test_an_old_password_can_be_guessed_at_only_so_often(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor = world.person("Ada")
    asked: list[str] = []
    monkeypatch.setattr(accounts, "_is_right", lambda _, old: bool(asked.append(old)))
    for number in range(10):
        with pytest.raises(ForbiddenError, match="old password"):
            accounts.set_password(world.service, actor, "Ada", "a new password", str(number))
    with pytest.raises(RateError):
        accounts.set_password(world.service, actor, "Ada", "a new password", "the eleventh")
    assert len(asked) == 10, "no more is compared, since that takes the processor"
    other = world.person("Bo")
    with pytest.raises(ForbiddenError):
        accounts.set_password(world.service, other, "Bo", "a new password", "x")


def test_who_was_taken_out_does_not_come_back_by_the_old_code(world: World) -> None:
    world.create()
    first, team = world.team("Team A")
    later_, latest = world.person("Bo"), world.person("Cy")
    for actor in (later_, latest):
        teams.join(world.service, actor, "small", team.join_code)
    with pytest.raises(ConflictError, match="joined after you"):
        teams.remove_member(world.service, later_, "small", first.name)
    with pytest.raises(ConflictError, match="joined after you"):
        teams.remove_member(world.service, later_, "small", "Bo")
    with pytest.raises(InputError, match="nobody named"):
        teams.remove_member(world.service, first, "small", "Dee")
    code = teams.remove_member(world.service, first, "small", "BO")
    with pytest.raises(NotFoundError):
        teams.my_team(world.service, later_, "small")
    with pytest.raises(NotFoundError, match="join code"):
        teams.join(world.service, later_, "small", team.join_code)
    shown = teams.my_team(world.service, latest, "small")
    assert (shown.join_code, [m.name for m in shown.members]) == (code, ["Team A member", "Cy"])
    fresh = teams.new_join_code(world.service, latest, "small")
    assert fresh != code
    with pytest.raises(NotFoundError, match="join code"):
        teams.join(world.service, later_, "small", code)
    assert audit.differences(world.service, Actor.local()) == ()
