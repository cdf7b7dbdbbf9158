"""One's own team."""

from __future__ import annotations

from fastapi import APIRouter

from iolai.challenge import boards, teams
from iolai.challenge.service import Actor, Service
from iolai.web.asking import ApiActor, Svc
from iolai.web.cutting import team_shape
from iolai.web.shapes import CodeAsked, NameAsked, SelectionAsked, TeamShape

__all__ = ["router"]

router = APIRouter(prefix="/challenges/{slug}/team", tags=["team"])


def _shown(service: Service, actor: Actor, slug: str) -> TeamShape:
    found = teams.my_team(service, actor, slug)
    return team_shape(found, boards.final_standing(service, actor, slug))


@router.get("")
def my_team(service: Svc, actor: ApiActor, slug: str) -> TeamShape:
    """Return one's own team: quota, submissions, selection, and its final result when published."""
    return _shown(service, actor, slug)


@router.post("", status_code=201)
def create(service: Svc, actor: ApiActor, slug: str, body: NameAsked) -> TeamShape:
    """Register a team."""
    teams.create_team(service, actor, slug, body.name)
    return _shown(service, actor, slug)


@router.post("/members", status_code=201)
def join(service: Svc, actor: ApiActor, slug: str, body: CodeAsked) -> TeamShape:
    """Join a team by its code."""
    teams.join(service, actor, slug, body.code)
    return _shown(service, actor, slug)


@router.delete("/members/me", status_code=204)
def leave(service: Svc, actor: ApiActor, slug: str) -> None:
    """Leave one's team."""
    teams.leave(service, actor, slug)


@router.post("/members/remove")
def remove_member(service: Svc, actor: ApiActor, slug: str, body: NameAsked) -> TeamShape:
    """Take out a member who joined after oneself; the team gets another join code."""
    teams.remove_member(service, actor, slug, body.name)
    return _shown(service, actor, slug)


@router.post("/join-code")
def new_join_code(service: Svc, actor: ApiActor, slug: str) -> TeamShape:
    """Give one's team another join code; the old one works no more."""
    teams.new_join_code(service, actor, slug)
    return _shown(service, actor, slug)


@router.put("/selection")
def select(service: Svc, actor: ApiActor, slug: str, body: SelectionAsked) -> TeamShape:
    """Choose the submissions that count in the end; none: the default again."""
    teams.select(service, actor, slug, body.submissions)
    return _shown(service, actor, slug)
