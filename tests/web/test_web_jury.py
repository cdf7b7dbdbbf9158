"""A whole marking in a real browser: four jurors, differences, a third, unsealing, the result.

The pictures go to the folder that IOLAI_SCREENSHOTS names, where it is set.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Browser, Page, expect
from test_web_month import People, _log_in, _shoot

from iolai.challenge import accounts
from iolai.challenge.jury import desk, jurors, rubrics
from iolai.challenge.service import Actor
from iolai.records import Role
from iolai.store.marks import list_marks
from jury_for_tests import JURORS, LOCAL, PEOPLE, SYSTEMS, Marking, begun, draft
from jury_for_tests import own as own_mark
from site_for_tests import PASSWORD, SLUG, Site

pytestmark = pytest.mark.system("chromium")
JURY = f"/challenges/{SLUG}/jury"


def _at_a_desk(site: Site, browser: Browser, address: str) -> tuple[Marking, Page, int]:
    """Begin a marking of one problem; return it, a juror's page at a paper, and its number."""
    marking = begun(site, problems=("1000101",), people=PEOPLE[:1])
    page = People(browser, address).page("juror-a")
    (number, *_) = marking.numbers("juror-a")
    _log_in(page, "juror-a", f"{JURY}/papers/{number}")
    expect(page.locator("#save-state")).to_have_text("All is saved.")
    return marking, page, number


def test_a_whole_marking(site: Site, browser: Browser, address: str) -> None:
    marking = draft(site, problems=("1000101",), people=PEOPLE[:1])
    people = People(browser, address)
    _begin(site, people)
    strict = _strict(marking)
    _mark_everything(people, strict)
    _talk(people, strict)
    _end(people)
    assert people.faults == []
    assert all(url.startswith(address) for url in people.asked)


def _strict(marking: Marking) -> list[str]:
    """Choose jurors so that one of each pair is strict: which two mark a paper is drawn."""
    pairs = [marking.pair(number) for number in marking.all_numbers()]
    chosen = (some for n in range(1, 4) for some in itertools.combinations(JURORS, n))
    return next(list(some) for some in chosen if all(len({*some} & {*p}) == 1 for p in pairs))


def _begin(site: Site, people: People) -> None:
    accounts.make_account(site.service, Actor.local(), "zoe", PASSWORD, Role.ORGANISER)
    page = people.page("zoe")
    _log_in(page, "zoe", JURY)
    expect(page.get_by_role("heading", name="Begin marking")).to_be_visible()
    _shoot(page, "jury-01-draft")
    draft = page.url
    page.get_by_role("link", name="Hooks and rings").first.click()
    _shoot(page, "jury-02-rubric")
    page.goto(draft)
    page.get_by_role("link", name="Quaggakanari").click()
    _shoot(page, "jury-03-blinding")
    page.goto(draft)
    page.get_by_role("button", name="Begin marking").click()
    expect(page.get_by_text("Marking has begun;")).to_be_visible()
    _shoot(page, "jury-04-progress")


def _mark_everything(people: People, strict: Sequence[str]) -> None:
    """Every juror marks their papers by keys: one of each pair generously."""
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
            _mark_by_keys(page, generous=name not in strict, shoot=n == 0)
            expect(page.get_by_text("The paper is handed over.")).to_be_visible()


def _mark_by_keys(page: Page, *, generous: bool, shoot: bool) -> None:
    expect(page.locator("#save-state")).to_have_text("All is saved.")
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


def _talk(people: People, strict: Sequence[str]) -> None:
    """The one who gave less proposes what the other gave; one difference goes to a third."""
    page = people.page(strict[0])
    page.goto(JURY)
    _shoot(page, "jury-08-queue-talk")
    page.locator("section[aria-labelledby=talk-title] th a").first.click()
    _shoot(page, "jury-09-talk")
    page.locator(".talk").first.get_by_text("Ask a third").first.click()
    page.locator(".talk").first.get_by_role("button", name="Ask a third").click()
    expect(page.get_by_text("A third juror is asked.")).to_be_visible()
    for name in strict:
        _propose_all(people.page(name))
    for name in sorted({*JURORS} - {*strict}):
        _accept_all(people.page(name))
    for name in JURORS:
        _decide_all(people.page(name))


def _each(page: Page, part: str) -> Iterator[None]:
    """Open each paper of a part of the queue once."""
    page.goto(JURY)
    links = page.locator(f"section[aria-labelledby={part}-title] th a")
    for path in links.evaluate_all("all => all.map(a => a.getAttribute('href'))"):
        page.goto(path)
        yield


def _propose_all(page: Page) -> None:
    for _ in _each(page, "talk"):
        while (form := page.locator("details[open] form[action$=propose]")).count():
            form.first.get_by_label("Points").select_option(index=1)
            form.first.get_by_label("Reason").fill("the rule is there")
            form.first.get_by_role("button", name="Propose").click()
            expect(page.get_by_text("Your proposal stands")).to_be_visible()


def _accept_all(page: Page) -> None:
    for _ in _each(page, "talk"):
        while (button := page.get_by_role("button", name="Accept")).count():
            button.first.click()
            expect(page.get_by_text("You both agree on that one.")).to_be_visible()


def _decide_all(page: Page) -> None:
    for _ in _each(page, "decide"):
        while (form := page.locator("form[action$=decide]")).count():
            _shoot(page, "jury-10-third")
            assert page.locator(".talk-marks th[scope=row]").all_inner_texts()[:2] == [
                "one juror",
                "the other juror",
            ]
            form.first.get_by_label("Points").select_option(index=2)
            form.first.get_by_label("Reason").fill("half of it is there")
            form.first.get_by_role("button", name="Decide").click()
            expect(page.get_by_text("Your decision counts.")).to_be_visible()


def _end(people: People) -> None:
    page = people.page("zoe")
    page.goto(JURY)
    expect(page.locator("dd", has_text="settled").first).to_be_visible()
    form = page.locator("form[action$=unseal]")
    form.get_by_label("Reason").fill("all papers are settled")
    form.get_by_role("button", name="Unseal").click()
    expect(page.get_by_text("The marking is unsealed.")).to_be_visible()
    juror = people.page("juror-c")
    juror.goto(JURY)
    expect(juror.get_by_text("The marking was unsealed: zoe")).to_be_visible()
    juror.get_by_role("link", name="The result").click()
    for name in (*SYSTEMS.values(), PEOPLE[0]):
        expect(juror.get_by_role("rowheader", name=name).first).to_be_visible()
    _shoot(juror, "jury-11-result")
    visitor = people.page("visitor")
    visitor.goto(f"{JURY}/results")
    expect(visitor.get_by_role("heading", name="Not here")).to_be_visible()
    page.get_by_text("Release the result").click()
    release = page.locator("form[action$=release]")
    release.get_by_label("Reason").fill("the month is over")
    release.get_by_role("button", name="Release it").click()
    visitor.goto(f"/challenges/{SLUG}")
    visitor.get_by_role("link", name="Jury", exact=True).click()
    expect(visitor.get_by_role("rowheader", name="person 1").first).to_be_visible()


def test_marks_wait_for_the_line_and_are_kept(site: Site, browser: Browser, address: str) -> None:
    marking = begun(site, problems=("1000101",), people=PEOPLE[:1])
    people = People(browser, address)
    page = people.page("juror-a")
    (number, *_) = marking.numbers("juror-a")
    place = f"{JURY}/papers/{number}"
    _log_in(page, "juror-a", place)
    expect(page.locator("#save-state")).to_have_text("All is saved.")
    page.context.set_offline(True)
    page.keyboard.press("3")
    page.keyboard.press("j")
    page.keyboard.press("2")
    expect(page.locator("#save-state")).to_contain_text("2 waiting here")
    _shoot(page, "jury-12-offline")
    assert desk.open_desk(site.service, site.actor("juror-a"), SLUG, number).own == {}
    page.context.set_offline(False)
    page.goto(place)  # another visit finds what waits, and sends it
    expect(page.locator("#save-state")).to_have_text("All is saved.")
    own = desk.open_desk(site.service, site.actor("juror-a"), SLUG, number).own
    assert [mark.points for mark in own.values()] == [3.0, 2.0]
    page.reload()
    assert page.locator("input[type=radio]:checked").count() == 2
    assert people.faults == []


def test_a_mark_that_is_refused_is_said_so(site: Site, browser: Browser, address: str) -> None:
    marking = begun(site, problems=("1000101",), people=PEOPLE[:1])
    people = People(browser, address)
    page = people.page("juror-a")
    (number, *_) = marking.numbers("juror-a")
    _log_in(page, "juror-a", f"{JURY}/papers/{number}")
    expect(page.locator("#save-state")).to_have_text("All is saved.")
    text = rubrics.get_rubric(site.service, LOCAL, SLUG, "1000101").text
    text = text.replace('when = "all five right"', 'when = "each of the five right"', 1)
    rubrics.amend(site.service, LOCAL, SLUG, "1000101", text, base=1, reason="clearer")
    page.keyboard.press("3")
    expect(page.locator(".criterion-state").first).to_contain_text("The rubric was amended")
    expect(page.locator("#save-state")).to_contain_text("Something was not saved")
    page.keyboard.press("j")
    page.keyboard.press("2")
    expect(page.locator(".criterion-state").nth(1)).to_have_text("saved")
    page.reload()
    said = "1000101-t1: 3 points. The rubric was amended meanwhile"
    expect(page.locator("#unsaved")).to_contain_text(said)
    _shoot(page, "jury-13-unsaved")
    page.keyboard.press("3")  # by the rubric as it is now: the refused one is settled by it
    expect(page.locator("#save-state")).to_have_text("All is saved.")
    expect(page.locator("#unsaved")).to_be_hidden()


def test_an_unmarked_criterion_is_nothing_refused(
    site: Site, browser: Browser, address: str
) -> None:
    _, page, _ = _at_a_desk(site, browser, address)
    page.keyboard.press("h")
    expect(page.locator(".criterion-state").first).to_have_text("Not marked yet; 0 is a mark.")
    expect(page.locator("#save-state")).to_have_text("All is saved.")


def test_marks_on_a_paper_that_went_to_another_stay_in_sight(
    site: Site, browser: Browser, address: str
) -> None:
    _, page, number = _at_a_desk(site, browser, address)
    jurors.replace_juror(site.service, LOCAL, SLUG, "juror-a", "a mistake", [number])
    page.keyboard.press("3")
    expect(page.locator("#unsaved li")).to_contain_text("3 points. This paper takes no more marks")
    page.goto(JURY)
    item = page.locator("#unsaved li")
    expect(item).to_contain_text(f"Paper {number}, 1000101-t1: 3 points.")
    item.get_by_role("button").click()
    expect(page.locator("#unsaved")).to_be_hidden()
    page.reload()
    expect(page.locator("#unsaved")).to_be_hidden()


def test_one_mark_that_cannot_be_read_holds_up_no_other(
    site: Site, browser: Browser, address: str
) -> None:
    _, page, number = _at_a_desk(site, browser, address)
    place = f"{JURY}/papers/{number}"
    page.context.set_offline(True)
    for key in ("3", "j", "2"):
        page.keyboard.press(key)
    page.evaluate(
        "for (const name of Object.keys(localStorage).filter(n => n.startsWith('iolai-desk/')))"
        " { const one = JSON.parse(localStorage[name]);"
        " if (one.points === 3) localStorage[name] = JSON.stringify({...one, points: '3'}); }"
    )
    page.context.set_offline(False)
    page.goto(place)
    expect(page.locator("#unsaved li")).to_contain_text("could not read this mark")
    expect(page.locator(".criterion-state").nth(1)).to_have_text("saved")
    own = desk.open_desk(site.service, site.actor("juror-a"), SLUG, number).own
    assert [mark.points for mark in own.values()] == [2.0]


def test_an_older_mark_from_another_browser_counts_not(
    site: Site, browser: Browser, address: str
) -> None:
    """A laptop is offline while the juror marks again on a phone; then the laptop comes back."""
    marking, page, number = _at_a_desk(site, browser, address)
    page.context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator("#save-state")).to_contain_text("1 waiting here")
    page.wait_for_timeout(300)  # the site's clock stands still; the browser's does not
    marking.save("juror-a", number, [own_mark("1000101-t1", 4.0)])
    page.context.set_offline(False)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    first = page.locator(".criterion-state").first
    expect(first).to_contain_text("Older than what you marked elsewhere: 4 counts.")
    page.reload()
    expect(page.locator("input[type=radio]:checked").first).to_have_value("4")
    with site.service.store.read() as connection:
        (challenge,) = {row[0] for row in connection.exec_driver_sql("select id from challenge")}
        found = list_marks(connection, challenge)
    assert [(mark.kind, mark.points) for mark in found] == [("own", 4.0), ("late", 1.0)]


def test_the_desk_works_without_its_script(site: Site, browser: Browser, address: str) -> None:
    marking = begun(site, problems=("1000101",), people=PEOPLE[:1])
    (number, *_) = marking.numbers("juror-a")
    context = browser.new_context(base_url=address, java_script_enabled=False)
    page = context.new_page()
    _log_in(page, "juror-a", f"{JURY}/papers/{number}")
    page.locator("input[name=p-1000101-t1]").first.check()
    page.get_by_role("button", name="Hand over").click()
    expect(page.get_by_role("alert")).to_contain_text("6 criteria have no mark yet")
    own = desk.open_desk(site.service, site.actor("juror-a"), SLUG, number).own
    assert [mark.points for mark in own.values()] == [4.0]
    context.close()
