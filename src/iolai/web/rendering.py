"""Templates, and how times, sizes, figures and texts of strangers are written in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from iolai.reports.board_html import board_files
from iolai.reports.figures import DASH, hundredfold
from iolai.reports.packet import packet_files
from iolai.reports.typeset import typeset
from iolai.text import visible
from iolai.version import __version__
from iolai.web.asking import Asker, keep_form_text

__all__ = ["environment", "page_text", "render", "static_address", "static_file", "written"]

_KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "txt": "text/plain"}
_STATIC = (
    "desk.css",
    "desk.js",
    "htmx.min.js",
    "htmx-LICENSE.txt",
    "icon.svg",
    "site.css",
    "site.js",
)
#: What a page says after a form was taken, by the word in its address.
DONE = {
    "accept": "You both agree on that one.",
    "account": "Your account is there, and you are logged in.",
    "applied": "The change counts now.",
    "begun": "Marking has begun; the papers are numbered, assigned and sealed.",
    "cancelled": "The change was dropped; nothing was changed.",
    "conflict": "The conflicts of interest are as you said.",
    "decide": "Your decision counts.",
    "disqualified": "The team is disqualified.",
    "escalate": "A third juror is asked.",
    "group": "The group is set.",
    "handed_over": "The paper is handed over.",
    "joined": "You are in the team.",
    "left": "You have left the team.",
    "new-code": "The team has another code for joining; the old one works no more.",
    "removed": "They are in the team no more, and the code for joining is another.",
    "marks": "Your marks are saved.",
    "paper_withdrawn": "The paper is withdrawn; its marks count no more.",
    "password": "Your password is changed.",
    "person": "The work is taken in.",
    "phase": "The phase is changed.",
    "propose": "Your proposal stands; the other juror sees it.",
    "proposed": "The runs are under way; look at the preview before anything changes.",
    "published": "The results are published.",
    "reinstated": "The team is reinstated.",
    "released": "The result is public.",
    "reopened": "The juror has the paper back.",
    "replaced": "Others have these papers now.",
    "revoked": "The token no longer works.",
    "role": "The role is changed.",
    "rubric": "The rubric is kept.",
    "selected": "Your selection is kept.",
    "selection": "These entries are marked, and the reason is kept.",
    "settings": "The settings are kept.",
    "submitted": "Your submission is accepted. The receipt below is yours to keep.",
    "team": "Your team is there. Give the code below to those who shall join.",
    "unsealed": "The marking is unsealed.",
    "withdrawn": "The contestant is taken out.",
}
#: The level of the highest heading in a text that people wrote.
_WRITTEN_LEVEL = 3
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60


@cache
def environment() -> Environment:
    """Return the templates; a name that a template uses and nobody gave is an error."""
    made = Environment(
        loader=PackageLoader("iolai.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"static": static_address, "version": __version__, "typeset": typeset}
    made.filters |= {
        "visible": visible,
        "moment": moment,
        "day": day,
        "span": span,
        "size": size,
        "figure": _figure,
        "share": _share,
        "written": written,
        "short_hash": lambda text: text[:12],
    }
    return made


def page_text(request: Request, name: str, asker: Asker, context: Mapping[str, Any]) -> str:
    """Return a page's HTML: ``context`` and what the frame of every page needs."""
    frame = {
        "actor": asker.actor,
        "csrf": asker.csrf,
        "site_name": request.app.state.site_name,
        "done": DONE.get(request.query_params.get("done", ""), ""),
    }
    return environment().get_template(name).render({**frame, **context})


def render(
    request: Request,
    name: str,
    asker: Asker,
    context: Mapping[str, Any],
    *,
    status: int = 200,
) -> HTMLResponse:
    """Answer with a page, for the one who asked alone."""
    answer = HTMLResponse(page_text(request, name, asker, context), status)
    keep_form_text(request, answer, asker)
    return answer


def static_file(name: str) -> tuple[bytes, str] | None:
    """Return a static file's bytes and media type, None where there is no such file."""
    data = _static().get(name)
    if data is None:
        return None
    return data, f"{_KINDS[name.rsplit('.', 1)[1]]}; charset=utf-8"


def moment(time: str | datetime) -> Markup | str:
    """Write a time for people, as ``3 July 2026, 12:00``, inside a ``time`` element."""
    if not time:
        return DASH
    when = _as_datetime(time)
    shown = f"{when.day} {when:%B %Y, %H:%M}"
    return Markup('<time datetime="{}">{}</time>').format(when.isoformat(), shown)


def day(time: str | datetime) -> str:
    """Write the day of a time, as ``3 July``."""
    when = _as_datetime(time)
    return f"{when.day} {when:%B}"


def span(seconds: float | None) -> str:
    """Write a length of time in its two largest units, as the script on the pages does."""
    if seconds is None:
        return DASH
    if seconds < _MINUTE:
        return f"{max(0, round(seconds))} s"
    n_days, rest = divmod(int(seconds), _DAY)
    n_hours, rest = divmod(rest, _HOUR)
    named = ((n_days, "days" if n_days > 1 else "day"), (n_hours, "h"), (rest // _MINUTE, "min"))
    return " ".join([f"{number} {name}" for number, name in named if number][:2])


def size(n_bytes: float) -> str:
    """Write a number of bytes, as ``12.5 MiB``."""
    if n_bytes < 1 << 10:
        return f"{n_bytes:g} bytes"
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:.1f} {name}"
    raise AssertionError(n_bytes)


def written(text: str) -> Markup:
    """Set what an organiser wrote in Markdown; HTML in it is shown as text, not obeyed.

    Its headings begin at the third level: it stands below a heading of the page.
    """
    markdown = _markdown()
    tokens = markdown.parse(visible(text))
    headings = [token for token in tokens if token.type.startswith("heading_")]
    highest = min((int(token.tag[1]) for token in headings), default=1)
    for token in headings:
        token.tag = f"h{min(6, int(token.tag[1]) - highest + _WRITTEN_LEVEL)}"
    html = markdown.renderer.render(tokens, markdown.options, {})
    return Markup(html)  # noqa: S704 -- HTML is switched off


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def _as_datetime(time: str | datetime) -> datetime:
    when = datetime.fromisoformat(time) if isinstance(time, str) else time
    return when.astimezone(UTC)


def _figure(value: float | None) -> str:
    return hundredfold(value).replace("-", "−")


def _share(value: float | None) -> str:
    return DASH if value is None else f"{100 * value:.0f}%"


@cache
def _static() -> Mapping[str, bytes]:
    folder = resources.files("iolai.web").joinpath("static")
    found = {name: folder.joinpath(name).read_bytes() for name in _STATIC}
    made = {**board_files(), **packet_files()}
    return found | {name: text.encode() for name, text in made.items()}


@cache
def static_address(name: str) -> str:
    """Return the address of a static file; it changes with the file, which can be kept for ever."""
    return f"/static/{name}?v={hashlib.sha256(_static()[name]).hexdigest()[:12]}"
