"""Security headers on every answer, sizes of bodies, crashes that say nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from iolai.challenge import challenges
from iolai.web import create_app
from iolai.web.headers import FORM_BYTES, PREDICTIONS_BYTES, VISITOR_BYTES, Guard, Room
from site_for_tests import Site, form_text

PAGES = (
    "/",
    "/challenges/summer",
    "/challenges/none",
    "/nowhere",
    "/login",
    "/account",
    "/static/site.css",
    "/static/none.css",
    "/api/v1/challenges",
    "/api/v1/none",
    "/api/v1/openapi.json",
)


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_has_the_headers(site: Site, path: str) -> None:
    headers = site.visitor().get(path).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    for part in ("frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"):
        assert part in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    kept = path.startswith("/static/site")
    assert headers["cache-control"] == (
        "public, max-age=31536000, immutable" if kept else "no-store"
    )
    assert "strict-transport-security" not in headers


def test_https_is_insisted_on_where_it_is_there(site: Site) -> None:
    browser = TestClient(create_app(site.service, secure=True))
    assert browser.get("/").headers["strict-transport-security"] == "max-age=31536000"


def test_pages_have_no_script_or_style_inside(site: Site) -> None:
    for path in PAGES[:6]:
        page = site.visitor().get(path).text
        assert "<style" not in page
        assert "style=" not in page
        assert page.count("<script") == page.count('<script src="/static/')
        assert " onclick" not in page
        assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in page


def test_a_body_that_announces_too_much_is_not_read(site: Site) -> None:
    browser = site.person("mira")
    headers = {"content-length": str(FORM_BYTES + 1)}
    answer = browser.post("/account/tokens", content=b"x", headers=headers)
    assert answer.status_code == 413
    assert "content-security-policy" in answer.headers


def test_a_body_that_goes_on_too_long_is_cut(site: Site) -> None:
    program = site.program("mira")
    pieces = (b"x" * 65536 for _ in range(FORM_BYTES // 65536 + 1))  # no length announced
    answer = program.post("/api/v1/tokens", content=pieces)
    assert answer.status_code == 413
    assert answer.json()["title"] in ("Content Too Large", "Request Entity Too Large")


def test_predictions_may_be_larger_than_a_form(site: Site) -> None:
    program = site.program("mira")
    path = "/api/v1/challenges/summer/submissions/predictions"
    assert program.post(path, content=b"x" * (FORM_BYTES + 1)).status_code == 403
    announced = {"content-length": str(PREDICTIONS_BYTES + 1)}
    assert program.post(path, content=b"x", headers=announced).status_code == 413


def test_a_crash_says_nothing_and_logs_no_values(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def crash(*_: object) -> None:
        reference = "the secret reference"
        raise RuntimeError(f"cannot digest {reference}")

    monkeypatch.setattr(challenges, "list_challenges", crash)
    for path in ("/", "/api/v1/challenges"):
        caplog.clear()
        answer = site.visitor().get(path)
        assert answer.status_code == 500
        assert "content-security-policy" in answer.headers
        assert "secret" not in answer.text
        assert "secret" not in caplog.text
        assert "RuntimeError" in caplog.text
        assert "test_web_headers.py" in caplog.text
    assert answer.json()["hint"].startswith("This is a fault of the service")


def test_static_files_are_ours_alone(site: Site) -> None:
    browser = site.visitor()
    for name in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "base.html.j2", ""):
        assert browser.get(f"/static/{name}").status_code == 404
    assert b"htmx" in browser.get("/static/htmx.min.js").content
    assert "Zero-Clause BSD" in browser.get("/static/htmx-LICENSE.txt").text


def test_a_problem_says_what_to_do(site: Site) -> None:
    answer = site.visitor().post("/api/v1/tokens", json={"name": "x", "more": 1})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "detail", "hint"}
    assert "password" in answer.json()["detail"]


def test_a_form_that_lacks_a_field_gets_a_page(site: Site) -> None:
    browser = site.person("mira")
    answer = browser.post("/account/tokens", data={"csrf": form_text(browser, "/account")})
    assert answer.status_code == 422
    assert "name" in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_a_refused_form_leads_back_to_its_page_and_nowhere_else(site: Site) -> None:
    browser = site.person("mira")
    path = "/challenges/summer/team"
    data = {"csrf": form_text(browser, path), "code": "none"}

    def sent(referer: str) -> str:
        return browser.post(f"{path}/join", data=data, headers={"referer": referer}).text

    assert f'<a href="{path}">Back</a>' in sent(f"http://testserver{path}")
    for other in ("https://evil.example/x", "http://testserver//evil.example", "", "nonsense"):
        assert "evil" not in sent(other)
    assert "No team has this join code" in sent("")


def test_a_visitors_larger_body_is_not_read(site: Site) -> None:
    """Nobody without an account makes the service hold more than a form of a visitor's."""

    def body() -> Iterator[bytes]:
        return (b"x" * 65536 for _ in range(40))

    visitor = site.visitor()
    for path in (
        "/api/v1/challenges/summer/submissions/predictions",
        "/api/v1/challenges/summer/proposals/key",
        "/api/v1/uploads/none",
        "/challenges/summer/submit/archive",
        "/login",
    ):
        announced = {"content-length": str(VISITOR_BYTES + 1)}
        answer = visitor.post(path, content=b"x", headers=announced)
        assert (path, answer.status_code) == (path, 401)
        form = {"content-type": "multipart/form-data; boundary=b"}
        assert visitor.post(path, content=body(), headers=form).status_code in (400, 403, 405, 413)
    bad = {"authorization": "Bearer none", "content-length": str(VISITOR_BYTES + 1)}
    answer = visitor.post("/api/v1/tokens", content=b"x", headers=bad)
    assert answer.status_code == 401


def _body_of(n_bytes: int, read: list[int]) -> Receive:
    """A body that says how much of it was asked for."""

    async def receive() -> Message:
        size = min(65536, n_bytes - sum(read))
        read.append(size)
        return {"type": "http.request", "body": b"x" * size, "more_body": sum(read) < n_bytes}

    return receive


@pytest.mark.parametrize(
    ("name", "path", "status"),
    [
        ("mira", "/api/v1/challenges/summer/submissions/predictions", 403),
        ("mira", "/api/v1/challenges/summer/proposals/key?reason=x", 403),
        ("mira", "/api/v1/challenges/none/submissions/predictions", 404),
        ("mira", "/api/v1/uploads/none?offset=0", 404),
    ],
)
def test_who_may_not_send_is_refused_before_the_body_is_read(
    site: Site, name: str, path: str, status: int
) -> None:
    token = site.program(name).headers["authorization"]
    read: list[int] = []
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    where, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": "PATCH" if "uploads" in path else "POST",
        "path": where,
        "query_string": query.encode(),
        "headers": [
            (b"authorization", token.encode()),
            (b"content-length", str(FORM_BYTES * 8).encode()),
        ],
        "client": ("192.0.2.7", 5000),
        "server": ("testserver", 80),
        "scheme": "http",
        "root_path": "",
    }
    asyncio.run(site.app(scope, _body_of(FORM_BYTES * 8, read), send))
    assert sent[0]["status"] == status
    assert sum(read) == 0


def test_bodies_in_memory_at_once_are_bounded_for_each_account_and_in_all() -> None:
    """Of many bodies that come at once, those are refused for which there is no room."""

    async def play(accounts: list[str], n_bytes: int) -> list[int]:
        waiting = asyncio.Event()
        n_whole = 0

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal n_whole
            while (await receive()).get("more_body"):
                await asyncio.sleep(0)
            n_whole += 1
            await waiting.wait()

        async def who(request: Request) -> str:
            return request.headers["x-account"]

        refused: list[int] = []

        def on_crash(request: Request, error: Exception) -> Response:
            assert isinstance(error, HTTPException)
            refused.append(error.status_code)
            return Response(status_code=error.status_code)

        guard = Guard(
            app, secure=False, on_crash=on_crash, who=who, roomy=(Room("/", "", n_bytes),)
        )

        async def send(_: Message) -> None: ...

        async def ask(account: str) -> None:
            headers = [
                (b"x-account", account.encode()),
                (b"content-length", str(n_bytes).encode()),
            ]
            scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
            await guard(scope, _body_of(n_bytes, []), send)

        tasks = [asyncio.create_task(ask(one)) for one in accounts]
        async with asyncio.timeout(30):  # where one fails in another way, nobody is waited for
            while n_whole + len(refused) < len(accounts):
                await asyncio.sleep(0)
        waiting.set()
        await asyncio.gather(*tasks)
        assert not guard.held
        assert set(refused) <= {503}
        return [n_whole, len(refused)]

    size = 16 << 20
    assert asyncio.run(play(["one"] * 9, size)) == [6, 3]
    n_whole, n_refused = asyncio.run(play([str(n) for n in range(20)], size))
    assert 1 <= n_whole <= 16
    assert n_refused == 20 - n_whole


def test_a_body_that_falls_silent_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iolai.web.headers._SILENT_S", 0.05)
    sent: list[Message] = []

    async def receive() -> Message:
        await asyncio.sleep(3600)
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/tokens",
        "query_string": b"",
        "headers": [(b"content-length", b"20"), (b"content-type", b"application/json")],
        "client": ("192.0.2.7", 5000),
        "server": ("testserver", 80),
        "scheme": "http",
        "root_path": "",
    }
    asyncio.run(site.app(scope, receive, send))
    assert sent[0]["status"] == 408


def test_head_is_get_without_its_body_over_http(address: str) -> None:
    """Through a real server too, which counts the bytes of a body by itself."""
    import http.client

    where = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    for path in ("/healthz", "/metrics", "/", "/static/site.css", "/nowhere"):
        where.request("GET", path)
        got = where.getresponse()
        body = got.read()
        where.request("HEAD", path)
        head = where.getresponse()
        assert (head.status, head.read()) == (got.status, b"")
        assert head.getheader("content-length") == str(len(body)) or path == "/metrics"
    where.request("HEAD", "/logout")
    refused = where.getresponse()
    assert (refused.status, refused.read(), refused.getheader("allow")) == (405, b"", "POST")
    where.request("POST", "/healthz")
    refused = where.getresponse()
    refused.read()
    assert (refused.status, refused.getheader("allow")) == (405, "GET, HEAD")
    where.close()
