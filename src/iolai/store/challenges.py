"""Challenges and their answer keys (hashes and weights; the references are in sealed files)."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, select

from iolai.records import ChallengeRow, KeyRow, KeyTask
from iolai.store import tables
from iolai.store.rows import add, all_of, dump, one_of, record_of

__all__ = [
    "add_challenge",
    "add_key",
    "delete_challenge",
    "find_challenge",
    "get_challenge",
    "get_key",
    "list_challenges",
    "list_keys",
]

_CHALLENGE, _KEY = tables.challenge, tables.answer_key


def add_challenge(connection: Connection, challenge: ChallengeRow) -> None:
    """Insert a challenge."""
    add(connection, _CHALLENGE, challenge)


def find_challenge(connection: Connection, slug: str) -> ChallengeRow | None:
    """Return a challenge by its slug, a deleted one too: slugs are not given twice."""
    return one_of(connection, ChallengeRow, select(_CHALLENGE).where(_CHALLENGE.c.slug == slug))


def get_challenge(connection: Connection, challenge_id: str) -> ChallengeRow | None:
    """Return a challenge by its id, a deleted one too."""
    query = select(_CHALLENGE).where(_CHALLENGE.c.id == challenge_id)
    return one_of(connection, ChallengeRow, query)


def list_challenges(connection: Connection) -> tuple[ChallengeRow, ...]:
    """Return the challenges that are not deleted, the newest first."""
    query = (
        select(_CHALLENGE)
        .where(_CHALLENGE.c.deleted_at == "")
        .order_by(_CHALLENGE.c.created_at.desc(), _CHALLENGE.c.slug)
    )
    return all_of(connection, ChallengeRow, query)


def delete_challenge(connection: Connection, challenge_id: str, at: str) -> None:
    """Mark a challenge as deleted; all its rows stay."""
    connection.execute(
        _CHALLENGE.update().where(_CHALLENGE.c.id == challenge_id).values(deleted_at=at)
    )


def add_key(connection: Connection, key: KeyRow) -> None:
    """Insert what the database holds of a key."""
    add(connection, _KEY, key, tasks=dump([asdict(task) for task in key.tasks]))


def get_key(connection: Connection, key_id: str) -> KeyRow | None:
    """Return a key by its id."""
    row = connection.execute(select(_KEY).where(_KEY.c.id == key_id)).one_or_none()
    return None if row is None else _key(row)


def list_keys(connection: Connection, challenge_id: str) -> tuple[KeyRow, ...]:
    """Return all keys that a challenge ever had, proposed ones too, the oldest first."""
    query = (
        select(_KEY).where(_KEY.c.challenge == challenge_id).order_by(_KEY.c.created_at, _KEY.c.id)
    )
    return tuple(map(_key, connection.execute(query)))


def _key(row: Row[Any]) -> KeyRow:
    return record_of(KeyRow, row, tasks=tuple(KeyTask(**task) for task in json.loads(row.tasks)))
