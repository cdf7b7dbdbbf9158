"""Proposals: changes that are looked at before they count."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from iolai.records import Proposal, ProposalState
from iolai.store import tables
from iolai.store.rows import add, record_of

__all__ = ["add_proposal", "get_proposal", "list_proposals", "set_proposal_state"]

_PROPOSAL = tables.proposal


def add_proposal(connection: Connection, proposal: Proposal) -> None:
    """Insert a proposal."""
    add(connection, _PROPOSAL, proposal)


def get_proposal(connection: Connection, proposal_id: str) -> Proposal | None:
    """Return a proposal by its id."""
    row = connection.execute(select(_PROPOSAL).where(_PROPOSAL.c.id == proposal_id)).one_or_none()
    return None if row is None else _proposal(row)


def list_proposals(connection: Connection, challenge_id: str) -> tuple[Proposal, ...]:
    """Return the proposals of a challenge, the newest first."""
    query = (
        select(_PROPOSAL)
        .where(_PROPOSAL.c.challenge == challenge_id)
        .order_by(_PROPOSAL.c.created_at.desc(), _PROPOSAL.c.id)
    )
    return tuple(map(_proposal, connection.execute(query)))


def set_proposal_state(connection: Connection, proposal_id: str, state: ProposalState) -> None:
    """Say where a proposal stands now."""
    connection.execute(
        _PROPOSAL.update().where(_PROPOSAL.c.id == proposal_id).values(state=state.value)
    )


def _proposal(row: Row[Any]) -> Proposal:
    return record_of(Proposal, row, state=ProposalState(row.state))
