"""Scores: one row for a run and a key, never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, func, select

from iolai.records import ScoreRow
from iolai.store import tables
from iolai.store.rows import all_of, one_of, values_of

__all__ = [
    "Standing",
    "add_scores",
    "count_lacking",
    "count_scores",
    "get_score",
    "list_scores",
    "list_standings",
    "runs_scored",
    "scores_lacking",
    "unscored",
]

_SCORE, _RUN, _VERDICT = tables.score, tables.run, tables.verdict
_SUBMISSION = tables.submission


def add_scores(connection: Connection, scores: Iterable[ScoreRow]) -> None:
    """Insert scores; raises IntegrityError where a run already has one under that key."""
    rows = [values_of(score) for score in scores]
    if rows:
        connection.execute(_SCORE.insert(), rows)


def get_score(connection: Connection, run_id: str, key_id: str) -> ScoreRow | None:
    """Return what a run scored under a key, or None."""
    query = select(_SCORE).where(_SCORE.c.run == run_id, _SCORE.c.key == key_id)
    return one_of(connection, ScoreRow, query)


def list_scores(connection: Connection, key_id: str, runs: Iterable[str]) -> tuple[ScoreRow, ...]:
    """Return the scores of some runs under a key, by run."""
    query = (
        select(_SCORE)
        .where(_SCORE.c.key == key_id, _SCORE.c.run.in_(list(runs)))
        .order_by(_SCORE.c.run)
    )
    return all_of(connection, ScoreRow, query)


@dataclass(frozen=True, slots=True)
class Standing:
    """What ranking needs of one run that has a verdict and a score; ``figures`` is JSON text."""

    run: str
    submission: str
    team: str
    proposal: str
    received_at: str
    figures: str


def list_standings(
    connection: Connection, challenge_id: str, key_id: str, *, team_id: str | None = None
) -> tuple[Standing, ...]:
    """Return the runs of a challenge that have a verdict and a score under a key."""
    query: Select[Any] = (
        select(
            _RUN.c.id,
            _RUN.c.submission,
            _RUN.c.team,
            _RUN.c.proposal,
            _SUBMISSION.c.received_at,
            _SCORE.c.figures,
        )
        .join(_SUBMISSION, _SUBMISSION.c.id == _RUN.c.submission)
        .join(_VERDICT, _VERDICT.c.run == _RUN.c.id)
        .join(_SCORE, _SCORE.c.run == _RUN.c.id)
        .where(_RUN.c.challenge == challenge_id, _SCORE.c.key == key_id)
        .order_by(_SUBMISSION.c.received_at, _RUN.c.submission)
    )
    if team_id is not None:
        query = query.where(_RUN.c.team == team_id)
    return tuple(Standing(*row) for row in connection.execute(query))


def scores_lacking(
    connection: Connection, key_id: str, other: str, *, after: str, limit: int
) -> tuple[ScoreRow, ...]:
    """Return some scores under a key of runs that have none under another, in the order of runs.

    ``after`` is the last run of those that were returned before, ``""`` at first.
    """
    query = (
        select(_SCORE)
        .where(_SCORE.c.key == key_id, _SCORE.c.run > after, _SCORE.c.run.not_in(_runs(other)))
        .order_by(_SCORE.c.run)
        .limit(limit)
    )
    return all_of(connection, ScoreRow, query)


def runs_scored(connection: Connection, key_id: str, runs: Iterable[str]) -> frozenset[str]:
    """Return those of some runs that have a score under a key."""
    query = select(_SCORE.c.run).where(_SCORE.c.key == key_id, _SCORE.c.run.in_(list(runs)))
    return frozenset(connection.execute(query).scalars())


def count_lacking(connection: Connection, key_id: str, other: str) -> int:
    """Count the runs that have a score under a key and none under another."""
    query = select(func.count()).where(_SCORE.c.key == key_id, _SCORE.c.run.not_in(_runs(other)))
    return int(connection.execute(query).scalar_one())


def _runs(key_id: str) -> Select[tuple[str]]:
    return select(_SCORE.c.run).where(_SCORE.c.key == key_id)


def count_scores(connection: Connection, key_id: str) -> int:
    """Count the scores under a key."""
    query = select(func.count()).where(_SCORE.c.key == key_id)
    return int(connection.execute(query).scalar_one())


def unscored(
    connection: Connection, challenge_id: str, *, key_id: str, limit: int
) -> tuple[tuple[str, str], ...]:
    """Return (run, output blob) of runs that left an output and have no score under a key."""
    have = select(_SCORE.c.run).where(_SCORE.c.key == key_id)
    query = (
        select(_RUN.c.id, _VERDICT.c.output)
        .join(_VERDICT, _VERDICT.c.run == _RUN.c.id)
        .where(_RUN.c.challenge == challenge_id, _VERDICT.c.output != "", _RUN.c.id.not_in(have))
        .order_by(_RUN.c.id)
        .limit(limit)
    )
    return tuple((run, output) for run, output in connection.execute(query))
