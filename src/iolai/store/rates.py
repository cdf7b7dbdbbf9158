"""How often something was tried of late."""

from __future__ import annotations

from sqlalchemy import Connection, select

from iolai.store import tables

__all__ = ["count_try", "forget_before", "forget_subject", "windows_of"]

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


def windows_of(connection: Connection, subject: str) -> dict[str, int]:
    """Return the tries of a subject by the starts of their windows, the earliest first."""
    query = select(_RATE.c.window, _RATE.c.n).where(_RATE.c.subject == subject)
    return {window: int(n) for window, n in connection.execute(query.order_by(_RATE.c.window))}


def forget_subject(connection: Connection, subject: str) -> None:
    """Forget all tries of a subject."""
    connection.execute(_RATE.delete().where(_RATE.c.subject == subject))


def forget_before(connection: Connection, window: str) -> None:
    """Forget the windows that began before a time."""
    connection.execute(_RATE.delete().where(_RATE.c.window < window))
