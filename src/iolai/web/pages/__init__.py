"""The pages: server-rendered HTML, one file for each part of the site."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from iolai.web.asking import check_form
from iolai.web.pages import board, desk, jury, jury_desk, machine, people, public, submission, team

__all__ = ["router"]

router = APIRouter(include_in_schema=False, dependencies=[Depends(check_form)])
for _part in (board, public, people, team, submission, desk, jury, jury_desk, machine):
    router.include_router(_part.router)
