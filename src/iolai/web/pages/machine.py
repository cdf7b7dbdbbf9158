"""What machines ask: whether the service is well, and its figures."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import asdict

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from iolai.challenge import health
from iolai.web.asking import Svc, address_of

__all__ = ["router"]

router = APIRouter()


@router.get("/healthz")
def healthz(service: Svc) -> Response:
    """Say whether submissions can be taken and runs are done; 503 where they cannot be taken."""
    found = health.check_health(service)
    return JSONResponse(asdict(found), 200 if found.is_up else 503)


@router.get("/metrics")
def metrics(request: Request, service: Svc) -> Response:
    """Return the figures for Prometheus, to this machine itself or for the token."""
    if not _may_read(request):
        raise HTTPException(404)
    text = health.metrics_text(service)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def _may_read(request: Request) -> bool:
    token: str = request.app.state.metrics_token
    sent = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token and hmac.compare_digest(sent.encode(), token.encode()):
        return True
    # A proxy on this machine asks for others: what came through one is not from here.
    return _is_loopback(address_of(request)) and "x-forwarded-for" not in request.headers


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
