"""How times, sizes and texts of strangers are written on the pages."""

from __future__ import annotations

import re

import pytest

from iolai.web.rendering import DONE, environment, moment, size, span, static_file, written


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (3_661, "1 h 1 min"),
        (86_400, "1 day"),
        (200_000, "2 days 7 h"),
        (172_860, "2 days 1 min"),
        (None, "–"),
        (-5, "0 s"),
    ],
)
def test_spans(seconds: float | None, text: str) -> None:
    assert span(seconds) == text


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (5 << 20, "5.0 MiB"),
     (30 << 30, "30.0 GiB")],
)  # fmt: skip
def test_sizes(n_bytes: int, text: str) -> None:
    assert size(n_bytes) == text


def test_moments_are_utc_whatever_they_are_given_in() -> None:
    assert str(moment("2026-07-01T01:30:00+03:00")) == (
        '<time datetime="2026-06-30T22:30:00+00:00">30 June 2026, 22:30</time>'
    )
    assert moment("") == "–"


def test_markdown_is_set_and_html_in_it_shown() -> None:
    html = str(written("# Rules\n\n*be fair* <script>alert(1)</script>\n\n| a |\n|---|\n| b |"))
    assert "<h3>Rules</h3>" in html
    assert "<em>be fair</em>" in html
    assert "<td>b</td>" in html
    assert "<script" not in html


@pytest.mark.parametrize(
    "link", ["[x](javascript:alert(1))", "[x](data:text/html,x)", "![x](http://e.example/a.png)"]
)
def test_markdown_links_lead_to_pages_alone(link: str) -> None:
    html = str(written(link))
    assert 'href="javascript' not in html
    assert 'href="data' not in html
    assert "<img" not in html


def test_every_template_can_be_read() -> None:
    names = environment().list_templates()
    assert len(names) > 15
    for name in names:
        environment().get_template(name)


def test_notices_are_sentences() -> None:
    assert all(text.endswith(".") for text in DONE.values())


def test_static_files_say_what_they_are() -> None:
    for name, kind in (("site.css", "text/css"), ("site.js", "text/javascript")):
        found = static_file(name)
        assert found is not None
        assert found[1] == f"{kind}; charset=utf-8"
    assert static_file("app.py") is None


def test_headings_of_written_text_stand_below_the_page_s() -> None:
    html = str(written("## One\n\n### Two\n\n###### Six"))
    assert re.findall("<h.>", html) == ["<h3>", "<h4>", "<h6>"]
