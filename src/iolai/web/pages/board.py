"""The board, and why an entry stands where it does."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from iolai.challenge import boards, challenges
from iolai.challenge.challenges import ChallengeView
from iolai.challenge.permissions import Action, may
from iolai.challenge.service import Actor, Service
from iolai.records import Board, Phase
from iolai.reports.board_html import render_board_table
from iolai.reports.board_prose import entries_text, reading
from iolai.reports.figures import DASH, hundredfold
from iolai.web.asking import Asker, PageAsker, Svc
from iolai.web.boards import BoardCache, Rendered
from iolai.web.cutting import history_shapes, moment_shapes
from iolai.web.frame import challenge_frame
from iolai.web.rendering import environment, page_text, render
from iolai.web.shapes import HistoryShape

__all__ = ["router"]

router = APIRouter(prefix="/challenges/{slug}")
_MARK = "<!--body-->"


@router.get("/board")
def board(request: Request, service: Svc, asker: PageAsker, slug: str, kind: str = "") -> Response:
    """Show the board: the final one once it is published, the public one before."""
    asked = kind if kind in ("public", "final") else ""
    kept = _kept(request, service, asker, slug, asked)
    is_visitor = not asker.actor.account
    head, tail = kept.frame if is_visitor else _frame(request, asker, kept.context)
    is_packed = is_visitor and "gzip" in request.headers.get("accept-encoding", "")
    headers = {
        "cache-control": "private, no-cache",
        "vary": "accept-encoding, cookie",
        "etag": _tag(kept.tag, head + tail, is_packed=is_packed),
    }
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    if is_packed:
        headers["content-encoding"] = "gzip"
        return Response(kept.packed, media_type="text/html", headers=headers)
    page = b"".join((head, kept.body, tail))
    return Response(page, media_type="text/html", headers=headers)


def _tag(version: str, frame: bytes, *, is_packed: bool) -> str:
    shown = hashlib.sha256(frame).hexdigest()[:16]
    return f'"{version}-{shown}{"-gzip" if is_packed else ""}"'


def _kept(request: Request, service: Service, asker: Asker, slug: str, asked: str) -> Rendered:
    """Return the rendered board, the same for everybody of one role.

    Who may see which board follows from the role and the version alone, so a board that is kept
    for both was let through by the door when it was rendered.
    """
    cache: BoardCache = request.app.state.boards
    version = str(boards.version(service, slug))
    key = (slug, asked, version, asker.actor.role or "")
    found = cache.find(key)
    if found is not None:
        return found
    with cache.lock_for(key):
        found = cache.find(key)
        if found is None:
            view = challenges.get(service, asker.actor, slug)
            body = _rendered(service, asker, view, asked or _usual(view))
            # One visitor's frame is shown to all: nothing of the address goes into it.
            context = {**challenge_frame(asker.actor, view, "board"), "done": ""}
            frame = _frame(request, asker, context)
            packed = b"" if asker.actor.account else gzip.compress(frame[0] + body + frame[1])
            found = Rendered(body, f"{asked or 'shown'}-{version}", context, frame, packed)
            cache.keep(key, found)
    return found


def _usual(view: ChallengeView) -> str:
    return "final" if view.is_published else "public"


def _frame(request: Request, asker: Asker, context: dict[str, Any]) -> tuple[bytes, bytes]:
    """Return what stands before and after the board on a page."""
    head, _, tail = page_text(request, "board.html.j2", asker, context).partition(_MARK)
    return head.encode(), tail.encode()


def _rendered(service: Service, asker: Asker, view: ChallengeView, kind: str) -> bytes:
    slug, actor = view.settings.slug, asker.actor
    board_of = boards.final_board if kind == "final" else boards.public_board
    shown = board_of(service, actor, slug)
    base = f"/challenges/{slug}/board"
    ids = boards.team_ids(service, actor, slug)
    table = render_board_table(shown, links={name: f"{base}/{ids[name]}" for name in ids})
    context = {
        "said": _said(view, shown, kind),
        "other": _other(actor, view, kind, base),
        "table": Markup(table),  # noqa: S704 -- made by our own template, which escapes
        "reading": reading(shown) if shown.rows else [],
        "signature": shown.signature,
        "may_submit": view.phase in (Phase.OPEN, Phase.FROZEN),
        "team": f"/challenges/{slug}/team",
        "challenge": f"/challenges/{slug}",
    }
    text: str = environment().get_template("board_body.html.j2").render(context)
    return text.encode()


def _said(view: ChallengeView, shown: Board, kind: str) -> str:
    n_entries = entries_text(shown)
    if kind == "final":
        aside = "" if view.is_published else " It is not published yet: only the desk sees it."
        return f"The final board: {n_entries}, scored over all tasks.{aside}"
    if view.phase is Phase.FROZEN:
        return f"The public board as it stood at the freeze: {n_entries}, over the public tasks."
    if view.phase is Phase.FINAL:
        return f"The public board: {n_entries}, scored over the public tasks alone."
    return (
        f"{n_entries} so far, scored over the public tasks alone. The final board goes by all "
        "tasks, and by the runs that the teams select."
    )


def _other(actor: Actor, view: ChallengeView, kind: str, base: str) -> dict[str, str] | None:
    if kind == "final":
        return {"href": f"{base}?kind=public", "name": "The public board"}
    if view.is_published or may(actor, Action.VIEW_FINAL_BOARD):
        return {"href": f"{base}?kind=final", "name": "The final board"}
    return None


@router.get("/board/{team_id}")
def entry(request: Request, service: Svc, asker: PageAsker, slug: str, team_id: str) -> Response:
    """Show why a team stands where it does, and the history of its public scores."""
    view = challenges.get(service, asker.actor, slug)
    found = boards.why(service, asker.actor, slug, team_id)
    context = {
        "name": found.team,
        "board": found.board,
        "rule": f"{found.rule[:1].upper()}{found.rule[1:]}.",
        "figures": [
            {"name": "Rank", "text": str(found.rank) if found.rank else DASH},
            {"name": "Score", "text": hundredfold(found.score)},
        ],
        "events": moment_shapes(found.events),
        "history": _history(service, asker, slug, team_id),
    }
    frame = challenge_frame(asker.actor, view, "board")
    return render(request, "entry.html.j2", asker, {**frame, **context})


def _history(service: Service, asker: Asker, slug: str, team_id: str) -> list[HistoryShape]:
    return history_shapes(boards.history(service, asker.actor, slug, team_id))
