"""A board as one HTML page that asks for nothing from elsewhere.

The page is a plain table that reads and prints without its script; the script adds sorting. The
content security policy allows that one script, by its hash, and no request at all.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Container, Mapping
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from iolai.records import Board
from iolai.reports.board_prose import (
    CAPTION,
    chance_text,
    deck,
    explanations_text,
    facts,
    findings,
    notes,
    reading,
    similar_text,
)
from iolai.reports.board_view import (
    columns,
    difference_rows,
    explanation_rows,
    groups,
    scale,
    similar_rows,
    table_rows,
    task_rows,
    text_groups,
)
from iolai.text import visible
from iolai.version import __version__

__all__ = ["board_files", "render_board", "render_board_table", "source_of", "template_of"]

#: More columns of problems than this do not fit on a printed page, and are left out there.
_PRINTED_PROBLEMS = 8


def render_board(
    board: Board,
    *,
    title: str,
    intro: str = "",
    problem_titles: Mapping[str, str] | None = None,
) -> str:
    """Return the board as a self-contained HTML page.

    ``intro`` stands under the title in place of the usual sentence; ``problem_titles`` names
    problems by their id, else they go by their number.
    """
    return (
        _environment()
        .get_template("board.html.j2")
        .render(
            title=visible(title),
            deck=visible(intro) or deck(board),
            facts=facts(board),
            footer=f"iolai {__version__}. Signature: {board.signature or 'nothing was scored'}.",
            **_table(board, problem_titles or {}),
            **_sections(board, problem_titles or {}),
            **_code(),
        )
    )


def render_board_table(
    board: Board,
    *,
    problem_titles: Mapping[str, str] | None = None,
    links: Mapping[str, str] | None = None,
    places: Container[int] | None = None,
) -> str:
    """Return the main table alone, as a section of a page that has the files of ``board_files``.

    ``links`` gives the address of a team's page by the team's name. ``places`` names the rows that
    are shown by their places on the board, counted from 0; the row at place 6 has the HTML id
    ``place-7``. All rows, without ids, where it is None.
    """
    template = _environment().get_template("board_table.html.j2")
    return template.render(**_table(board, problem_titles or {}, links, places))


def board_files() -> dict[str, str]:
    """Return the style and the script of a board's page by the names of their files."""
    return {name: source_of(name) for name in ("board.css", "board.js")}


def _table(
    board: Board,
    titles: Mapping[str, str],
    links: Mapping[str, str] | None = None,
    places: Container[int] | None = None,
) -> dict[str, Any]:
    """Return what the main table needs."""
    all_columns = columns(board, titles)
    spans, views, last_plain = groups(all_columns)
    return {
        "columns": all_columns,
        "spans": spans,
        "views": views,
        "last_plain": last_plain,
        "too_wide_to_print": len(board.problems) > _PRINTED_PROBLEMS,
        "rows": table_rows(board, all_columns, places),
        "scale": scale(board),
        "caption": CAPTION,
        "notes": notes(board),
        "links": {visible(team): link for team, link in (links or {}).items()},
    }


def _sections(board: Board, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return what the sections below the table need, and their names for the list of contents."""
    differences, found = difference_rows(board), findings(board)
    names = [
        ("board", "Board", True),
        ("differences", "What differs", bool(differences)),
        ("reading", "How to read it", True),
        ("findings", "Before reading a rank", bool(found)),
        ("chance", "Tasks and chance levels", True),
        ("similar", "Similar outputs", True),
        ("explanations", "Explanations", True),
    ]
    return {
        "sections": [{"id": key, "name": name} for key, name, shown in names if shown],
        "differences": differences,
        "reading": reading(board),
        "findings": found,
        "chance_text": chance_text(board),
        "tasks": task_rows(board, titles),
        "similar_text": similar_text(board),
        "similar": similar_rows(board),
        "explanations_text": explanations_text(board),
        "explanations": explanation_rows(board),
        "text_groups": text_groups(board),
    }


def _code() -> dict[str, Any]:
    """Return style, script, and the hash by which the page's policy allows the script."""
    script = source_of("board.js")
    digest = hashlib.sha256(script.encode()).digest()
    return {
        "css": Markup(source_of("board.css")),  # noqa: S704 -- our own file, not an entry's
        "script": Markup(script),  # noqa: S704
        "script_hash": f"sha256-{base64.b64encode(digest).decode()}",
    }


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("iolai.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def template_of(name: str) -> Template:
    """Return one of the templates of this room, whatever it is filled with escaped."""
    return _environment().get_template(name)


@cache
def source_of(name: str) -> str:
    """Return a style or a script of the templates as it stands."""
    return resources.files("iolai.reports").joinpath("templates", name).read_text("utf-8")
