"""The board, and why an entry stands where it does."""

from __future__ import annotations

import hashlib

from fastapi import APIRouter, Request
from fastapi.responses import Response

from iolai.challenge import boards, challenges
from iolai.challenge.challenges import ChallengeView
from iolai.challenge.service import Service
from iolai.web.asking import Asker, PageAsker, Svc, keep_form_text
from iolai.web.boards import BoardCache, Rendered
from iolai.web.frame import challenge_frame
from iolai.web.rendering import page_text

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
    """Return the rendered board, which is the same for everybody who may see it."""
    slug = view.settings.slug
    cache: BoardCache = request.app.state.boards
    version = boards.version(service, asker.actor, slug, kind)
    key = (slug, kind, str(version))
    found = cache.find(key)
    if found is not None:
        return found
    with cache.lock_for(key):
        found = cache.find(key)
        if found is None:
            found = Rendered(_rendered(service, asker, view, kind), "-".join(key[1:]))
            cache.keep(key, found)
    return found
