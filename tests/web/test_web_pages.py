"""The pages as a browser lays them out: on a phone, on a narrow screen, in print, in the dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from iolai.challenge import challenges, submissions, teams
from iolai.challenge.service import Actor
from iolai.records import Phase, Role
from site_for_tests import PASSWORD, SLUG, Site, predictions

pytestmark = pytest.mark.system("chromium")

BASE = f"/challenges/{SLUG}"
WIDTHS = (360, 768, 1100, 1440)
#: Hostile to a layout: long without a blank, right to left, in signs that few fonts have.
NAMES = {"mira": "W" * 40, "noor": "فريق النحو", "olek": "ʔəŋ̊ɬ " * 9}


@pytest.fixture
def played(site: Site) -> Site:
    """Three teams with hostile names and a result each; the results are published."""
    site.clock.set(6)
    for n_right, (name, team) in enumerate(NAMES.items(), start=3):
        site.person(name)
        teams.create_team(site.service, site.actor(name), SLUG, team.strip())
        data = predictions(n_right)
        submissions.submit_predictions(site.service, site.actor(name), SLUG, data, "a note " * 8)
    site.run_all()
    site.person("zoe", Role.ORGANISER)
    challenges.set_phase(site.service, Actor.local(), SLUG, Phase.FINAL, "over")
    challenges.publish(site.service, Actor.local(), SLUG, "done")
    return site


def _page(browser: Browser, address: str, account: str = "") -> Page:
    page = browser.new_context(base_url=address).new_page()
    page.set_default_timeout(20_000)
    if account:
        page.goto("/login")
        page.get_by_label("Account").fill(account)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"{address}/")
    return page


def _paths(site: Site) -> dict[str, list[str]]:
    (line,) = [
        one
        for one in teams.list_teams(site.service, Actor.local(), SLUG)
        if one.team.name == NAMES["noor"]
    ]
    own = teams.my_team(site.service, site.actor("noor"), SLUG)
    mine = own.submissions[0].submission.id
    return {
        "": ["/", BASE, f"{BASE}/problems/1", f"{BASE}/board", f"{BASE}/board/{line.team.id}",
             "/login", "/register", "/nowhere", "/api"],
        "noor": [f"{BASE}/team", f"/submissions/{mine}", "/account"],
        "zoe": [f"{BASE}/desk", f"{BASE}/desk/audit"],
    }  # fmt: skip


CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
#: The page's script hears of the new size before the next picture is painted.
SETTLED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
CLIPPED = "boxes => boxes.map(b => b.scrollWidth - b.clientWidth)"


def test_every_page_fits_its_window_and_can_be_read(
    played: Site, browser: Browser, address: str
) -> None:
    """One walk, since loading takes the time: no page scrolls sideways, tables alone may.

    From 1100 px on they need not. Texts have the contrast of WCAG AA, in the light and in the dark.
    """
    for account, paths in _paths(played).items():
        page = _page(browser, address, account)
        for path in paths:
            page.goto(path)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                page.evaluate(SETTLED)
                assert page.evaluate(TOO_WIDE) <= 0, (path, width)
                over = page.locator(".scroll").evaluate_all(CLIPPED)
                assert width < 1100 or max(over, default=0) <= 0, (path, width)
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                assert page.evaluate(CONTRAST) == [], (path, scheme)
        page.context.close()


def test_a_phone_shows_what_matters_first(played: Site, browser: Browser, address: str) -> None:
    """Without a scroll to the side; what a page holds beside it may stand behind one."""
    paths = _paths(played)
    shown = [
        ("", f"{BASE}/board", ["Rank", "Team", "Score"]),
        ("", paths[""][4], ["Received", "Public score"]),
        ("noor", f"{BASE}/team", ["Submission", "Public score", "State"]),
        ("zoe", f"{BASE}/desk", ["Team", "State", "Used today"]),
        ("zoe", f"{BASE}/desk/audit", ["What", "Why"]),
    ]
    for account, path, heads in shown:
        page = _page(browser, address, account)
        page.set_viewport_size({"width": 390, "height": 800})
        page.goto(path)
        page.evaluate(SETTLED)
        for head in heads:
            box = page.locator("thead th", has_text=re.compile(f"^{head}$")).last.bounding_box()
            assert box is not None, (path, head)
            assert box["x"] + box["width"] <= 390, (path, head)
        page.context.close()


def test_the_board_in_every_view_and_in_print(played: Site, browser: Browser, address: str) -> None:
    page = _page(browser, address)
    page.goto(f"{BASE}/board")
    page.set_viewport_size({"width": 1100, "height": 800})
    for view in page.locator(".view label").all():
        view.click()
        page.evaluate(SETTLED)
        assert max(page.locator(".scroll").evaluate_all(CLIPPED)) <= 0, view.inner_text()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1031, "height": 700})  # A4 across, less 12 mm on each side
    assert page.evaluate(TOO_WIDE) <= 0
    for hidden in (".masthead", ".tabs", ".views", ".elsewhere"):
        assert not page.locator(hidden).first.is_visible()
    page.context.close()
