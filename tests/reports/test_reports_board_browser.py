"""The page in a browser: sorting by mouse and keyboard, views, a phone, print, no script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from iolai.board import BoardEntry, make_board
from iolai.metrics import score_predictions, summarise
from iolai.records import AnswerKey, BoardLine, Prediction, PredictionSet, Reference, TaskKey
from iolai.reports.board_html import render_board

pytestmark = pytest.mark.system("chromium")

KEY = AnswerKey(
    tuple(
        TaskKey(f"120260{n}0100", tuple(Reference((x,)) for x in "ABCD"), "public", 1, kind)
        for n, kind in ((1, "match_letters"), (2, "translation"), (3, "match_letters"))
    )
)
ANSWERS = {"team10": "ABCD", "team9": "ABDC", "Émile": "AXXX", "<b>x</b>": "XXXX"}


def _board_page() -> str:
    entries = []
    for team, letters in ANSWERS.items():
        rows = PredictionSet(
            tuple(
                Prediction.of_items(task.id, letters if index else "ABCD")
                for index, task in enumerate(KEY)
            )
        )
        entries.append(BoardEntry(team, score=score_predictions(rows, KEY), predictions=rows))
    line = BoardLine(2, "known", "external", 0.8, 0.9, 0.7, "2026-07-26 15:40:43")
    entries.append(BoardEntry("known", published=line, account_type="external"))
    board = make_board(entries, KEY, summarise, n_resamples=100)
    return render_board(board, title="A board to try")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "board.html"
    path.write_text(_board_page(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    faults: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    yield page
    assert faults == []
    assert asked == [address]
    context.close()


def _column(page: Page, key: str) -> list[str]:
    cells = page.locator(f'table.board tbody [data-of="{key}"]')
    return cells.evaluate_all("cells => cells.map(c => (c.querySelector('bdi') || c).innerText)")  # type: ignore[no-any-return]


def _head(page: Page, key: str) -> str | None:
    return page.locator(f'th[data-column="{key}"]').get_attribute("aria-sort")


def test_page_begins_in_the_order_of_ranks(page: Page) -> None:
    assert _column(page, "team") == ["team10", "known", "team9", "Émile", "<b>x</b>"]
    assert _head(page, "rank") == "ascending"
    assert _head(page, "score") is None


def test_sort_by_mouse(page: Page) -> None:
    page.get_by_role("button", name="chrF").click()
    assert _head(page, "chrf") == "descending"
    assert _head(page, "rank") is None
    shown = [float(text) for text in _column(page, "chrf")]
    assert shown == sorted(shown, reverse=True)
    assert _column(page, "team")[:3] == ["team10", "known", "team9"]
    page.get_by_role("button", name="chrF").click()
    assert _head(page, "chrf") == "ascending"
    assert [float(text) for text in _column(page, "chrf")] == sorted(shown)
    assert page.locator(".live").inner_text() == "Sorted by chrF, ascending."


def test_sort_by_keyboard(page: Page) -> None:
    page.get_by_role("button", name="Team").focus()
    page.keyboard.press("Enter")
    assert _head(page, "team") == "ascending"
    # Numbers inside names count as numbers, accents do not part an E from an É.
    assert _column(page, "team") == ["<b>x</b>", "Émile", "known", "team9", "team10"]
    page.keyboard.press("Space")
    assert _head(page, "team") == "descending"
    assert _column(page, "team") == ["team10", "team9", "known", "Émile", "<b>x</b>"]
    page.get_by_role("button", name="Rank").press("Enter")
    assert _column(page, "rank") == ["1", "2", "3", "4", "5"]


def test_what_is_not_known_stands_last_both_ways(page: Page) -> None:
    for direction in ("ascending", "descending"):
        page.get_by_role("button", name="Band").click()
        assert _head(page, "band") == direction
        assert _column(page, "team")[-1] == "known"


def test_equal_rows_keep_the_order_of_ranks(page: Page) -> None:
    page.get_by_text("Problems", exact=True).click()
    page.locator('th[data-column="problem-0"] button').click()
    assert _column(page, "team") == ["team10", "team9", "Émile", "<b>x</b>", "known"]
    page.locator('th[data-column="problem-0"] button').click()
    assert _column(page, "team") == ["team10", "team9", "Émile", "<b>x</b>", "known"]


def test_views_show_one_group_of_columns(page: Page) -> None:
    assert page.get_by_role("columnheader", name="chrF").is_visible()
    assert not page.get_by_role("columnheader", name="match letters").is_visible()
    page.get_by_role("radio", name="Overview").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("radio", name="Task types").is_checked()
    assert page.get_by_role("columnheader", name="match letters").is_visible()
    assert not page.get_by_role("columnheader", name="chrF").is_visible()
    assert page.get_by_role("columnheader", name="Team").is_visible()


def test_skip_link_is_the_first_stop_and_shows(page: Page) -> None:
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.inner_text() == "Skip to the board"
    box = focused.bounding_box()
    assert box is not None
    assert box["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "board"


@pytest.mark.parametrize("width", [320, 360, 700, 1100, 1280, 1900])
def test_page_never_scrolls_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for view in page.locator(".view label").all():
        view.click()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_team_stays_in_sight_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    frame = page.locator(".scroll").first
    assert frame.evaluate("e => e.scrollWidth > e.clientWidth")
    frame.evaluate("e => { e.scrollLeft = 200 }")
    left = page.locator('tbody th[data-of="team"]').first.evaluate(
        "e => e.getBoundingClientRect().left"
    )
    assert left == pytest.approx(16, abs=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_contrast(browser: Browser, address: str, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    paper = _luminance(page, "body", "backgroundColor")
    for selector in ("body", ".deck", ".facts dt", "thead th", "td.none", "a", ".notes", "footer"):
        ink = _luminance(page, selector, "color")
        lighter, darker = max(paper, ink), min(paper, ink)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, selector
    assert (paper < 0.1) == (scheme == "dark")
    context.close()


def _luminance(page: Page, selector: str, name: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    colour = page.locator(selector).first.evaluate(f"e => getComputedStyle(e).{name}")
    channels = [int(part) / 255 for part in colour.strip("rgb()").split(",")]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_print_is_black_on_white_without_controls(page: Page) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    for control in (".views", "nav", ".skip"):
        assert not page.locator(control).is_visible()
    for column in ("chrF", "match letters", "translation", "Right count"):
        assert page.get_by_role("columnheader", name=column).first.is_visible()
    display = page.locator("table.board thead").evaluate("e => getComputedStyle(e).display")
    assert display == "table-header-group"


def test_prints_to_a_pdf(page: Page, tmp_path: Path) -> None:
    target = tmp_path / "board.pdf"
    page.pdf(path=target, prefer_css_page_size=True)
    assert target.read_bytes().startswith(b"%PDF")


def test_without_script_it_is_the_same_table(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("th button").count() == 0
    assert page.get_by_role("columnheader", name="Rank").is_visible()
    assert page.locator("table.board tbody tr").count() == 5
    page.get_by_text("Problems", exact=True).click()
    assert page.get_by_role("columnheader", name="Score by problem").is_visible()
    context.close()
