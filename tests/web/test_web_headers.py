"""Security headers on every answer, sizes of bodies, crashes that say nothing."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from iolai.challenge import challenges
from iolai.web import create_app
from iolai.web.headers import FORM_BYTES, PREDICTIONS_BYTES
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
