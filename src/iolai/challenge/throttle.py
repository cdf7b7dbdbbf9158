"""Rate limits: how often one account or address may try something in a stretch of time."""

from __future__ import annotations

import ipaddress
from datetime import timedelta

from iolai.challenge.clock import moment, stamp
from iolai.challenge.service import Service
from iolai.errors import RateError
from iolai.store.rates import count_try, forget_before, forget_subject, windows_of

__all__ = ["forgive", "network_of", "throttle", "throttle_longer"]

#: A wait is doubled so many times at most.
_DOUBLINGS = 5


def network_of(address: str) -> str:
    """Return what is counted as one address: of IPv6 the first 64 bits, which one customer has."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if known.version == 4:
        return address
    mapped = known.ipv4_mapped
    return str(mapped or ipaddress.ip_network((int(known) >> 64 << 64, 64)))


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
        raise _too_many(limit, seconds, seconds - passed)


def throttle_longer(service: Service, what: str, subject: str) -> None:
    """Count one try as ``throttle`` does, and make the wait twice as long after each full window.

    Tries that are refused are not counted, so that the wait ends. ``forgive`` forgets them all.
    """
    limit, seconds = service.settings.rates[what]
    now = service.now()
    start = stamp(now - timedelta(seconds=now.timestamp() % seconds))
    with service.store.write() as connection:
        forget_before(connection, stamp(now - timedelta(days=1)))
        tries = windows_of(connection, f"{what}:{subject}")
        full = [window for window, n_tries in tries.items() if n_tries >= limit]
        doublings = min(len(full) - 1, _DOUBLINGS)
        until = moment(full[-1]) + timedelta(seconds=seconds * 2**doublings) if full else now
        if until <= now:
            count_try(connection, f"{what}:{subject}", start)
            return
    raise _too_many(limit, seconds, (until - now).total_seconds())


def forgive(service: Service, what: str, subject: str) -> None:
    """Forget the tries of a subject, which succeeded."""
    with service.store.write() as connection:
        forget_subject(connection, f"{what}:{subject}")


def _too_many(limit: int, seconds: int, left: float) -> RateError:
    wait = max(1, round(left))
    return RateError(
        f"too many tries: {limit} are allowed in {seconds} seconds",
        hint=f"Try again in {wait} seconds.",
        retry_after_s=wait,
    )
