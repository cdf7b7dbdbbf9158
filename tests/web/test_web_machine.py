"""What machines ask: health for everybody, figures for this machine or for the token."""

from __future__ import annotations

import errno
from collections import namedtuple

import pytest
from starlette.testclient import TestClient

from iolai.challenge import health, teams
from iolai.web import app_of_home, create_app
from site_for_tests import SLUG, Site, predictions

LOCAL, AWAY = ("127.0.0.1", 5000), ("192.0.2.7", 5000)


def test_health_says_what_is_not_well(site: Site) -> None:
    answer = site.visitor().get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["is_up"] is True
    assert answer.json()["n_workers"] == 0
    assert "no worker lives" in answer.text


def test_a_database_that_is_gone_is_no_good_health(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = health.Health("down", False, ("the database does not answer",))
    monkeypatch.setattr(health, "check_health", lambda _: gone)
    assert site.visitor().get("/healthz").status_code == 503


def test_a_full_disk_is_said_by_name(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    full = namedtuple("usage", "total used free")(1 << 30, 1 << 30, 0)
    monkeypatch.setattr("iolai.challenge.room.shutil.disk_usage", lambda _: full)
    answer = site.visitor().get("/healthz")
    assert (answer.status_code, answer.json()["state"]) == (503, "degraded")
    program = site.program("mira")
    teams.create_team(site.service, site.actor("mira"), SLUG, "Team A")
    site.clock.set(5)
    answer = program.post(
        f"/api/v1/challenges/{SLUG}/submissions/predictions", content=predictions(1)
    )
    assert answer.status_code == 507
    assert "no room left" in answer.json()["detail"]
    assert "Nothing was kept" in answer.json()["hint"]


def test_a_disk_that_fills_on_the_way_is_said_by_name(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(health, "check_health", full)
    answer = site.visitor().get("/healthz")
    assert answer.status_code == 507
    assert "no room left" in answer.text


@pytest.mark.parametrize(
    ("client", "headers", "status"),
    [
        (LOCAL, {}, 200),
        (("::1", 5000), {}, 200),
        (AWAY, {}, 404),
        (AWAY, {"authorization": "Bearer the token"}, 200),
        (AWAY, {"authorization": "Bearer another"}, 404),
        (LOCAL, {"x-forwarded-for": "192.0.2.7"}, 404),
        (("testclient", 5000), {}, 404),
    ],
)
def test_figures_are_not_for_everybody(
    site: Site, client: tuple[str, int], headers: dict[str, str], status: int
) -> None:
    app = create_app(site.service, metrics_token="the token")  # noqa: S106
    answer = TestClient(app, client=client).get("/metrics", headers=headers)
    assert answer.status_code == status
    assert ("iolai_up 1.0" in answer.text) == (status == 200)


def test_without_a_token_no_token_opens(site: Site) -> None:
    browser = TestClient(site.app, client=AWAY)
    for sent in ("Bearer ", "Bearer", ""):
        assert browser.get("/metrics", headers={"authorization": sent}).status_code == 404


def test_the_application_of_a_home(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IOLAI_HOME", str(site.folder / "home"))
    monkeypatch.setenv("IOLAI_SITE_NAME", "Winter <site>")
    monkeypatch.setenv("IOLAI_HTTPS", "1")
    app = app_of_home()
    answer = TestClient(app).get("/")
    assert "Winter &lt;site&gt;" in answer.text
    assert "strict-transport-security" in answer.headers
    app.state.service.close()
