"""Which run counts for a submission, and what it scored: the base of boards and of selections.

A submission's own run counts, until a rejudgement of it was applied: then the run of that, unless
it ended by a fault of the platform.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from iolai.challenge.scorebook import weighted
from iolai.challenge.state import ChallengeState
from iolai.records import EventKind, Run, Verdict
from iolai.store import challenges, scores
from iolai.store.events import accepted_order, list_events
from iolai.store.scores import Standing

__all__ = ["Candidate", "applied_proposals", "candidates", "counting_of", "disqualified_teams"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A submission that was scored: the run that counts, and its score over the tasks asked for.

    ``score`` is None where those tasks have no points. ``order`` is the id of the event by which
    it was accepted: the order in which submissions came, whatever the clock did; 0 for archived
    ones, which came at the times that are stated of them.
    """

    submission: str
    team: str
    run: str
    received_at: str
    score: float | None
    order: int = 0

    @property
    def arrival(self) -> tuple[int, str]:
        """What sorts submissions in the order in which they came."""
        return self.order, self.received_at


def applied_proposals(connection: Connection, challenge_id: str) -> tuple[str, ...]:
    """Return the ids of the rejudgements that were applied, in that order."""
    found = list_events(connection, challenge=challenge_id, kinds=(EventKind.PROPOSAL_APPLIED,))
    return tuple(str(event.data["proposal"]) for event in found)


def disqualified_teams(connection: Connection, challenge_id: str) -> dict[str, str]:
    """Return the teams that are disqualified now, and why."""
    out: dict[str, str] = {}
    kinds = (EventKind.DISQUALIFIED, EventKind.REINSTATED)
    for event in list_events(connection, challenge=challenge_id, kinds=kinds):
        if event.kind is EventKind.DISQUALIFIED:
            out[event.team] = event.reason
        else:
            out.pop(event.team, None)
    return out


def candidates(
    connection: Connection,
    state: ChallengeState,
    split: str,
    *,
    team_id: str | None = None,
    key_id: str | None = None,
    also_applied: Iterable[str] = (),
) -> tuple[Candidate, ...]:
    """Return the scored submissions, the earliest first, with their scores over one split.

    ``split`` is ``public`` or ``all``; nothing of another split goes into a score. ``key_id`` and
    ``also_applied`` ask what would stand under another key or with further rejudgements.
    """
    key = challenges.get_key(connection, key_id or state.key)
    if key is None:
        return ()
    tasks = [task for task in key.tasks if split in ("all", task.split)]
    order = (*applied_proposals(connection, state.id), *also_applied)
    rows = scores.list_standings(connection, state.id, key.id, team_id=team_id)
    accepted = accepted_order(connection, state.id, team_id=team_id)
    found = (
        Candidate(
            row.submission,
            row.team,
            row.run,
            row.received_at,
            weighted(json.loads(row.figures), tasks),
            _order(row, accepted),
        )
        for row in _counting(rows, order)
    )
    return tuple(sorted(found, key=lambda one: one.arrival))


def _order(row: Standing, accepted: Mapping[str, tuple[int, str]]) -> int:
    """Return a submission's place in the order of acceptance; 0 where it came at another time."""
    event, at = accepted.get(row.submission, (0, ""))
    return event if at == row.received_at else 0


def _counting(rows: Iterable[Standing], order: Iterable[str]) -> list[Standing]:
    """Keep one row of each submission: that of the last applied rejudgement, else its own."""
    ranks = {proposal: rank for rank, proposal in enumerate(("", *order))}
    best: dict[str, Standing] = {}
    for row in rows:
        rank = ranks.get(row.proposal)
        known = best.get(row.submission)
        if rank is not None and (known is None or rank >= ranks[known.proposal]):
            best[row.submission] = row
    return list(best.values())


def counting_of(
    own: Sequence[Run], verdicts: Mapping[str, Verdict], order: Sequence[str]
) -> Run | None:
    """Return the run that counts of the runs of one submission, scored or not.

    ``order`` is ``""`` and the rejudgements that were applied, in that order.
    """
    best: Run | None = None
    for run in own:
        verdict = verdicts.get(run.id)
        if run.proposal not in order:
            continue
        if run.proposal and (verdict is None or verdict.owner == "platform"):
            continue
        if best is None or order.index(run.proposal) >= order.index(best.proposal):
            best = run
    return best
