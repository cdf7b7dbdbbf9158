"""Challenges, their problems and boards."""

from __future__ import annotations

from fastapi import APIRouter

from iolai.challenge import boards, challenges
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
def board(service: Svc, actor: ApiActor, slug: str) -> BoardShape:
    """Return the board: the final one once it is published, the public one before."""
    shown, is_final = boards.shown_board(service, actor, slug)
    return _board(service, actor, slug, shown, "final" if is_final else "public")


@router.get("/{slug}/board/public")
def public_board(service: Svc, actor: ApiActor, slug: str) -> BoardShape:
    """Return the board over the public tasks, as it stood at the freeze once that has come."""
    return _board(service, actor, slug, boards.public_board(service, actor, slug), "public")


@router.get("/{slug}/board/final")
def final_board(service: Svc, actor: ApiActor, slug: str) -> BoardShape:
    """Return the board over all tasks; before it is published for organisers alone."""
    return _board(service, actor, slug, boards.final_board(service, actor, slug), "final")


def _board(service: Service, actor: Actor, slug: str, shown: Board, kind: str) -> BoardShape:
    ids = boards.team_ids(service, actor, slug)
    return board_shape(kind, shown, boards.version(service, slug), ids)


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
