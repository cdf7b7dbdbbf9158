"""The application: a service behind pages for people and an API for programs."""

from __future__ import annotations

import os

from fastapi import FastAPI
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from iolai.challenge.fetching import HubSource
from iolai.challenge.service import Service, default_home, open_service
from iolai.version import __version__
from iolai.web import api, faults, pages
from iolai.web.asking import API, account_of
from iolai.web.boards import BoardCache
from iolai.web.headers import (
    ARCHIVE_BYTES,
    PIECE_BYTES,
    PREDICTIONS_BYTES,
    Guard,
    Room,
)
from iolai.web.openapi import document
from iolai.web.rendering import static_file

__all__ = ["app_of_home", "create_app"]

_YEAR_S = 365 * 24 * 3600
#: Where a body may be larger than an ordinary form's. A form with an answer key is not among them:
#: up to FORM_BYTES it is read in memory, larger ones go to a file on the way. The API reads a key
#: in memory.
_ROOMY = (
    Room(f"{API}/uploads/", "", PIECE_BYTES, is_streamed=True),
    Room(f"{API}/challenges/", "/submissions/predictions", PREDICTIONS_BYTES),
    Room(f"{API}/challenges/", "/proposals/key", PREDICTIONS_BYTES),
    Room("/challenges/", "/submit/predictions", PREDICTIONS_BYTES, is_form=True),
    Room("/challenges/", "/submit/archive", ARCHIVE_BYTES, is_form=True),
    Room("/challenges/", "/jury/manage/people", PREDICTIONS_BYTES, is_form=True),
)


def create_app(
    service: Service,
    *,
    site_name: str = "iolai",
    secure: bool = False,
    metrics_token: str = "",
) -> FastAPI:
    """Return the application that serves a service.

    ``secure`` says that it is reached by https, maybe through a proxy: cookies are then never sent
    without it. ``metrics_token`` lets others than this machine itself read ``/metrics``.
    """
    app = FastAPI(
        title="iolai challenge service",
        version=__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # its page asks for scripts from elsewhere; /api is ours
        redoc_url=None,
    )
    app.state.service = service
    app.state.site_name = site_name
    app.state.secure = secure
    app.state.metrics_token = metrics_token
    app.state.boards = BoardCache()
    app.add_api_route("/static/{name}", _static, include_in_schema=False, methods=["GET"])
    # In this order: routes are tried one after the other, and most who come look at pages.
    app.include_router(pages.router)
    app.include_router(api.router)
    app.openapi = lambda: document(app)  # type: ignore[method-assign]
    faults.install(app)
    app.add_middleware(Guard, secure=secure, on_crash=faults.crashed, who=account_of, roomy=_ROOMY)
    return app


def app_of_home() -> FastAPI:
    """Return the application of a home, set by the environment: for ASGI servers' factories.

    IOLAI_HOME names the home; IOLAI_SITE_NAME, IOLAI_HTTPS (``1``) and IOLAI_METRICS_TOKEN are the
    options of ``create_app``.
    """
    service = open_service(default_home(), resolve_revision=HubSource().resolve)
    return create_app(
        service,
        site_name=os.environ.get("IOLAI_SITE_NAME") or "iolai",
        secure=os.environ.get("IOLAI_HTTPS") == "1",
        metrics_token=os.environ.get("IOLAI_METRICS_TOKEN", ""),
    )


async def _static(name: str) -> Response:
    found = static_file(name)
    if found is None:
        raise HTTPException(404)
    data, kind = found
    kept = {"cache-control": f"public, max-age={_YEAR_S}, immutable"}
    return Response(data, media_type=kind, headers=kept)
