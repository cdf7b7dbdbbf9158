"""The API: everything that the pages do, as JSON under ``/api/v1``."""

from __future__ import annotations

from fastapi import APIRouter

from iolai.web.api import accounts, challenges, desk, jury, submissions, teams, uploads
from iolai.web.asking import API
from iolai.web.openapi import REFUSALS

__all__ = ["router"]

router = APIRouter(prefix=API, responses=REFUSALS)
for _part in (accounts, challenges, teams, submissions, uploads, desk, jury):
    router.include_router(_part.router)
