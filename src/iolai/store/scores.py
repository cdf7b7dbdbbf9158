"""Scores: one row for a run and a key, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Select, func, select

from iolai.records import ScoreRow
from iolai.store import tables
from iolai.store.rows import all_of, one_of, values_of

__all__ = ["add_scores", "count_scores", "get_score", "list_figures", "list_scores", "unscored"]

_SCORE, _RUN, _VERDICT = tables.score, tables.run, tables.verdict


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


def list_figures(
    connection: Connection, key_id: str, *, team_id: str | None = None
) -> Iterator[tuple[str, str, str]]:
    """Yield (run, signature, figures) of all runs that have a verdict and a score under a key."""
    query: Select[Any] = (
        select(_SCORE.c.run, _SCORE.c.signature, _SCORE.c.figures)
        .join(_VERDICT, _VERDICT.c.run == _SCORE.c.run)
        .where(_SCORE.c.key == key_id)
    )
    if team_id is not None:
        query = query.join(_RUN, _RUN.c.id == _SCORE.c.run).where(_RUN.c.team == team_id)
    yield from connection.execute(query).tuples()


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
