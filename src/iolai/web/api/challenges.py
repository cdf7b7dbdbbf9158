"""Challenges, their problems and boards."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from iolai.challenge import boards, challenges
from iolai.challenge.names import MAX_NAME
from iolai.challenge.service import Actor, Service
from iolai.errors import ForbiddenError
from iolai.records import Board
from iolai.web.asking import ApiActor, Svc
from iolai.web.cutting import (
    board_shape,
    challenge_shape,
    history_shapes,
    moment_shapes,
    problem_shapes,
)
from iolai.web.shapes import BoardShape, ChallengeShape, ProblemShape, WhyShape

__all__ = ["router"]

router = APIRouter(prefix="/challenges", tags=["challenges"])
_MOST_ROWS = 1_000


class _Page(BaseModel):
    """Which rows of a board are asked for."""

    model_config = ConfigDict(frozen=True)

    limit: int = Field(_MOST_ROWS, ge=1, le=_MOST_ROWS, description="How many rows at most.")
    offset: int = Field(
        0, ge=0, le=1_000_000, description="How many rows to leave out: `next_offset` of the last."
    )
    find: str = Field("", max_length=MAX_NAME, description="Only teams with this in their name.")


@router.get("")
def list_challenges(service: Svc, actor: ApiActor) -> list[ChallengeShape]:
    """List the challenges, the newest first."""
    return [challenge_shape(view) for view in challenges.list_challenges(service, actor)]


@router.get("/{slug}")
def challenge(service: Svc, actor: ApiActor, slug: str) -> ChallengeShape:
    """Return a challenge: its phase, its times, its rules."""
    return challenge_shape(challenges.get(service, actor, slug))


@router.get("/{slug}/problems")
def problems(service: Svc, actor: ApiActor, slug: str) -> list[ProblemShape]:
    """Return the problems as a solver sees them, where they may be seen."""
    view = challenges.get(service, actor, slug)
    if view.problems is None:
        raise ForbiddenError(
            "the problems are not to be seen now",
            hint="The rules of the challenge say when they are shown.",
        )
    return problem_shapes(view)


@router.get("/{slug}/board")
def board(service: Svc, actor: ApiActor, slug: str, page: Annotated[_Page, Query()]) -> BoardShape:
    """Return the board: the final one once it is published, the public one before."""
    shown, is_final = boards.shown_board(service, actor, slug)
    return _board(service, actor, slug, shown, "final" if is_final else "public", page)


@router.get("/{slug}/board/public")
def public_board(
    service: Svc, actor: ApiActor, slug: str, page: Annotated[_Page, Query()]
) -> BoardShape:
    """Return the board over the public tasks, as it stood at the freeze once that has come."""
    shown = boards.public_board(service, actor, slug)
    return _board(service, actor, slug, shown, "public", page)


@router.get("/{slug}/board/final")
def final_board(
    service: Svc, actor: ApiActor, slug: str, page: Annotated[_Page, Query()]
) -> BoardShape:
    """Return the board over all tasks; before it is published for organisers alone."""
    shown = boards.final_board(service, actor, slug)
    return _board(service, actor, slug, shown, "final", page)


def _board(
    service: Service, actor: Actor, slug: str, shown: Board, kind: str, page: _Page
) -> BoardShape:
    return board_shape(
        kind,
        shown,
        boards.version(service, slug),
        boards.team_ids(service, actor, slug),
        places=boards.places_named(shown, page.find),
        offset=page.offset,
        limit=page.limit,
    )


@router.get("/{slug}/board/teams/{team_id}")
def why(service: Svc, actor: ApiActor, slug: str, team_id: str) -> WhyShape:
    """Say why a team stands where it does: its run, the rule, the events behind."""
    found = boards.why(service, actor, slug, team_id)
    history = boards.history(service, actor, slug, team_id)
    return WhyShape(
        team=found.team,
        board=found.board,
        rank=found.rank,
        score=found.score,
        rule=found.rule,
        history=history_shapes(history),
        events=moment_shapes(found.events),
    )
