"""How often something was tried of late."""

from __future__ import annotations

from sqlalchemy import Connection, select

from iolai.store import tables

__all__ = ["count_try", "forget_before"]

_RATE = tables.rate


def count_try(connection: Connection, subject: str, window: str) -> int:
    """Count one more try of a subject in a window (named by its start) and return the number."""
    here = (_RATE.c.subject == subject, _RATE.c.window == window)
    known = connection.execute(select(_RATE.c.n).where(*here)).scalar_one_or_none()
    if known is None:
        connection.execute(_RATE.insert(), {"subject": subject, "window": window, "n": 1})
        return 1
    connection.execute(_RATE.update().where(*here).values(n=known + 1))
    return int(known) + 1


def forget_before(connection: Connection, window: str) -> None:
    """Forget the windows that began before a time."""
    connection.execute(_RATE.delete().where(_RATE.c.window < window))
