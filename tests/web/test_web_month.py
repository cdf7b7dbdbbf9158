"""A month in fast motion, in a real browser: from registration to the final board.

The pictures go to the folder that IOLAI_SCREENSHOTS names, where it is set.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from command_line import run
from iolai.challenge import accounts, audit
from iolai.challenge.service import Actor
from iolai.records import Role
from site_for_tests import PASSWORD, Site, predictions, write_challenge

pytestmark = pytest.mark.system("chromium")

TEAMS = {"mira": "The glottal stops", "noor": "Null subjects", "olek": "Ablaut", "pia": "Ergatives"}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class People:
    """The browsers of everybody, each with what went wrong in it."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser, self.address = browser, address
        self.faults: list[str] = []
        self.asked: set[str] = set()
        self.pages: dict[str, Page] = {}

    def page(self, name: str) -> Page:
        if name not in self.pages:
            context = self.browser.new_context(
                base_url=self.address, viewport={"width": 1180, "height": 900}
            )
            page = context.new_page()
            page.set_default_timeout(20_000)
            page.on("console", lambda said: self._note(said.text))
            page.on("pageerror", lambda error: self.faults.append(str(error)))
            page.on("request", lambda asked: self.asked.add(asked.url))
            page.on("dialog", lambda dialog: dialog.accept())
            self.pages[name] = page
        return self.pages[name]

    def _note(self, said: str) -> None:
        if "Failed to load resource" not in said:  # an error page that a test asked for
            self.faults.append(said)


def _shoot(page: Page, name: str) -> None:
    folder = os.environ.get("IOLAI_SCREENSHOTS", "")
    if not folder:
        return
    views = (("", "light", "screen", 1180), ("-dark", "dark", "screen", 1180),
             ("-phone", "light", "screen", 390), ("-print", "light", "print", 1000))  # fmt: skip
    for suffix, scheme, media, width in views:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, media=media)  # type: ignore[arg-type]
        page.screenshot(path=Path(folder) / f"{name}{suffix}.png", full_page=True)
    page.emulate_media(color_scheme="light", media="screen")
    page.set_viewport_size({"width": 1180, "height": 900})


def _register(page: Page, account: str, team: str) -> None:
    page.goto("/challenges/summer")
    page.get_by_role("link", name="Register", exact=True).last.click()
    page.get_by_label("Account").fill(account)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Register").click()
    page.get_by_label("The team's name").fill(team)
    page.get_by_role("button", name="Register the team").click()
    expect(page.get_by_role("heading", name=team)).to_be_visible()


def _log_in(page: Page, account: str, then: str) -> None:
    page.goto(then)
    if "/login" in page.url:  # a session ends after two weeks
        page.get_by_label("Account").fill(account)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()


def _submit(page: Page, data: bytes, note: str = "") -> str:
    page.goto("/challenges/summer/team")
    form = page.locator("details", has_text="A predictions file")
    if not form.evaluate("e => e.open"):
        form.locator("summary").click()
    file = {"name": "submission.csv", "mimeType": "text/csv", "buffer": data}
    form.get_by_label("submission.csv").set_input_files(file)  # type: ignore[arg-type]
    form.get_by_label("A note").fill(note)
    form.locator("button").click()
    return _accepted(page)


def _accepted(page: Page) -> str:
    expect(page.get_by_text("Your submission is accepted")).to_be_visible()
    found = re.search(r"/submissions/(\w+)", page.url)
    assert found is not None, page.url
    return found[1]


def _archive() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("script.py", "print('hello')\n")
    return target.getvalue()


def test_a_month(site: Site, browser: Browser, address: str) -> None:
    people = People(browser, address)
    _registration(site, people)
    submitted = _submissions(site, people)
    _quota(site, people)
    _selection(people, submitted)
    _freeze(site, people)
    _end(site, people)
    assert people.faults == []
    assert all(url.startswith(address) for url in people.asked)


def _create(site: Site, slug: str) -> None:
    """Make another challenge, as an organiser at the machine does while the service runs."""
    folder = site.folder / slug
    folder.mkdir()
    file = write_challenge(folder, problems=("03",))
    text = file.read_text(encoding="utf-8").replace("summer", slug)
    file.write_text(text.replace("Summer", slug.capitalize()), encoding="utf-8")
    made = run("challenge", "create", file, "--home", site.folder / "home")
    assert made.code == 0, made.err


def _registration(site: Site, people: People) -> None:
    visitor = people.page("visitor")
    visitor.goto("/")
    expect(visitor.get_by_role("link", name="Summer challenge")).to_be_visible()
    expect(visitor.get_by_role("link", name="Winter challenge")).to_have_count(0)
    _create(site, "winter")
    visitor.reload()
    expect(visitor.get_by_role("link", name="Winter challenge")).to_be_visible()
    _shoot(visitor, "01-challenges")
    for account, team in TEAMS.items():
        _register(people.page(account), account, team)
    code = people.page("mira").locator("dd.mono").inner_text()
    second = people.page("ravi")
    second.goto("/register?next=/challenges/summer/team")
    second.get_by_label("Account").fill("ravi")
    second.get_by_label("Password").fill(PASSWORD)
    second.get_by_role("button", name="Register").click()
    second.get_by_label("Its code").fill(code)
    second.get_by_role("button", name="Join").click()
    expect(second.get_by_text("You are in the team.")).to_be_visible()
    # Nothing can be handed in before the challenge opens.
    expect(second.get_by_role("button", name="Submit")).to_have_count(0)
    site.clock.set(5)
    visitor.goto("/challenges/summer")
    expect(visitor.locator("li[aria-current=step]")).to_contain_text("Submissions")
    _shoot(visitor, "02-challenge")
    visitor.get_by_role("link", name="Problems").click()
    visitor.get_by_role("link", name="Reading Tamil").click()
    expect(visitor.get_by_role("cell", name="maram")).to_be_visible()
    _shoot(visitor, "03-problem")


def _submissions(site: Site, people: People) -> dict[str, str]:
    """Hand in all three kinds, and follow a run on its page, which changes by itself."""
    found = {}
    page = people.page("mira")
    found["first"] = _submit(page, predictions(3), "first try")
    expect(page.get_by_text("place 1 in the queue")).to_be_visible()
    _shoot(page, "04-queued")
    site.run_all()
    expect(page.get_by_role("heading", name="The public tasks")).to_be_visible()
    expect(page.locator("#life .state-word")).to_have_text("scored")
    _shoot(page, "05-submission")
    found["second"] = _submit(page, predictions(6), "all of Tamil")

    page = people.page("noor")
    page.goto("/challenges/summer/team")
    form = page.locator("details", has_text="An entry as an archive")
    form.locator("summary").click()
    file = {"name": "entry.zip", "mimeType": "application/zip", "buffer": _archive()}
    form.get_by_label(".tar.gz or .zip").set_input_files(file)  # type: ignore[arg-type]
    form.locator("button").click()
    found["archive"] = _accepted(page)

    page = people.page("olek")
    page.goto("/challenges/summer/team")
    form = page.locator("details", has_text="A repository at a revision")
    form.locator("summary").click()
    form.get_by_label("Repository on").fill("olek/entry")
    form.get_by_label("Commit, branch or tag").fill(COMMIT)
    form.locator("button").click()
    found["repository"] = _accepted(page)
    site.run_all(**{found["archive"]: predictions(5), found["repository"]: "timed_out"})
    expect(page.locator("#life .state-word")).to_have_text("timed out")
    return found


def _quota(site: Site, people: People) -> None:
    page = people.page("pia")
    for n in range(3):
        _submit(page, predictions(n), f"number {n}")
    site.run_all()
    page.goto("/challenges/summer/team")
    file = {"name": "submission.csv", "mimeType": "text/csv", "buffer": predictions(8)}
    form = page.locator("details", has_text="A predictions file")
    form.locator("summary").click()
    form.get_by_label("submission.csv").set_input_files(file)  # type: ignore[arg-type]
    form.locator("button").click()
    expect(page.get_by_role("alert")).to_contain_text("is used up")
    _shoot(page, "06-quota")
    site.clock.move(days=1)
    _submit(page, predictions(4), "the day after")
    site.run_all()
    page.goto("/challenges/summer/team")
    expect(page.get_by_text("4 of 4 runs succeeded.")).to_be_visible()


def _selection(people: People, submitted: dict[str, str]) -> None:
    page = people.page("mira")
    page.goto("/challenges/summer/team")
    boxes = page.locator("input[name=submission]")
    assert boxes.evaluate_all("all => all.map(b => b.checked)") == [True, True]
    _shoot(page, "07-team")
    page.get_by_label(f"{submitted['first']} counts").uncheck()
    page.get_by_role("button", name="Keep this selection").click()
    expect(page.get_by_text("Your selection is kept.")).to_be_visible()
    assert page.locator("input[name=submission]:checked").count() == 1


def _freeze(site: Site, people: People) -> None:
    visitor = people.page("visitor")
    visitor.goto("/challenges/summer/board")
    before = visitor.locator("table.board tbody tr").all_inner_texts()
    assert len(before) == 3
    _shoot(visitor, "08-board-open")
    visitor.get_by_role("link", name="The glottal stops").click()
    expect(visitor.get_by_role("heading", name="Why it stands there")).to_be_visible()
    _shoot(visitor, "09-entry")
    site.clock.set(26)
    page = people.page("olek")
    _log_in(page, "olek", "/challenges/summer/team")
    _submit(page, predictions(9), "late, and the best")
    site.run_all()
    visitor.goto("/challenges/summer/board")
    expect(visitor.get_by_text("as it stood at the freeze")).to_be_visible()
    assert visitor.locator("table.board tbody tr").all_inner_texts() == before


def _end(site: Site, people: People) -> None:
    site.clock.set(1, month=8)
    page = people.page("mira")
    _log_in(page, "mira", "/challenges/summer/team")
    expect(page.get_by_text("The selection was locked at the close.")).to_be_visible()
    expect(page.get_by_role("link", name="Its receipt")).to_be_visible()
    visitor = people.page("visitor")
    visitor.goto("/challenges/summer/board?kind=final")
    expect(visitor.get_by_role("heading", name="Not here")).to_be_visible()
    _shoot(visitor, "10-not-here")

    accounts.make_account(site.service, Actor.local(), "zoe", PASSWORD, Role.ORGANISER)
    desk = people.page("zoe")
    _log_in(desk, "zoe", "/challenges/summer/desk")
    expect(desk.get_by_role("heading", name="Queue")).to_be_visible()
    _shoot(desk, "11-desk")
    desk.get_by_text("Rejudge submissions").click()
    form = desk.locator("details", has_text="Rejudge submissions")
    form.get_by_label("Reason").fill("to be sure")
    form.locator("button").click()
    expect(desk.get_by_role("button", name="Apply")).to_be_disabled()
    site.run_all()
    desk.reload()
    _shoot(desk, "12-preview")
    desk.get_by_role("button", name="Drop it").click()
    desk.get_by_role("link", name="Desk", exact=True).click()
    desk.get_by_text("Publish the results").click()
    desk.get_by_role("button", name="Publish").click()
    expect(desk.get_by_text("The results are published.").first).to_be_visible()
    desk.goto("/challenges/summer/desk/audit")
    expect(desk.get_by_role("cell", name="zoe").first).to_be_visible()
    _shoot(desk, "13-audit")

    visitor.goto("/challenges/summer/board")
    expect(visitor.get_by_text("The final board")).to_be_visible()
    rows = visitor.locator("table.board tbody tr th").all_inner_texts()
    assert rows[0] == "Ablaut"  # the late submission counts in the end
    assert len(rows) == 4
    _shoot(visitor, "14-board-final")
    assert audit.differences(site.service, Actor.local()) == ()
