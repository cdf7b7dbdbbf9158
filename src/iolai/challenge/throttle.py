"""Rate limits: how often one account or address may try something in a stretch of time."""

from __future__ import annotations

from datetime import timedelta

from iolai.challenge.clock import stamp
from iolai.challenge.service import Service
from iolai.errors import RateError
from iolai.store.rates import count_try, forget_before

__all__ = ["throttle"]


def throttle(service: Service, what: str, subject: str) -> None:
    """Count one try; raises RateError where there were too many in this window of time.

    Windows begin at whole multiples of their length. A blank subject (the machine itself) is not
    counted.
    """
    if not subject:
        return
    limit, seconds = service.settings.rates[what]
    now = service.now()
    passed = now.timestamp() % seconds
    start = stamp(now - timedelta(seconds=passed))
    with service.store.write() as connection:
        forget_before(connection, stamp(now - timedelta(days=1)))
        n_tries = count_try(connection, f"{what}:{subject}", start)
    if n_tries > limit:
        wait = max(1, round(seconds - passed))
        raise RateError(
            f"too many tries: {limit} are allowed in {seconds} seconds",
            hint=f"Try again in {wait} seconds.",
            retry_after_s=wait,
        )
