"""The board, and why an entry stands where it does."""

from __future__ import annotations

import hashlib

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from iolai.challenge import boards, challenges
from iolai.challenge.challenges import ChallengeView
from iolai.challenge.permissions import Action, may
from iolai.challenge.service import Actor, Service
from iolai.records import Board, Phase
from iolai.reports.board_html import render_board_table
from iolai.reports.board_prose import reading
from iolai.reports.figures import DASH, count, hundredfold
from iolai.web.asking import Asker, PageAsker, Svc, keep_form_text
from iolai.web.boards import BoardCache, Rendered
from iolai.web.cutting import moment_shapes
from iolai.web.frame import challenge_frame
from iolai.web.rendering import environment, page_text, render

__all__ = ["router"]

router = APIRouter(prefix="/challenges/{slug}")
_MARK = "<!--body-->"


@router.get("/board")
def board(request: Request, service: Svc, asker: PageAsker, slug: str, kind: str = "") -> Response:
    """Show the board: the final one once it is published, the public one before."""
    view = challenges.get(service, asker.actor, slug)
    shown = kind if kind in ("public", "final") else "final" if view.is_published else "public"
    body = _body(request, service, asker, view, shown)
    frame = challenge_frame(asker.actor, view, "board")
    head, _, tail = page_text(request, "board.html.j2", asker, frame).partition(_MARK)
    return _answer(request, asker, (head.encode(), body.body, tail.encode()), body.tag)


def _answer(
    request: Request, asker: Asker, parts: tuple[bytes, bytes, bytes], tag: str
) -> Response:
    """Answer with a page; a browser that has the same one already is told so."""
    frame = hashlib.sha256(parts[0] + parts[2]).hexdigest()[:16]
    headers = {"cache-control": "private, no-cache", "etag": f'"{tag}-{frame}"'}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    answer = Response(b"".join(parts), media_type="text/html", headers=headers)
    keep_form_text(request, answer, asker)
    return answer


def _body(
    request: Request, service: Service, asker: Asker, view: ChallengeView, kind: str
) -> Rendered:
    """Return the rendered board, the same for everybody of one role.

    Who may see which board follows from the role and the version alone, so a board that is kept
    for both was let through by the door when it was rendered.
    """
    slug = view.settings.slug
    cache: BoardCache = request.app.state.boards
    key = (slug, kind, str(boards.version(service, slug)), asker.actor.role or "")
    found = cache.find(key)
    if found is not None:
        return found
    with cache.lock_for(key):
        found = cache.find(key)
        if found is None:
            found = Rendered(_rendered(service, asker, view, kind), "-".join(key[1:]))
            cache.keep(key, found)
    return found


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
    }
    text: str = environment().get_template("board_body.html.j2").render(context)
    return text.encode()


def _said(view: ChallengeView, shown: Board, kind: str) -> str:
    n_entries = count(len(shown.rows), "entry", "entries")
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
        "history": boards.history(service, asker.actor, slug, team_id),
    }
    frame = challenge_frame(asker.actor, view, "board")
    return render(request, "entry.html.j2", asker, {**frame, **context})
