"""What a marking is set to: thresholds of medals, names to take out, whether a pair sees names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import Connection

from iolai.challenge.jury.jurors import names_of
from iolai.challenge.jury.state import (
    JurySettings,
    JuryState,
    find_jury,
    load_rows,
    marking_state,
    note,
    settings_data,
)
from iolai.challenge.permissions import Action, require
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError, InputError
from iolai.formats.contestants import parse_contestants
from iolai.jury.totals import require_falling
from iolai.records import EventKind
from iolai.records.jury import MarkingState, PersonScore

__all__ = [
    "EarlyLook",
    "MarkingView",
    "early_looks",
    "get_settings",
    "people_of",
    "set_people_table",
    "set_settings",
    "view_marking",
]

_MAX_NAMES = 500


@dataclass(frozen=True)
class MarkingView:
    """Where a marking stands, for all of the jury: times, early looks into the seal, who unsealed.

    ``state`` is whether it has begun, is unsealed and released; ``unsealed_by`` is a name.
    """

    state: MarkingState
    begun_at: str
    unsealed_at: str
    unsealed_by: str
    unsealed_why: str
    released_at: str
    opened: tuple[EarlyLook, ...]


@dataclass(frozen=True, slots=True)
class EarlyLook:
    """An early look into the seal: which paper, when, who, why."""

    number: int
    at: str
    by: str
    why: str


def view_marking(service: Service, actor: Actor, slug: str) -> MarkingView:
    """Return where the marking stands; for the jury and the desk."""
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.VIEW_MARKING, scope_of(jury.challenge))
        rows = load_rows(connection, jury)
        opened = early_looks(connection, jury)
        unsealed = jury.unsealed
        names = names_of(connection, [unsealed.author] if unsealed else [])
    return MarkingView(
        state=marking_state(jury, rows),
        begun_at=jury.begun.at if jury.begun else "",
        unsealed_at=unsealed.at if unsealed else "",
        unsealed_by=names[unsealed.author] if unsealed else "",
        unsealed_why=unsealed.reason if unsealed else "",
        released_at=jury.released.at if jury.released else "",
        opened=opened,
    )


def early_looks(connection: Connection, jury: JuryState) -> tuple[EarlyLook, ...]:
    """Return the early looks into the seal, in their order."""
    names = names_of(connection, {event.author for event in jury.opened})
    return tuple(
        EarlyLook(int(str(one.data["number"])), one.at, names[one.author], one.reason)
        for one in jury.opened
    )


def get_settings(service: Service, actor: Actor, slug: str) -> JurySettings:
    """Return what the marking is set to; for an organiser."""
    with service.store.read() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
    return jury.settings


def set_settings(
    service: Service, actor: Actor, slug: str, settings: JurySettings, reason: str = ""
) -> None:
    """Set what a marking is set to; the names to take out only while drafting.

    Raises InputError where the thresholds do not fall or too many names are given, ConflictError
    where names are changed that papers were blinded with, or the result is released.
    """
    if len(settings.blind_names) + len(settings.kept_names) > _MAX_NAMES:
        raise InputError(f"more than {_MAX_NAMES} names", hint="Give those that matter.")
    require_falling(settings.thresholds)
    with service.store.write() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.MANAGE_JURY, scope_of(jury.challenge))
        _require_possible(jury, settings)
        note(connection, jury, actor, EventKind.JURY_SET, reason, **settings_data(settings))


def set_people_table(service: Service, actor: Actor, slug: str, text: str) -> int:
    """Take in a table of people's scores, and the thresholds in it; return how many people it has.

    Contestants are placed among these people. Raises FormatError naming the line where the table
    is not right, InputError where it holds neither people nor thresholds.
    """
    held = get_settings(service, actor, slug)
    table = parse_contestants(text, "the table of people")
    known = any(value is not None for value in table.thresholds.by_medal.values())
    if not table.people and not known:
        raise InputError(
            "the table holds no person's score and no threshold",
            hint="Write rows of the kinds person and threshold, with a column total.",
        )
    made = replace(
        held,
        people=service.blobs.put(text.encode()) if table.people else held.people,
        thresholds=table.thresholds if known else held.thresholds,
    )
    set_settings(service, actor, slug, made, "a table of people's scores")
    return len(table.people)


def people_of(service: Service, settings: JurySettings) -> tuple[PersonScore, ...]:
    """Return the people of the table that was taken in; none where there was none."""
    if not settings.people:
        return ()
    return parse_contestants(service.blobs.read(settings.people).decode()).people


def _require_possible(jury: JuryState, settings: JurySettings) -> None:
    if jury.released is not None:
        raise ConflictError("the result is released", hint="It stays as it is.")
    before, after = jury.settings, settings
    names = (before.blind_names, before.kept_names) != (after.blind_names, after.kept_names)
    if jury.begun is not None and names:
        raise ConflictError(
            "marking has begun, and the papers are blinded",
            hint="Withdraw a paper that gives its contestant away.",
        )
