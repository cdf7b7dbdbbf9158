"""The seal: which paper is whose, encrypted until the marking is settled.

The sealed list is AES-256-GCM over JSON, under a key derived from the service's secret, with the
challenge's id as associated data, kept as a blob. It is opened in this module alone, and a test
reads the imports: for everybody once the marking is settled and an organiser unseals it; for one
paper, early, by an admin with a reason, which every page of the marking shows from then on; and to
keep conflicts of interest apart, which tells nobody a name.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.jury.state import (
    JuryState,
    find_jury,
    load_rows,
    marking_state,
    note,
    require_reason,
    require_state,
)
from iolai.challenge.permissions import Action, require
from iolai.challenge.secrets import derived
from iolai.challenge.service import Actor, Service
from iolai.challenge.state import scope_of
from iolai.errors import ConflictError, InputError, NotFoundError
from iolai.records import EventKind
from iolai.records.jury import MarkingState
from iolai.store.contestants import get_contestant
from iolai.store.papers import find_paper

__all__ = ["SealedList", "barred_jurors", "contestants_of_papers", "open_early", "seal", "unseal"]

_NONCE_BYTES = 12
_PURPOSE = "jury seal"


@dataclass(frozen=True)
class SealedList:
    """What is sealed: the contestant of each paper, and the jurors who must not mark it."""

    contestants: Mapping[str, str]
    barred: Mapping[str, tuple[str, ...]]


def seal(service: Service, challenge_id: str, content: SealedList) -> str:
    """Seal a list and return its blob."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = secrets.token_bytes(_NONCE_BYTES)
    plain = json.dumps(
        {
            "contestants": dict(content.contestants),
            "barred": {paper: list(jurors) for paper, jurors in content.barred.items()},
        }
    )
    cipher = AESGCM(derived(service.secret, _PURPOSE))
    return service.blobs.put(nonce + cipher.encrypt(nonce, plain.encode(), challenge_id.encode()))


def _opened(service: Service, jury: JuryState) -> SealedList:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    data = service.blobs.read(jury.seal)
    nonce, sealed = data[:_NONCE_BYTES], data[_NONCE_BYTES:]
    try:
        cipher = AESGCM(derived(service.secret, _PURPOSE))
        plain = json.loads(cipher.decrypt(nonce, sealed, jury.id.encode()))
    except InvalidTag:
        raise InputError(
            "the sealed list of the marking cannot be opened",
            hint="The secret is not the one it was sealed with, or the file was changed; restore "
            "both from where you keep them.",
        ) from None
    barred = {paper: tuple(jurors) for paper, jurors in plain["barred"].items()}
    return SealedList(plain["contestants"], barred)


def barred_jurors(service: Service, jury: JuryState) -> Mapping[str, tuple[str, ...]]:
    """Return the jurors who must not mark a paper, by paper; it says of nobody why."""
    return _opened(service, jury).barred


def contestants_of_papers(service: Service, jury: JuryState) -> Mapping[str, str]:
    """Return the contestant of each paper; raises ConflictError while the marking is sealed."""
    require_state(jury, begun=True, unsealed=True)
    return _opened(service, jury).contestants


def unseal(service: Service, actor: Actor, slug: str, reason: str) -> None:
    """Unseal a settled marking: no mark changes after it, and the jurors see who did it.

    Raises ConflictError while a paper is not settled, or where it is unsealed already.
    """
    with service.store.write() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.UNSEAL, scope_of(jury.challenge))
        require_reason(reason)
        require_state(jury, begun=True)
        rows = load_rows(connection, jury)
        if marking_state(jury, rows) is not MarkingState.SETTLED:
            states = [rows.state_of(jury, paper) for paper in rows.papers]
            n_open = sum(state != "settled" for state in states)
            raise ConflictError(
                f"{n_open} of {len(states)} papers are not settled",
                hint="Wait until every paper is; an admin can open a single paper early.",
            )
        _opened(service, jury)  # a seal that cannot be opened must not count as opened
        note(connection, jury, actor, EventKind.UNSEALED, reason)


def open_early(service: Service, actor: Actor, slug: str, number: int, reason: str) -> str:
    """Open the seal for one paper before its time and return the contestant's name; for an admin.

    That it was done, by whom and why is shown on every page of the marking and in its result; the
    name is told to the admin alone.
    """
    with service.store.write() as connection:
        jury = find_jury(service, connection, slug)
        require(actor, Action.OPEN_EARLY, scope_of(jury.challenge))
        require_reason(reason)
        require_state(jury, begun=True)
        paper = find_paper(connection, jury.id, number)
        if paper is None:
            raise NotFoundError(f"there is no paper {number}", hint="Check its number.")
        name = _name(connection, _opened(service, jury).contestants[paper.id])
        note(connection, jury, actor, EventKind.PAPER_OPENED, reason, number=number)
    return name


def _name(connection: Connection, contestant_id: str) -> str:
    found = get_contestant(connection, contestant_id)
    if found is None:  # pragma: no cover -- rows of contestants are never deleted
        raise NotFoundError("the contestant is not here", hint="Restore the database.")
    return found.name
