"""A study's page in a browser: without faults, on a phone, in print, without a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from iolai.records.study import Cell, Chart, Column, Dot, Series, Table
from iolai.reports.plots import CHART_FORMATS
from iolai.reports.study_html import Section, render_study
from iolai.stats import Interval

pytestmark = pytest.mark.system("chromium")
pytest.importorskip("matplotlib", reason="needs the extra `study`")

COLUMNS = (Column("model", "Model"), *(Column(f"c{n}", f"Column {n}", "score") for n in range(14)))
WIDE = Table(
    "wide",
    "Many columns",
    COLUMNS,
    tuple(
        (
            Cell(f"model <{row}>"),
            *(Cell(0.5, 10 + n, 3, Interval(0.25, 0.75, 0.9, 100, 0)) for n in range(13)),
            Cell(reason="nobody was asked"),
        )
        for row in range(3)
    ),
    notes=("A note.",),
)
EMPTY = Table("empty", "Nothing", COLUMNS, reason="no jury's results were handed in")
STRIP = Chart(
    "strip",
    "Many tasks",
    "strip",
    (Series("models", tuple(Dot(f"{n}.1", n / 60) for n in range(60)), synthetic=True),),
)

DOTS = Chart("dots", "Few models", "dots", (Series("models", (Dot("m", 0.5, 0.4, 0.6),)),))


def write(path: Path) -> str:
    page = render_study(
        [Section("scores", "Scores", "What each scores.", (WIDE, EMPTY), (STRIP, DOTS))],
        {chart.name: CHART_FORMATS["svg"](chart) for chart in (STRIP, DOTS)},
        title="A study <here>",
        deck="Three models.",
        facts={"Calls": "3 of 3"},
        cautions=[("Simulated models.", "One is made up.")],
        footer="iolai",
    )
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_opens_without_a_fault_and_nothing_is_wider_than_the_screen(
    width: int, browser: Browser, tmp_path: Path
) -> None:
    page, faults, asked = opened(browser, write(tmp_path / "index.html"), width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for image in page.locator("img").all():  # as wide as it can be read; the sheet scrolls
        assert image.evaluate("image => image.complete && image.naturalWidth > 0")
        assert image.evaluate("image => image.getBoundingClientRect().width") >= 36 * 16
    assert page.locator("figure.synthetic figcaption").inner_text().startswith("Many tasks")
    assert page.locator("#table-wide tbody tr").count() == 3
    assert "model <0>" in page.locator("#table-wide tbody th").first.inner_text()
    assert "No figures: no jury" in page.locator("#table-empty").inner_text()
    assert faults == []
    assert [url[:5] for url in asked if not url.startswith("data:")] == ["file:"]
    page.context.close()


def test_a_wide_table_is_printed_whole(browser: Browser, tmp_path: Path) -> None:
    page, faults, _ = opened(browser, write(tmp_path / "index.html"), 1050)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1050
    last = page.locator("#table-wide thead th").last
    box = last.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 1050
    assert faults == []
    page.context.close()


def opened(browser: Browser, address: str, width: int) -> tuple[Page, list[str], list[str]]:
    page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    faults: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    return page, faults, asked
