"""A packet: the blind papers of one problem, answers and explanations side by side, for marking.

Everything in it comes from papers that were blinded before; nothing here knows a contestant.
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from iolai.errors import MissingPartError
from iolai.records import Criterion, Problem, Rubric, Task
from iolai.records.jury import Page, Paper
from iolai.reports.asked import asked_items, label_at
from iolai.reports.typeset import typeset
from iolai.text import visible

__all__ = ["packet_files", "packet_html", "packet_pdf"]

#: The style of both, and what only a browser understands.
_STYLE, _SCREEN_STYLE = "packet.css", "packet_screen.css"
#: The library that sets PDFs keeps fonts in one place for the whole process.
_setting = threading.Lock()


def packet_html(
    problem: Problem,
    rubric: Rubric,
    papers: Sequence[Paper],
    *,
    notices: Sequence[str] = (),
    style_addresses: Sequence[str] = (),
    page_address: Callable[[Paper, int], str] | None = None,
) -> str:
    """Return a packet as an HTML page, the papers in the order given.

    ``notices`` stand above the papers.
    ``style_addresses`` are where its styles stand (see ``packet_files``), ``page_address`` where a
    page of a paper does (counted from 1); without it images stand in the page itself.
    """
    address = page_address or _inline
    return (
        _environment()
        .get_template("packet.html.j2")
        .render(
            title=visible(problem.title or rubric.title or f"Problem {problem.id}"),
            style_addresses=style_addresses,
            notices=[visible(one) for one in notices],
            papers=[_shown(paper, problem, address) for paper in papers],
            criteria=[_criterion(one, problem) for one in rubric.criteria],
        )
    )


def packet_pdf(
    problem: Problem, rubric: Rubric, papers: Sequence[Paper], *, notices: Sequence[str] = ()
) -> bytes:
    """Return a packet as a PDF; raises MissingPartError where WeasyPrint cannot be loaded."""
    try:
        from weasyprint import CSS, HTML
        from weasyprint.urls import URLFetcher
    except (ImportError, OSError) as error:  # OSError: Pango is not there
        raise MissingPartError(
            "PDFs cannot be set here: WeasyPrint or the library Pango is missing",
            hint="Run pip install 'iolai[jury]', and make system-deps for Pango.",
        ) from error
    html = packet_html(problem, rubric, papers, notices=notices)
    # A paper must not make the server ask for anything: only what stands in the page is read.
    fetcher = URLFetcher(allowed_protocols={"data"}, allow_redirects=False)
    with _setting:
        style = CSS(string=packet_files()[_STYLE], url_fetcher=fetcher)
        made = HTML(string=html, url_fetcher=fetcher).write_pdf(stylesheets=[style])
    return bytes(made)


def packet_files() -> dict[str, str]:
    """Return the styles of a packet by the names of their files."""
    folder = resources.files("iolai.reports").joinpath("templates")
    names = (_STYLE, _SCREEN_STYLE)
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in names}


def _inline(paper: Paper, number: int) -> str:
    page: Page = paper.pages[number - 1]
    return f"data:{page.media_type};base64,{base64.b64encode(page.content).decode()}"


def _shown(
    paper: Paper, problem: Problem, address: Callable[[Paper, int], str]
) -> Mapping[str, Any]:
    answers = {one.task: one for one in paper.answers}
    return {
        "number": paper.number,
        "text": visible(paper.text),
        "pages": [address(paper, number) for number in range(1, len(paper.pages) + 1)],
        "answers": [
            {
                "number": place,
                "explanation": visible(answers[task.id].explanation),
                "items": _items(task, answers[task.id].answers),
                "query": typeset(task.query) if asked_items(task)[1] else (),
            }
            for place, task in enumerate(problem.tasks, 1)
            if task.id in answers
        ],
    }


def _items(task: Task, given: Sequence[str]) -> list[Mapping[str, str]]:
    asked, _ = asked_items(task)
    shown: list[Mapping[str, str]] = []
    for number, answer in enumerate(given):
        said = asked[number].text if number < len(asked) else ""
        shown.append(
            {
                "label": visible(label_at(asked, number)),
                "asked": visible(said),
                "answer": visible(answer),
            }
        )
    return shown


def _criterion(one: Criterion, problem: Problem) -> Mapping[str, Any]:
    place = next((n for n, task in enumerate(problem.tasks, 1) if task.id == one.task), 0)
    return {
        "id": visible(one.id),
        "name": ", ".join(
            (["rule"] if one.kind == "theory" else []) + ([f"task {place}"] if place else [])
        ),
        "points": f"{one.points:g}",
        "notes": visible(one.notes),
        "accept": [visible(text) for text in one.accept],
        "steps": [{"points": f"{s.points:g}", "when": visible(s.when)} for s in one.steps],
    }


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("iolai.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["visible"] = visible
    return made
