"""Times as the service keeps them: UTC texts whose order is their order in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["day_after", "later", "moment", "stamp", "utc_now"]


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


def stamp(at: datetime) -> str:
    """Write a time as ``2026-07-01T12:00:00.000000Z``; raises ValueError where it has no zone."""
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment(text: str) -> datetime:
    """Read what ``stamp`` wrote."""
    return datetime.fromisoformat(text)


def later(text: str, seconds: float) -> str:
    """Return the time so many seconds after another."""
    return stamp(moment(text) + timedelta(seconds=seconds))


def day_after(text: str) -> str:
    """Return the first moment of the UTC day after that of a time."""
    start = moment(text).replace(hour=0, minute=0, second=0, microsecond=0)
    return stamp(start + timedelta(days=1))
