"""Who may do what, as one table: every route of the application has a row, every role is tried.

``yes`` stands for an answer that let the request through (it may still find fault with it), ``no``
for a refusal (on a page: the way to the log-in), ``hidden`` for "there is no such thing".
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy import text
from starlette.testclient import TestClient

from iolai.challenge import accounts, proposals, submissions, teams, uploads
from iolai.challenge.service import Actor, open_service
from iolai.records import Role
from iolai.web import create_app
from jury_for_tests import one_paper
from site_for_tests import PASSWORD, SLUG, Clock, Site, form_text, predictions

VISITOR, STRANGER, MEMBER, RIVAL = "visitor", "stranger", "member", "rival"
JUROR, OUTSIDER, ORGANISER, ADMIN = "juror", "outsider", "organiser", "admin"
PEOPLE = {
    STRANGER: Role.PARTICIPANT,
    MEMBER: Role.PARTICIPANT,
    RIVAL: Role.PARTICIPANT,
    JUROR: Role.JUROR,
    OUTSIDER: Role.JUROR,
    ORGANISER: Role.ORGANISER,
    ADMIN: Role.ADMIN,
}
ALL = frozenset({VISITOR, *PEOPLE})
ACCOUNTS = ALL - {VISITOR}
PARTICIPANTS = frozenset({STRANGER, MEMBER, RIVAL})
TEAMS = frozenset({MEMBER, RIVAL})
DESK = frozenset({ORGANISER, ADMIN})
OWN = frozenset({MEMBER, *DESK})
JURORS, JURY = frozenset({JUROR, OUTSIDER}), frozenset({JUROR, OUTSIDER, *DESK})
PAIR = frozenset({JUROR})
CHALLENGE = "/challenges/{slug}"
PAPER, MANAGE = "/challenges/{slug}/jury/papers/{paper}", "/challenges/{slug}/jury/manage"
TALK = {"criterion": "1000101-t1", "client_id": "abcdefgh", "points": "1", "reason": "so"}
ACCEPTED = {"criterion": "1000101-t1", "client_id": "abcdefgh", "proposal": 1}
ESCALATED = {"criterion": "1000101-t1", "client_id": "abcdefgh"}
SAID = {"criterion": "1000101-t1", "client_id": "abcdefgh", "points": 1, "reason": "so"}


@dataclass(frozen=True)
class Row:
    """A route: who is let through, how the others are refused, what is sent.

    ``changes`` says that a request which is let through leaves the service another than before.
    """

    route: str
    allowed: frozenset[str] = ALL
    refused: str = "no"
    form: Mapping[str, Any] | None = None
    json: Any = None
    content: bytes = b""
    query: str = ""
    changes: bool = False
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)


WHY = {"reason": "because"}
NUMBER = {"number": "{paper}", **WHY}
PERSON = {"name": "x", "problem": "1000101"}
PAGE = {"files": ("a.txt", b"x")}
FILE = {"file": ("submission.csv", predictions(1))}
NEW = {"name": "newcomer", "password": PASSWORD}
PAGES = (
    Row("GET /"),
    Row("GET /api"),
    Row("GET /static/{name}"),
    Row("GET /healthz"),
    Row("GET /metrics", frozenset(), "hidden"),
    Row("GET /login"),
    Row("GET /register"),
    Row("POST /login", form={"name": "member", "password": PASSWORD}, changes=True),
    Row("POST /register", form=NEW, changes=True),
    Row("POST /logout", form={}, changes=True),
    Row("GET /account", ACCOUNTS),
    Row("POST /account/tokens", ACCOUNTS, form={"name": "mine"}, changes=True),
    Row("POST /account/tokens/{token}/revoke", frozenset({MEMBER}), "other", form={}, changes=True),
    Row("POST /account/password", ACCOUNTS, form={"old": PASSWORD, "new": PASSWORD}, changes=True),
    Row(f"GET {CHALLENGE}"),
    Row(f"GET {CHALLENGE}/problems"),
    Row(f"GET {CHALLENGE}/problems/{{number}}"),
    Row(f"GET {CHALLENGE}/board"),
    Row(f"GET {CHALLENGE}/board/{{team}}"),
    Row(f"GET {CHALLENGE}/team", PARTICIPANTS),
    Row(f"POST {CHALLENGE}/team/create", PARTICIPANTS, form={"name": "New"}, changes=True),
    Row(f"POST {CHALLENGE}/team/join", PARTICIPANTS, form={"code": "{code}"}, changes=True),
    Row(f"POST {CHALLENGE}/team/leave", TEAMS, "hidden", form={}, changes=True),
    Row(f"POST {CHALLENGE}/team/join-code", TEAMS, "hidden", form={}, changes=True),
    Row(f"POST {CHALLENGE}/team/remove", TEAMS, "hidden", form={"name": "x"}, changes=True),
    Row(f"POST {CHALLENGE}/team/select", TEAMS, form={}, changes=True),
    Row(f"GET {CHALLENGE}/team/selection-receipt", TEAMS, "hidden"),
    Row(f"POST {CHALLENGE}/submit/predictions", TEAMS, form={}, files=FILE, changes=True),
    Row(f"POST {CHALLENGE}/submit/archive", TEAMS, form={}, files=FILE, changes=True),
    Row(f"POST {CHALLENGE}/submit/repository", TEAMS, form={"repository": "a/b"}, changes=True),
    Row("GET /submissions/{submission}", OWN, "hidden"),
    Row("GET /submissions/{submission}/live", OWN, "hidden"),
    Row("GET /submissions/{submission}/receipt", OWN, "hidden"),
    Row("GET /submissions/{submission}/log", OWN, "hidden"),
    Row(f"GET {CHALLENGE}/desk", DESK),
    Row(f"GET {CHALLENGE}/desk/live", DESK),
    Row(f"GET {CHALLENGE}/desk/audit", DESK),
    Row(f"POST {CHALLENGE}/desk/phase", DESK, form={"phase": "open", **WHY}, changes=True),
    Row(f"POST {CHALLENGE}/desk/publish", DESK, form=WHY, changes=True),
    Row(f"POST {CHALLENGE}/desk/rejudge", DESK, form=WHY, changes=True),
    Row(f"POST {CHALLENGE}/desk/key", DESK, form=WHY, files=FILE, changes=True),
    Row(f"GET {CHALLENGE}/desk/proposals/{{proposal}}", DESK),
    Row(f"POST {CHALLENGE}/desk/proposals/{{proposal}}/apply", DESK, form={}, changes=True),
    Row(f"POST {CHALLENGE}/desk/proposals/{{proposal}}/cancel", DESK, form={}, changes=True),
    Row(f"POST {CHALLENGE}/desk/teams/{{team}}/disqualify", DESK, form=WHY, changes=True),
    Row(f"POST {CHALLENGE}/desk/teams/{{team}}/reinstate", DESK, form=WHY, changes=True),
    Row(f"GET {CHALLENGE}/jury", JURY),
    Row(f"GET {CHALLENGE}/jury/results", JURY, "hidden"),
    Row(f"GET {CHALLENGE}/jury/packets/{{problem}}", PAIR | DESK, "other"),
    Row(f"GET {CHALLENGE}/jury/packets/{{problem}}/pdf", PAIR | DESK, "other"),
    Row(f"GET {PAPER}", PAIR, "other"),
    Row(f"GET {PAPER}/pages/{{page}}", PAIR, "other"),
    Row(f"POST {PAPER}/marks", PAIR, "other", form={}, json={"marks": []}, changes=True),
    Row(f"POST {PAPER}/save", PAIR, "other", form={"p-1000101-t1": "1"}, changes=True),
    Row(f"GET {PAPER}/talk", PAIR, "other"),
    Row(f"POST {PAPER}/talk/{{step}}", PAIR, "other", form=TALK, changes=True),
    Row(f"GET {MANAGE}", DESK),
    Row(f"GET {MANAGE}/explanations", DESK),
    Row(f"GET {MANAGE}/export", DESK),
    Row(f"GET {MANAGE}/rubrics/{{problem}}", DESK),
    Row(f"POST {MANAGE}/rubrics/{{problem}}", DESK, form={"text": "x"}, changes=True),
    Row(f"POST {MANAGE}/select", DESK, form=WHY, changes=True),
    Row(f"POST {MANAGE}/people", DESK, form=PERSON, files=PAGE, changes=True),
    Row(f"GET {MANAGE}/contestants/{{contestant}}", DESK),
    Row(f"GET {MANAGE}/contestants/{{contestant}}/pages/{{problem}}/{{page}}", DESK),
    Row(f"POST {MANAGE}/contestants/{{contestant}}/withdraw", DESK, form=WHY, changes=True),
    Row(f"POST {MANAGE}/groups", DESK, form={"problem": "1000101"}, changes=True),
    Row(f"POST {MANAGE}/conflicts", DESK, form={"juror": "x", "contestant": "y"}, changes=True),
    Row(f"POST {MANAGE}/settings", DESK, form={"gold": "70"}, changes=True),
    Row(f"POST {MANAGE}/people-table", DESK, form={}, files=FILE, changes=True),
    Row(f"POST {MANAGE}/begin", DESK, form=WHY, changes=True),
    Row(f"POST {MANAGE}/replace", DESK, form={"juror": "juror", **WHY}, changes=True),
    Row(f"POST {MANAGE}/reopen", DESK, form={**NUMBER, "juror": "juror"}, changes=True),
    Row(f"POST {MANAGE}/withdraw-paper", DESK, form=NUMBER, changes=True),
    Row(f"POST {MANAGE}/unseal", DESK, form=WHY, changes=True),
    Row(f"POST {MANAGE}/open", frozenset({ADMIN}), form=NUMBER, changes=True),
    Row(f"POST {MANAGE}/release", DESK, form=WHY, changes=True),
)
API = (
    Row("GET /openapi.json"),
    Row("GET /service"),
    Row("POST /accounts", json=NEW, changes=True),
    Row("GET /accounts", frozenset({ADMIN})),
    Row("PUT /accounts/{name}/role", frozenset({ADMIN}), json={"role": "juror"}, changes=True),
    Row("GET /account", ACCOUNTS),
    Row("PUT /account/password", ACCOUNTS, json={"old": PASSWORD, "new": PASSWORD}, changes=True),
    Row("POST /tokens", json={"name": "member", "password": PASSWORD}, changes=True),
    Row("GET /tokens", ACCOUNTS),
    Row("DELETE /tokens/{token}", frozenset({MEMBER}), "other", changes=True),
    Row("GET /challenges"),
    Row(f"GET {CHALLENGE}"),
    Row(f"GET {CHALLENGE}/problems"),
    Row(f"GET {CHALLENGE}/board"),
    Row(f"GET {CHALLENGE}/board/public"),
    Row(f"GET {CHALLENGE}/board/final", DESK, "hidden"),
    Row(f"GET {CHALLENGE}/board/teams/{{team}}"),
    Row(f"GET {CHALLENGE}/team", TEAMS, "hidden"),
    Row(f"POST {CHALLENGE}/team", PARTICIPANTS, json={"name": "New"}, changes=True),
    Row(f"POST {CHALLENGE}/team/members", PARTICIPANTS, json={"code": "{code}"}, changes=True),
    Row(f"DELETE {CHALLENGE}/team/members/me", TEAMS, "hidden", changes=True),
    Row(
        f"POST {CHALLENGE}/team/members/remove", TEAMS, "hidden", json={"name": "x"}, changes=True
    ),
    Row(f"POST {CHALLENGE}/team/join-code", TEAMS, "hidden", changes=True),
    Row(f"PUT {CHALLENGE}/team/selection", TEAMS, json={"submissions": []}, changes=True),
    Row(
        f"POST {CHALLENGE}/submissions/predictions", TEAMS, content=predictions(1), changes=True
    ),
    Row(
        f"POST {CHALLENGE}/submissions/archive",
        frozenset({MEMBER}),
        "other",
        json={"upload": "{upload}"},
        changes=True,
    ),
    Row(
        f"POST {CHALLENGE}/submissions/repository", TEAMS, json={"repository": "a/b"}, changes=True
    ),
    Row("GET /submissions/{submission}", OWN, "hidden"),
    Row("GET /submissions/{submission}/log", OWN, "hidden"),
    Row("GET /submissions/{submission}/receipt", OWN, "hidden"),
    Row(
        "POST /uploads", PARTICIPANTS, json={"name": "x", "size": 1, "sha256": "0" * 64},
        changes=True,
    ),
    Row("GET /uploads", PARTICIPANTS),
    Row("GET /uploads/{upload}", frozenset({MEMBER}), "other"),
    Row("PATCH /uploads/{upload}", frozenset({MEMBER}), "other", query="offset=0", changes=True),
    Row("DELETE /uploads/{upload}", frozenset({MEMBER}), "other", changes=True),
    Row("GET /queue", DESK),
    Row(f"GET {CHALLENGE}/teams", DESK),
    Row(f"GET {CHALLENGE}/events", DESK),
    Row(f"PUT {CHALLENGE}/phase", DESK, json={"phase": "open", **WHY}, changes=True),
    Row(f"POST {CHALLENGE}/publication", DESK, json=WHY, changes=True),
    Row(f"GET {CHALLENGE}/proposals", DESK),
    Row(f"POST {CHALLENGE}/proposals/rejudge", DESK, json=WHY, changes=True),
    Row(f"POST {CHALLENGE}/proposals/key", DESK, content=b"x", query="reason=y", changes=True),
    Row("GET /proposals/{proposal}", DESK),
    Row("POST /proposals/{proposal}/apply", DESK, changes=True),
    Row("POST /proposals/{proposal}/cancel", DESK, json=WHY, changes=True),
    Row(f"POST {CHALLENGE}/teams/{{team}}/disqualify", DESK, json=WHY, changes=True),
    Row(f"POST {CHALLENGE}/teams/{{team}}/reinstate", DESK, json=WHY, changes=True),
    Row(f"GET {CHALLENGE}/jury", JURY),
    Row(f"GET {CHALLENGE}/jury/queue", JURY),
    Row(f"GET {PAPER}", PAIR, "other"),
    Row(f"GET {PAPER}/pages/{{page}}", PAIR, "other"),
    Row(f"POST {PAPER}/marks", PAIR, "other", json={"marks": []}, changes=True),
    Row(f"GET {PAPER}/talk", PAIR, "other"),
    Row(f"POST {PAPER}/talk/proposals", PAIR, "other", json=SAID, changes=True),
    Row(f"POST {PAPER}/talk/acceptances", PAIR, "other", json=ACCEPTED, changes=True),
    Row(f"POST {PAPER}/talk/escalations", PAIR, "other", json=ESCALATED, changes=True),
    Row(f"POST {PAPER}/talk/decisions", frozenset(), "other", json=SAID, changes=True),
    Row(f"GET {CHALLENGE}/jury/result", JURY, "hidden"),
    Row(f"GET {CHALLENGE}/jury/settings", DESK),
    Row(f"PUT {CHALLENGE}/jury/settings", DESK, json={}, changes=True),
    Row(f"PUT {CHALLENGE}/jury/people", DESK, json={"text": "x"}, changes=True),
    Row(f"GET {CHALLENGE}/jury/rubrics", DESK),
    Row(f"PUT {CHALLENGE}/jury/rubrics/{{problem}}", DESK, json={"text": "x"}, changes=True),
    Row(f"POST {CHALLENGE}/jury/rubrics/{{problem}}/preview", DESK, json={"text": "x"}),
    Row(
        f"POST {CHALLENGE}/jury/rubrics/{{problem}}/amendment", DESK,
        json={"text": "x", **WHY}, changes=True,
    ),
    Row(f"GET {CHALLENGE}/jury/entries", DESK),
    Row(f"GET {CHALLENGE}/jury/explanations", DESK),
    Row(f"PUT {CHALLENGE}/jury/selection", DESK, json={"teams": [], **WHY}, changes=True),
    Row(f"GET {CHALLENGE}/jury/contestants", DESK),
    Row(f"GET {CHALLENGE}/jury/contestants/{{contestant}}", DESK),
    Row(f"POST {CHALLENGE}/jury/contestants/{{contestant}}/withdraw", DESK, json=WHY, changes=True),
    Row(f"GET {CHALLENGE}/jury/groups", DESK),
    Row(f"PUT {CHALLENGE}/jury/groups/{{problem}}", DESK, json={"jurors": []}, changes=True),
    Row(f"GET {CHALLENGE}/jury/conflicts", DESK),
    Row(
        f"POST {CHALLENGE}/jury/conflicts", DESK,
        json={"juror": "juror", "contestant": "{contestant}"}, changes=True,
    ),
    Row(f"GET {CHALLENGE}/jury/progress", DESK),
    Row(f"POST {CHALLENGE}/jury/beginning", DESK, json=WHY, changes=True),
    Row(f"POST {CHALLENGE}/jury/replacements", DESK, json={"juror": "juror", **WHY}, changes=True),
    Row(
        f"POST {CHALLENGE}/jury/reopenings", DESK,
        json={**NUMBER, "juror": "juror"}, changes=True,
    ),
    Row(f"POST {CHALLENGE}/jury/withdrawals", DESK, json=NUMBER, changes=True),
    Row(f"POST {CHALLENGE}/jury/unsealing", DESK, json=WHY, changes=True),
    Row(
        f"POST {CHALLENGE}/jury/unsealing/early", frozenset({ADMIN}),
        json=NUMBER, changes=True,
    ),
    Row(f"POST {CHALLENGE}/jury/release", DESK, json=WHY, changes=True),
)  # fmt: skip


def _api(row: Row) -> str:
    method, path = row.route.split(" ")
    return f"{method} /api/v1{path}"


ROWS = {row.route: row for row in PAGES} | {_api(row): row for row in API}


@dataclass
class World:
    """A service with two teams, as a folder to copy, and everybody's session and token."""

    folder: Path
    names: dict[str, str]
    sessions: dict[str, dict[str, str]]
    tokens: dict[str, str]
    clock: Clock

    def open(self, folder: Path) -> Site:
        service = open_service(folder / "home", now=self.clock)
        return Site(service, create_app(service), self.clock, folder)

    def client(self, site: Site, role: str, *, api: bool) -> TestClient:
        client = site.visitor()
        if api:
            if role != VISITOR:
                client.headers["authorization"] = f"Bearer {self.tokens[role]}"
        elif role != VISITOR:
            client.cookies.update(self.sessions[role])
        return client


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, made_home: Path) -> World:
    folder = tmp_path_factory.mktemp("world")
    shutil.copytree(made_home, folder, dirs_exist_ok=True)
    world = World(folder, {"slug": SLUG, "number": "1", "name": "site.css"}, {}, {}, Clock())
    site = world.open(folder)
    for name, role in PEOPLE.items():
        world.sessions[name] = dict(site.person(name, role).cookies)
        world.tokens[name] = accounts.make_token(site.service, site.actor(name), "t").token
    site.clock.set(6)
    for name in (MEMBER, RIVAL):
        team = teams.create_team(site.service, site.actor(name), SLUG, f"Team of {name}")
        made = submissions.submit_predictions(
            site.service, site.actor(name), SLUG, predictions(4), "a note"
        )
        if name == MEMBER:
            world.names |= {"team": team.id, "submission": made.submission.id}
            world.names["code"] = team.join_code
    site.run_all()
    mine = site.actor(MEMBER)
    token = accounts.list_tokens(site.service, mine)[0].id
    upload = uploads.begin(site.service, mine, "a.zip", 4, hashlib.sha256(b"PK\3\4").hexdigest())
    uploads.append(site.service, mine, upload.id, 0, [b"PK\3\4"])
    proposal = proposals.propose_rejudge(site.service, Actor.local(), SLUG, None, "to be sure")
    world.names |= {"token": token, "upload": upload.id, "proposal": proposal.id}
    world.names |= {**one_paper(site, JUROR), "page": "1", "step": "propose"}
    site.service.close()
    return world


@pytest.fixture(scope="module")
def shared(world: World) -> Iterator[Site]:
    site = world.open(world.folder)
    yield site
    site.service.close()


def _path(world: World, name: str) -> str:
    """Return the path of a row with the ids of the world in it."""
    path = name.split(" ")[1]
    for key, value in world.names.items():
        path = path.replace(f"{{{key}}}", value)
    if "/accounts/" in path:
        path = path.replace("site.css", STRANGER)
    assert "{" not in path
    return path


def _ask(world: World, site: Site, name: str, role: str) -> str:
    """Send the request of a row in a role, and say what became of it."""
    row, api = ROWS[name], "/api/v1/" in name
    method, path = name.split(" ")[0], _path(world, name)
    client = world.client(site, role, api=api)
    sent: dict[str, Any] = {}
    if row.form is not None and row.json is not None:
        sent["headers"] = {"x-csrf-token": form_text(client, "/login")}
    elif row.form is not None:
        sent["data"] = {**_filled(world, row.form), "csrf": form_text(client, "/login")}
        if row.files:
            sent["files"] = row.files
    if row.json is not None:
        sent["json"] = _as_numbers(_filled(world, row.json))
    if row.content:
        sent["content"] = row.content
    answer = client.request(method, f"{path}?{row.query}" if row.query else path, **sent)
    if method == "GET" and _has_head(name, role, row):
        head = client.head(path)
        assert (head.status_code, head.content) == (answer.status_code, b""), role
        for header in ("content-type", "location", "content-disposition", "cache-control"):
            assert head.headers.get(header) == answer.headers.get(header), (role, header)
    if answer.status_code == 303 and answer.headers["location"].startswith("/login"):
        return "no"
    known = {401: "no", 403: "no", 404: "hidden"}
    if answer.status_code in known:
        return known[answer.status_code]
    assert answer.status_code in (200, 201, 204, 303, 409, 422), (answer.status_code, answer.text)
    return "yes"


def _has_head(name: str, role: str, row: Row) -> bool:
    """Say whether HEAD is tried too: always, but a PDF is made for one of those who may have it."""
    return not name.endswith("/pdf") or role == JUROR or role not in row.allowed


def _as_numbers(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Make the numbers of papers numbers: the API takes nothing else for one."""
    return {key: int(value) if key == "number" else value for key, value in sent.items()}


def _filled(world: World, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Put the ids of the world where ``{upload}`` and the like stand."""
    return {
        key: world.names[value[1:-1]] if str(value).startswith("{") else value
        for key, value in sent.items()
    }


def _last_event(site: Site) -> int:
    with site.service.store.read() as connection:
        query = text("select coalesce(max(id), 0) from event where kind <> 'login_failed'")
        return int(connection.execute(query).scalar_one())


def _plain(path: str) -> str:
    for name in ("submission", "team", "proposal", "upload", "token", "contestant"):
        path = path.replace(f"{{{name}_id}}", f"{{{name}}}")
    return path.replace("papers/{number}", "papers/{paper}")


def test_every_route_has_a_row(shared: Site) -> None:
    found = {
        f"{method} {_plain(route.path or '')}"
        for route in iter_route_contexts(shared.app.routes)
        for method in route.methods or ()
        if method != "HEAD"
    }
    assert found == set(ROWS)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.system("pango")) if name.endswith("/pdf") else name
        for name in sorted(ROWS)
    ],
)
def test_roles(world: World, shared: Site, tmp_path: Path, name: str) -> None:
    row = ROWS[name]
    before = _last_event(shared)
    for role in sorted(ALL - row.allowed):
        got = _ask(world, shared, name, role)
        # "other": refused, as unknown where the role could have one, else as forbidden
        assert got in (("no", "hidden") if row.refused == "other" else (row.refused,)), role
    assert _last_event(shared) == before, "a refused request left an event"
    site = shared
    if row.changes:
        shutil.copytree(world.folder, tmp_path, dirs_exist_ok=True)
        site = world.open(tmp_path)
    for role in sorted(row.allowed):
        assert _ask(world, site, name, role) == "yes", role
    if site is not shared:
        site.service.close()
