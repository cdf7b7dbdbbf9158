"""What an event is called, and who reads why it happened.

A reason may name people, or quote a reference of the key. So it is kept for the organisers, and
for a team where it is about that team, unless whoever gave it marked it to be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection

from iolai.challenge.names import fold_name
from iolai.records import Event
from iolai.store import accounts

__all__ = ["EVENTS", "reason_data", "reason_is_shown", "said_of", "with_names"]

_SHOWN = "reason_shown"
#: How authors begin that are no accounts.
_NO_ACCOUNTS = ("local", "service", "anonymous")
#: What an event is called; what is not here is called by its kind.
EVENTS: Mapping[str, str] = {
    "submission_accepted": "Accepted",
    "run_queued": "Queued",
    "run_step": "Began: {state}",
    "run_retried": "Tried again, by our fault",
    "verdict": "Verdict: {outcome}",
    "disqualified": "Disqualified",
    "reinstated": "Reinstated",
    "selected": "Runs selected",
    "selection_locked": "Selection locked",
    "key_set": "Answer key set",
    "proposal_applied": "Applied: {kind}",
    "phase_set": "Phase set to {phase}",
    "published": "Results published",
    "team_registered": "Team registered",
}


class _Told(dict[str, str]):
    """An event's data: what it does not hold is called nothing."""

    def __missing__(self, key: str) -> str:
        return ""


#: What kinds of proposal are called.
_PROPOSALS = {"key": "a corrected key", "rejudge": "a rejudgement"}


def _value(value: object) -> str:
    return _PROPOSALS.get(str(value), str(value).replace("_", " "))


def said_of(event: Event) -> str:
    """Say what happened, in a few words."""
    told = _Told({name: _value(value) for name, value in event.data.items()})
    words = EVENTS.get(event.kind, event.kind.replace("_", " ").capitalize())
    return words.format_map(told).removesuffix(": ")


def reason_data(*, show: bool) -> dict[str, object]:
    """Return what an event's data holds of whether its reason is shown to everybody."""
    return {_SHOWN: True} if show else {}


def reason_is_shown(event: Event) -> bool:
    """Say whether everybody who sees that an event happened may read its reason."""
    return event.data.get(_SHOWN) is True


def with_names(connection: Connection, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return events with the names of accounts in place of their ids."""
    names: dict[str, str] = {}
    for author in {event.author for event in events}:
        user, on_behalf, account_id = author.rpartition(" as ")
        account = accounts.find_account(connection, account_id)
        shown = _plain_name(account.name) if account is not None else account_id
        names[author] = f"{user}{on_behalf}{shown}"
    return tuple(replace(event, author=names[event.author]) for event in events)


def _plain_name(name: str) -> str:
    """Return an account's name so that it cannot be taken for an author that is no account."""
    is_alike = fold_name(name).startswith(tuple(map(fold_name, _NO_ACCOUNTS)))
    return f"account {name}" if is_alike else name
