"""The board, and why an entry stands where it does."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from markupsafe import Markup

from iolai.challenge import boards, challenges
from iolai.challenge.challenges import ChallengeView
from iolai.challenge.names import MAX_NAME
from iolai.challenge.permissions import Action, may
from iolai.challenge.service import Actor, Service
from iolai.errors import NotFoundError
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

__all__ = ["ROWS", "router"]

router = APIRouter(prefix="/challenges/{slug}")
_MARK = "<!--body-->"
#: A page of the board has so many rows; pages have numbers up to so many.
ROWS, _MOST_PAGES = 200, 1_000_000


@router.get("/board")
async def board(
    request: Request,
    service: Svc,
    asker: PageAsker,
    slug: str,
    kind: str = "",
    page: Annotated[int, Query(ge=1, le=_MOST_PAGES)] = 1,
    find: Annotated[str, Query(max_length=MAX_NAME)] = "",
) -> Response:
    """Show a page of the board: the final one once it is published, the public one before."""
    asked = _Asked(slug, kind if kind in ("public", "final") else "", page, find.strip())
    if asker.actor.account or asked.find or not service.store.is_sqlite:
        return await run_in_threadpool(_shown, request, service, asker, asked)
    # Most who come are visitors who look at what is kept: for them no thread is worth its while,
    # since the one question that is asked of this machine's own database waits for nobody.
    kept = request.app.state.boards.find(_key(asker, asked, str(boards.version(service, slug))))
    if kept is None:
        return await run_in_threadpool(_shown, request, service, asker, asked)
    return _answer(request, service, asker, slug, kept)


def _shown(request: Request, service: Service, asker: Asker, asked: _Asked) -> Response:
    return _answer(request, service, asker, asked.slug, _kept(request, service, asker, asked))


def _answer(
    request: Request, service: Service, asker: Asker, slug: str, kept: Rendered
) -> Response:
    is_visitor = not asker.actor.account
    head, tail = (
        kept.frame
        if is_visitor
        else _frame(request, asker, kept.context, _own(service, asker.actor, slug, kept.kind))
    )
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
    whole = b"".join((head, kept.body, tail))
    return Response(whole, media_type="text/html", headers=headers)


def _tag(version: str, frame: bytes, *, is_packed: bool) -> str:
    shown = hashlib.sha256(frame).hexdigest()[:16]
    return f'"{version}-{shown}{"-gzip" if is_packed else ""}"'


@dataclass(frozen=True, slots=True)
class _Asked:
    """What of a board is asked for: its kind (``""``: the one that is shown), a page, a name."""

    slug: str
    kind: str
    page: int
    find: str


def _kept(request: Request, service: Service, asker: Asker, asked: _Asked) -> Rendered:
    """Return the rendered board, the same for everybody of one role.

    Who may see which board follows from the role and the version alone, so a board that is kept
    for both was let through by the door when it was rendered.
    """
    cache: BoardCache = request.app.state.boards
    version = str(boards.version(service, asked.slug))
    if asked.find:  # what strangers type is not kept: there is no end of it
        return _made(request, service, asker, asked, version)
    key = _key(asker, asked, version)
    found = cache.find(key)
    if found is not None:
        return found
    with cache.rendering(key):
        found = cache.find(key)
        if found is None:
            found = _made(request, service, asker, asked, version)
            cache.keep(key, found)
    return found


def _key(asker: Asker, asked: _Asked, version: str) -> tuple[str, ...]:
    return (asked.slug, asked.kind, version, asker.actor.role or "", str(asked.page))


def _made(
    request: Request, service: Service, asker: Asker, asked: _Asked, version: str
) -> Rendered:
    view = challenges.get(service, asker.actor, asked.slug)
    kind = asked.kind or ("final" if view.is_published else "public")
    body = _rendered(service, asker, view, asked, kind)
    # One visitor's frame is shown to all: nothing of the address goes into it.
    context = {**challenge_frame(asker.actor, view, "board"), "done": ""}
    frame = _frame(request, asker, context)
    packed = b"" if asker.actor.account else gzip.compress(frame[0] + body + frame[1])
    shown = hashlib.sha256(asked.find.encode("utf-8", "replace")).hexdigest()[:8]
    tag = f"{asked.kind or 'shown'}-{version}-{asked.page}-{shown}"
    return Rendered(body, tag, context, frame, kind, packed)


def _own(service: Service, actor: Actor, slug: str, kind: str) -> dict[str, Any] | None:
    """Return where one's own team stands: its row is reached from every page of the board."""
    place = boards.own_place(service, actor, slug, kind)
    if place is None:
        return None
    query = urlencode({"kind": kind, "page": place // ROWS + 1})
    return {"place": place + 1, "href": f"/challenges/{slug}/board?{query}#place-{place + 1}"}


def _frame(
    request: Request, asker: Asker, context: dict[str, Any], own: dict[str, Any] | None = None
) -> tuple[bytes, bytes]:
    """Return what stands before and after the board on a page."""
    text = page_text(request, "board.html.j2", asker, {**context, "own": own})
    head, _, tail = text.partition(_MARK)
    return head.encode(), tail.encode()


def _pages(asked: _Asked, kind: str, n_found: int, n_rows: int) -> dict[str, Any]:
    """Return what leads from page to page; raises NotFoundError behind the last."""
    n_pages = max(1, -(-n_found // ROWS))
    if asked.page > n_pages:
        raise NotFoundError(
            f"the board has no page {asked.page}", hint=f"Its last page is {n_pages}."
        )

    def link(page: int) -> str:
        found = {"find": asked.find} if asked.find else {}
        return "?" + urlencode({"kind": kind, **found, "page": page})

    first = (asked.page - 1) * ROWS + 1
    near = {1, n_pages, *range(asked.page - 2, asked.page + 3)}
    return {
        "links": [
            {"page": page, "href": link(page), "is_here": page == asked.page}
            for page in sorted(near)
            if 1 <= page <= n_pages
        ],
        "first": first if n_found else 0,
        "last": min(n_found, first + ROWS - 1),
        "n_found": n_found,
        "n_rows": n_rows,
        "find": asked.find,
        "kind": kind,
        "all": f"?{urlencode({'kind': kind})}",
        "is_needed": n_rows > ROWS or bool(asked.find),
    }


def _rendered(
    service: Service, asker: Asker, view: ChallengeView, asked: _Asked, kind: str
) -> bytes:
    slug, actor = view.settings.slug, asker.actor
    board_of = boards.final_board if kind == "final" else boards.public_board
    shown = board_of(service, actor, slug)
    base = f"/challenges/{slug}/board"
    ids = boards.team_ids(service, actor, slug)
    found = boards.places_named(shown, asked.find)
    pages = _pages(asked, kind, len(found), len(shown.rows))
    places = frozenset(found[pages["first"] - 1 : pages["last"]] if found else ())
    links = {name: f"{base}/{ids[name]}" for name in ids}
    table = render_board_table(shown, links=links, places=places)
    context = {
        "pages": pages,
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
