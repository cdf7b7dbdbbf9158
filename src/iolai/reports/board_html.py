"""A board as one HTML page that asks for nothing from elsewhere.

The page is a plain table that reads and prints without its script; the script adds sorting. The
content security policy allows that one script, by its hash, and no request at all.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
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

__all__ = ["render_board"]

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
    titles = problem_titles or {}
    all_columns = columns(board, titles)
    spans, views, last_plain = groups(all_columns)
    script = _source("board.js")
    differences = difference_rows(board)
    found = findings(board)
    return (
        _environment()
        .get_template("board.html.j2")
        .render(
            title=visible(title),
            deck=visible(intro) or deck(board),
            facts=facts(board),
            sections=_sections(bool(differences), bool(found)),
            columns=all_columns,
            spans=spans,
            views=views,
            last_plain=last_plain,
            too_wide_to_print=len(board.problems) > _PRINTED_PROBLEMS,
            rows=table_rows(board, all_columns),
            scale=scale(board),
            caption=CAPTION,
            notes=notes(board),
            differences=differences,
            reading=reading(board),
            findings=found,
            chance_text=chance_text(board),
            tasks=task_rows(board, titles),
            similar_text=similar_text(board),
            similar=similar_rows(board),
            explanations_text=explanations_text(board),
            explanations=explanation_rows(board),
            text_groups=text_groups(board),
            footer=f"iolai {__version__}. Signature: {board.signature or 'nothing was scored'}.",
            css=Markup(_source("board.css")),  # noqa: S704 -- our own file, not an entry's
            script=Markup(script),  # noqa: S704
            script_hash=_hash(script),
        )
    )


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


@cache
def _source(name: str) -> str:
    return resources.files("iolai.reports").joinpath("templates", name).read_text("utf-8")


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _sections(differ: bool, found: bool) -> list[dict[str, Any]]:
    names = [
        ("board", "Board", True),
        ("differences", "What differs", differ),
        ("reading", "How to read it", True),
        ("findings", "Before reading a rank", found),
        ("chance", "Tasks and chance levels", True),
        ("similar", "Similar outputs", True),
        ("explanations", "Explanations", True),
    ]
    return [{"id": key, "name": name} for key, name, shown in names if shown]
