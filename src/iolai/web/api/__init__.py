"""The API: everything that the pages do, as JSON under ``/api/v1``."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from iolai.web.api import accounts, challenges, desk, jury, submissions, teams, uploads
from iolai.web.asking import API

__all__ = ["router"]

_PROBLEM: dict[str, Any] = {
    "description": "Refused: what is wrong, and what to do.",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "required": ["title", "status", "detail", "hint"],
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "hint": {"type": "string"},
                    "next_at": {"type": "string"},
                },
            }
        }
    },
}
_REFUSALS: dict[int | str, dict[str, Any]] = dict.fromkeys(
    (400, 401, 403, 404, 409, 413, 422, 429), _PROBLEM
)

router = APIRouter(prefix=API, responses=_REFUSALS)
for _part in (accounts, challenges, teams, submissions, uploads, desk, jury):
    router.include_router(_part.router)
