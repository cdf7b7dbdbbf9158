"""The participant's side of a running challenge, against a service in the same process."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from command_line import Outcome, run
from iolai.challenge import accounts, challenges, receipts, teams
from iolai.challenge.service import Actor
from iolai.cli import remote, remote_text
from iolai.records import Phase
from site_for_tests import PASSWORD, SLUG, Site, hash_quickly, make_home, make_site, predictions

SERVER = "https://challenge.example.org"


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_home(folder)
    return folder


@pytest.fixture
def site(tmp_path: Path, made_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A service that the command line reaches, and a password in a file."""
    patch = hash_quickly()
    made = make_site(tmp_path, made_home)
    made.clock.set(6)
    (tmp_path / "password").write_text(f"{PASSWORD}\n", encoding="utf-8")
    (tmp_path / "submission.csv").write_bytes(predictions(5))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("IOLAI_SERVER", "IOLAI_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(remote.Remote, "make_client", _clients(made))
    yield made
    patch.undo()
    made.service.close()


def _clients(site: Site) -> Any:
    def make(server: str, headers: dict[str, str]) -> TestClient:
        return site.client(base_url=server, headers=headers)

    return staticmethod(make)


def _ready(site: Site) -> None:
    """Register an account and a team."""
    assert (
        run("team", "register", "mira", "--server", SERVER, "--password-file", "password").code == 0
    )
    assert run("team", "create", SLUG, "The stops").code == 0


def _json(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def test_from_registration_to_a_selection(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    _ready(site)
    monkeypatch.setattr(remote_text.time, "sleep", lambda _: site.run_all())
    made = _json(run("submit", SLUG, "submission.csv", "--note", "first", "--wait", "--json"))
    assert (made["state"], made["outcome"], made["note"]) == ("done", "ok", "first")
    assert 0 < made["public"]["score"] < 1
    status = run("team", "status", SLUG)
    assert "today: 1 of 3 used" in status.out
    assert "the next day begins 2026-07-07 at midnight, UTC" in status.out
    about = (
        rf"  {made['id']}  2026-07-06 08:00  predictions +[0-9.]+  ok  counts by default  first\n"
    )
    assert re.search(about, status.out)
    shown = run("team", "show", made["id"])
    assert f"public score {100 * made['public']['score']:.2f}" in shown.out
    assert run("team", "log", made["id"]).out == "the end of the log\n"
    chosen = _json(run("team", "select", SLUG, made["id"], "--json"))
    assert chosen["selection"]["chosen"] == [made["id"]]
    assert run("team", "wait", made["id"]).code == 0
    assert "final" not in run("team", "status", SLUG).out
    challenges.set_phase(site.service, Actor.local(), SLUG, Phase.FINAL, "over")
    challenges.publish(site.service, Actor.local(), SLUG, "done")
    told = run("team", "status", SLUG).out
    assert re.search(r"^final result: rank 1 of 1, score [0-9.]+$", told, re.MULTILINE)
    assert f"{made['id']}" in told
    assert "ok  final run  selected" in told
    assert "private" in run("team", "show", made["id"]).out


def test_a_run_that_failed_exits_with_1(site: Site) -> None:
    _ready(site)
    made = _json(run("submit", SLUG, "submission.csv", "--json"))
    site.run_all(**{made["id"]: "timed_out"})
    waited = run("team", "wait", made["id"])
    assert waited.code == 1
    assert "timed out" in waited.out


def test_submit_with_wait_exits_with_1_where_the_run_failed(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ready(site)

    def found(_remote: object, submission: str) -> object:
        site.run_all(**{submission: "platform_fault"})
        return real(_remote, submission)  # type: ignore[arg-type]

    real = remote_text.wait_for
    monkeypatch.setattr("iolai.cli.submit.wait_for", found)
    assert run("submit", SLUG, "submission.csv", "--wait").code == 1


def test_waiting_ends_when_it_should(site: Site) -> None:
    _ready(site)
    made = _json(run("submit", SLUG, "submission.csv", "--json"))
    waited = run("team", "wait", made["id"], "--timeout", "0")
    assert waited.code == 2
    assert "has no verdict yet: it is queued" in waited.err
    assert "queued, place 1 in the queue" in waited.err


def test_a_second_person_joins_and_leaves(site: Site) -> None:
    _ready(site)
    code = _json(run("team", "status", SLUG, "--json"))["join_code"]
    run("team", "register", "noor", "--server", SERVER, "--password-file", "password")
    assert run("team", "join", SLUG, "wrong").code == 2
    joined = _json(run("team", "join", SLUG, code, "--json"))
    assert sorted(joined["members"]) == ["mira", "noor"]  # both at one moment of the clock
    assert run("team", "leave", SLUG).code == 0
    gone = run("team", "status", SLUG)
    assert gone.code == 2
    assert "hint:" in gone.err


def test_a_code_that_leaked_is_changed_and_who_came_by_it_is_taken_out(site: Site) -> None:
    _ready(site)
    site.clock.move(minutes=1)
    code = _json(run("team", "status", SLUG, "--json"))["join_code"]
    site.person("noor o'hara/x")
    teams.join(site.service, site.actor("noor o'hara/x"), SLUG, code)
    assert "code for joining" in run("team", "new-code", SLUG).err
    fresh = _json(run("team", "status", SLUG, "--json"))["join_code"]
    assert fresh != code
    removed = run("team", "remove", SLUG, "noor o'hara/x")
    assert removed.code == 0, removed.err
    shown = _json(run("team", "status", SLUG, "--json"))
    assert shown["members"] == ["mira"]
    assert shown["join_code"] not in (code, fresh)
    assert run("team", "remove", SLUG, "nobody").code == 2


def test_the_token_is_kept_for_its_owner_alone(site: Site, tmp_path: Path) -> None:
    _ready(site)
    kept = tmp_path / "config/iolai/client.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    account = json.loads(kept.read_text())["accounts"][SERVER]
    assert accounts.actor_of_token(site.service, account["token"]) is not None
    assert account["public_key"] == receipts.public_key(site.service)
    assert PASSWORD not in kept.read_text()
    again = run("team", "login", "mira", "--password-file", "password")
    assert account["token"] not in again.out + again.err
    assert run("team", "logout").code == 0
    kept_now = json.loads(kept.read_text())
    assert SERVER not in kept_now["accounts"]
    refused = run("team", "status", SLUG)
    assert refused.code == 2
    assert f"iolai team login NAME --server {SERVER}" in refused.err


def test_a_token_from_the_environment_goes_first(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOLAI_SERVER", SERVER)
    monkeypatch.setenv("IOLAI_TOKEN", "not a token")
    refused = run("team", "status", SLUG)
    assert refused.code == 2
    assert "The token is not valid." in refused.err


def test_a_receipt_is_verified_without_the_service(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ready(site)
    made = _json(run("submit", SLUG, "submission.csv", "--json"))
    assert run("team", "receipts", "show", made["id"], "--out", "receipt.json").code == 0
    monkeypatch.setattr(remote.Remote, "make_client", None)  # nobody can be asked
    verified = _json(run("team", "receipts", "verify", "receipt.json", "--json"))
    assert verified["valid"]
    assert verified["claims"]["submission"] == made["id"]
    file = tmp_path / "receipt.json"
    file.write_text(file.read_text().replace(made["id"], "another"), encoding="utf-8")
    changed = run("team", "receipts", "verify", "receipt.json")
    assert changed.code == 1
    assert "the signature does not fit" in changed.err
    other = run("team", "receipts", "verify", "receipt.json", "--public-key", "AAAA")
    assert other.code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("submit", SLUG), "name a file or folder, or else a --repository"),
        (("submit", SLUG, "absent.csv"), "there is no file absent.csv"),
        (("submit", SLUG, "absent.tar.gz"), "there is no file absent.tar.gz"),
        (("submit", SLUG, "config"), "config has no script.py"),
        (("submit", "winter", "submission.csv"), "there is no challenge 'winter'"),
        (("submit", SLUG, "password"), "hint:"),
        (("submit", SLUG, "--repository", "nothing"), "is no repository's id"),
        (("team", "select", SLUG, "nothing"), "has no submission 'nothing'"),
        (("team", "show", "nothing"), "there is no such submission"),
        (("team", "create", SLUG, "Another"), "you are in the team The stops"),
        (("team", "status", SLUG, "--server", "challenge.example.org"), "Begin with https://"),
    ],
)
def test_what_cannot_be_is_said_with_a_hint(site: Site, words: tuple[str, ...], said: str) -> None:
    _ready(site)
    outcome = run(*words)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_the_quota_is_said_with_the_time_it_ends(site: Site) -> None:
    _ready(site)
    for _ in range(3):
        assert run("submit", SLUG, "submission.csv").code == 0
    refused = run("submit", SLUG, "submission.csv")
    assert refused.code == 2
    assert "The next day begins at 2026-07-07T00:00Z" in refused.err


def test_a_folder_is_packed_and_uploaded_in_pieces(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ready(site)
    monkeypatch.setattr(remote, "_PIECE", 100)
    assert run("entry", "new", "entry").code == 0
    made = _json(run("submit", SLUG, "entry", "--json"))
    assert (made["kind"], made["source"]) == ("archive", "entry.tar.gz")
    assert site.service.blobs.has(made["sha256"])
    assert made["size"] > 300


class _Unsteady:
    """A client whose connection breaks at some of the pieces: before they arrive, or after."""

    def __init__(self, inner: TestClient, breaks: dict[int, str]) -> None:
        self.inner, self.breaks = inner, breaks
        self.offsets: list[int] = []

    def close(self) -> None:
        self.inner.close()

    def request(self, method: str, path: str, **options: Any) -> Any:
        how = ""
        if method == "PATCH":
            self.offsets.append(options["params"]["offset"])
            how = self.breaks.pop(len(self.offsets), "")
        if how != "before":
            answer = self.inner.request(method, path, **options)
        if how:
            raise httpx.ConnectError("the line is dead")
        return answer


def _unsteady(
    site: Site, monkeypatch: pytest.MonkeyPatch, breaks: dict[int, str]
) -> list[_Unsteady]:
    made: list[_Unsteady] = []

    def make(server: str, headers: dict[str, str]) -> _Unsteady:
        made.append(_Unsteady(site.client(base_url=server, headers=headers), breaks))
        return made[-1]

    monkeypatch.setattr(remote.Remote, "make_client", staticmethod(make))
    monkeypatch.setattr(remote.time, "sleep", lambda _: None)
    monkeypatch.setattr(remote, "_PIECE", 100)
    return made


def _archive(tmp_path: Path) -> Path:
    path = tmp_path / "entry.zip"
    path.write_bytes(b"PK\3\4" + bytes(range(256)) * 2)
    return path


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_lost_connection_is_tried_again(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    _ready(site)
    made = _unsteady(site, monkeypatch, {2: how, 4: how})
    archive = _archive(tmp_path)
    found = _json(run("submit", SLUG, str(archive), "--json"))
    assert site.service.blobs.read(found["sha256"]) == archive.read_bytes()
    sent = made[0].offsets
    # What was lost is sent again, what arrived is not.
    assert sent == ([0, 100, 100, 200, 200, 300, 400, 500] if how == "before" else
                    [0, 100, 200, 300, 400, 500])  # fmt: skip


def test_an_upload_that_was_broken_off_goes_on(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ready(site)
    made = _unsteady(site, monkeypatch, dict.fromkeys(range(3, 20), "before"))
    archive = _archive(tmp_path)
    broken = run("submit", SLUG, str(archive))
    assert broken.code == 2
    assert "nothing is lost, run the command again" in broken.err
    made[0].breaks.clear()
    found = _json(run("submit", SLUG, str(archive), "--json"))
    assert made[1].offsets == [200, 300, 400, 500]
    assert site.service.blobs.read(found["sha256"]) == archive.read_bytes()


def test_an_upload_that_hangs_is_listed_and_dropped(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ready(site)
    made = _unsteady(site, monkeypatch, dict.fromkeys(range(3, 20), "before"))
    assert run("submit", SLUG, str(_archive(tmp_path))).code == 2
    made[0].breaks.clear()
    (one,) = _json(run("team", "uploads", "--json"))
    assert (one["name"], one["offset"], one["size"], one["done"]) == ("entry.zip", 200, 516, False)
    assert f"{one['id']}  entry.zip  200 of 516 bytes" in run("team", "uploads").out
    dropped = run("team", "uploads", "--cancel", one["id"])
    assert (dropped.code, dropped.out) == (0, "")
    assert "The upload is dropped." in dropped.err
    assert run("team", "uploads", "--cancel", one["id"]).code == 2
    assert _json(run("team", "uploads", "--json")) == []


@pytest.mark.parametrize("odd", ["", " ", ".", "..", "../account", "a/b", "a?b", "a#b", "%2e", "é"])
@pytest.mark.parametrize(
    "words",
    [
        ["team", "uploads", "--cancel"],
        ["team", "show"],
        ["team", "wait"],
        ["team", "log"],
        ["team", "receipts", "show"],
        ["team", "status"],
        ["team", "leave"],
    ],
    ids=" ".join,
)
def test_what_is_no_id_goes_into_no_address(words: list[str], odd: str) -> None:
    refused = run(*words, odd, "--server", "http://127.0.0.1:9")
    assert refused.code == 2
    assert "letters, digits and hyphens" in " ".join(refused.err.replace("│", " ").split())


def test_what_was_handed_in_is_shown_with_its_commit_and_note(site: Site) -> None:
    _ready(site)
    commit = "0123456789abcdef" * 2 + "01234567"
    asked = ("--repository", "mira/glottal", "--revision", commit, "--note", "third try")
    made = _json(run("submit", SLUG, *asked, "--json"))
    shown = run("team", "show", made["id"]).out.replace("\n", " ")
    assert f"from: mira/glottal at {commit}" in shown
    assert "note: third try" in shown
    page = site.logged_in("mira").get(f"/submissions/{made['id']}").text
    for text in ("mira/glottal", commit, "third try"):
        assert text in page


def test_a_service_that_is_none_is_told_apart(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    _ready(site)

    class _Other:
        def request(self, *_: Any, **__: Any) -> httpx.Response:
            return httpx.Response(502, text="<html>Bad gateway</html>")

        def close(self) -> None:
            pass

    monkeypatch.setattr(remote.Remote, "make_client", staticmethod(lambda *_: _Other()))
    refused = run("team", "status", SLUG)
    assert refused.code == 2
    assert "the service answered 502" in refused.err
    assert "html" not in refused.err


def test_nothing_is_known_at_first(site: Site) -> None:
    refused = run("team", "status", SLUG)
    assert refused.code == 2
    assert "no service is named" in refused.err
