"""A packet of blind papers: all scripts, tables, page images, nothing fetched, no metadata."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pypdfium2
import pytest

from iolai.formats import builtin_path, read_document
from iolai.records import Criterion, Problem, Rubric, Step, Task
from iolai.records.jury import Page, Paper, PaperAnswer
from iolai.reports.asked import asked_items
from iolai.reports.packet import packet_html, packet_pdf

pytestmark = pytest.mark.system("pango")
SCRIPTS = ("pamɲec ɦaɟi", "नमस्ते दुनिया", "மரம் வீடு", "كتاب كبير", "汉字 かな", "Ελληνικά", "ⰀⰁⰂ")
TASK = Task("1" * 11, "The data.", "Translate:\n1. moth\n2. horse", "translation", "single")
PROBLEM = Problem("1" * 7, (TASK,), title="Hooks <b>and</b> rings")
RUBRIC = Rubric(
    PROBLEM.id,
    (
        Criterion("t1", PROBLEM.id, "task", 4.0, (Step(2.0, "one right"),), TASK.id),
        Criterion("r1", PROBLEM.id, "theory", 2.0, notes="ů stands inside a word"),
    ),
)


def _paper(number: str, said: str, *pages: Page) -> Paper:
    answers = (PaperAnswer(TASK.id, ("můra", "<script>kůň</script>"), said),)
    return Paper(f"id{number}", PROBLEM.id, "", number, answers, "", pages)


def _text(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def _photo() -> Page:
    from PIL import Image

    target = io.BytesIO()
    Image.new("RGB", (400, 300), "navy").save(target, "PNG")
    return Page("image/png", target.getvalue())


def test_answers_stand_beside_what_was_asked() -> None:
    html = packet_html(PROBLEM, RUBRIC, [_paper("417", "ů is long u.")])
    assert "Hooks &lt;b&gt;and&lt;/b&gt; rings" in html
    assert "&lt;script&gt;kůň" in html
    assert "<script>" not in html
    row = html.split("můra")[0].rsplit("<tr>", 1)[1]
    assert "moth" in row
    assert html.index("Paper 417") < html.index("ů is long u.") < html.index('<td class="blank">')


@pytest.mark.system("fonts-noto-core")
def test_a_pdf_has_a_page_for_each_paper_and_every_script() -> None:
    papers = [_paper("417", "\n".join(SCRIPTS)), _paper("209", "short", _photo())]
    pdf = packet_pdf(PROBLEM, RUBRIC, papers)
    document = pypdfium2.PdfDocument(pdf)
    assert len(document) == 3
    assert "Paper 209" in document[2].get_textpage().get_text_range()
    found = _text(pdf).replace(" ", "")
    for script in SCRIPTS[:1] + SCRIPTS[4:6]:
        assert script.replace(" ", "") in found
    assert "नमस" in found  # conjuncts are read back in another order
    told = {key: value for key, value in document.get_metadata_dict().items() if value}
    assert set(told) == {"Title", "Producer"}


def test_no_warning_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "weasyprint"):
        packet_pdf(PROBLEM, RUBRIC, [_paper("417", "x" * 3_000)])
    assert caplog.text == ""


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server that notes what it is asked for."""
    asked: list[str] = []

    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with HTTPServer(("127.0.0.1", 0), Noting) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()
        thread.join()


def test_nothing_is_fetched_for_a_paper(listener: tuple[str, list[str]]) -> None:
    address, asked = listener
    page = Page("image/svg+xml", f'<svg><image href="{address}/b"/></svg>'.encode())
    said = f'<img src="{address}/a"> url({address}/c)'
    pdf = packet_pdf(PROBLEM, RUBRIC, [_paper("417", said, page)])
    assert "/a" in _text(pdf)
    assert asked == []


def test_a_blank_in_a_sentence_is_shown_in_its_sentence() -> None:
    """Of the built-in problems: each item is a line of its own, or the query is shown whole."""
    problems = read_document(builtin_path()).problems
    whole = []
    for problem in problems:
        for task in problem.tasks:
            items, is_whole = asked_items(task)
            lines = [line.strip() for line in task.query.splitlines()]
            if is_whole:
                whole.append(task.id)
                assert not any(item.text for item in items)
            else:
                assert all(any(line.endswith(item.text) for line in lines) for item in items)
    assert whole == [
        "10001010300",
        "10001030300",
        "10001040100",
        "10001040200",
        "10001130100",
    ]


def test_a_query_that_is_shown_whole_keeps_its_numbers_and_tables() -> None:
    problems = {one.id: one for one in read_document(builtin_path()).problems}
    for name, task, said in (
        ("1000101", "10001010300", "(11) [ɦat] &#39;snake&#39; — (12) [ɦaɟi] &#39;snakes&#39;"),
        ("1000104", "10001040100", '<td dir="auto">küszöb</td><td dir="auto">threshold</td>'),
    ):
        paper = Paper("p", name, number="7", answers=(PaperAnswer(task, ("a", "b")),))
        html = packet_html(problems[name], Rubric(name, ()), [paper])
        assert said in html
        assert "Asked" not in html
