"""A whole marking in a real browser: four jurors, differences, a third, unsealing, the result.

The pictures go to the folder that IOLAI_SCREENSHOTS names, where it is set.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright
from test_web_month import People, _log_in, _shoot

from iolai.challenge import accounts
from iolai.challenge.service import Actor
from iolai.records import Role
from jury_for_tests import JURORS, draft
from site_for_tests import PASSWORD, SLUG, Site

pytestmark = pytest.mark.system("chromium")
JURY = f"/challenges/{SLUG}/jury"


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """Serve the site on a port of this machine while the test runs."""
    config = uvicorn.Config(site.app, host="127.0.0.1", port=0, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


def test_a_whole_marking(site: Site, browser: Browser, address: str) -> None:
    draft(site, problems=("1000101",))
    people = People(browser, address)
    _begin(site, people)
    _mark_everything(people)
    _talk(people)
    assert people.faults == []
    assert all(url.startswith(address) for url in people.asked)


def _begin(site: Site, people: People) -> None:
    accounts.make_account(site.service, Actor.local(), "zoe", PASSWORD, Role.ORGANISER)
    page = people.page("zoe")
    _log_in(page, "zoe", JURY)
    expect(page.get_by_role("heading", name="Begin marking")).to_be_visible()
    _shoot(page, "jury-01-draft")
    page.get_by_role("link", name="Hooks and rings").first.click()
    _shoot(page, "jury-02-rubric")
    page.go_back()
    page.get_by_role("link", name="Quaggakanari").click()
    _shoot(page, "jury-03-blinding")
    page.go_back()
    page.get_by_role("button", name="Begin marking").click()
    expect(page.get_by_text("Marking has begun;")).to_be_visible()
    _shoot(page, "jury-04-progress")


def _mark_everything(people: People) -> None:
    """Every juror marks their papers by keys: the first of each pair generously."""
    for n, name in enumerate(JURORS):
        page = people.page(name)
        _log_in(page, name, JURY)
        if n == 0:
            _shoot(page, "jury-05-queue")
        while True:
            page.goto(JURY)
            links = page.locator("section[aria-labelledby=mark-title] th a")
            if not links.count():
                break
            links.first.click()
            _mark_by_keys(page, generous=n % 2 == 0, shoot=n == 0)
            expect(page.get_by_text("The paper is handed over.")).to_be_visible()


def _mark_by_keys(page: Page, *, generous: bool, shoot: bool) -> None:
    boxes = page.locator(".criterion")
    n = boxes.count()
    for place in range(n):
        most = boxes.nth(place).locator("input[type=radio]").first.get_attribute("value")
        page.keyboard.press(most if generous or place % 3 else "0")
        if place == 0:
            page.keyboard.press("n")
            page.keyboard.type("a note")
            page.keyboard.press("Escape")
        if place < n - 1:
            page.keyboard.press("j")
    expect(page.locator("#save-state")).to_have_text("All is saved.")
    if shoot:
        _shoot(page, "jury-06-desk")
        page.keyboard.press("?")
        _shoot(page, "jury-07-keys")
        page.get_by_role("button", name="Close").click()
    page.keyboard.press("h")
    page.locator("#ask").get_by_role("button", name="Hand over").click()


def _talk(people: People) -> None:
    page = people.page("juror-a")
    page.goto(JURY)
    _shoot(page, "jury-08-queue-talk")
    page.locator("section[aria-labelledby=talk-title] th a").first.click()
    _shoot(page, "jury-09-talk")
