"""Logging in and out, registering, tokens; forms that are not ours; cookies."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from iolai.challenge import accounts, teams
from iolai.challenge.service import Actor
from iolai.records import Role
from iolai.web import create_app
from iolai.web.asking import local_path
from site_for_tests import PASSWORD, SLUG, Site, form_text


def _log_in(browser: TestClient, name: str, password: str = PASSWORD, **more: str) -> int:
    data = {"name": name, "password": password, "csrf": form_text(browser, "/login"), **more}
    return browser.post("/login", data=data).status_code


def test_registering_logs_in_and_leads_back(site: Site) -> None:
    browser = site.visitor()
    page = browser.get("/register?next=/challenges/summer/team").text
    assert 'value="/challenges/summer/team"' in page
    data = {"name": "Mira", "password": PASSWORD, "next": "/challenges/summer/team"}
    data["csrf"] = form_text(browser, "/register")
    answer = browser.post("/register", data=data)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/challenges/summer/team"
    assert "Mira" in browser.get("/account").text


def test_a_taken_name_keeps_the_form_and_says_what_to_do(site: Site) -> None:
    site.person("Mira")
    browser = site.visitor()
    data = {"name": "mira ", "password": PASSWORD, "csrf": form_text(browser, "/register")}
    answer = browser.post("/register", data=data)
    assert answer.status_code == 409
    assert "is taken" in answer.text
    assert 'role="alert"' in answer.text
    assert 'value="mira "' in answer.text
    assert PASSWORD not in answer.text


def test_a_wrong_password_is_refused(site: Site) -> None:
    site.person("mira")
    browser = site.visitor()
    assert _log_in(browser, "mira", "wrong password 1") == 403
    assert browser.get("/account").status_code == 303


def test_too_many_tries_are_refused_with_a_time(site: Site) -> None:
    browser = site.visitor()
    data = {"name": "mira", "password": "wrong", "csrf": form_text(browser, "/login")}
    answers = [browser.post("/login", data=data) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [403] * 10 + [429]
    assert "Try again in" in answers[-1].text


def test_the_session_cookie_is_out_of_reach(site: Site) -> None:
    accounts.make_account(site.service, Actor.local(), "mira", PASSWORD, Role.PARTICIPANT)
    for secure, name in ((False, "iolai_session"), (True, "__Host-iolai_session")):
        app: FastAPI = create_app(site.service, secure=secure)
        browser = TestClient(app, base_url="https://testserver", follow_redirects=False)
        data = {"name": "mira", "password": PASSWORD, "csrf": form_text(browser, "/login")}
        (cookie,) = browser.post("/login", data=data).headers.get_list("set-cookie")
        assert cookie.startswith(f"{name}=")
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert ("Secure" in cookie) == secure


def test_logging_out_ends_the_session(site: Site) -> None:
    browser = site.person("mira")
    token = browser.cookies["iolai_session"]
    assert browser.post("/logout", data={"csrf": form_text(browser, "/")}).status_code == 303
    assert accounts.actor_of_session(site.service, token) is None


@pytest.mark.parametrize("sent", ["", "x" * 43, "é"])
def test_a_form_without_our_text_is_refused(site: Site, sent: str) -> None:
    browser = site.person("mira")
    answer = browser.post("/account/tokens", data={"name": "mine", "csrf": sent})
    assert answer.status_code == 403
    assert accounts.list_tokens(site.service, site.actor("mira")) == ()


def test_a_form_with_the_text_of_another_session_is_refused(site: Site) -> None:
    text = form_text(site.person("other"), "/account")
    browser = site.person("mira")
    answer = browser.post("/account/tokens", data={"name": "mine", "csrf": text})
    assert answer.status_code == 403


def test_a_form_sent_from_elsewhere_is_refused(site: Site) -> None:
    browser = site.person("mira")
    data = {"name": "mine", "csrf": form_text(browser, "/account")}
    for place in ("cross-site", "same-site"):
        answer = browser.post("/account/tokens", data=data, headers={"sec-fetch-site": place})
        assert answer.status_code == 403
    headers = {"sec-fetch-site": "same-origin"}
    assert browser.post("/account/tokens", data=data, headers=headers).status_code == 200


def test_a_visitor_cannot_be_logged_in_by_another_page(site: Site) -> None:
    site.person("mira")
    data = {"name": "mira", "password": PASSWORD, "csrf": "made up"}
    assert site.visitor().post("/login", data=data).status_code == 403


def test_a_token_is_shown_once_and_works_until_it_is_revoked(site: Site) -> None:
    browser = site.person("mira")
    data = {"name": "laptop", "csrf": form_text(browser, "/account")}
    page = browser.post("/account/tokens", data=data).text
    token = page.split('class="secret">')[1].split("<")[0]
    assert token not in browser.get("/account").text
    program = site.visitor()
    headers = {"authorization": f"Bearer {token}"}
    assert program.get("/api/v1/account", headers=headers).json()["name"] == "mira"
    (kept,) = accounts.list_tokens(site.service, site.actor("mira"))
    revoked = browser.post(f"/account/tokens/{kept.id}/revoke", data=data)
    assert revoked.status_code == 303
    answer = program.get("/api/v1/account", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["www-authenticate"] == "Bearer"


def test_pages_take_no_tokens_and_the_api_no_cookies(site: Site) -> None:
    program = site.program("mira")
    assert program.get("/account").status_code == 303
    assert site.person("mira").get("/api/v1/account").status_code == 403


def test_a_new_password_ends_other_sessions(site: Site) -> None:
    browser = site.person("mira")
    other = site.visitor()
    assert _log_in(other, "mira") == 303
    text = form_text(browser, "/account")
    wrong = {"old": "no", "new": "another long word", "csrf": text}
    assert browser.post("/account/password", data=wrong).status_code == 403
    right = {**wrong, "old": PASSWORD}
    assert browser.post("/account/password", data=right).status_code == 303
    assert browser.get("/account").status_code == 200
    assert other.get("/account").status_code == 303


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "evil"],
)
def test_nobody_is_sent_elsewhere(site: Site, target: str) -> None:
    assert local_path(target) == "/"
    site.person("mira")
    browser = site.visitor()
    data = {"name": "mira", "password": PASSWORD, "next": target}
    data["csrf"] = form_text(browser, "/login")
    assert browser.post("/login", data=data).headers["location"] == "/"


def test_a_local_path_is_kept() -> None:
    assert local_path("/challenges/summer/board?kind=public") == (
        "/challenges/summer/board?kind=public"
    )


def test_a_member_is_taken_out_and_the_code_changed_on_the_page(site: Site) -> None:
    first, second = site.person("mira"), site.person("noor")
    path = f"/challenges/{SLUG}/team"
    form = {"name": "The stops", "csrf": form_text(first, path)}
    assert first.post(f"{path}/create", data=form).status_code == 303
    site.clock.move(minutes=1)
    view = teams.my_team(site.service, site.actor("mira"), SLUG)
    teams.join(site.service, site.actor("noor"), SLUG, view.join_code)
    assert "noor</bdi> out of the team" in first.get(path).text
    assert "out of the team" not in second.get(path).text
    done = first.post(f"{path}/remove", data={"name": "noor", "csrf": form_text(first, path)})
    assert done.headers["location"] == f"{path}?done=removed"
    after = teams.my_team(site.service, site.actor("mira"), SLUG)
    assert [member.name for member in after.members] == ["mira"]
    assert first.post(f"{path}/join-code", data={"csrf": form_text(first, path)}).status_code == 303
    fresh = teams.my_team(site.service, site.actor("mira"), SLUG)
    assert len({view.join_code, after.join_code, fresh.join_code}) == 3
